"""Which scripts end the process that runs them, or cannot be ended by a signal?

A script is a function of a seed, which is all that is needed to play it again. Scripts run in batches,
each in a forked process that ends as an ordinary one does: what is left over is taken apart by the interpreter. A script
that takes long gets a KeyboardInterrupt; one that is deaf to it is killed, and counts as a crash. Time is that of the
processor, so a busy machine changes nothing. Scripts run in an empty folder of their own, and leave it empty.
"""

from __future__ import annotations

import faulthandler
import gc
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.memory import IS_SANITIZED

BATCH = 25
PATIENCE = 8.0 if IS_SANITIZED else 1.0  # seconds of processor time until a script is interrupted
DEAFNESS = 60 if IS_SANITIZED else 20  # seconds after which it counts as deaf
MEMORY = 6 << 30

Script = Callable[[int], object]

REACHED: set[str] = set()
"""What scripts called and had an answer from, by name; see `main`."""


def findings(script: Script, seeds: range, reached: Path | None = None) -> Iterator[str]:
    """Run a script with every seed and give what went wrong; append what was reached to a file."""
    current = mmap.mmap(-1, 8)
    gc.freeze()  # what was there before is not looked at by every collection
    for first in range(seeds.start, seeds.stop, BATCH):
        folder = tempfile.mkdtemp()  # not in a `with`, which the forked process would leave, too
        with tempfile.TemporaryFile() as said:
            batch = range(first, min(first + BATCH, seeds.stop))
            status = in_a_process(script, batch, current, said, folder, reached)
            (seed,) = struct.unpack("q", current[:8])
            if status:
                said.seek(0)
                words = essence(said.read().decode(errors="replace"))
                yield f"{ending(status)} at seed {seed} of the batch from {first}\n{words}"
        if left := [one.name for one in Path(folder).iterdir()]:
            yield f"files {left} were written at seed {seed} of the batch from {first}"
        shutil.rmtree(folder)


def essence(words: str) -> str:
    """Return the part of a report that tells most: where a sanitizer's or Python's begins."""
    for mark in ("ERROR: AddressSanitizer", "runtime error: ", "Fatal Python error"):
        if mark in words:
            return words[max(words.index(mark) - 200, 0) :][:9000]
    return words[-5000:]


def ending(status: int) -> str:
    """Return how a process ended, for people."""
    code = os.waitstatus_to_exitcode(status)
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def in_a_process(
    script: Script, seeds: range, current: mmap.mmap, said: IO[bytes], folder: str, reached: Path | None
) -> int:
    """Fork, run the scripts there, and return how that process ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    os.chdir(folder)
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, chain=True)  # says where a script is deaf
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not IS_SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in seeds:
        current[:8] = struct.pack("q", seed)
        run_one(script, seed)
    if reached:
        with reached.open("a") as file:
            file.write("".join(f"{name}\n" for name in sorted(REACHED)))
    sys.exit(0)  # by way of the interpreter's end, with all that the scripts left behind


def run_one(script: Script, seed: int) -> None:
    """Run one script; what it raises is its own business, but for what no code of ours may raise."""
    sys.unraisablehook = unraisable
    with suppress(KeyboardInterrupt, Exception), interrupted_after(PATIENCE):
        try:
            script(seed)
        except SystemError:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            sys.excepthook(*sys.exc_info())
            os._exit(99)
    with suppress(KeyboardInterrupt), interrupted_after(PATIENCE):
        gc.collect()


def unraisable(told: sys.UnraisableHookArgs) -> None:
    """End the process where an error could only be written; all others were meant."""
    if isinstance(told.exc_value, SystemError):
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        sys.__unraisablehook__(told)
        os._exit(98)


class interrupted_after:  # noqa: N801  # reads as a sentence
    """A block that gets a KeyboardInterrupt after so much processor time, again and again, and is killed in the end."""

    def __init__(self, patience: float) -> None:
        self.patience = patience

    def __enter__(self) -> None:
        signal.signal(signal.SIGPROF, self.interrupt)
        used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (used + DEAFNESS, hard))
        signal.setitimer(signal.ITIMER_PROF, self.patience, self.patience)

    def interrupt(self, *_: object) -> None:
        """Raise what Ctrl-C raises."""
        raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        try:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        finally:  # the interrupt may have come just before
            signal.setitimer(signal.ITIMER_PROF, 0.0)


def main(script: Script) -> None:
    """Run the seeds of the command line, FIRST and COUNT, and end with 1 where something was found.

    A third argument names a file to which is appended what the scripts reached.
    """
    first, count = (int(word) for word in sys.argv[1:3])
    reached = Path(sys.argv[3]).resolve() if sys.argv[3:] else None
    is_fine = True
    program = " ".join(sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1])
    for words in findings(script, range(first, first + count), reached):
        is_fine = False
        sys.stdout.write(f"{words}\nTo see it again: {program} {again(words)}\n\n")
        sys.stdout.flush()
    sys.exit(0 if is_fine else 1)


def again(words: str) -> str:
    """Return the arguments that play a finding again: its batch, up to its seed."""
    seed, first = (
        int(words.split(" at seed ")[1].split(maxsplit=1)[0]),
        int(words.split("batch from ")[1].split(maxsplit=1)[0]),
    )
    return f"{first} {seed - first + 1}"


def chunks(seeds: range, processes: int) -> Iterator[range]:
    """Share seeds out among processes."""
    size = -(-len(seeds) // processes)
    for first in range(seeds.start, seeds.stop, size):
        yield range(first, min(first + size, seeds.stop))
