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

from kumi.experiment.document import ScenarioError
from kumi.experiment.loop.real import MOST_REAL, ROBOT
from kumi.experiment.loop.scenario import RANGER_NAMES
from kumi.experiment.staging import Kit, Staging
from kumi.geometry import BodyShape, Disc, Point, Polygon, Pose
from kumi.link.calibration import Calibration
from kumi.link.tables import Table
from kumi.maths import cos, sin
from kumi.sensing import Bumper, Potentiometer, WheelEncoder, Whisker
from kumi.sensing.range_finders import RangeFinder

FASTEST = 1.0
"""Metres a second: a packet robot ends its motions to 1.5 mm, and none is made for more."""
WIDEST_STEP = 0.1
"""Metres between two entries in the table of a ranger."""
NEAREST_VALUE, FARTHEST_VALUE = 1000, 200
"""What a ranger tells of something at its edge, and at its reach."""
AXLE = 2 / 3
"""How much of what lies before its place is the wheelbase of a robot that is not round."""
FLAT = 1e-9
SMALLEST, LARGEST = 0.02, 0.5
"""Metres of the radius of a packet robot."""


@dataclass(frozen=True)
class Ranger:
    """Where a ranger looks, and how far."""

    bearing: float
    reach: float


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
    """Return a table `[[real]]` for each robot of a scenario with programs that becomes real."""
    kits = list(staging.kit_of_each)
    names = [staging.names.get(number, f"robot {number}") for number in range(staging.count)]
    return [_table(number, names[number], kits[number], folder) for number in chosen_of(names, chosen)]


def _table(number: int, name: str, kit: Kit, folder: Path) -> dict[str, Any]:
    """Return the table of a robot whose sensors are real as far as a packet robot has such."""
    table: dict[str, Any] = {"robot": number, "motor": "hil", "contacts": "hil"}
    aliases: dict[str, str] = {}
    rangers: dict[str, Ranger] = {}
    finders = {key: one for key, one in kit.sensors.items() if isinstance(one, RangeFinder)}
    free = [place for place in RANGER_NAMES if place not in finders]
    for key, sensor in kit.sensors.items():
        real = key
        if isinstance(sensor, RangeFinder):
            if key not in RANGER_NAMES:
                if not free:
                    continue
                real = free.pop(0)
            rangers[real] = Ranger(sensor.bearing, sensor.reach)
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
    speed = float(getattr(kit.drive, "speed", 0.3))
    calibration = fitted(name, kit.group.shape, speed, rangers)
    return {**table, "aliases": aliases, "calibration": written(calibration, name, folder)}


def written(calibration: Calibration, name: str, folder: Path) -> str:
    """Write a calibration into the folder of a comparison; return where it is."""
    path = (folder / "robots" / f"{name.replace(' ', '-')}.toml").resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    calibration.save(path)
    return str(path)


def fitted(name: str, shape: BodyShape, speed: float, rangers: Mapping[str, Ranger]) -> Calibration:
    """Return the calibration of a packet robot with a size, a usual speed, and rangers by their names on it."""
    base = Calibration.load(ROBOT)
    body = _body(shape, base)
    radius = body["width"] / 2
    if not SMALLEST <= radius <= LARGEST:
        raise ScenarioError(
            f"{name} has a radius of {radius:g} m, and packet robots are made from {SMALLEST:g} to {LARGEST:g} m"
        )
    if not 0.0 < speed <= FASTEST:
        raise ScenarioError(
            f"{name} drives at {speed:g} m/s, and packet robots are made for up to {FASTEST:g} m/s"
        )
    faster = speed / base.cruise
    bearings = [
        rangers[place].bearing if place in rangers else mount.heading
        for place, mount in zip(RANGER_NAMES, base.mounts, strict=True)
    ]
    reach = max([one.reach for one in rangers.values()], default=base.reach[1])
    return replace(
        base,
        motor=Table((byte, value * faster) for byte, value in base.motor.entries),
        ranger=_even(reach),
        mounts=tuple(Pose(Point.polar(_edge(body, bearing), bearing), bearing) for bearing in bearings),
        **body,
    )


def _even(reach: float) -> Table:
    """Return the table of a ranger whose values fall evenly with the distance."""
    steps = max(8, ceil(reach / WIDEST_STEP))
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
