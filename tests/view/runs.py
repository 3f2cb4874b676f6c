"""Runs to look at."""

from __future__ import annotations

from pathlib import Path

from kumi.recording import RunMeta, RunSummary, RunWriter, received_record, sent_record
from kumi.recording.records import CommandKind
from tests.recording.journals import Journal, line

WIDTH, HEIGHT = 20.0, 10.0
END = 8.0
NAMES = {0: "ann", 1: "<img src=x onerror=alert(1)>"}
PLANE = {
    "width": WIDTH,
    "height": HEIGHT,
    "obstacles": [{"block": [9.0, 7.0], "size": [2.0, 2.0]}, {"wall": [[1.0, 9.0], [5.0, 9.0]]}],
    "terrain": [{"slow": [15.0, 8.0], "radius": 1.0}],
}
TITLE = "Ann goes <b>across</b>"


def pieces() -> list[Journal]:
    """Ann goes from (2, 5) along x at 2 m/s from second 1 to 7; the other rests, and they exchange a message at 3."""
    return [
        Journal().time(0.0).add(0, 2.0, 5.0).add(1, 10.0, 2.0),
        Journal()
        .time(1.0)
        .command(0, CommandKind.MOVE_TO, (14.0, 5.0), 0.0, 12.0, 1.0, 2.0)
        .move(0, line(2.0, 5.0, 0.0, 12.0, 2.0)),
        spoken(Journal().time(3.0), sent_record(1, 0, [1], "News", "'<script>alert(2)</script>'")),
        spoken(Journal().time(4.0), received_record(1, 1)).note(1, "<script>alert(3)</script> heard"),
        Journal().time(7.0).end(0, 14.0, 5.0),
        Journal().time(8.0).touch(0, 14.0, 4.5, other=1),
    ]


def spoken(journal: Journal, record: bytes) -> Journal:
    """Add a record about a message."""
    journal.data += record
    return journal


def write_errand(path: Path) -> Path:
    """Write the run, each piece a chunk."""
    meta = RunMeta(scenario=f'title = "{TITLE}"', seed=7, map=PLANE, robots=NAMES, until=END)
    with RunWriter(path, meta) as run:
        for piece in pieces():
            run.write(piece.data)
            run.flush()
        run.close(RunSummary(end=END, events=9, contacts=1, robots=2))
    return path
