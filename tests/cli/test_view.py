"""`kumi view` says in one sentence what is wrong, before it shows anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kumi.cli.main import kumi, run
from kumi.cli.view import SHIPPED, endless
from kumi.scenario import Staging, load_scenario
from tests.view.runs import write_errand


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run the command, and return its exit code and what it says on stderr."""
    code = run(kumi, ["view", "--no-open", *arguments])
    return code, capsys.readouterr().err


def test_a_scenario_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, words = said(capsys, "gatherin")

    assert code == 2
    assert "did you mean 'gathering'?" in words


def test_a_run_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, words = said(capsys, str(tmp_path / "nothing.kumi"))

    assert code == 2
    assert "nothing.kumi: there is no such file." in words


def test_a_run_file_of_another_version_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_errand(tmp_path / "later.kumi")
    data = bytearray(path.read_bytes())
    data[12] = 99
    path.write_bytes(data)

    code, words = said(capsys, str(path))

    assert code != 0
    assert "has format 99 of run files" in words


def test_an_address_is_a_host_and_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    code, words = said(capsys, "--listen", "here:there")

    assert code == 2
    assert "'here:there' is not a port such as 9000" in words


def test_the_help_has_things_to_try() -> None:
    assert "kumi view run.kumi" in CliRunner().invoke(kumi, ["view", "--help"]).output


@pytest.mark.slow
def test_the_scene_for_newcomers_goes_on() -> None:
    """In the file it ends after 420 s, and rests from 300 s on; robots that are looked at wander at 500 s."""
    with Staging(load_scenario(SHIPPED, endless())).stage() as stage:
        stage.run(500.0)
        assert stage.outcome.still_since is None
        assert any(robot.is_moving for robot in stage.robots)
