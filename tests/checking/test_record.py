"""A run of a case can be written to a run file, and read, printed and drawn from there."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

from kumi.checking.faults import Crash, Lossy, Recovery
from kumi.checking.record import record
from kumi.checking.schedule import Schedule
from kumi.checking.trial import Trial
from kumi.recording import RunFile, write_log
from kumi.recording.picture import write_picture
from tests.checking.sample import CASE

FAULTS = Schedule((Lossy(0.0, 1.0, probability=1.0, link=(0, 3)), Recovery(1.0, 2.0, node=1), Crash(3.0, 2)))


def recorded(folder: Path) -> tuple[RunFile, str]:
    """Write a run of four nodes that fails, and return its file and its log."""
    path = folder / "run.kumi"
    trial = Trial(CASE, nodes=4, stack=CASE.mutants["no-retransmission"], schedule=FAULTS)
    verdict = record(trial, path)
    assert (
        verdict.trace_hash
        == Trial(CASE, nodes=4, stack=CASE.mutants["no-retransmission"], schedule=FAULTS).run().trace_hash
    ), "to be watched changes nothing"
    text = io.StringIO()
    write_log(RunFile(path), text)
    return RunFile(path), text.getvalue()


def test_the_log_tells_faults_messages_requests_and_the_verdict(tmp_path: Path) -> None:
    _, log = recorded(tmp_path)

    assert "0.000 run notes e fault: 0.000 to 1.000 s: all messages from 0 to 3 are lost" in log
    assert "0.500 p0 notes e ToEach is asked to broadcast Word(speaker=0, number=0)" in log
    assert "0.500 p0 messages e s p0 p3 Copy 3, Word(0, 0)" in log
    assert "0.500 p3 messages e d p0 p3 Copy 3, Word(0, 0) (loss)" in log
    assert "1.000 p1 notes e crashes" in log
    assert "2.000 p1 notes e comes back" in log
    assert log.splitlines()[-1].startswith("15.000 run notes e violation of validity: 0 broadcast Word(")


def test_nodes_stand_on_a_circle_and_those_that_are_down_are_not_there(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path)
    there = {instant: [state.number for state in run.state_at(instant)] for instant in (0.5, 1.5, 2.5, 3.5)}

    assert there == {0.5: [0, 1, 2, 3], 1.5: [0, 2, 3], 2.5: [0, 1, 2, 3], 3.5: [0, 1, 3]}
    places = [state.pose.position for state in run.state_at(0.5)]
    gaps = {round(abs(complex(*a) - complex(*b)), 6) for a, b in pairwise(places)}
    assert gaps == {2.5}


def test_the_file_says_what_was_run_and_what_came_out(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path)

    assert run.is_whole
    assert run.meta.scenario == "# sample: what a correct node says, every correct node hears once\n"
    assert run.meta.robots == {0: "node 0", 1: "node 1", 2: "node 2", 3: "node 3"}
    assert run.summary is not None
    assert run.summary.end == 15.0
    assert "validity" in run.summary.errors[0]


def test_it_can_be_drawn(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path)
    write_picture(run, 1.5, tmp_path / "a.png")

    assert (tmp_path / "a.png").stat().st_size > 1000
