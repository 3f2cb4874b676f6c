"""Who looks and who moves when, among robots that remember nothing?

The model is Look, Compute, Move: a robot looks where the others are, in a frame of its own, computes where to go by
a law that knows nothing but what it saw, and goes there. Robots have no names and no memory, and cannot talk.

A schedule says who does what in which order. In a synchronous one all look at the same instant and then all move;
in a semi-synchronous one some do, in rounds; in an asynchronous one a robot may look while another is still under
way, and may move long after it has looked. Rigid robots always reach their goal; others may be stopped before, but
get at least a least way ahead each time.

A schedule is any sequence of acts, so one that is made by hand serves as an adversary.

Source: Suzuki and Yamashita (1999) for the model, Flocchini, Prencipe and Santoro (2012) for its kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isinf
from typing import TypeAlias

from kumi._core import Chance
from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_number, as_size

HERE = Point(0.0, 0.0)


@dataclass(frozen=True)
class RobotView:
    """What a robot sees, in a frame of its own with itself at the origin: where the others are, and how far it sees.

    Others that share a place are seen as often as they are there.
    """

    others: tuple[Point, ...]
    reach: float = inf

    @property
    def all(self) -> tuple[Point, ...]:
        """All places that it sees, its own first."""
        return (HERE, *self.others)


@dataclass(frozen=True)
class Straight:
    """A way straight to a goal."""

    goal: Point

    @property
    def length(self) -> float:
        """How long the way is."""
        return abs(self.goal)

    def after(self, share: float) -> Point:
        """Return where a share of the way leads."""
        return self.goal * share

    def rest(self, share: float) -> Straight:
        """Return what is left behind a share of the way."""
        return Straight(self.goal * (1.0 - share))


@dataclass(frozen=True)
class Around:
    """A way around a centre by an angle, in radians."""

    centre: Point
    angle: float

    @property
    def length(self) -> float:
        """How long the way is."""
        return abs(self.centre) * abs(self.angle)

    def after(self, share: float) -> Point:
        """Return where a share of the way leads."""
        return self.centre - self.centre.turned(self.angle * share)

    def rest(self, share: float) -> Around:
        """Return what is left behind a share of the way."""
        return Around(self.centre.turned(self.angle * share), self.angle * (1.0 - share))


Way: TypeAlias = Straight | Around
"""A way from the origin, which is where the robot is."""
Law: TypeAlias = Callable[[RobotView], Way]
"""What a robot does about what it sees."""


@dataclass(frozen=True)
class OwnFrame:
    """How a robot's own frame lies in that of the plane: turned, larger or smaller, and perhaps mirrored.

    One of the plane's metres is `scale` of its own.
    """

    rotation: float = 0.0
    scale: float = 1.0
    is_mirrored: bool = False

    def __post_init__(self) -> None:
        as_number(self.rotation, "a rotation")
        as_size(self.scale, "a scale")

    def seen(self, step: Point) -> Point:
        """Return how the robot sees a step on the plane."""
        turned = step.turned(-self.rotation) * self.scale
        return Point(turned.x, -turned.y) if self.is_mirrored else turned

    def meant(self, step: Point) -> Point:
        """Return the step on the plane that the robot means."""
        step = Point(step.x, -step.y) if self.is_mirrored else step
        return (step / self.scale).turned(self.rotation)

    def way(self, way: Way) -> Way:
        """Return the way on the plane that the robot means."""
        if isinstance(way, Straight):
            return Straight(self.meant(way.goal))
        return Around(self.meant(way.centre), -way.angle if self.is_mirrored else way.angle)


@dataclass(frozen=True)
class Swarm:
    """Where all robots are, and the ways on which some of them are."""

    places: tuple[Point, ...]
    ways: tuple[Way | None, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", tuple(as_point(place, "a place") for place in self.places))
        if not self.ways:
            object.__setattr__(self, "ways", (None,) * len(self.places))

    @property
    def goals(self) -> tuple[Point, ...]:
        """Where those who are under way are going."""
        return tuple(
            place + way.after(1.0)
            for place, way in zip(self.places, self.ways, strict=True)
            if way is not None
        )


@dataclass(frozen=True)
class LookTurn:
    """Some robots look at the same instant, and decide where to go."""

    robots: tuple[int, ...]


@dataclass(frozen=True)
class Move:
    """Robots get ahead by a share of what is left of their ways, one share for each.

    Where `is_over`, a robot that was stopped gives the rest up; otherwise it is still under way, and others may see
    it there. An agent without a way stays where it is.
    """

    robots: tuple[int, ...]
    shares: tuple[float, ...]
    is_over: bool = True


Act: TypeAlias = LookTurn | Move


def play(
    places: Iterable[PointLike],
    law: Law,
    schedule: Iterable[Act],
    *,
    reach: float = inf,
    frames: Sequence[OwnFrame] | None = None,
    least: float = 0.0,
) -> Iterator[Swarm]:
    """Let robots act as a schedule says, and give the swarm after each act.

    `reach` is how far they see, in metres, and `least` the way that a robot gets ahead at least, unless it arrives
    before.
    """
    swarm = Swarm(tuple(as_point(place, "a place") for place in places))
    own = frames or [OwnFrame()] * len(swarm.places)
    if len(own) != len(swarm.places):
        raise ValueError(f"each of {len(swarm.places)} robots has a frame, but there are {len(own)}")
    for act in schedule:
        swarm = (
            _looked(swarm, act, law, reach, own) if isinstance(act, LookTurn) else _moved(swarm, act, least)
        )
        yield swarm


def _looked(swarm: Swarm, look: LookTurn, law: Law, reach: float, frames: Sequence[OwnFrame]) -> Swarm:
    ways = list(swarm.ways)
    for robot in look.robots:
        ways[robot] = frames[robot].way(law(view_of(swarm.places, robot, reach, frames[robot])))
    return replace(swarm, ways=tuple(ways))


def view_of(
    places: Sequence[Point], robot: int, reach: float = inf, frame: OwnFrame | None = None
) -> RobotView:
    """Return what a robot sees."""
    frame, here = frame or OwnFrame(), places[robot]
    steps = [place - here for other, place in enumerate(places) if other != robot]
    seen = [frame.seen(step) for step in steps if isinf(reach) or abs(step) <= reach]
    return RobotView(tuple(seen), reach * frame.scale)


def _moved(swarm: Swarm, move: Move, least: float) -> Swarm:
    places, ways = list(swarm.places), list(swarm.ways)
    for robot, share in zip(move.robots, move.shares, strict=True):
        way = ways[robot]
        if way is None:
            continue
        length = way.length
        gone = 1.0 if length <= least else max(share, least / length)
        places[robot] += way.after(gone)
        ways[robot] = None if move.is_over or gone >= 1.0 else way.rest(gone)
    return Swarm(tuple(places), tuple(ways))


def synchronous(count: int, rounds: int, chance: Chance | None = None) -> Iterator[Act]:
    """All look, then all move; with chance they are stopped anywhere, without they arrive."""
    for _ in range(rounds):
        yield from _round(range(count), chance)


def semi_synchronous(count: int, rounds: int, chance: Chance, *, is_rigid: bool = True) -> Iterator[Act]:
    """In each round some look and move, at least one, by chance; nobody waits for more than `2 * count` rounds."""
    waited = [0] * count
    for _ in range(rounds):
        active = [k for k in range(count) if waited[k] >= 2 * count or chance.happens(0.5)]
        active = active or [max(range(count), key=lambda k: waited[k])]
        waited = [0 if k in active else waited[k] + 1 for k in range(count)]
        yield from _round(active, None if is_rigid else chance)


def alternating(count: int, rounds: int) -> Iterator[Act]:
    """Look and arrive one after the other, in turn: a semi-synchronous schedule."""
    for number in range(rounds):
        yield from _round([number % count], None)


def asynchronous(count: int, acts: int, chance: Chance) -> Iterator[Act]:
    """One robot acts at a time, by chance: it looks, or gets some way ahead, where others may see it, or arrives."""
    is_under_way = [False] * count
    for _ in range(acts):
        robot = int(chance.uniform(0.0, count)) % count
        if not is_under_way[robot]:
            is_under_way[robot] = True
            yield LookTurn((robot,))
        elif chance.happens(0.5):
            yield Move((robot,), (chance.uniform(),), is_over=False)
        else:
            is_under_way[robot] = False
            yield Move((robot,), (1.0,))


def _round(robots: Iterable[int], chance: Chance | None) -> Iterator[Act]:
    active = tuple(robots)
    yield LookTurn(active)
    yield Move(active, tuple(1.0 if chance is None else chance.uniform() for _ in active))
