"""How does a calibration stand in a file, and what is wrong with one that makes no sense?

The file is for people: centimetres and degrees, tables of pairs. Every value is asked for and nothing else
is taken, so a slip is found where it is made. A complaint is one sentence: which table, which value, what is
allowed. A table has a gap where two neighbours are so far apart that a straight line between them says
nothing about the robot.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from math import degrees, inf, isfinite, pi, radians
from pathlib import Path
from typing import Any

import msgspec

from kumi.geometry import Point, Pose
from kumi.link.tables import CalibrationError, Table

BYTES = (0, 255)
TEN_BITS = (0, 1023)
MOUNTS = ("front", "front_left", "back_left", "back", "back_right", "front_right")
"""The rangers in the order of their addresses."""

LENGTHS = ("length", "width", "wheelbase", "nose")
RIGHT_ANGLE = pi / 2 + 1e-9
"""A wheel that is steered so far turns its robot on the spot; the rest is rounding."""

LONGEST_LAG = 2.0
"""Seconds. A motor that needs as long to follow its byte is no motor of a robot."""

Pairs = list[tuple[float, float]]


class CalibrationSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the file, which takes its own keys and no others."""


class MotorSection(CalibrationSection, frozen=True):
    """Speeds in cm/s by byte, and the lag in seconds."""

    speeds: Pairs
    reliable: tuple[int, int]
    lag: float


class Angles(CalibrationSection, frozen=True):
    """Angles in degrees by raw number."""

    angles: Pairs


class Encoder(CalibrationSection, frozen=True):
    """Counts of a turn, and what the wheel measures around, in cm."""

    counts_per_turn: int
    wheel: float


class RangerSection(CalibrationSection, frozen=True):
    """Distances in cm by value."""

    distances: Pairs
    nothing: int


class BodySection(CalibrationSection, frozen=True):
    """The body in cm."""

    length: float
    width: float
    wheelbase: float
    nose: float
    is_round: bool = False


class Layout(CalibrationSection, frozen=True):
    """All parts of the file."""

    motor: MotorSection
    servo: Angles
    potentiometer: Angles
    encoder: Encoder
    ranger: RangerSection
    body: BodySection
    mounts: dict[str, tuple[float, float, float]]


def read(path: Path) -> dict[str, Any]:
    """Return what a file holds as a table."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CalibrationError("there is no such file") from None
    except OSError as error:
        raise CalibrationError(f"it cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CalibrationError(f"it is no TOML file: {error}") from None


def numbers_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a calibration in metres, seconds and radians."""
    layout = _layout(table)
    size, encoder = layout.body, layout.encoder
    _check_size(size, encoder)
    return {
        "motor": _motor(layout.motor),
        "reliable": _reliable(layout.motor),
        "motor_lag": _lag(layout.motor),
        "servo": _steering("servo", layout.servo, BYTES, widest=15.0),
        "potentiometer": _steering("potentiometer", layout.potentiometer, TEN_BITS, widest=inf),
        "counts_per_turn": encoder.counts_per_turn,
        "wheel": metres(encoder.wheel),
        "ranger": _ranger(layout.ranger),
        "nothing": layout.ranger.nothing,
        "length": metres(size.length),
        "width": metres(size.width),
        "wheelbase": metres(size.wheelbase),
        "nose": metres(size.nose),
        "is_round": size.is_round,
        "mounts": _mounts(layout.mounts),
    }


def table_of(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return a calibration as a table, as it stands in a file."""
    return {
        "motor": {
            "speeds": _pairs(numbers["motor"], 100.0),
            "reliable": list(numbers["reliable"]),
            "lag": _round(numbers["motor_lag"]),
        },
        "servo": {"angles": _pairs(numbers["servo"], 180 / pi)},
        "potentiometer": {"angles": _pairs(numbers["potentiometer"], 180 / pi)},
        "encoder": {"counts_per_turn": numbers["counts_per_turn"], "wheel": _round(100 * numbers["wheel"])},
        "ranger": {"distances": _pairs(numbers["ranger"], 100.0), "nothing": numbers["nothing"]},
        "body": {
            **{name: _round(100 * numbers[name]) for name in LENGTHS},
            **({"is_round": True} if numbers["is_round"] else {}),
        },
        "mounts": {
            name: [_round(100 * at.position.x), _round(100 * at.position.y), _round(degrees(at.heading))]
            for name, at in zip(MOUNTS, numbers["mounts"], strict=True)
        },
    }


def text_of(table: Mapping[str, Any]) -> str:
    """Return a table as the text of a file."""
    lines = [
        "# Calibration of a packet robot: what the numbers on the link mean.",
        "# Lengths are centimetres, speeds centimetres a second, angles degrees, positive to the left.",
    ]
    for name, section in table.items():
        lines += ["", f"[{name}]"]
        for key, value in section.items():
            if isinstance(value, list) and isinstance(value[0], list):
                lines += [f"{key} = [", *(f"    {entry}," for entry in value), "]"]
            else:
                lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else value}")
    return "\n".join([*lines, ""])


def _layout(table: Mapping[str, Any]) -> Layout:
    try:
        return msgspec.convert(table, Layout)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$.")
        place = where.removesuffix("`")
        raise CalibrationError(f"it is no calibration: {f'{place}: ' if place else ''}{said}") from None


def _check_size(size: BodySection, encoder: Encoder) -> None:
    numbers = {name: getattr(size, name) for name in LENGTHS} | msgspec.structs.asdict(encoder)
    for name, value in numbers.items():
        if not (isfinite(value) and value > 0):
            raise CalibrationError(f"{name} is {value:g}; it is a number above 0")
    if size.wheelbase + size.nose > size.length:
        raise CalibrationError("body: the wheelbase and the nose are longer than the body")
    ahead = size.wheelbase + size.nose
    if size.is_round and not (size.length == size.width and abs(ahead - size.width / 2) < 1e-9):
        raise CalibrationError(
            "body: a round one is as long as wide, and its wheelbase and nose reach from the middle to its edge"
        )


def _motor(motor: MotorSection) -> Table:
    table = _table("motor.speeds", motor.speeds, BYTES, metres)
    if 0.0 not in {speed for _, speed in table.entries}:
        raise CalibrationError("motor.speeds has no entry with speed 0: which byte stops the motor?")
    if not table.lowest < 0.0 < table.highest:
        raise CalibrationError("motor.speeds needs an entry that drives forward and one that drives back")
    return table


def _reliable(motor: MotorSection) -> tuple[int, int]:
    low, high = motor.reliable
    measured = [byte for byte, speed in motor.speeds if speed > 0]
    if not (low < high and min(measured) <= low and high <= max(measured)):
        raise CalibrationError(
            f"motor.reliable is [{low}, {high}]; it is two bytes, the lower first, between those that "
            f"motor.speeds has for driving forward, {min(measured):g} and {max(measured):g}"
        )
    return low, high


def _lag(motor: MotorSection) -> float:
    if not 0.0 <= motor.lag < LONGEST_LAG:
        raise CalibrationError(
            f"motor.lag is {motor.lag:g}; it is a number of seconds from 0 to below {LONGEST_LAG:g}"
        )
    return motor.lag


def _steering(name: str, section: Angles, raws: tuple[int, int], widest: float) -> Table:
    table = _table(f"{name}.angles", section.angles, raws, radians)
    if not table.lowest < 0.0 < table.highest:
        raise CalibrationError(f"{name}.angles needs an angle to the left and one to the right")
    if table.highest > RIGHT_ANGLE or table.lowest < -RIGHT_ANGLE:
        raise CalibrationError(f"{name}.angles goes beyond 90°, which no wheel is steered by")
    _check_gap(f"{name}.angles", [degrees(angle) for angle in table.widest_step()], widest, "°")
    return table


def _ranger(ranger: RangerSection) -> Table:
    table = _table("ranger.distances", ranger.distances, TEN_BITS, metres)
    if table.lowest < 0.0:
        raise CalibrationError(
            f"ranger.distances has a distance of {100 * table.lowest:g} cm, which is below 0"
        )
    _check_gap("ranger.distances", [100 * distance for distance in table.widest_step()], 15.0, " cm")
    raws = [raw for raw, _ in table.entries]
    if raws[0] <= ranger.nothing <= raws[-1]:
        raise CalibrationError(
            f"ranger.nothing is {ranger.nothing}, which stands for a distance: ranger.distances goes from "
            f"{raws[0]:g} to {raws[-1]:g}"
        )
    return table


def _table(name: str, pairs: Pairs, raws: tuple[int, int], unit: Callable[[float], float]) -> Table:
    low, high = raws
    for raw, _ in pairs:
        if not low <= raw <= high:
            raise CalibrationError(f"{name} has an entry for {raw:g}; raw numbers go from {low} to {high}")
    try:
        table = Table((raw, value) for raw, value in pairs)
    except CalibrationError as error:
        raise CalibrationError(f"{name}: {error}") from None
    return Table((raw, unit(value)) for raw, value in table.entries)


def _check_gap(name: str, step: Sequence[float], widest: float, unit: str) -> None:
    low, high = step
    if high - low > widest + 1e-9:
        raise CalibrationError(
            f"{name} has a gap: there is nothing between {low:.6g}{unit} and {high:.6g}{unit}, and neighbours "
            f"are at most {widest:g}{unit} apart"
        )


def _mounts(mounts: Mapping[str, tuple[float, float, float]]) -> tuple[Pose, ...]:
    if set(mounts) != set(MOUNTS):
        wrong = ", ".join(sorted(set(mounts) ^ set(MOUNTS)))
        raise CalibrationError(f"mounts takes exactly {', '.join(MOUNTS)}; look at {wrong}")
    try:
        return tuple(
            Pose(Point(metres(x), metres(y)), radians(bearing))
            for x, y, bearing in (mounts[name] for name in MOUNTS)
        )
    except ValueError as error:
        raise CalibrationError(f"mounts: {error}") from None


def _pairs(table: Table, unit: float) -> list[list[float]]:
    return [[int(raw) if raw == int(raw) else raw, _round(value * unit)] for raw, value in table.entries]


def metres(centimetres: float) -> float:
    """Return a length, or a speed, in metres."""
    return centimetres / 100


def _round(value: float) -> float:
    """Return a number without what changing its unit did to its last digits."""
    return float(f"{value:.12g}")
