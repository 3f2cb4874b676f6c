"""A small run, as a file."""

from __future__ import annotations

from pathlib import Path

from kumi.geometry import Disc, Point, Pose
from kumi.recording.latest import BodyState
from kumi.recording.meta import RunMeta, RunSummary
from kumi.recording.records import CommandKind, Leaving
from kumi.recording.runfile import RunFile
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal, ellipse, line, spin

META = RunMeta(scenario="[robots]\ncount = 2\n", seed=7, robots={1: "ann"}, until=10.0)


def write(path: Path, *journals: Journal, summary: RunSummary | None = None) -> RunFile:
    """Write journals, each flushed, and open the file."""
    with RunWriter(path, META) as run:
        for journal in journals:
            run.write(journal.data)
            run.flush()
        run.close(summary)
    return RunFile(path)


def errand() -> list[Journal]:
    """Body 1 goes 4 m along x at 2 m/s from time 1 on, after a turn of a second; body 2 is there meanwhile."""
    return [
        Journal().time(0.0).add(1, 0.0, 0.0).add(2, 9.0, 9.0, shape=ellipse(2.0, 1.0)),
        Journal()
        .time(0.0)
        .command(1, CommandKind.MOVE_TO, (4.0, 0.0), 1.0, 4.0, 1.0, 2.0)
        .move(1, spin(0.0, 0.0, -1.0, 1.0, 1.0)),
        Journal().time(1.0).move(1, line(0.0, 0.0, 0.0, 4.0, 2.0)).time(2.0).gone(2, Leaving.FELL),
        Journal().time(3.0).end(1, 4.0, 0.0).note(1, "there"),
    ]


def still(number: int, x: float, y: float, heading: float = 0.0, radius: float = 0.5) -> BodyState:
    return BodyState(number, Pose(Point(x, y), heading), Disc(radius), is_moving=False)
