"""A run on linked robots leaves a run file: where they believed to be, and what their programs noted and showed."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from kumi.devs import note
from kumi.link import PtyPair
from kumi.link.emulators import Emulation, Make
from kumi.recording import Published, RunFile
from kumi.robot import Robot
from kumi.stage.linked import LinkedStage
from kumi.world import Map, World
from tests.waiting import PATIENCE

BAUD = 115200


async def go(robot: Robot) -> None:
    note("goes")
    robot.show("state", "goes")
    await robot.forward(0.06)
    robot.show("state", "has come")


def test_a_run_on_linked_robots_is_recorded(tmp_path: Path) -> None:
    """6 cm from (0.5, 0.5), with clocks that go three times as fast on both sides."""
    record, terminal = tmp_path / "run.kumi", PtyPair(BAUD)
    with Emulation(World(Map(2.0, 2.0)), rate=3.0) as emulation:
        emulation.add(terminal, at=(0.5, 0.5), make=Make(baud=BAUD))
        emulated = Thread(target=emulation.run)
        emulated.start()
        try:
            with LinkedStage(record=record, map_=Map(2.0, 2.0), pace=3.0) as stage:
                robot = stage.add(go, port=terminal.name, baud=BAUD, at=(0.5, 0.5))
                outcome = stage.run(PATIENCE)
        finally:
            emulation.stop()
            emulated.join()

    run = RunFile(record)
    (end,) = run.state_at(run.end)
    assert outcome.seconds < PATIENCE
    assert run.meta.robots == {0: "robot 0"}
    assert run.meta.map["width"] == 2.0
    assert end.pose.position.x == pytest.approx(robot.position.x, abs=0.02)
    assert end.pose.position.x == pytest.approx(0.56, abs=0.02)
    assert [one.value for one in run.records() if isinstance(one, Published)] == ["goes", "has come"]
    assert [(one.body, one.value) for one in run.published_at(run.end)] == [(0, "has come")]
    assert run.summary is not None
    assert not run.summary.is_interrupted


def test_a_pace_is_above_0() -> None:
    with pytest.raises(ValueError, match="a pace"):
        LinkedStage(pace=0.0)
