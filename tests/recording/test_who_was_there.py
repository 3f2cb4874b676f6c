"""A run file knows all robots that were there at any time: their names, teams and sensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi import sleep
from kumi.geometry import Disc
from kumi.recording import RunFile, RunMeta, RunWriter, writer
from kumi.recording.chunks import ChunkKind
from kumi.recording.meta import RobotGroup, SensorField
from kumi.robot import Robot
from kumi.sensing import RangeFinder
from kumi.stage import Stage
from kumi.world import World
from tests.recording.journals import Journal

EYE = SensorField(name="eye", reach=3.0, offset=0.2)


async def stand(_: Robot) -> None:
    """Do nothing."""


def group(first: int, count: int, team: str, *sensors: SensorField) -> RobotGroup:
    return RobotGroup(first=first, count=count, team=team, sensors=sensors)


def test_a_robot_that_was_removed_keeps_its_team_and_its_sensors(tmp_path: Path) -> None:
    with Stage(World(), record=tmp_path / "run.kumi") as stage:
        for y, name in enumerate(("red 1", "blue 1")):
            eye = {"eye": RangeFinder(reach=3.0)}
            stage.add(stand, at=(0, y), shape=Disc(0.2), sensors=eye, name=name)
        stage.run(1.0)
        stage.world.bodies[0].remove()
        stage.run(2.0)
    run = RunFile(tmp_path / "run.kumi")

    assert run.meta.groups == (group(0, 1, "red", EYE), group(1, 1, "blue", EYE))
    assert run.meta.robots == {0: "red 1", 1: "blue 1"}
    assert [[one.number for one in run.state_at(at)] for at in (0.5, 1.5)] == [[0, 1], [1]]


def test_a_robot_that_comes_late_is_known_also_where_the_file_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice of the run is a chunk, so the file has begun long before the second robot comes, and goes."""
    monkeypatch.setattr(writer, "CHUNK_SECONDS", 0.0)
    path = tmp_path / "run.kumi"

    async def come_and_go(stage: Stage) -> None:
        for number in range(2, 5):
            await sleep(1.0)
            stage.add(stand, at=(0.0, 1.0), name=f"late {number}")
            await sleep(1.0)
            stage.world.bodies[-1].remove()

    with Stage(World(), record=path) as stage:
        stage.add(stand, at=(0.0, 0.0), name="early 1")
        stage.run(0.5)
        stage.simulation.start(come_and_go, stage)
        for instant in range(1, 9):
            stage.run(float(instant))
    cut = tmp_path / "cut.kumi"
    cut.write_bytes(path.read_bytes()[:-9])

    for run in (RunFile(path), RunFile(cut)):
        assert run.meta.groups == (group(0, 1, "early"), group(1, 3, "late"))
        assert run.meta.robots == {0: "early 1", 1: "late 2", 2: "late 3", 3: "late 4"}
    assert not RunFile(cut).is_whole


def test_what_was_written_of_robots_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand robots come one by one: each is written once, and nothing of them is held."""
    monkeypatch.setattr(writer, "CHUNK_SECONDS", 0.0)
    with RunWriter(tmp_path / "run.kumi", RunMeta()) as out:
        for number in range(1000):
            out.meet(group(number, 1, "ants"), f"ants {number}")
            out.write(Journal().time(float(number)).add(number, 0.0, 0.0).data)
            assert not out._groups
            assert not out._names
        entries = [entry for entry in out._index if entry.kind is ChunkKind.META]
    run = RunFile(tmp_path / "run.kumi")

    assert run.meta.groups == (group(0, 1000, "ants"),)
    assert len(run.meta.robots) == 1000
    assert len(entries) <= 1001
    assert run.path.stat().st_size < 1_000_000
