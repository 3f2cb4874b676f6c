"""All that a run of a convoy with real robots depends on, besides its seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import Literal

from kumi.experiment.convoy import Setup
from kumi.experiment.loop.choices import Choices, contradictions
from kumi.experiment.loop.tracking import Tracking

ROBOT = Path(__file__).parents[2] / "scenarios" / "real" / "robots" / "convoy-robot.toml"
"""The calibration of the packet robots of a convoy."""

MOST_REAL = 15
"""So many addresses a link has."""


@dataclass(frozen=True)
class Emulated:
    """A real robot that is a process of its own here, and what is particular about it.

    Its clock goes at `clock_rate` and shows `clock_offset` seconds at first. `sensor_noise` is that of rangers and
    potentiometer, `play` and `skid` are those of its wheels, as `kumi robot packet` takes them. Its motor has `motor`
    times the speed that its calibration tells: a planted error.
    """

    line: Literal["pty", "tcp"] = "pty"
    clock_rate: float = 1.0
    clock_offset: float = 0.0
    sensor_noise: str | None = None
    play: str | None = None
    skid: str | None = None
    motor: float = 1.0

    def __post_init__(self) -> None:
        if self.line not in {"pty", "tcp"}:
            raise ValueError(f'the line of an emulated robot is "pty" or "tcp", not {self.line!r}')
        for name in ("clock_rate", "motor"):
            if not 0.0 < getattr(self, name) < inf:
                raise ValueError(f"{name} of an emulated robot is a number > 0, not {getattr(self, name)!r}")
        if not isfinite(self.clock_offset):
            raise ValueError(f"a clock_offset is a number of seconds, not {self.clock_offset!r}")


@dataclass(frozen=True)
class Real:
    """A robot of the team that is real: its number, its devices, and its port or how it is emulated."""

    number: int
    choices: Choices
    port: str | None = None
    address: int | None = None
    baud: int = 57600
    calibration: Path = ROBOT
    has_clock: bool = True
    emulated: Emulated = field(default_factory=Emulated)

    @property
    def is_emulated(self) -> bool:
        """Whether its process is started with the run."""
        return self.port is None


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
        wrong = [sentence for _, _, sentence in self.contradictions()]
        if wrong:
            raise ValueError("; ".join(wrong))

    def contradictions(self) -> Iterator[tuple[int, str, str]]:
        """Say what cannot work: number of the robot, device, sentence."""
        return wrong_with(self.convoy, self.robots, self.tracking)

    @property
    def is_virtual(self) -> bool:
        """Whether no real robot takes part."""
        return all(one.choices.is_virtual for one in self.robots)


def wrong_with(
    convoy: Setup, robots: tuple[Real, ...], tracking: Tracking | None
) -> Iterator[tuple[int, str, str]]:
    """Say what cannot work of real robots in a convoy: number of the robot, device, sentence."""
    numbers = [one.number for one in robots]
    for number in sorted({one for one in numbers if numbers.count(one) > 1}):
        yield number, "", f"robot {number} is given twice"
    if len(robots) > MOST_REAL:
        yield 0, "", f"a run has at most {MOST_REAL} real robots, not {len(robots)}"
    for one in robots:
        if one.port is not None and tracking is not None:
            yield (
                one.number,
                "port",
                f"robot {one.number} is at a port, and the tracking source here sees emulated robots only",
            )
    choices = {one.number: one.choices for one in robots}
    yield from contradictions(
        choices, convoy.robots, is_tracked=tracking is not None, has_whiskers=convoy.whisker_length > 0.0
    )
