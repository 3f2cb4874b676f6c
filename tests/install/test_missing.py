"""Who asks for what is not installed is told before anything is done, with the command that brings it."""

from __future__ import annotations

import errno
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kumi.cli import main
from kumi.devs.extras import MissingExtra
from kumi.link.ports import LinkPortError, open_port
from kumi.recording.video import encoding
from kumi.station.sandbox.jail import NoSandbox, filter_file
from tools import page, setup


def test_a_scenario_with_a_film_is_refused_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kumi.devs.extras.find_spec", lambda _name: None)

    assert main(["run", "random-movement", "--set", "animation.on=true"]) != 0
    said = capsys.readouterr().err
    assert "av is not installed; `" in said
    assert " install 'av>=14.0'` brings it" in said
    assert list(tmp_path.iterdir()) == []


def test_a_film_of_a_run_names_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)

    with pytest.raises(MissingExtra, match=r"av is not installed; `.* install 'av>=14.0'` brings it"):
        encoding()


def test_an_environment_names_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium.spaces", None)
    monkeypatch.delitem(sys.modules, "kumi.learning.zoo_env", raising=False)

    with pytest.raises(
        MissingExtra, match=r"gymnasium.spaces is not installed; `.*gymnasium>=1.4.*` brings it"
    ):
        import_module("kumi.learning.zoo_env")


def test_a_port_without_the_right_to_it_points_to_the_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("kumi.link.ports.os.open", refuse)

    with pytest.raises(
        LinkPortError, match=r"/dev/ttyUSB0 cannot be opened: this user has no right to it; `kumi doctor`"
    ):
        open_port("/dev/ttyUSB0")


def test_a_sandbox_without_its_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)

    with pytest.raises(
        NoSandbox, match=r"needs pyseccomp, which is not here; `.* install .*pyseccomp.*` brings it"
    ):
        filter_file()


def test_a_node_that_only_builds_the_page_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []

    def call(_command: list[str], what: str) -> None:
        called.append(what)
        (tmp_path / "node" / "bin").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(page, "node_path", lambda _beside: None)
    monkeypatch.setattr(setup, "call", call)
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "BUILD", tmp_path)

    with setup.node(is_kept=False) as path:
        assert path.startswith(f"{tmp_path / 'node' / 'bin'}:")

    assert called == ["making room for Node", "installing Node"]
    assert not (tmp_path / "node").exists()
