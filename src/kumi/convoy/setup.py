"""One convoy to study: how many robots, how they err, what they see, and on which field.

The paper states no sizes and no speeds. Those here are of small robots: 20 cm wide, 50 cm from centre to centre, 30 cm
to a step of the leader. All are parameters, in metres, seconds and radians. The noise factors are the paper's, whose
unit of distance is the centimetre: an `anf` of 0.08 is at most 0.08 degrees for each centimetre of the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, pi, radians

from kumi.convoy.program import ConvoyRules
from kumi.motion import Wheel
from kumi.motion.noise import UniformErrors

CENTIMETRES = 100.0
"""Centimetres in a metre: the unit of the paper."""
LEAST_WALL_DISTANCE = 1.0
"""Metres between the last robot and the wall behind it, and at least between the line and the other walls."""
SMALLEST_FIELD = 12.0
FIELD_PER_LINE = 1.25


@dataclass(frozen=True)
class Setup:
    """All that a run of the convoy depends on, besides its seed.

    The run is over after `steps` steps of the leader, or when the convoy breaks up: one robot is farther than
    `break_up` metres from where it ought to be, which is beyond where it can see the one in front. Each message between
    neighbours is lost with the chance `message_loss`, which breaks the convoy up, too. `field_side` is the side of the square field; None makes it so large that
    the line fits into it stretched out.
    """

    robots: int = 30
    steps: int = 1000
    dnf: float = 0.1
    anf: float = 0.08
    rules: ConvoyRules = field(default_factory=ConvoyRules)
    infrared_reach: float = 0.6
    infrared_resolution: float = 0.01
    side_bearing: float = radians(40.0)
    speed: float = 0.3
    turn_speed: float = pi / 2
    whisker_length: float = 0.03
    field_side: float | None = None
    break_up: float = 3.0
    message_loss: float = 0.0

    def __post_init__(self) -> None:
        if self.robots < 2:
            raise ValueError(f"a convoy has 2 robots or more, not {self.robots!r}")
        if self.steps < 1:
            raise ValueError(f"the leader of a convoy goes 1 step or more, not {self.steps!r}")
        for name in ("infrared_reach", "infrared_resolution", "speed", "turn_speed", "break_up"):
            value = getattr(self, name)
            if not (isfinite(value) and value > 0.0):
                raise ValueError(f"{name} of a convoy is a finite number above 0, not {value!r}")
        for name in ("dnf", "anf", "whisker_length"):
            value = getattr(self, name)
            if not (isfinite(value) and value >= 0.0):
                raise ValueError(f"{name} of a convoy is a finite number of 0 or more, not {value!r}")
        if not 0.0 <= self.message_loss <= 1.0:
            raise ValueError(f"message_loss of a convoy is a chance from 0 to 1, not {self.message_loss!r}")
        self._check_lengths()

    def _check_lengths(self) -> None:
        in_sight = self.infrared_reach + self.rules.diameter + self.rules.desired
        if self.break_up < in_sight:
            raise ValueError(
                f"a robot that sees the one in front may be {in_sight:g} m from its place, so a convoy cannot "
                f"break up at {self.break_up:g} m"
            )
        gap = self.rules.desired - self.rules.diameter
        if gap > self.infrared_reach:
            raise ValueError(
                f"at the desired distance the robot in front is {gap:g} m ahead, and infrared reaches "
                f"{self.infrared_reach:g} m"
            )
        if self.side < self.line + 2.0 * LEAST_WALL_DISTANCE:
            raise ValueError(
                f"a line of {self.robots} robots is {self.line:g} m long and does not fit into a field of "
                f"{self.side:g} m with {LEAST_WALL_DISTANCE:g} m to spare at both ends"
            )

    def drive(self) -> Wheel:
        """Return the drive of a robot."""
        noise = UniformErrors(self.dnf, self.anf * CENTIMETRES) if self.dnf or self.anf else None
        return Wheel(self.speed, self.turn_speed, noise=noise)

    @property
    def line(self) -> float:
        """How long the line is, from centre to centre."""
        return (self.robots - 1) * self.rules.desired

    @property
    def side(self) -> float:
        """The side of the field."""
        if self.field_side is not None:
            return self.field_side
        return max(SMALLEST_FIELD, FIELD_PER_LINE * self.line + 2.0 * LEAST_WALL_DISTANCE)
