"""Swarms of robots that remember nothing, and schedules that try to mislead them."""

from __future__ import annotations

from itertools import combinations
from math import pi

from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.planning.schedulers import Act, LookTurn, Move, OwnFrame, Swarm

LENGTHS = st.floats(-10.0, 10.0, allow_nan=False)
SHARES = st.floats(0.0, 1.0, allow_nan=False)


def places(least: int = 2, most: int = 7, apart: float = 1e-3) -> st.SearchStrategy[list[Point]]:
    """Return lists of places, no two of them in one."""
    return st.lists(st.builds(Point, LENGTHS, LENGTHS), min_size=least, max_size=most).filter(
        lambda points: all(one.distance_to(other) > apart for one, other in combinations(points, 2))
    )


def frames(count: int) -> st.SearchStrategy[list[OwnFrame]]:
    """Return a frame for each robot: turned, scaled and mirrored."""
    one = st.builds(OwnFrame, st.floats(-pi, pi), st.floats(0.01, 100.0), st.booleans())
    return st.lists(one, min_size=count, max_size=count)


@st.composite
def rounds(draw: st.DrawFn, count: int, most: int = 12) -> list[Act]:
    """Return semi-synchronous rounds: in each, some robots look, and are stopped anywhere on their way."""
    acts: list[Act] = []
    for active in draw(st.lists(st.sets(st.integers(0, count - 1), min_size=1), max_size=most)):
        robots = tuple(sorted(active))
        acts += [LookTurn(robots), Move(robots, tuple(draw(SHARES) for _ in robots))]
    return acts


@st.composite
def disorder(draw: st.DrawFn, count: int, most: int = 40) -> list[Act]:
    """Return an asynchronous schedule: anybody looks and moves at any time, and is seen under way."""
    acts: list[Act] = []
    under_way: set[int] = set()
    for robot in draw(st.lists(st.integers(0, count - 1), max_size=most)):
        if robot not in under_way:
            under_way.add(robot)
            acts.append(LookTurn((robot,)))
            continue
        is_over = draw(st.booleans())
        acts.append(Move((robot,), (draw(SHARES),), is_over))
        under_way -= {robot} if is_over else set()
    return acts


def width(points: list[Point] | tuple[Point, ...]) -> float:
    """Return the largest distance between two points."""
    return max((one.distance_to(other) for one, other in combinations(points, 2)), default=0.0)


def support(swarm: Swarm) -> list[float]:
    """Return how far the hull of all places and goals reaches in each of 24 directions."""
    directions = [Point.polar(1.0, number * pi / 12) for number in range(24)]
    points = [*swarm.places, *swarm.goals]
    return [max(point.dot(direction) for point in points) for direction in directions]
