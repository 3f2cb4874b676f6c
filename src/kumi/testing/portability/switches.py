"""Which kinds of machine can this one stand in for?

A C library and numpy choose their ways of counting by the processor: sine by fused multiply-add, sums by wide registers.
Environment variables hide those from them, so that a process counts as it would on an older processor. Python orders sets
by hashes that another variable decides. A run that is the same with each of these switches depends on none of it.

Whether a switch does anything here is tried, not assumed: on a processor without fused multiply-add, or with another
C library, some do not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

PROBE = """
import hashlib, math, struct
values = [k * 0.0137 for k in range(1, 4001)]
counted = [f(x) for x in values for f in (math.sin, math.cos, math.exp, math.atan)]
counted += [x**1.3 for x in values]
import numpy
from kumi.testing.portability.switches import wide_paths
table = numpy.array(values).reshape(40, 100)
print(hashlib.blake2b(struct.pack(f"{len(counted)}d", *counted)).hexdigest()[:16])
print(*wide_paths() or ["none"])
print(hashlib.blake2b((table @ table.T).tobytes()).hexdigest()[:16])
print(hash("kumi"))
"""
"""Four lines, one for each switch, in their order: each shows what a switch is to change."""


@dataclass(frozen=True)
class Switch:
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
PLAIN = Switch("plain")
AGAIN = Switch(
    "once more",
    cause="the wall clock, id(), or a random generator without a seed: take the time from now(), chance from chance()",
)


@cache
def switches() -> tuple[Switch, ...]:
    """Return the switches, in the order in which they are tried."""
    return (
        Switch(
            "no fused multiply-add",
            {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
            "the C library's sine, exponential or power, by `math`, `**` or numpy: use kumi.maths",
            0,
        ),
        Switch(
            "numpy's narrow paths",
            {"NPY_DISABLE_CPU_FEATURES": " ".join(wide_paths())},
            "numpy's trigonometry or its sums: use kumi.maths, and add up in a fixed order",
            1,
        ),
        Switch(
            "matrix products of an old processor",
            {"OPENBLAS_CORETYPE": "Prescott"},
            "numpy's matrix products: multiply and add up in a fixed order",
            2,
        ),
        Switch(
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


def probed(switch: Switch) -> tuple[str, ...]:
    """Return what the probe prints in a process with a switch."""
    return _probed(switch.name, tuple(sorted(switch.changed.items())))
