"""Which tables of servo and potentiometer explain the circles that a robot drove?

A circle gives the true angle of one byte of the servo. Between two such bytes, and a little beyond the last ones, the
angles of the servo are those of the file it began with, moved and stretched so that they fit at both. The
potentiometer was read at every byte of the file, and between those that are far apart, so its table gets an entry
for each, bent wherever it is bent.

What the potentiometer tells while the robot drives is compared with what it told at rest: if they differ by more than noise
explains, the wheel does not keep its angle. Between the smallest angles that were measured on both sides, it
cannot be told whether the servo or the potentiometer is bent. If a straight potentiometer would make angles
there that differ by more than `DOUBTFUL`, that is said.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import degrees, radians

from kumi.link.fitting import ROUNDING, Fitted
from kumi.link.quality import Fit
from kumi.link.tables import CalibrationError, Table, between
from kumi.maths import hypot

WIDE_ANGLE = 0.6
"""The smallest angle that is driven as a circle, as a share of the greatest."""
CIRCLES_A_SIDE = 3
DOUBTFUL = radians(0.5)
"""By how much two ways to understand the middle may differ before it is said."""
FAR_APART = 2
"""Bytes of the servo between which the potentiometer is read as well."""
BEYOND = 0.1
"""How far the table of the potentiometer goes on beyond its ends, as a share of the angle there."""
LOOSE = 4.0
"""How many times its uncertainty the potentiometer may tell something else on a circle than at rest."""
POOR_ANGLE = radians(0.3)
"""The largest standard uncertainty of an angle that is not said to be poor."""


@dataclass(frozen=True)
class DrivenCircle:
    """A byte of the servo, the angle that its circle told, and the potentiometer on the way."""

    byte: int
    angle: Fitted
    potentiometer: Fitted


def wide_bytes(servo: Table, *, is_left: bool) -> list[int]:
    """Return the bytes whose circles are driven to a side: the widest angle, the smallest that has room, and some between."""
    sign = 1.0 if is_left else -1.0
    wide = sorted(((sign * angle, round(byte)) for byte, angle in servo.entries), reverse=True)
    bytes_ = [byte for angle, byte in wide if angle >= WIDE_ANGLE * wide[0][0]]
    count = min(CIRCLES_A_SIDE, len(bytes_))
    picked = {round(number * (len(bytes_) - 1) / max(1, count - 1)) for number in range(count)}
    return [bytes_[number] for number in sorted(picked)]


def swept_bytes(servo: Table) -> list[int]:
    """Return the bytes at which the potentiometer is read at rest: those of the file, and between those that are far apart."""
    bytes_ = [round(byte) for byte, _ in servo.entries]
    between_ = [(low + high) // 2 for low, high in pairwise(bytes_) if high - low >= FAR_APART]
    return sorted([*bytes_, *between_])


@dataclass(frozen=True)
class Steering:
    """The tables of servo and potentiometer, how well they are known, and what is to be said about them."""

    servo: Table
    potentiometer: Table
    fits: list[Fit]
    complaints: list[str]
    notes: list[str]


def steering_tables(given: Table, circles: Sequence[DrivenCircle], pots: Mapping[int, Fitted]) -> Steering:
    """Return the tables that explain circles and what the potentiometer told at rest, by byte of the servo."""
    known = sorted(circles, key=lambda circle: circle.byte)
    moved = _moved(given, known)
    angles = {byte: moved(given.value_of(byte)) for byte in pots}
    try:
        servo = Table((byte, moved(angle).value) for byte, angle in given.entries)
        potentiometer = _longer(Table((pot.value, angles[byte].value) for byte, pot in pots.items()))
    except CalibrationError as error:
        raise CalibrationError(f"the steering makes no sense, drive it again: {error}") from None
    fits: list[Fit] = []
    for byte, _ in given.entries:
        angle = angles[round(byte)]
        fits.append(Fit(f"servo {byte:g}", "°", degrees(1.0), angle, angle.residual, "counts of the rangers"))
    for byte, pot in pots.items():
        per_count = (potentiometer.value_of(pot.value + 1.0) - potentiometer.value_of(pot.value - 1.0)) / 2.0
        uncertainty = hypot(angles[byte].uncertainty, per_count * pot.uncertainty)
        whole = Fitted(angles[byte].value, uncertainty, pot.residual, pot.readings)
        fits.append(Fit(f"potentiometer {pot.value:.1f}", "°", degrees(1.0), whole, pot.residual, "counts"))
    return Steering(servo, potentiometer, fits, _complaints(known, pots), _doubt(known, pots, angles))


def _longer(table: Table) -> Table:
    """Return a table that goes on straight a little beyond its ends, where noise may lead."""
    (first, second), (last_but_one, last) = table.entries[:2], table.entries[-2:]
    return Table([_beyond(second, first), *table.entries, _beyond(last_but_one, last)])


def _beyond(inner: tuple[float, float], outer: tuple[float, float]) -> tuple[float, float]:
    (raw0, value0), (raw1, value1) = inner, outer
    further = BEYOND * abs(value1) / abs(value1 - value0)
    raw = min(1023.0, max(0.0, raw1 + further * (raw1 - raw0)))
    return raw, value1 + (raw - raw1) * (value1 - value0) / (raw1 - raw0)


def _moved(given: Table, known: Sequence[DrivenCircle]) -> Callable[[float], Fitted]:
    """Return how an angle of the file is understood: as at the two circles beside it, in between by its share."""
    beside = [(given.value_of(circle.byte), circle.angle) for circle in known]
    beside.sort(key=lambda one: one[0])

    def moved(angle: float) -> Fitted:
        at = min(max(1, bisect_right(beside, angle, key=lambda one: one[0])), len(beside) - 1)
        (low, below), (high, above) = beside[at - 1], beside[at]
        share = (angle - low) / (high - low)
        shift = (1.0 - share) * (below.value - low) + share * (above.value - high)
        uncertainty = hypot((1.0 - share) * below.uncertainty, share * above.uncertainty)
        return Fitted(
            angle + shift, uncertainty, max(below.residual, above.residual), below.readings + above.readings
        )

    return moved


def _complaints(known: Sequence[DrivenCircle], pots: Mapping[int, Fitted]) -> list[str]:
    """Say where the wheel does not keep its angle, and which angles are hardly known."""
    said = []
    for circle in known:
        rest, driven = pots[circle.byte], circle.potentiometer
        noise = hypot(hypot(rest.uncertainty, driven.uncertainty), ROUNDING)
        if abs(driven.value - rest.value) > LOOSE * noise:
            said.append(
                f"with servo byte {circle.byte} the potentiometer told {driven.value:.1f} on the circle and "
                f"{rest.value:.1f} at rest: the wheel does not keep its angle"
            )
        if circle.angle.uncertainty > POOR_ANGLE:
            said.append(
                f"the angle of servo byte {circle.byte} is uncertain by {degrees(circle.angle.uncertainty):.1f}°: "
                "drive it nearer to walls, and let nothing move there"
            )
    return said


def _doubt(
    known: Sequence[DrivenCircle], pots: Mapping[int, Fitted], angles: Mapping[int, Fitted]
) -> list[str]:
    """Say where it cannot be told whether the servo or the potentiometer is bent."""
    left = min((one for one in known if one.angle.value > 0.0), key=lambda one: one.angle.value)
    right = max((one for one in known if one.angle.value < 0.0), key=lambda one: one.angle.value)
    ends = tuple(sorted((pots[one.byte].value, one.angle.value) for one in (left, right)))
    inside = [byte for byte, fit in angles.items() if right.angle.value < fit.value < left.angle.value]
    worst = max(
        inside, key=lambda byte: abs(between(ends, pots[byte].value) - angles[byte].value), default=None
    )
    if worst is None:
        return []
    apart = abs(between(ends, pots[worst].value) - angles[worst].value)
    if apart <= DOUBTFUL:
        return []
    sentence = (
        f"between {degrees(right.angle.value):.0f}° and {degrees(left.angle.value):.0f}° the potentiometer is bent, or the "
        f"servo is not as in the file: angles there differ by up to {degrees(apart):.1f}°, and the servo is believed"
    )
    return [sentence]
