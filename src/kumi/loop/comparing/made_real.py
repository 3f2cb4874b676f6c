"""How does a virtual robot become a real one that is made to measure?

A packet robot with the size and the speed of the virtual one, and with its rangers where the scenario has them: the
calibration of the round robot that turns on the spot, with other numbers. Its program, and who compares, cannot tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from kumi.geometry import BodyShape, Disc, Point, Polygon, Pose
from kumi.link.calibration import Calibration
from kumi.link.devices import STOP
from kumi.link.tables import Table
from kumi.loop.real import MOST_REAL, ROBOT
from kumi.maths import cos, sin
from kumi.motion import Drive
from kumi.scenario.document import ScenarioError
from kumi.scenario.models import Outfit
from kumi.scenario.real import RANGER_NAMES
from kumi.scenario.staging import Staging
from kumi.sensing import Bumper, Potentiometer, WheelEncoder, Whisker
from kumi.sensing.range_finders import RangeFinder

WIDEST_STEP, MOST_STEPS = 0.1, 800
"""Metres between two entries in the table of a ranger, where its values suffice, and how many values there are."""
FARTHEST_REACH = 0.15 * MOST_STEPS
"""Metres: a ranger that sees farther would tell distances in ten bits no finer than 15 cm."""
NEAREST_VALUE, FARTHEST_VALUE = 1000, 200
"""What a ranger tells of something at its edge, and at its reach."""
AXLE = 2 / 3
"""How much of what lies before its place is the wheelbase of a robot that is not round."""
FLAT = 1e-9
MOST_TURNED = 0.1
"""Radians by which a turn may end wrong: the end of a motion of the front wheel over the wheelbase."""
FINER = 4
"""How many times as many speeds its motor has as that of the robot it is made from, for turns of a large one."""
COUNTED = 4.0
"""Metres a second up to which a wheel of the usual size tells its way by two bytes, also after a silence of the link."""


@dataclass(frozen=True)
class RangerMount:
    """Where a ranger looks, and how far."""

    bearing: float
    reach: float


@dataclass(frozen=True)
class Speeds:
    """How fast a robot usually drives, and turns on the spot; 0 where it does not turn."""

    ahead: float
    turning: float


def chosen_of(names: Sequence[str], chosen: Sequence[str]) -> list[int]:
    """Return the places of the robots that are chosen by name or number, or of as many as can be real."""
    found = []
    for one in chosen:
        if one in names:
            found.append(names.index(one))
        elif one.isdecimal() and int(one) < len(names):
            found.append(int(one))
        else:
            raise ScenarioError(
                f"--real {one}: there is no such robot; give a name, such as {names[0]!r}, or a number "
                f"from 0 to {len(names) - 1}"
            )
    return found or list(range(min(len(names), MOST_REAL)))


def tables_of_team(staging: Staging, chosen: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Return a table `[[real]]` for each robot of a scenario that becomes real."""
    outfits = staging.outfits
    names = [staging.name_of(number) for number in range(staging.count)]
    return [_table(number, names[number], outfits[number], folder) for number in chosen_of(names, chosen)]


def _table(number: int, name: str, outfit: Outfit, folder: Path) -> dict[str, Any]:
    """Return the table of a robot whose sensors are real as far as a packet robot has such."""
    table: dict[str, Any] = {"robot": number, "motor": "hil", "contacts": "hil"}
    aliases: dict[str, str] = {}
    rangers: dict[str, RangerMount] = {}
    finders = {key: one for key, one in outfit.sensors.items() if isinstance(one, RangeFinder)}
    free = [place for place in RANGER_NAMES if place not in finders]
    for key, sensor in outfit.sensors.items():
        real = key
        if isinstance(sensor, RangeFinder):
            if key not in RANGER_NAMES:
                if not free:
                    continue
                real = free.pop(0)
            rangers[real] = RangerMount(sensor.bearing, sensor.reach)
        elif isinstance(sensor, Bumper | Whisker):
            real = "bumper"
        elif isinstance(sensor, WheelEncoder):
            real = "encoder"
        elif isinstance(sensor, Potentiometer):
            real = "steering"
        else:
            continue
        table[key] = "real"
        if real != key:
            aliases[key] = real
    calibration = fitted(name, outfit.shape, _speeds(outfit.drive), rangers)
    return {**table, "aliases": aliases, "calibration": written(calibration, name, folder)}


def written(calibration: Calibration, name: str, folder: Path) -> str:
    """Write a calibration into the folder of a comparison; return where it is."""
    path = (folder / "robots" / f"{name.replace(' ', '-')}.toml").resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    calibration.save(path)
    return str(path)


def _speeds(drive: Drive | None) -> Speeds:
    """Return the usual speeds of a drive; one that has none is refused for what it is."""
    return Speeds(float(getattr(drive, "speed", 0.3)), float(getattr(drive, "turn_speed", 0.0)))


def fitted(name: str, shape: BodyShape, speeds: Speeds, rangers: Mapping[str, RangerMount]) -> Calibration:
    """Return the calibration of a packet robot with a size, usual speeds, and rangers by their names on it."""
    base = _driven(Calibration.load(ROBOT), speeds.ahead)
    body = _turning(_body(shape, base), base, speeds.turning)
    if base.near_enough > MOST_TURNED * body["wheelbase"]:
        raise ScenarioError(
            f"{name} has a radius of {body['width'] / 2:g} m and drives at {speeds.ahead:g} m/s; a packet robot as fast ends "
            f"its motions to {1000 * base.near_enough:g} mm, and one as small would turn too far by that"
        )
    reach = max([one.reach for one in rangers.values()], default=base.reach[1])
    if reach > FARTHEST_REACH:
        raise ScenarioError(
            f"{name} sees {reach:g} m far, and a ranger of a packet robot at most {FARTHEST_REACH:g} m: it tells distances in "
            "ten bits"
        )
    bearings = [
        rangers[place].bearing if place in rangers else mount.heading
        for place, mount in zip(RANGER_NAMES, base.mounts, strict=True)
    ]
    return replace(
        base,
        ranger=_even(reach),
        mounts=tuple(Pose(Point.polar(_edge(body, bearing), bearing), bearing) for bearing in bearings),
        **body,
    )


def _driven(base: Calibration, speed: float) -> Calibration:
    """Return a robot with a motor for another usual speed, and a wheel whose counts suffice for that."""
    faster = speed / base.cruise
    return replace(
        base,
        motor=Table((_finer(byte), value * faster) for byte, value in base.motor.entries),
        reliable=(_finer(base.reliable[0]), _finer(base.reliable[1])),
        wheel=base.wheel * max(1.0, speed / COUNTED),
    )


def _finer(byte: float) -> int:
    """Return the byte of the finer motor for one of the robot that it is made from."""
    return round(STOP + FINER * (byte - STOP))


def _even(reach: float) -> Table:
    """Return the table of a ranger whose values fall evenly with the distance."""
    steps = min(max(8, ceil(reach / WIDEST_STEP)), MOST_STEPS)
    values = [(NEAREST_VALUE - (NEAREST_VALUE - FARTHEST_VALUE) * step // steps) for step in range(steps + 1)]
    return Table(
        (value, reach * (NEAREST_VALUE - value) / (NEAREST_VALUE - FARTHEST_VALUE)) for value in values
    )


def _body(shape: BodyShape, base: Calibration) -> dict[str, Any]:
    """Return the size of a packet robot that has the shape of a body, or of the box around it."""
    if isinstance(shape, Disc):
        scale = 2.0 * shape.radius / base.width
        sizes = ("length", "width", "wheelbase", "nose")
        return {"is_round": True, **{name: getattr(base, name) * scale for name in sizes}}
    corners = shape.corners if isinstance(shape, Polygon) else []
    reach = shape.reach
    front = max((corner.x for corner in corners), default=reach)
    back = min((corner.x for corner in corners), default=-reach)
    side = max((abs(corner.y) for corner in corners), default=reach)
    axle = AXLE * front
    return {
        "is_round": False,
        "length": front - back,
        "width": 2.0 * side,
        "wheelbase": axle,
        "nose": front - axle,
    }


def _turning(body: dict[str, Any], base: Calibration, turning: float) -> dict[str, Any]:
    """Put the front wheel, which drives, so near to the back axle that it turns the robot as fast as it should.

    It stays so far from it that the end of a turn is known well enough.
    """
    ahead, wheelbase = body["wheelbase"] + body["nose"], body["wheelbase"]
    if turning:
        wheelbase = min(wheelbase, max(base.motor.highest / turning, base.near_enough / MOST_TURNED))
    return {**body, "wheelbase": wheelbase, "nose": ahead - wheelbase}


def _edge(body: Mapping[str, Any], bearing: float) -> float:
    """Return how far it is from the place of a robot to its edge in a direction."""
    if body["is_round"]:
        return float(body["width"] / 2)
    front = body["wheelbase"] + body["nose"]
    ahead, aside = cos(bearing), sin(bearing)
    along = front if ahead > 0.0 else body["length"] - front
    ways = [along / abs(ahead)] if abs(ahead) > FLAT else []
    ways += [body["width"] / 2 / abs(aside)] if abs(aside) > FLAT else []
    return float(min(ways))
