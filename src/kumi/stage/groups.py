"""Which robots are alike, for those who look at a run: of one team, with the same sensors?

Robots of a group in a scenario have its name with a number, or no name. A sensor is seen if it looks somewhere: it has
a reach, or, as a whisker, a length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from kumi.geometry import Disc
from kumi.recording.meta import RobotGroup, SensorField, joined
from kumi.world import SimulatedBody

NUMBERED = re.compile(r" \d+$")


def groups_of(bodies: Iterable[SimulatedBody], names: Mapping[int, str]) -> tuple[RobotGroup, ...]:
    """Return the groups of robots; `names` are those of robots that have one, by number."""
    return joined(group_of(body, names.get(body.number)) for body in bodies)


def group_of(body: SimulatedBody, name: str | None) -> RobotGroup:
    """Return a robot alone as a group."""
    team = NUMBERED.sub("", name or "")
    return RobotGroup(first=body.number, count=1, team=team, sensors=tuple(fields_of(body)))


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
