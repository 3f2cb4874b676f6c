"""Does a kernel order a cascade of messages rightly, and how fast?

DEVStone is a family of models of any width and depth whose numbers of transitions and messages are
known in closed form. Each level holds the next level and some atomics. An atomic answers each bag of
messages, after no time at all, with one message of its own. One message into every input of the
outermost level sets off a cascade of zero-time steps, in which an atomic makes the more transitions the
more paths of different length lead to it. A kernel that orders one step wrongly, calls a model once a
message instead of once a bag, or loses one of two paths, gets other numbers.

All levels but the innermost are wired alike, so `wiring` describes one and `build` repeats it from the
innermost outwards. The atomics count their own transitions. The kernel's statistics must agree with
them, and both with `closed_form`.
"""

from kumi.testing.devstone.measurement import DevstoneLevel, DevstoneMeasurement, Stone, build, measure
from kumi.testing.devstone.wiring import (
    CHILD,
    LEVEL,
    CouplingEnd,
    DevstoneCounts,
    Wiring,
    WiringKind,
    check_size,
    closed_form,
    innermost,
    wiring,
)

__all__ = [
    "CHILD",
    "LEVEL",
    "CouplingEnd",
    "DevstoneCounts",
    "DevstoneLevel",
    "DevstoneMeasurement",
    "Stone",
    "Wiring",
    "WiringKind",
    "build",
    "check_size",
    "closed_form",
    "innermost",
    "measure",
    "wiring",
]
