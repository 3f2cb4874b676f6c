"""Which robots of a run are real, what is known of each, and what cannot work, said before a process is started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from typing import Literal

from kumi.link.calibration import Calibration
from kumi.link.emulators import Make, ReadingErrors
from kumi.link.emulators.faults import read_faults
from kumi.link.stop_and_wait import FADE
from kumi.link.tables import Table
from kumi.loop.choices import Choices
from kumi.loop.counterpart import Tracking
from kumi.sensing.noise import EXACT, Noise, in_radians, read_noise

ROBOT = Path(__file__).with_name("round-robot.toml")
"""The calibration of a packet robot that is round and turns on the spot, as most simulated ones are."""

MOST_REAL = 15
"""So many addresses a link has."""


@dataclass(frozen=True)
class Emulated:
    """A real robot that is a process of its own here, and what is particular about it.

    Its clock goes at `clock_rate` and shows `clock_offset` seconds at first. `sensor_noise` is that of rangers and
    potentiometer, `play` and `skid` are those of its wheels, as `kumi robot packet` takes them. Its motor has `motor`
    times the speed that its calibration tells, its line takes `latency` seconds each way beyond its bytes, and `faults`
    says what is wrong with its sensors (see `kumi.link.emulators.faults`): planted errors.
    """

    line: Literal["pty", "tcp"] = "pty"
    clock_rate: float = 1.0
    clock_offset: float = 0.0
    sensor_noise: str | None = None
    play: str | None = None
    skid: str | None = None
    motor: float = 1.0
    latency: float = 0.0
    faults: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.line not in {"pty", "tcp"}:
            raise ValueError(f'the line of an emulated robot is "pty" or "tcp", not {self.line!r}')
        for name in ("clock_rate", "motor"):
            if not 0.0 < getattr(self, name) < inf:
                raise ValueError(f"{name} of an emulated robot is a number > 0, not {getattr(self, name)!r}")
        if not isfinite(self.clock_offset):
            raise ValueError(f"a clock_offset is a number of seconds, not {self.clock_offset!r}")
        if not 0.0 <= self.latency < inf:
            raise ValueError(
                f"latency of an emulated robot is a number of seconds >= 0, not {self.latency!r}"
            )
        for noise in filter(None, (self.sensor_noise, self.play, self.skid)):
            read_noise(noise)
        read_faults(self.faults)

    def make(self, calibration: Calibration, baud: int) -> Make:
        """Return how such a robot is made whose computer believes in a calibration."""
        noise = _noise(self.sensor_noise)
        return Make(
            calibration=self.true(calibration),
            errors=ReadingErrors(
                ranger=noise,
                potentiometer=noise,
                play=in_radians(_noise(self.play)),
                skid=_noise(self.skid),
            ),
            baud=baud,
            clock_offset=self.clock_offset,
            clock_rate=self.clock_rate,
            latency=self.latency,
            faults=read_faults(self.faults),
        )

    def true(self, calibration: Calibration) -> Calibration:
        """Return the calibration that is true of this robot, with the speeds of its motor."""
        if self.motor == 1.0:
            return calibration
        speeds = Table((byte, speed * self.motor) for byte, speed in calibration.motor.entries)
        return replace(calibration, motor=speeds)


def _noise(text: str | None) -> Noise:
    return EXACT if text is None else read_noise(text)


@dataclass(frozen=True)
class Real:
    """A robot of the team that is real: its number, its devices, and its port or how it is emulated.

    `aliases` says by which names a program asks for the sensors of the real robot: {"left": "back_left"}.
    """

    number: int
    choices: Choices
    port: str | None = None
    address: int | None = None
    baud: int = 57600
    fade: float = FADE
    calibration: Path = ROBOT
    has_clock: bool = True
    emulated: Emulated = field(default_factory=Emulated)
    aliases: Mapping[str, str] = field(default_factory=dict)
    called: str | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.called or f"robot {self.number}"

    @property
    def is_emulated(self) -> bool:
        """Whether its process is started with the run."""
        return self.port is None


Contradiction = tuple[int, str, str]
"""The number of a robot (-1: of none), the device, and a sentence."""


def contradictions(
    robots: Sequence[Real],
    tracking: Tracking | None,
    *,
    touch: str | None,
    looker: Callable[[Real], str | None],
) -> Iterator[Contradiction]:
    """Say what cannot work of real robots in any team.

    `touch` is the device that feels touches; None where there is none. `looker` says who sees or touches a robot in the
    environment model, if anybody does.
    """
    numbers = [one.number for one in robots]
    for number in sorted({one for one in numbers if numbers.count(one) > 1}):
        name = next(one.name for one in robots if one.number == number)
        yield number, "", f"{name} is given twice"
    if len(robots) > MOST_REAL:
        yield -1, "", f"a run has at most {MOST_REAL} real robots, not {len(robots)}"
    for one in robots:
        yield from _alone(one)
        if tracking is None:
            yield from _untracked(one, touch, looker(one))
        elif one.port is not None:
            sentence = f"{one.name} is at a port, and the tracking source here sees emulated robots only"
            yield one.number, "port", sentence


def _alone(one: Real) -> Iterator[Contradiction]:
    """Say where a real body would stand still for ever."""
    if one.choices.motor == "virtual" and not one.choices.is_virtual:
        device = min(device for device, _ in one.choices.others)
        sentence = (
            f"{one.name} has a virtual motor and another kind of {device}: its real body would stand still "
            'and sense the same for ever; take motor = "hil"'
        )
        yield one.number, device, sentence


def _untracked(one: Real, touch: str | None, looker: str | None) -> Iterator[Contradiction]:
    """Say where a tracking source is needed and there is none."""
    if one.choices.motor == "real" and looker is not None:
        sentence = (
            f"{one.name} has a real motor, which tells the environment model nothing, and {looker}; "
            'give a tracking source, or take motor = "hil"'
        )
        yield one.number, "motor", sentence
    if touch is not None and one.choices.motor == "hil" and one.choices[touch] != "real":
        sentence = (
            f"{one.name} has a hil motor and {one.choices[touch]} {touch}: without a tracking source its "
            f"counterpart jumps at the end of each motion and feels nothing on the way; give one, or take real {touch}"
        )
        yield one.number, touch, sentence
