"""What do the numbers on the link of a packet robot mean, in metres, seconds and radians?

A calibration is data: a file of tables (`packet-robot.toml` is the one that ships), editable, kept with a
run. It translates both ways. What crosses the link is whole, so a speed or an angle becomes the nearest byte
there is; `speed_of` and `angle_of` then tell what the robot really does.

A speed or an angle that no byte stands for is refused. A raw number beyond a table means its last entry,
since a robot can send anything. Angles and bearings are positive to the left. Speeds and ways are those of
the front wheel, where the encoder counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import degrees, isfinite, pi, tau
from pathlib import Path
from typing import Any, Self

from kumi.contract import CannotDo
from kumi.geometry import Point, Polygon, Pose
from kumi.link import calibration_file as file
from kumi.link.tables import CalibrationError, Table
from kumi.maths import tan

DEFAULT = Path(__file__).with_name("packet-robot.toml")
"""The calibration that ships."""

SIDES = 24
"""Of the polygon that stands for a round body: it lies within a hundredth of the radius of the circle."""

NEAR_ENOUGH = 0.0015
"""Metres between where a motion ends and where it should, at most, of a robot whose usual speed is up to 1 m/s."""

NEAR_ENOUGH_IN = 0.0015
"""Seconds of its usual speed that a faster robot may be off: no look over the link tells it sooner."""

ROUNDING_MARGIN = 1e-9
"""How far beyond the last entry of a table rounding may lead, in metres a second or radians."""


@dataclass(frozen=True)
class Calibration:
    """The numbers of one packet robot, in metres, seconds and radians."""

    motor: Table
    """Byte to speed."""
    reliable: tuple[int, int]
    """The bytes between which speeds can be relied upon."""
    motor_lag: float
    """Seconds in which the motor comes within 1/e of the speed it was told."""
    servo: Table
    """Byte to angle of the front wheel."""
    potentiometer: Table
    """Value to angle of the front wheel."""
    counts_per_turn: int
    """What the encoder counts while the wheel turns once."""
    wheel: float
    """What the wheel measures around."""
    ranger: Table
    """Value to distance."""
    nothing: int
    """What a ranger gives when nothing is within reach."""
    length: float
    width: float
    wheelbase: float
    nose: float
    """How far the body reaches beyond the front wheel."""
    is_round: bool
    """Whether the body is a disc around its place."""
    mounts: tuple[Pose, ...]
    """Where the six rangers sit and look, from the place and heading of the robot, in the order of their addresses."""

    @classmethod
    def default(cls) -> Self:
        """Return the calibration that ships, with the numbers of the packet robot."""
        return cls.load(DEFAULT)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a calibration file, or say in one sentence what is wrong with it."""
        try:
            return cls.from_dict(file.read(Path(path)))
        except CalibrationError as error:
            raise CalibrationError(f"{path}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write a calibration file."""
        Path(path).write_text(file.text_of(self.to_dict()), encoding="utf-8")

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """Read a calibration from a table as in a file."""
        return cls(**file.numbers_of(table))

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as a table as in a file, in centimetres and degrees."""
        return file.table_of(vars(self))

    def speed_of(self, motor_byte: int) -> float:
        """Return how fast the motor drives with a byte, backward below 0."""
        return self.motor.value_of(motor_byte)

    def motor_byte(self, speed: float) -> int:
        """Return the byte whose speed is nearest; what is not at rest never gets the byte that stops."""
        if not self.motor.lowest - ROUNDING_MARGIN <= speed <= self.motor.highest + ROUNDING_MARGIN:
            raise CannotDo(
                f"the motor cannot drive at {100 * speed:g} cm/s; its table goes from "
                f"{100 * self.motor.lowest:g} to {100 * self.motor.highest:g} cm/s"
            )
        byte = round(self.motor.raw_of(speed))
        if speed == 0.0 or byte != self.stop_byte:
            return byte
        return byte + 1 if (speed > 0.0) == self.is_faster_above else byte - 1

    @property
    def stop_byte(self) -> int:
        """The byte that stops the motor."""
        return round(self.motor.raw_of(0.0))

    @property
    def is_faster_above(self) -> bool:
        """Whether higher bytes drive forward."""
        return self.motor.entries[-1][1] > 0.0

    @property
    def cruise(self) -> float:
        """How fast to drive forward when no speed is stated: the middle of what can be relied upon."""
        return self.speed_of(sum(self.reliable) // 2)

    @property
    def reverse(self) -> float:
        """How fast to drive back when no speed is stated: the slowest backward speed that was measured; above 0."""
        return -max(speed for _, speed in self.motor.entries if speed < 0.0)

    @property
    def near_enough(self) -> float:
        """Metres between where a motion ends and where it should, at most: along its way, and beside it."""
        return max(NEAR_ENOUGH, NEAR_ENOUGH_IN * self.cruise)

    def slowest(self, *, is_back: bool) -> float:
        """How fast it drives forward or back, at least, with a byte that can be relied upon; above 0."""
        return self.reverse if is_back else self.speed_of(self.reliable[0])

    def angle_of(self, servo_byte: int) -> float:
        """Return the angle of the front wheel that a byte asks for."""
        return self.servo.value_of(servo_byte)

    def servo_byte(self, angle: float) -> int:
        """Return the byte whose angle is nearest."""
        if not self.servo.lowest - ROUNDING_MARGIN <= angle <= self.servo.highest + ROUNDING_MARGIN:
            raise CannotDo(
                f"the wheel cannot be turned to {_side(angle)}; its table goes from "
                f"{_side(self.servo.lowest)} to {_side(self.servo.highest)}"
            )
        return round(self.servo.raw_of(angle))

    @property
    def min_radius(self) -> float:
        """The tightest arc of the back axle that can be driven to both sides."""
        return self.wheelbase / tan(min(-self.servo.lowest, self.servo.highest))

    @property
    def turns_on_the_spot(self) -> bool:
        """Whether the front wheel, which drives, can be turned across: then the robot turns about its back axle."""
        return min(-self.servo.lowest, self.servo.highest) >= pi / 2 - ROUNDING_MARGIN

    def pot_angle(self, value: float) -> float:
        """Return the angle of the front wheel from a value of the potentiometer."""
        return self.potentiometer.value_of(value)

    def distance_of(self, counts: float) -> float:
        """Return the way of the wheel that the encoder counted."""
        return counts * self.wheel / self.counts_per_turn

    def counts_of(self, distance: float) -> float:
        """Return what the encoder counts on a way of the wheel; not rounded."""
        return distance * self.counts_per_turn / self.wheel

    def range_of(self, ir_value: float) -> float | None:
        """Return the distance that a ranger's value means; None where nothing is within reach.

        What is nearer than the table goes reads as its nearest entry.
        """
        far = self.ranger.raw_of(self.ranger.highest)
        is_beyond = ir_value < far if far > self.nothing else ir_value > far
        return None if is_beyond else self.ranger.value_of(ir_value)

    def ir_value(self, distance: float | None) -> int:
        """Return the value that a ranger gives for a distance; None and inf are nothing within reach."""
        if distance is None or distance > self.ranger.highest:
            return self.nothing
        return round(self.ranger.raw_of(distance))

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest distance that a ranger measures."""
        return self.ranger.lowest, self.ranger.highest

    @property
    def ranger_step(self) -> float:
        """Metres from one value that a ranger can tell to the next, at most."""
        return max(
            abs((far - near) / (raw - other)) for (other, near), (raw, far) in pairwise(self.ranger.entries)
        )

    @property
    def shape(self) -> Polygon:
        """The body's outline around its place, the middle of the back axle."""
        if self.is_round:
            return Polygon(
                [Point.polar(self.width / 2, tau * (number + 0.5) / SIDES) for number in range(SIDES)]
            )
        front, back, half = (
            self.wheelbase + self.nose,
            self.wheelbase + self.nose - self.length,
            self.width / 2,
        )
        return Polygon([(back, -half), (front, -half), (front, half), (back, half)])


def _side(angle: float) -> str:
    """Say a steering angle."""
    if not isfinite(angle):
        return f"{angle}°"
    return f"{abs(degrees(angle)):.6g}° {'left' if angle > 0 else 'right'}"
