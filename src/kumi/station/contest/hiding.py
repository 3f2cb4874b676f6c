"""Where are things hidden?

At places that depend on the seed alone: uniform over the arena, apart from each other and from the starts, off the walls, and
where a robot can go. Things are drawn in the replay as ground that slows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.devs.chance import stream
from kumi.geometry import Circle, Point
from kumi.planning import Space, plan_route
from kumi.scenario.spaces import space_of
from kumi.station.contest.rules import BadRules, ContestRules
from kumi.world import Map, Slow, World

MOST_PLACES = 20_000
"""Places that are tried before the rules are refused."""


@dataclass(frozen=True)
class Hidden:
    """A thing that is hidden somewhere."""

    name: str
    at: Point
    radius: float


def hide(rules: ContestRules, seed: int, game: int) -> tuple[Hidden, ...]:
    """Return what is hidden in a game, which is as many matches as there are starts; BadRules where there is no room."""
    wanted = rules.objects
    if wanted.places:
        places = [Point(x, y) for x, y in wanted.places]
        for at in places:
            if not rules.arena.contains(at):
                raise BadRules(f"objects.places: ({at.x:g}, {at.y:g}) is outside the arena")
    else:
        places = _drawn(rules, seed, game)
    return tuple(
        Hidden(f"{wanted.name}-{number}", at, wanted.radius) for number, at in enumerate(places, start=1)
    )


def with_hidden(arena: Map, hidden: tuple[Hidden, ...]) -> Map:
    """Return the arena with things shown on its floor."""
    shown = [Slow(Circle(one.at, one.radius), 1.0, one.name) for one in hidden]
    terrain = (*arena.terrain, *shown)
    return Map(arena.width, arena.height, arena.origin, arena.obstacles, terrain, arena.name)


def _drawn(rules: ContestRules, seed: int, game: int) -> list[Point]:
    chance = stream(seed, f"contest.hidden.{game}")
    left, bottom, right, top = rules.arena.bounds
    world, space = World(rules.arena), space_of(rules.arena)
    starts = [pose.position for start in rules.starts for pose in start.poses]
    places: list[Point] = []
    for _ in range(MOST_PLACES):
        at = Point(chance.uniform(left, right), chance.uniform(bottom, top))
        if (
            all(at.distance_to(other) >= rules.objects.apart for other in places)
            and all(at.distance_to(start) >= rules.objects.from_starts for start in starts)
            and _can_be_reached(rules, world, space, starts[0], at)
        ):
            places.append(at)
            if len(places) == rules.objects.count:
                return places
    raise BadRules(
        f"objects: there is room for {len(places)} of {rules.objects.count} things; ask for fewer, or for less distance"
    )


def _can_be_reached(rules: ContestRules, world: World, space: Space, start: Point, at: Point) -> bool:
    clearance = rules.robots.radius + rules.objects.radius
    if world.near_obstacles(at, clearance) or world.ground(at) != "floor":
        return False
    try:
        return plan_route(space, start, at, rules.robots.radius) is not None
    except ValueError:  # the place, or its surroundings, are not free
        return False
