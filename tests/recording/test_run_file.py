"""A run file gives back exactly what was written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Disc, Ellipse, Point, Pose
from kumi.recording import writer
from kumi.recording.bodies import Bodies
from kumi.recording.chunks import RunFileError
from kumi.recording.latest import BodyState
from kumi.recording.layout import JournalError
from kumi.recording.meta import RunSummary
from kumi.recording.records import BodyNote, CommandKind, Ending
from kumi.recording.runfile import RunFile
from kumi.recording.writer import RunWriter
from tests.recording.errands import META, errand, still, write
from tests.recording.journals import Journal, disc, line, spin


def test_the_state_is_that_of_the_closed_form_at_any_time(tmp_path: Path) -> None:
    """Turning, going, resting; and a body that is gone is not there any more."""
    run = write(tmp_path / "errand.kumi", *errand())
    there = Point(4.0, 0.0)
    oval = BodyState(2, Pose(Point(9.0, 9.0), 0.0), Ellipse(4.0, 2.0), is_moving=False)

    assert (run.start, run.end) == (0.0, 3.0)
    assert run.state_at(0.5) == [BodyState(1, Pose(Point(0.0, 0.0), -0.5), Disc(0.5), True, there), oval]
    assert run.state_at(1.5) == [BodyState(1, Pose(Point(1.0, 0.0), 0.0), Disc(0.5), True, there), oval]
    assert run.state_at(2.0) == [BodyState(1, Pose(Point(2.0, 0.0), 0.0), Disc(0.5), True, there)]
    assert run.state_at(3.0) == [still(1, 4.0, 0.0)]
    assert run.state_at(0.5)[1] == oval


def test_resizing_and_jumping_change_the_state(tmp_path: Path) -> None:
    run = write(
        tmp_path / "run.kumi",
        Journal().time(0.0).add(1, 0.0, 0.0).time(1.0).resize(1, disc(2.0)).time(2.0).jump(1, 5.0, 5.0, 1.0),
    )

    assert run.state_at(0.0) == [still(1, 0.0, 0.0)]
    assert run.state_at(1.0) == [still(1, 0.0, 0.0, radius=2.0)]
    assert run.state_at(2.0) == [still(1, 5.0, 5.0, 1.0, radius=2.0)]


def test_records_come_between_two_times_both_included(tmp_path: Path) -> None:
    """Also where those of one time are spread over chunks."""
    notes = [Journal().time(t).note(None, f"{t:g}{letter}") for t in (1.0, 2.0, 3.0) for letter in "abc"]
    run = write(tmp_path / "run.kumi", *notes)

    def texts(*span: float) -> list[str]:
        return [record.text for record in run.records(*span) if isinstance(record, BodyNote)]

    assert texts() == ["1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c"]
    assert texts(2.0, 2.0) == ["2a", "2b", "2c"]
    assert texts(1.5) == ["2a", "2b", "2c", "3a", "3b", "3c"]
    assert texts(2.5, 2.75) == []
    assert b"".join(run.journal()) == b"".join(journal.data for journal in notes)


def test_what_is_known_of_the_run_is_kept(tmp_path: Path) -> None:
    summary = RunSummary(end=10.0, trace_hash="abc", events=12, contacts=3, robots=2)
    run = write(tmp_path / "run.kumi", *errand(), summary=summary)

    assert run.meta == META
    assert run.meta.version
    assert run.summary == summary
    assert run.is_whole
    assert run.end == 10.0
    assert run.state_at(10.0) == [still(1, 4.0, 0.0)]


def test_a_time_outside_the_run_is_refused(tmp_path: Path) -> None:
    run = write(tmp_path / "run.kumi", *errand())

    for instant in (-0.001, 3.001, math.nan):
        with pytest.raises(RunFileError, match=r"is outside the run in .*run.kumi, which goes from 0 to 3"):
            run.state_at(instant)


@pytest.mark.parametrize("snapshot", [None, bytes])
def test_a_piece_of_a_journal_may_come_without_its_time(
    tmp_path: Path, snapshot: Callable[[], bytes] | None
) -> None:
    """It is still the time that the piece before ended with."""
    pieces = [Journal().time(1.0).note(None, "a").time(2.0).note(None, "b"), Journal().note(None, "c")]
    with RunWriter(tmp_path / "run.kumi", META, snapshot=snapshot) as out:
        for piece in (*pieces, pieces[1]):
            out.write(piece.data)
            out.flush()
    run = RunFile(tmp_path / "run.kumi")

    assert [record.time for record in run.records()] == [1.0, 2.0, 2.0, 2.0]
    assert run.end == 2.0


def test_the_first_record_is_the_time(tmp_path: Path) -> None:
    with (
        RunWriter(tmp_path / "run.kumi", META) as run,
        pytest.raises(JournalError, match="the first record of a journal must be its time"),
    ):
        run.write(Journal().note(None, "b").data)


def test_what_is_no_run_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content, reason in (
        (b"", "is empty; a run file is expected"),
        (b"[robots]\ncount = 3\n", "is not a run file of kumi"),
        (
            b"\x93KUMIRUN\r\n\x1a\n\x09\0\0\0",
            "has format 9 of run files, and this kumi reads formats 2, 3 and 4",
        ),
    ):
        path.write_bytes(content)
        with pytest.raises(RunFileError, match=reason):
            RunFile(path)


@given(data=st.data())
def test_any_run_is_rebuilt_at_any_time_with_keyframes_anywhere(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Bit for bit what following the whole journal gives, asked for in any order."""
    journals = data.draw(wanderings())
    path = tmp_path_factory.mktemp("runs") / "run.kumi"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "CHUNK", data.draw(st.integers(1, 2000)))
        patch.setattr(writer, "KEYFRAME_SHARE", data.draw(st.sampled_from([0, 1, 8])))
        with RunWriter(path, META) as run:
            for journal in journals:
                run.write(journal.data)
    read = RunFile(path)
    whole = b"".join(journal.data for journal in journals)

    assert b"".join(read.journal()) == whole
    for instant in [*data.draw(st.lists(st.floats(0.0, read.end), max_size=5)), read.end, 0.0]:
        bodies = Bodies()
        bodies.take(whole, until=instant)
        assert read.state_at(instant) == bodies.states(instant)


@st.composite
def wanderings(draw: st.DrawFn) -> list[Journal]:
    """Draw a few bodies that come, turn, go, are stopped, jump and leave, some at the same time."""
    journals = [Journal().time(0.0)]
    for body in range(3):
        journals[0].add(body, float(body), 0.0)
    now = 0.0
    there = {0, 1, 2}
    for _ in range(draw(st.integers(0, 30))):
        now += draw(st.sampled_from([0.0, 0.1, 1.0 / 3.0]))
        journal = Journal().time(now)
        body = draw(st.integers(0, 4))
        doing = draw(st.sampled_from(["add", "go", "turn", "end", "jump", "resize", "gone"]))
        if body not in there:
            journal.add(body, now, 1.0)
            there.add(body)
        elif doing == "go":
            journal.command(body, CommandKind.FORWARD, distance=3.0).move(
                body, line(0.0, now, 0.3, 3.0, 0.7), rate=0.9
            )
        elif doing == "turn":
            journal.move(body, spin(0.0, now, 0.3, -2.0, 0.7), since=0.1)
        elif doing == "end":
            journal.end(body, now, -now, why=Ending.STOPPED)
        elif doing == "jump":
            journal.jump(body, now, now)
        elif doing == "resize":
            journal.resize(body, disc(0.1 + now))
        elif doing == "gone":
            journal.gone(body)
            there.remove(body)
        journals.append(journal)
    return journals


def test_a_snapshot_takes_the_place_of_following(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state after it is built from it and from what comes later."""
    monkeypatch.setattr(writer, "CHUNK", 1)
    bodies = Bodies()
    path = tmp_path / "run.kumi"
    with RunWriter(path, META, snapshot=bodies.keyframe) as run:
        for journal in errand():
            bodies.take(journal.data)
            run.write(journal.data)
    followed = write(tmp_path / "other.kumi", *errand())

    for instant in (0.0, 0.5, 1.0, 2.5, 3.0):
        assert RunFile(path).state_at(instant) == followed.state_at(instant)


def test_a_writer_that_cannot_keep_up_stores_and_then_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost either way."""
    for below, above in ((0, 1 << 30), (0, 0), (1 << 30, 0)):
        monkeypatch.setattr(writer, "PACK_BELOW", below)
        monkeypatch.setattr(writer, "WAIT_ABOVE", above)
        run = write(tmp_path / "run.kumi", *(Journal().time(float(k)).note(None, "x") for k in range(50)))
        assert [record.time for record in run.records()] == [float(k) for k in range(50)]
