"""Does a program or a scenario come out the same on another machine, and where does it first differ?

It is run in processes of its own: plain, once more, and with each switch that changes anything here. All that each reports
is compared, record by record. What differs between two plain processes depends on the wall clock or the like; then no switch
is asked for the cause.

The switches hide what a processor can: a C library and numpy choose their ways of counting by the processor: sine by fused multiply-add, sums by wide registers.
Environment variables hide those from them, so that a process counts as it would on an older processor. Python orders sets
by hashes that another variable decides. A run that is the same with each of these switches depends on none of it.

Whether a switch does anything here is tried, not assumed: on a processor without fused multiply-add, or with another
C library, some do not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from kumi.devs.errors import KumiError
from kumi.testing.portability.child import HASH

NO_MORE = "nothing: the run is over"
MOST_CHARACTERS = 200
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
class TraceDifference:
    """Where two runs first differ: when, who, and what each reports; `run` is the number of the run in the process."""

    run: int
    time: float
    source: str
    plain: str
    other: str


@dataclass(frozen=True)
class ProcessHashes:
    """What came of one process: its hashes, and where it first differs from the plain one; `failed` if it raised."""

    switch: ProcessSwitch
    hashes: tuple[str, ...] = ()
    difference: TraceDifference | None = None
    failed: str = ""
    is_idle: bool = False
    """Whether the switch changes nothing on this machine, so that nothing was run."""

    @property
    def is_same(self) -> bool:
        """Whether everything came out as in the plain process."""
        return self.difference is None and not self.failed


def compare(target: Target, jobs: int = 1) -> list[ProcessHashes]:
    """Run a target in all processes, and compare each with the first; NotPortable where that makes no sense."""
    tried = [PLAIN, ONCE_MORE, *switches()]
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


def _run(target: Target, switch: ProcessSwitch, file: Path) -> str:
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


def _compared(switch: ProcessSwitch, file: Path, failed: str, plain: Path) -> ProcessHashes:
    if not switch.has_effect:
        return ProcessHashes(switch, is_idle=True)
    hashes = tuple(words[4] for words in _lines(file) if words[2] == HASH)
    return ProcessHashes(switch, hashes, first_difference(plain, file), failed)


def first_difference(plain: Path, other: Path) -> TraceDifference | None:
    """Return where two files first differ, or None."""
    for one, two in zip_longest(_lines(plain), _lines(other)):
        if one != two:
            number, time, _, source, *_ = one or two or ()
            return TraceDifference(int(number), float(time), source, *side_by_side(shown(one), shown(two)))
    return None


def _lines(file: Path) -> Iterator[Sequence[str]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")


def shown(words: Sequence[str] | None) -> str:
    """Return a record as a person reads it."""
    return NO_MORE if words is None else " ".join(word for word in words[1:5] if word)


def side_by_side(one: str, other: str) -> tuple[str, str]:
    """Return two records that differ; of long ones the beginning, and what is around the first difference."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((place for place, (here, there) in pairs if here != there), min(len(one), len(other)))
    return cut_out(one, at), cut_out(other, at)


def cut_out(text: str, at: int) -> str:
    """Return a text, shortened to what is at its beginning and around a place."""
    if len(text) <= MOST_CHARACTERS:
        return text
    start = max(at - 40, 60)
    rest = text[start : start + 100]
    return f"{text[:60]}{' ... ' if start > 60 else ''}{rest}{' ...' if start + 100 < len(text) else ''}"


PROBE = """
import hashlib, math, struct
values = [k * 0.0137 for k in range(1, 4001)]
counted = [f(x) for x in values for f in (math.sin, math.cos, math.exp, math.atan)]
counted += [x**1.3 for x in values]
import numpy
from kumi.testing.portability.comparing import wide_paths
table = numpy.array(values).reshape(40, 100)
print(hashlib.blake2b(struct.pack(f"{len(counted)}d", *counted)).hexdigest()[:16])
print(*wide_paths() or ["none"])
print(hashlib.blake2b((table @ table.T).tobytes()).hexdigest()[:16])
print(hash("kumi"))
"""
"""Four lines, one for each switch, in their order: each shows what a switch is to change."""


@dataclass(frozen=True)
class ProcessSwitch:
    """A change of a process' environment, and what a run depends on that comes out otherwise with it."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    cause: str = ""
    probe: int | None = None
    """Which line of the probe tells whether it does anything here; None: there is nothing to ask."""

    @property
    def changed(self) -> dict[str, str]:
        """The environment of a process with this switch."""
        plain = {name: value for name, value in os.environ.items() if name not in OURS}
        return {**plain, "PYTHONHASHSEED": "0", **self.environment}

    @property
    def has_effect(self) -> bool:
        """Whether it changes anything on this machine."""
        return self.probe is None or probed(self)[self.probe] != probed(PLAIN)[self.probe]


def wide_paths() -> list[str]:
    """Return the names of what numpy chooses by the processor, as far as this one has it."""
    try:
        module: Any = import_module("numpy._core._multiarray_umath")
    except ImportError:
        module = import_module("numpy.core._multiarray_umath")
    has = module.__cpu_features__
    return [name for name in module.__cpu_dispatch__ if has.get(name)]


OURS = ("GLIBC_TUNABLES", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "PYTHONHASHSEED")
PLAIN = ProcessSwitch("plain")
ONCE_MORE = ProcessSwitch(
    "once more",
    cause="the wall clock, id(), or a random generator without a seed: take the time from now(), chance from chance()",
)


@cache
def switches() -> tuple[ProcessSwitch, ...]:
    """Return the switches, in the order in which they are tried."""
    return (
        ProcessSwitch(
            "no fused multiply-add",
            {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
            "the C library's sine, exponential or power, by `math`, `**` or numpy: use kumi.maths",
            0,
        ),
        ProcessSwitch(
            "numpy's narrow paths",
            {"NPY_DISABLE_CPU_FEATURES": " ".join(wide_paths())},
            "numpy's trigonometry or its sums: use kumi.maths, and add up in a fixed order",
            1,
        ),
        ProcessSwitch(
            "matrix products of an old processor",
            {"OPENBLAS_CORETYPE": "Prescott"},
            "numpy's matrix products: multiply and add up in a fixed order",
            2,
        ),
        ProcessSwitch(
            "another order of hashes",
            {"PYTHONHASHSEED": "4242"},
            "the order of a set, or hash(): sort what you go through",
            3,
        ),
    )


@cache
def _probed(name: str, environment: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    del name
    done = subprocess.run(  # noqa: S603  # this Python, and code from above
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env=dict(environment)
    )
    return tuple(done.stdout.splitlines())


def probed(switch: ProcessSwitch) -> tuple[str, ...]:
    """Return what the probe prints in a process with a switch."""
    return _probed(switch.name, tuple(sorted(switch.changed.items())))
