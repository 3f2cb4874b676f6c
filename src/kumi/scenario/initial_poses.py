"""Where and how does each robot of a scenario begin?

Listed points are taken as they are: the world refuses those that overlap. Random ones then fill what is
left, the larger robots first. All chance comes from the seed, with sequences for each group of robots:
another group does not change the headings of the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kumi.devs.chance import stream
from kumi.geometry import BodyShape, Pose, as_point
from kumi.scenario.placing import Box, Crowd, NoRoom, Pair, draw_points

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.scenario.schema import Robots


class Ground(Protocol):
    """What robots are put on."""

    @property
    def box(self) -> Box | None:
        """The plane's borders; None if it has no end."""

    def is_free(self, point: Pair, reach: float, /) -> bool:
        """Tell whether a circle touches no obstacle, no hole and no border."""


@dataclass(frozen=True)
class Group:
    """Robots that are alike: their place in the scenario, what it says of them, and their shape."""

    place: Place
    robots: Robots
    shape: BodyShape

    @property
    def count(self) -> int:
        """How many robots there are."""
        return self.robots.count or len(self.robots.born)


def births(groups: Sequence[Group], seed: int, ground: Ground) -> list[list[Pose]]:
    """Return where each robot of each group begins."""
    crowd = Crowd()
    points: dict[int, Sequence[Pair]] = {}
    for number, group in enumerate(groups):
        if group.robots.born != "random":
            points[number] = group.robots.born
            for x, y in points[number]:
                crowd.add(x, y, group.shape.reach)
    rest = [number for number in range(len(groups)) if number not in points]
    for number in sorted(rest, key=lambda number: -groups[number].shape.reach):
        points[number] = _random(groups[number], seed, number, crowd, ground)
    return [
        [
            Pose(as_point(point), heading)
            for point, heading in zip(points[number], _headings(group, seed, number), strict=True)
        ]
        for number, group in enumerate(groups)
    ]


def _headings(group: Group, seed: int, number: int) -> Iterator[float]:
    robots = group.robots
    if robots.heading == "random":
        chance = stream(seed, f":heading {number}")
        for _ in range(group.count):
            yield chance.uniform(-math.pi, math.pi)
        return
    fixed = math.radians(robots.heading_deg) if robots.heading_deg is not None else robots.heading or 0.0
    for _ in range(group.count):
        yield fixed


def _random(group: Group, seed: int, number: int, crowd: Crowd, ground: Ground) -> list[Pair]:
    box, within = ground.box, group.robots.within
    if within is not None:
        box = Box(within.x, within.y, within.x + within.width, within.y + within.height)
        if ground.box is not None and ground.box.is_apart(box):
            raise group.place.at("within").error(
                f"{group.place.title}.within goes {box.span}: that is outside the world, which goes {ground.box.span}"
            )
    if box is None:
        raise group.place.error(
            f"{group.place.title}.within is missing; random born points in an infinite world need an area"
        )
    chance = stream(seed, f":born {number}")
    reach = group.shape.reach
    try:
        return draw_points(group.count, reach, box, crowd=crowd, is_free=ground.is_free, chance=chance)
    except NoRoom as error:
        raise group.place.at("count").error(f"{group.place.title}: {error}") from error
