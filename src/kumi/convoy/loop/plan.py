"""All that a run of a convoy with real robots depends on, besides its seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from kumi.convoy import Setup
from kumi.loop.real import Contradiction, Real, contradictions
from kumi.loop.tracking import Tracking

DEVICES = ("motor", "infrared", "whiskers")
"""Of a robot of a convoy."""


@dataclass(frozen=True)
class LoopSetup:
    """A convoy, its real robots, and how it runs.

    `setting_off` is how many seconds a virtual motion takes beyond those of its way, as a real one does, and
    `turning_wheel` how many more where a turn follows a straight way, or the other way round. The run is
    over when the convoy has made its steps, or has broken up, after `until` seconds, or when nobody has moved for
    `patience` seconds. `tolerance` is how many seconds of wall time an instant may be late.
    """

    convoy: Setup = field(default_factory=Setup)
    robots: tuple[Real, ...] = ()
    tracking: Tracking | None = None
    setting_off: float = 0.0
    turning_wheel: float = 0.0
    pace: float = 1.0
    until: float = 600.0
    patience: float = 15.0
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        for name in ("pace", "until", "patience", "tolerance"):
            value = getattr(self, name)
            if not 0.0 < value < inf:
                raise ValueError(f"{name} of a run with real robots is a finite number > 0, not {value!r}")
        for name in ("setting_off", "turning_wheel"):
            if not 0.0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} is a number of seconds >= 0, not {getattr(self, name)!r}")
        wrong = [sentence for _, _, sentence in wrong_with(self.convoy, self.robots, self.tracking)]
        if wrong:
            raise ValueError("; ".join(wrong))

    @property
    def is_virtual(self) -> bool:
        """Whether no real robot takes part."""
        return all(one.choices.is_virtual for one in self.robots)


def wrong_with(convoy: Setup, robots: Sequence[Real], tracking: Tracking | None) -> Iterator[Contradiction]:
    """Say what cannot work of real robots in a convoy."""
    strange = {one.number for one in robots if not 1 <= one.number <= convoy.robots}
    for number in sorted(strange):
        yield (
            number,
            "",
            f"there is no robot {number} in a convoy of {convoy.robots}; the leader is robot 1",
        )
    infrared = {one.number: one.choices["infrared"] for one in robots}

    def looker(one: Real) -> str | None:
        """Name the robot itself, or the one behind it, where it looks with virtual infrared."""
        lookers = [number for number in (one.number, one.number + 1) if number <= convoy.robots]
        blind = [number for number in lookers if infrared.get(number, "virtual") == "virtual"]
        return f"robot {blind[0]} looks there with virtual infrared" if blind else None

    known = [one for one in robots if one.number not in strange]
    touch = "whiskers" if convoy.whisker_length > 0.0 else None
    yield from contradictions(known, tracking, touch=touch, looker=looker)
