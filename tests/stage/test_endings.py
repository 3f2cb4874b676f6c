"""However a script ends: what it recorded is whole, and a signal ends it, in processes of their own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kumi.recording import RunFile
from kumi.recording.chunks import RunFileError
from tests.waiting import PATIENCE, read_line

ROOT = Path(__file__).parent.parent.parent

HEAD = """
import gc, os, signal, sys, threading
import kumi
from kumi.stage.stage import Stage
from kumi.world import World

async def go(robot):
    while True:
        await robot.forward(1.0)
        await robot.back_up(1.0)

def staged(name="run", **options):
    stage = Stage(World(), record=f"{name}.kumi", log=f"{name}.log", **options)
    stage.add(go, at=(0.0, 0.0))
    return stage

def ready(*_):
    print("ready", flush=True)

"""


CONTAINER = ("bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--as-pid-1")
"""A command is the first process of a container, which the system does not end by a signal without a handler."""


def start(folder: Path, script: str, inside: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start a script in a folder of its own."""
    (folder / "script.py").write_text(HEAD + script)
    return subprocess.Popen(
        [*inside, sys.executable, "script.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done(folder: Path, script: str, inside: Sequence[str] = ()) -> tuple[int, str, str]:
    """Run a script to its end, and return how it ended and what it said."""
    process = start(folder, script, inside)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def signalled(folder: Path, script: str, number: signal.Signals) -> tuple[int, str, str]:
    """Send a signal to a script as soon as it says that it is ready; return how it ended, and what it said then."""
    process = start(folder, script)
    assert read_line(process.stdout) == "ready\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def whole(path: Path) -> RunFile:
    """Open a run file that has its end and what came out of the run; the log beside it tells the same."""
    run = RunFile(path)
    assert run.is_whole
    assert run.summary is not None
    assert run.summary.end == run.end
    last = list(run.records())[-1].time
    assert path.with_suffix(".log").read_text().splitlines()[-1].startswith(f"{last:.3f} ")
    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise RuntimeError('no more')", 1),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("del stage; gc.collect(); whole = open('run.kumi', 'rb').read()[-8:]; os._exit(4)", 4),
        ("stage.run(20.0); stage.run(30.0)", 0),
        ("threading.Thread(target=stage.run, args=(20.0,)).start()", 0),
        ("os.fork() or sys.exit(0); os.wait()", 0),
        ("os.fork() or (stage.close(), sys.exit(0)); os.wait()", 0),
    ],
)
def test_a_recording_is_whole_however_the_script_ends(tmp_path: Path, ending: str, code: int) -> None:
    found, _, _ = done(tmp_path, f"stage = staged()\nstage.run(10.0)\n{ending}\n")

    assert found == code
    assert whole(tmp_path / "run.kumi").end >= 10.0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_recording_of_a_worker_process_is_whole(tmp_path: Path, method: str) -> None:
    """Python ends workers of `multiprocessing` without what it does at the end of other processes."""
    script = f"""
def work():
    global stage
    stage = staged()
    stage.run(10.0)

if __name__ == "__main__":
    from multiprocessing import get_context
    worker = get_context("{method}").Process(target=work)
    worker.start()
    worker.join()
    sys.exit(worker.exitcode)
"""
    code, _, err = done(tmp_path, script)

    assert (code, err) == (0, "")
    assert whole(tmp_path / "run.kumi").end >= 10.0


def test_a_stage_that_is_never_closed_says_nothing_at_the_end(tmp_path: Path) -> None:
    assert done(tmp_path, "import warnings\nwarnings.simplefilter('error')\nstaged().run(10.0)\n") == (
        0,
        "",
        "",
    )


def test_an_error_of_a_program_stands_in_the_recording_that_nobody_closed(tmp_path: Path) -> None:
    script = """
async def fail(robot):
    await robot.forward(1.0)
    raise RuntimeError("lost")

stage = staged()
stage.add(fail, at=(0.0, 5.0), name="unlucky")
stage.run(10.0)
"""
    code, _, err = done(tmp_path, script)
    summary = whole(tmp_path / "run.kumi").summary

    assert code == 1
    assert "RuntimeError: lost" in err
    assert summary is not None
    assert summary.errors == ("unlucky: lost",)


def test_a_stage_that_never_ran_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    assert done(tmp_path, "stage = staged()\n")[0] == 0

    with pytest.raises(RunFileError, match="was cut off before the run began"):
        RunFile(tmp_path / "run.kumi")


@pytest.mark.parametrize("recorded", [True, False])
def test_a_loop_of_runs_ends_with_the_first_request_to_terminate(tmp_path: Path, recorded: bool) -> None:
    """And all that it recorded is whole, also what it was about to record."""
    stage = "staged(str(seed))" if recorded else "Stage(World())"
    script = f"""
for seed in range(1_000_000):
    stage = {stage}
    if seed == 3:
        stage.simulation.schedule(5.0, ready)
    stage.run(10.0)
"""
    code, _, err = signalled(tmp_path, script, signal.SIGTERM)
    runs = [whole(path) for path in tmp_path.glob("*.kumi") if path.stat().st_size > 20]

    assert (code, err) == (-signal.SIGTERM, "")
    assert len(runs) >= (3 if recorded else 0)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_loop_of_runs_in_a_container_ends_with_the_first_request_to_terminate(
    tmp_path: Path, recorded: bool
) -> None:
    stage = "staged()" if recorded else "Stage(World())"
    script = f"""
for number in range(3):
    stage = {stage}
    stage.simulation.schedule(5.0, lambda: os.kill(os.getpid(), signal.SIGTERM))
    stage.run(10.0)
    print("went on", os.getpid())
"""
    assert done(tmp_path, script, CONTAINER) == (128 + signal.SIGTERM, "", "")
    assert not recorded or whole(tmp_path / "run.kumi").end == 5.0


def test_a_loop_of_plain_runs_ends_with_the_first_request_to_terminate(tmp_path: Path) -> None:
    script = """
async def program():
    await kumi.sleep(1.0)

kumi.run(program)
ready()
while True:
    kumi.run(program)
"""
    assert signalled(tmp_path, script, signal.SIGTERM) == (-signal.SIGTERM, "", "")


def test_a_run_without_end_is_recorded_up_to_the_request_to_terminate(tmp_path: Path) -> None:
    script = "stage = staged()\nstage.simulation.schedule(5.0, ready)\nstage.run()\nprint('went on')\n"
    code, out, err = signalled(tmp_path, script, signal.SIGTERM)
    summary = whole(tmp_path / "run.kumi").summary

    assert (code, out, err) == (-signal.SIGTERM, "", "")
    assert summary is not None
    assert summary.is_interrupted


def test_ctrl_c_raises_keyboard_interrupt_after_the_run(tmp_path: Path) -> None:
    script = """
stage = staged()
stage.simulation.schedule(5.0, ready)
try:
    stage.run()
except KeyboardInterrupt:
    print("interrupted", stage.outcome.is_interrupted, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert signalled(tmp_path, script, signal.SIGINT) == (0, "interrupted True True\n", "")
    whole(tmp_path / "run.kumi")


def test_a_handler_of_the_script_is_called_after_the_run_and_stands_again(tmp_path: Path) -> None:
    script = """
def heard(number, frame):
    print("heard", signal.Signals(number).name, stage.outcome.is_interrupted)

signal.signal(signal.SIGTERM, heard)
stage = staged()
stage.simulation.schedule(5.0, ready)
stage.run()
print(signal.getsignal(signal.SIGTERM) is heard)
stage.run(stage.simulation.now + 1.0)
print(stage.outcome.is_interrupted)
"""
    assert signalled(tmp_path, script, signal.SIGTERM) == (0, "heard SIGTERM True\nTrue\nFalse\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path, number: signal.Signals) -> None:
    script = f"""
signal.signal({int(number)}, signal.SIG_IGN)
stage = staged()
stage.simulation.schedule(5.0, lambda: (ready(), sys.stdin.readline()))
print(stage.run(10.0).is_interrupted)
"""
    (tmp_path / "script.py").write_text(HEAD + script)
    command = [sys.executable, "script.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert read_line(process.stdout) == "ready\n"
        process.send_signal(number)
        out, _ = process.communicate("go on\n", timeout=PATIENCE)

    assert (process.returncode, out) == (0, "False\n")


def test_a_run_inside_a_run_hands_the_signal_on_to_the_outer_one(tmp_path: Path) -> None:
    script = """
inner, outer = staged("inner"), staged("outer")
inner.simulation.schedule(5.0, ready)
outer.simulation.schedule(1.0, lambda: print("inner", inner.run().is_interrupted, flush=True))
outer.run()
print("went on")
"""
    assert signalled(tmp_path, script, signal.SIGTERM) == (-signal.SIGTERM, "inner True\n", "")
    assert whole(tmp_path / "inner.kumi").end >= 5.0
    assert whole(tmp_path / "outer.kumi").end == 1.0


def test_a_run_in_another_thread_leaves_signals_alone(tmp_path: Path) -> None:
    script = """
def exit_(number, frame):
    stage.end()
    thread.join()
    sys.exit(5)

signal.signal(signal.SIGTERM, exit_)
stage = staged()
stage.simulation.schedule(5.0, ready)
thread = threading.Thread(target=stage.run)
thread.start()
thread.join()
"""
    assert signalled(tmp_path, script, signal.SIGTERM) == (5, "", "")
    assert whole(tmp_path / "run.kumi").end >= 5.0


def test_a_process_that_a_run_forks_can_be_terminated(tmp_path: Path) -> None:
    """It has not inherited what ends the run of the other."""
    script = """
def fork():
    hears, says = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(says, b"!")
        signal.pause()
        os._exit(6)
    os.read(hears, 1)  # the child has begun: a signal that comes while it is forked is lost
    os.kill(child, signal.SIGTERM)
    print(os.WTERMSIG(os.waitpid(child, 0)[1]))

stage = staged()
stage.simulation.schedule(5.0, fork)
print(stage.run(10.0).is_interrupted)
"""
    assert done(tmp_path, script) == (0, f"{int(signal.SIGTERM)}\nFalse\n", "")
    assert whole(tmp_path / "run.kumi").end == 10.0


def test_without_open_recordings_the_process_has_its_own_signals(tmp_path: Path) -> None:
    script = """
stage, other = staged(), staged("other")
stage.run(1.0); other.run(1.0)
stage.close(); other.close()
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""
    assert done(tmp_path, script) == (0, "True\n", "")
