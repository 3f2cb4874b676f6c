"""Which robots are alike, for those who look at a run: of one team, with the same sensors?

Robots of a group in a scenario have its name with a number, or no name. A sensor is seen if it looks somewhere: it has
a reach, or, as a whisker, a length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from kumi.geometry import Disc
from kumi.recording.meta import RobotGroup, SensorField
from kumi.world import SimulatedBody, World

NUMBERED = re.compile(r" \d+$")


def groups_of(world: World, names: Mapping[int, str]) -> tuple[RobotGroup, ...]:
    """Return the groups of the robots that are in a world; `names` are those of robots that have one, by number."""
    groups: list[RobotGroup] = []
    for body in world.bodies:
        team = NUMBERED.sub("", names.get(body.number, ""))
        sensors = tuple(fields_of(body))
        last = groups[-1] if groups else None
        if (
            last is not None
            and (last.team, last.sensors) == (team, sensors)
            and last.first + last.count == body.number
        ):
            groups[-1] = RobotGroup(first=last.first, count=last.count + 1, team=team, sensors=sensors)
        else:
            groups.append(RobotGroup(first=body.number, count=1, team=team, sensors=sensors))
    return tuple(groups)


def fields_of(body: SimulatedBody) -> Iterator[SensorField]:
    """Return where the sensors of a robot look."""
    for name, attached in (body.sensors or {}).items():
        sensor: Any = attached
        reach = getattr(sensor, "reach", getattr(sensor, "length", None))
        if not isinstance(reach, float | int) or not 0.0 < reach < inf:
            continue
        offset = getattr(sensor, "offset", 0.0)
        if offset is None or hasattr(sensor, "length"):
            offset = body.shape.radius if isinstance(body.shape, Disc) else 0.0
        yield SensorField(
            name=name,
            reach=float(reach),
            view=float(getattr(sensor, "view", 0.0)),
            bearing=float(getattr(sensor, "bearing", 0.0)),
            offset=float(offset),
            rays=int(getattr(sensor, "rays", 0)),
        )
