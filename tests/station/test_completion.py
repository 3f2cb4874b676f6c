"""The shell completes commands, robots and their tasks: asked as bash asks, of a station that runs."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import kumi
from tests.station.processes import running
from tests.waiting import free_port

Template = tuple[Path, dict[str, str], dict[str, str]]


def completed(line: str, **more: str) -> list[str]:
    """Return what bash would offer at the end of a line."""
    words = shlex.split(line)
    asked = {"_KUMI_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    said = kumi(environment=asked | more)
    return [found.partition(",")[2] for found in said.stdout.splitlines() if found]


@pytest.mark.slow
def test_robots_and_tasks_are_offered(template: Template, tmp_path: Path) -> None:
    shutil.copy(template[0], tmp_path / "station.db")
    with running(tmp_path, free_port()) as station:
        ours = {"KUMI_STATION": station.url, "KUMI_TOKEN": template[1]["red commander"]}
        assert completed("kumi station stop r", **ours) == ["red robot"]
        assert completed("kumi station robots b", **ours) == ["blue robot"]
        assert completed('kumi station task "red robot" g', **ours) == ["goTo"]


def test_without_a_station_nothing_is_offered_and_nothing_said() -> None:
    gone = {"KUMI_STATION": f"http://127.0.0.1:{free_port()}", "KUMI_TOKEN": "none"}
    assert completed("kumi station stop r", **gone) == []
    assert completed("kumi station sto") == ["stop"]
