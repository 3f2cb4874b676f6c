"""Where and how does each robot of a scenario begin?

Listed points are taken as they are, and must be free and not overlap. Random ones then fill what is left,
the larger robots first. All chance comes from the seed, with sequences for each group of robots: another
group does not change the headings of the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kumi.experiment.placing import Box, Crowd, NoRoom, Pair, draw_points
from kumi.geometry import BodyShape, Pose, as_point, gap
from kumi.kernel.chance import stream

if TYPE_CHECKING:
    from kumi.experiment.document import Place
    from kumi.experiment.schema import Robots

TOUCHING = 1e-9
"""Share of the size by which listed robots may overlap and still count as touching."""


class Ground(Protocol):
    """What robots are put on."""

    @property
    def box(self) -> Box | None:
        """The plane's borders; None if it has no end."""

    def is_free(self, point: Pair, reach: float) -> bool:
        """Tell whether a circle touches no obstacle, no hole and no border."""

    def in_the_way(self, shape: BodyShape, pose: Pose) -> str | None:
        """Name an obstacle, hole or border that a body overlaps, if there is one."""


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


def births(
    groups: Sequence[Group], seed: int, ground: Ground, *, may_overlap: bool = False
) -> list[list[Pose]]:
    """Return where each robot of each group begins; those with listed points may overlap in ghost mode."""
    headings = [list(_headings(group, seed, number)) for number, group in enumerate(groups)]
    listed = _Listed(ground, may_overlap)
    points: dict[int, Sequence[Pair]] = {}
    for number, group in enumerate(groups):
        if group.robots.born != "random":
            points[number] = group.robots.born
            for index, heading in enumerate(headings[number]):
                listed.add(group, index, Pose(as_point(group.robots.born[index]), heading))
    rest = [number for number in range(len(groups)) if number not in points]
    for number in sorted(rest, key=lambda number: -groups[number].shape.reach):
        points[number] = _random(groups[number], seed, number, listed.crowd, ground)
    return [
        [
            Pose(as_point(point), heading)
            for point, heading in zip(points[number], headings[number], strict=True)
        ]
        for number in range(len(groups))
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
    if box is None:
        raise group.place.error(
            f"{group.place.title}.within is missing; random born points in an infinite world need an area"
        )
    chance = stream(seed, f":born {number}")
    try:
        return draw_points(
            group.count, group.shape.reach, box, crowd=crowd, is_free=ground.is_free, chance=chance
        )
    except NoRoom as error:
        raise group.place.at("count").error(f"{group.place.title}: {error}") from error


@dataclass
class _Listed:
    """Those whose points are listed, all of them free and apart."""

    ground: Ground
    may_overlap: bool
    crowd: Crowd = field(default_factory=Crowd)
    known: list[tuple[Place, BodyShape, Pose]] = field(default_factory=list)

    def add(self, group: Group, index: int, pose: Pose) -> None:
        """Take one in, or say what is in its way."""
        spot, shape, (x, y) = group.place.at("born", index), group.shape, pose.position
        if obstacle := self.ground.in_the_way(shape, pose):
            raise spot.error(f"{spot.title} is {_written(pose)}, where {obstacle} is in the way of the robot")
        if not self.may_overlap:
            for number in self.crowd.overlapping(x, y, shape.reach):
                other, other_shape, other_pose = self.known[number]
                apart = gap(shape, pose, other_shape, other_pose)
                if apart < -TOUCHING * shape.reach:
                    raise spot.error(
                        f"the robots {other.title} at {_written(other_pose)} and {spot.title} at {_written(pose)} "
                        f"overlap: the gap between them is {apart:.6g} m"
                    )
        self.crowd.add(x, y, shape.reach)
        self.known.append((spot, shape, pose))


def _written(pose: Pose) -> str:
    return f"[{pose.position.x:g}, {pose.position.y:g}]"
