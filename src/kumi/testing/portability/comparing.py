"""Does a program or a scenario come out the same on another machine, and where does it first differ?

It is run in processes of its own: plain, once more, and with each switch that changes anything here. All that each reports
is compared, record by record. What differs between two plain processes depends on the wall clock or the like; then no switch
is asked for the cause.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from kumi.devs.errors import KumiError
from kumi.testing.portability.child import HASH
from kumi.testing.portability.switches import AGAIN, PLAIN, Switch, switches

NOTHING = "nothing: the run is over"
LONGEST = 200
"""Characters of a record that are shown whole."""


class NotPortable(KumiError):
    """What was asked cannot be answered: the program fails, or runs nothing."""


@dataclass(frozen=True)
class Target:
    """What is run: a Python script, or a scenario with changes such as `seed=3`."""

    kind: str
    name: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """Where two runs first differ: when, who, and what each reports; `run` is the number of the run in the process."""

    run: int
    time: float
    source: str
    plain: str
    other: str


@dataclass(frozen=True)
class Compared:
    """What came of one process: its hashes, and where it first differs from the plain one; `failed` if it raised."""

    switch: Switch
    hashes: tuple[str, ...] = ()
    difference: Difference | None = None
    failed: str = ""
    is_idle: bool = False
    """Whether the switch changes nothing on this machine, so that nothing was run."""

    @property
    def is_same(self) -> bool:
        """Whether everything came out as in the plain process."""
        return self.difference is None and not self.failed


def compare(target: Target, jobs: int = 1) -> list[Compared]:
    """Run a target in all processes, and compare each with the first; NotPortable where that makes no sense."""
    tried = [PLAIN, AGAIN, *switches()]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        files = [Path(folder, f"{number}.log") for number in range(len(tried))]
        if why := _run(target, PLAIN, files[0]):
            raise NotPortable(f"{target.name} fails: {why}")
        if not files[0].stat().st_size:
            raise NotPortable(
                f"{target.name} runs no Stage, no Simulation and no kumi.run() at its top level"
            )
        others = zip(tried[1:], files[1:], strict=True)
        failed = ["", *pool.map(lambda pair: _run(target, *pair), others)]
        return [
            _compared(switch, file, why, files[0])
            for switch, file, why in zip(tried, files, failed, strict=True)
        ]


def _run(target: Target, switch: Switch, file: Path) -> str:
    """Run a target in a process with a switch; return what it raised, or ''."""
    if not switch.has_effect:
        return ""
    command = [sys.executable, "-m", "kumi.testing.portability.child", str(file), target.kind, target.name]
    done = subprocess.run(  # noqa: S603  # this Python, and what the person gave
        [*command, *target.changes],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
        env=switch.changed,
    )
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else (lines or [f"it ended with exit code {done.returncode}"])[-1]


def _compared(switch: Switch, file: Path, failed: str, plain: Path) -> Compared:
    if not switch.has_effect:
        return Compared(switch, is_idle=True)
    hashes = tuple(words[4] for words in _lines(file) if words[2] == HASH)
    return Compared(switch, hashes, first_difference(plain, file), failed)


def first_difference(plain: Path, other: Path) -> Difference | None:
    """Return where two files first differ, or None."""
    for one, two in zip_longest(_lines(plain), _lines(other)):
        if one != two:
            number, time, _, source, *_ = one or two or ()
            return Difference(int(number), float(time), source, *side_by_side(shown(one), shown(two)))
    return None


def _lines(file: Path) -> Iterator[Sequence[str]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")


def shown(words: Sequence[str] | None) -> str:
    """Return a record as a person reads it."""
    return NOTHING if words is None else " ".join(word for word in words[1:5] if word)


def side_by_side(one: str, other: str) -> tuple[str, str]:
    """Return two records that differ; of long ones the beginning, and what is around the first difference."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((place for place, (here, there) in pairs if here != there), min(len(one), len(other)))
    return cut_out(one, at), cut_out(other, at)


def cut_out(text: str, at: int) -> str:
    """Return a text, shortened to what is at its beginning and around a place."""
    if len(text) <= LONGEST:
        return text
    start = max(at - 40, 60)
    rest = text[start : start + 100]
    return f"{text[:60]}{' ... ' if start > 60 else ''}{rest}{' ...' if start + 100 < len(text) else ''}"
