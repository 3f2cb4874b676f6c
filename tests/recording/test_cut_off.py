"""What was written of a run stays readable, whatever ended the writing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kumi.recording.chunks import RunFileError
from kumi.recording.meta import RunSummary
from kumi.recording.runfile import RunFile
from kumi.recording.writer import RunWriter
from tests.recording.errands import META, errand, still, write
from tests.waiting import PATIENCE, read_line, wait_for

ROOT = Path(__file__).parent.parent.parent


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
    """What was flushed comes to be there, stays there after the kill, and all that is there is right."""
    path = tmp_path / "run.kumi"
    command = [sys.executable, "-c", WRITING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        said = [int(read_line(process.stdout)) for _ in range(20)][-1]
        wait_for(lambda: RunFile(path).end >= said, "what was flushed did not come to be there")
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    run = RunFile(path)

    assert process.returncode == -signal.SIGKILL
    assert not run.is_whole
    assert run.end >= said
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
