"""A writer that nobody closes finishes its file when it is collected, whatever its thread has written by then."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import pytest

from kumi.recording import RunFile, RunWriter
from kumi.recording.meta import RunSummary
from tests.recording.errands import META
from tests.recording.journals import Journal


@pytest.mark.slow
@pytest.mark.parametrize("flushes", [0, 1, 20])
def test_a_writer_that_is_forgotten_leaves_a_whole_file(tmp_path: Path, flushes: int) -> None:
    """Also in a circle of objects that are collected together, in any order."""
    path = tmp_path / "run.kumi"
    writer = RunWriter(path, META)
    circle: list[object] = [writer]
    circle.append(circle)
    writer.write(Journal().time(0.0).add(1, 0.0, 0.0).data)
    for number in range(1, flushes + 1):
        writer.write(Journal().time(float(number)).jump(1, float(number), 0.0).data)
        writer.flush()
    writer.write(Journal().time(30.0).jump(1, 30.0, 0.0).data)
    writer.keep(RunSummary(end=40.0))
    known = ref(writer)
    del writer, circle
    while known() is not None:  # its thread has it in hand until all is written
        gc.collect()
    run = RunFile(path)

    assert run.is_whole
    assert run.end == 40.0
    assert [record.time for record in run.records()] == [0.0, *map(float, range(1, flushes + 1)), 30.0]


def test_a_writer_to_which_nothing_was_written_leaves_a_file_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "run.kumi"
    RunWriter(path, META)
    gc.collect()

    assert not RunFile(path).is_whole


def test_a_summary_that_was_kept_stands_in_a_file_that_is_closed_without_one(tmp_path: Path) -> None:
    path = tmp_path / "run.kumi"
    with RunWriter(path, META) as writer:
        writer.write(Journal().time(0.0).add(1, 0.0, 0.0).data)
        writer.keep(RunSummary(end=40.0))

    assert RunFile(path).summary == RunSummary(end=40.0)
