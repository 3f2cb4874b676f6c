"""A run file gives back exactly what was written, whole or cut off anywhere."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Disc, Ellipse, Point, Polygon, Pose
from kumi.recording import writer
from kumi.recording.bodies import Bodies, BodyState
from kumi.recording.chunks import RunFileError
from kumi.recording.journal import JournalError, JournalReader
from kumi.recording.meta import RunMeta, RunSummary
from kumi.recording.records import (
    BORDER,
    Added,
    Commanded,
    Ended,
    Ending,
    Gone,
    Jumped,
    Leaving,
    Moves,
    Note,
    Order,
    Record,
    Resized,
    Touched,
)
from kumi.recording.runfile import RunFile
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal, disc, ellipse, line, polygon, spin

ROOT = Path(__file__).parent.parent.parent
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
        .command(1, Order.MOVE_TO, (4.0, 0.0), 1.0, 4.0, 1.0, 2.0)
        .move(1, spin(0.0, 0.0, -1.0, 1.0, 1.0)),
        Journal().time(1.0).move(1, line(0.0, 0.0, 0.0, 4.0, 2.0)).time(2.0).gone(2, Leaving.FELL),
        Journal().time(3.0).end(1, 4.0, 0.0).note(1, "there"),
    ]


def still(number: int, x: float, y: float, heading: float = 0.0, radius: float = 0.5) -> BodyState:
    return BodyState(number, Pose(Point(x, y), heading), Disc(radius), is_moving=False)


def test_every_record_is_read_as_it_was_written() -> None:
    journal = (
        Journal()
        .time(0.5)
        .add(1, 1.0, 2.0, 0.25, polygon((0.0, 0.0), (2.0, 0.0), (0.0, 1.0)))
        .resize(1, ellipse(2.0, 1.0))
        .jump(1, 3.0, 4.0, 0.5)
        .command(1, Order.ARC, (5.0, 6.0), 0.1, 0.2, 0.3, 0.4)
        .time(0.75)
        .end(1, 1.0, 1.0, 1.0, Ending.CONTACT)
        .touch(1, 7.0, 8.0, other=2)
        .touch(1, 7.0, 8.0, obstacle=BORDER)
        .note(None, "größer")
        .gone(1)
    )

    assert list(JournalReader().read(journal.data)) == [
        Added(
            0.5, 1, Pose(Point(1.0, 2.0), 0.25), Polygon((Point(0.0, 0.0), Point(2.0, 0.0), Point(0.0, 1.0)))
        ),
        Resized(0.5, 1, Ellipse(4.0, 2.0)),
        Jumped(0.5, 1, Pose(Point(3.0, 4.0), 0.5)),
        Commanded(0.5, 1, Order.ARC, Point(5.0, 6.0), 0.1, 0.2, 0.3, 0.4),
        Ended(0.75, 1, Ending.CONTACT, Pose(Point(1.0, 1.0), 1.0)),
        Touched(0.75, 1, 2, None, Point(7.0, 8.0)),
        Touched(0.75, 1, None, BORDER, Point(7.0, 8.0)),
        Note(0.75, None, "größer"),
        Gone(0.75, 1, Leaving.REMOVED),
    ]


def test_a_piece_of_motion_is_read_with_its_clock() -> None:
    """On slow terrain the clock goes at half its pace: after 2 s it has gone on by 1."""
    journal = Journal().time(3.0).move(1, line(0.0, 0.0, 0.0, 10.0, 2.0), rate=0.5, since=1.0)
    (moves,) = JournalReader().read(journal.data)

    assert isinstance(moves, Moves)
    assert moves.clock(5.0) == 2.0
    assert moves.pose(5.0) == Pose(Point(4.0, 0.0), 0.0)


def test_what_is_no_journal_is_refused() -> None:
    with pytest.raises(JournalError, match="byte 9 of a journal begins no record: there is none with tag 90"):
        list(JournalReader().read(Journal().time(0.0).data + b"Z"))
    with pytest.raises(JournalError, match="byte 38 of a journal begins no shape: there is none of kind 7"):
        list(JournalReader().read(Journal().time(0.0).add(1, 0.0, 0.0, shape=b"\x07").data))
    for journal in (Journal().end(1, 0.0, 0.0), Journal().note(1, "hello"), Journal().add(1, 0.0, 0.0)):
        for length in range(1, len(journal.data)):
            with pytest.raises(JournalError, match="cut short"):
                list(JournalReader().read(journal.data[:length]))
    with pytest.raises(JournalError, match="byte 0 of a journal is of body 3, which was never added"):
        Bodies().take(Journal().jump(3, 0.0, 0.0).data)
    with pytest.raises(JournalError, match="cut short"):
        Bodies().take(Journal().time(0.0).add(1, 0.0, 0.0).end(1, 0.0, 0.0).data[:-1])


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
        return [record.text for record in run.records(*span) if isinstance(record, Note)]

    assert texts() == ["1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c"]
    assert texts(2.0, 2.0) == ["2a", "2b", "2c"]
    assert texts(1.5) == ["2a", "2b", "2c", "3a", "3b", "3c"]
    assert texts(2.5, 2.75) == []
    assert b"".join(run.journal()) == b"".join(journal.data for journal in notes)


def test_what_is_known_of_the_run_is_kept(tmp_path: Path) -> None:
    summary = RunSummary(end=10.0, trace_hash="abc", events=12, collisions=3, robots=2)
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


def test_a_journal_may_come_without_its_time(tmp_path: Path) -> None:
    """The writer knows the time, since it follows the journal."""
    run = write(tmp_path / "run.kumi", Journal().time(2.0).note(None, "a"), Journal().note(None, "b"))

    assert [record.time for record in run.records()] == [2.0, 2.0]


def test_with_snapshots_a_journal_must_begin_with_its_time(tmp_path: Path) -> None:
    with (
        RunWriter(tmp_path / "run.kumi", META, snapshot=bytes) as run,
        pytest.raises(JournalError, match="must begin with its time"),
    ):
        run.write(Journal().note(None, "b").data)


def test_what_is_no_run_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content, reason in (
        (b"", "is empty; a run file is expected"),
        (b"[robots]\ncount = 3\n", "is not a run file of kumi"),
        (b"\x93KUMIRUN\r\n\x1a\n\x09\0\0\0", "has format 9 of run files, and this kumi reads format 1"),
    ):
        path.write_bytes(content)
        with pytest.raises(RunFileError, match=reason):
            RunFile(path)


def test_a_file_cut_off_at_any_byte_is_read_up_to_its_last_whole_chunk(tmp_path: Path) -> None:
    """Each chunk of this run has one record, so the records are the first so many of all."""
    path, cut = tmp_path / "run.kumi", tmp_path / "cut.kumi"
    run = write(path, *errand(), summary=RunSummary(end=3.0))
    everything, begin = list(run.records()), run._chunks[0].at
    whole = path.read_bytes()
    seen = []
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        if length < begin:
            with pytest.raises(RunFileError, match=r"was cut off before the run began|is empty"):
                RunFile(cut)
            continue
        run = RunFile(cut)
        assert not run.is_whole
        assert run.meta == META
        records = list(run.records())
        assert [type(record) for record in records] == [type(record) for record in everything[: len(records)]]
        assert len(run.state_at(run.end)) == {0: 0, 2: 2, 4: 2, 6: 1, 8: 1}[len(records)]
        seen.append(len(records))

    assert sorted(set(seen)) == [0, 2, 4, 6, 8]
    assert seen == sorted(seen)


def test_a_damaged_chunk_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.kumi"
    write(path, *errand())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)

    with pytest.raises(RunFileError, match=r"run.kumi is damaged at byte \d+"):
        list(RunFile(path).records())


def test_a_damaged_last_chunk_is_left_out(tmp_path: Path) -> None:
    """As after a loss of power, when the length of the file was kept but not all of its bytes."""
    path = tmp_path / "run.kumi"
    run = write(path, *errand())
    last = run._chunks[-1].at
    data = path.read_bytes()
    path.write_bytes(data[: last + 26] + bytes(len(data) - last - 26))

    assert RunFile(path).end == 2.0


WRITING = """
import sys, time
from pathlib import Path
from kumi.recording.meta import RunMeta
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal

run = RunWriter(Path(sys.argv[1]), RunMeta())
run.write(Journal().time(0.0).add(1, 0.0, 0.0).data)
number = 0
while True:
    number += 1
    run.write(Journal().time(float(number)).jump(1, float(number), 0.0).data)
    if number % 1000 == 0:
        run.flush()
        print(number, flush=True)
        time.sleep(0.001)
"""


def test_a_process_killed_while_writing_leaves_a_file_that_can_be_read(tmp_path: Path) -> None:
    """What was flushed a while before the kill is there, and all that is there is right."""
    path = tmp_path / "run.kumi"
    command = [sys.executable, "-c", WRITING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(20)][-1]
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    run = RunFile(path)

    assert process.returncode == -signal.SIGKILL
    assert not run.is_whole
    assert run.end >= said - 5000
    assert run.end % 1000 == 0
    assert [record.time for record in run.records()] == [float(k) for k in range(int(run.end) + 1)]
    assert run.state_at(run.end) == [still(1, run.end, 0.0)]


FILLING = """
import resource, sys
from pathlib import Path
from kumi.recording.meta import RunMeta
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    with RunWriter(Path(sys.argv[1]), RunMeta()) as run:
        for number in range(100_000):
            run.write(Journal().time(float(number)).note(None, str(number)).data)
            if number % 1000 == 0:
                run.flush()
except OSError as error:
    print(error)
"""


def test_a_disk_that_is_full_is_told_and_what_was_written_stays(tmp_path: Path) -> None:
    """Nothing follows a chunk that could not be written."""
    path = tmp_path / "run.kumi"
    command = [sys.executable, "-c", FILLING, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    run = RunFile(path)

    assert done.stderr == ""
    assert done.stdout == f"[Errno 27] File too large: '{path}'\n"
    assert not run.is_whole
    assert [record.time for record in run.records()] == [float(k) for k in range(int(run.end) + 1)]


def test_a_place_that_takes_nothing_is_told_at_once() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this machine has no full device")
    with pytest.raises(OSError, match=r"No space left on device: .*full"):
        RunWriter(full, META)


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
            journal.command(body, Order.FORWARD, distance=3.0).move(
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


def test_records_are_values() -> None:
    records: list[Record] = [Note(1.0, None, "a"), Gone(1.0, 2, Leaving.FELL)]

    assert records == [Note(1.0, None, "a"), Gone(1.0, 2, Leaving.FELL)]
    with pytest.raises(AttributeError):
        records[0].time = 2.0  # type: ignore[misc]
