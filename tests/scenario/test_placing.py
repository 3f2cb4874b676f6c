"""Robots born at random have room, each of them, and the same seed gives the same places."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.scenario import placing
from kumi.scenario.placing import Box, NoRoom, Pair, PlacedCircles, draw_points

if TYPE_CHECKING:
    from collections.abc import Iterator

HALL = Box(0.0, 0.0, 100.0, 50.0)


def anywhere(point: Pair, reach: float) -> bool:
    """Stand for a world without obstacles."""
    return True


def draw(
    count: int, reach: float, box: Box = HALL, seed: int = 0, crowd: PlacedCircles | None = None
) -> list[Pair]:
    return draw_points(
        count, reach, box, crowd=crowd or PlacedCircles(), is_free=anywhere, chance=stream(seed, "born")
    )


@given(st.integers(0, 60), st.floats(0.1, 3.5), st.integers(0, 100))
def test_nobody_overlaps_and_nobody_sticks_out(count: int, reach: float, seed: int) -> None:
    points = draw(count, reach, seed=seed)

    assert len(points) == count
    assert all(reach <= x <= 100.0 - reach and reach <= y <= 50.0 - reach for x, y in points)
    assert all(math.dist(one, other) > 2.0 * reach for one, other in combinations(points, 2))


@given(st.lists(st.floats(0.01, 3.0), max_size=4), st.integers(0, 100))
def test_groups_of_different_sizes_keep_apart(reaches: list[float], seed: int) -> None:
    """In whatever order they come."""
    crowd = PlacedCircles()
    circles = [(point, reach) for reach in reaches for point in draw(12, reach, seed=seed, crowd=crowd)]

    for (one, reach), (other, far) in combinations(circles, 2):
        assert math.dist(one, other) > reach + far


def test_the_seed_decides() -> None:
    assert draw(20, 1.0, seed=1) == draw(20, 1.0, seed=1)
    assert draw(20, 1.0, seed=1) != draw(20, 1.0, seed=2)


def test_what_is_not_free_stays_empty() -> None:
    """A pillar of radius 10 in the middle: its centre is at least 10 and the robot's radius away."""

    def is_free(point: Pair, reach: float) -> bool:
        return math.dist(point, (50.0, 25.0)) >= 10.0 + reach

    points = draw_points(100, 1.0, HALL, crowd=PlacedCircles(), is_free=is_free, chance=stream(0, "born"))
    assert min(math.dist(point, (50.0, 25.0)) for point in points) >= 11.0


def test_a_huge_circle_among_tiny_ones_is_seen_at_once() -> None:
    """Its reach covers more cells than there are; those that exist are gone through instead."""
    crowd = PlacedCircles()
    crowd.add(7.0, 3.0, 1e-6)
    crowd.add(1e6, 1e6, 1e-6)

    assert list(crowd.overlapping(0.0, 0.0, 1e5)) == [0]


@pytest.mark.parametrize("reach", [5e-324, 1e-100, 1.0, 1e100])
@pytest.mark.parametrize("at", [0.0, 1e6, 1e199, 1e308])
def test_no_size_and_no_place_is_too_odd(reach: float, at: float) -> None:
    crowd = PlacedCircles()
    crowd.add(at, -at, reach)

    assert list(crowd.overlapping(at, -at, max(reach, 1e-100))) == [0]


def test_those_that_do_not_fit_are_counted() -> None:
    """100 x 50 m for 100 robots of 78.5 m² each: they would cover more than there is."""
    with pytest.raises(NoRoom) as error:
        draw(100, 5.0)
    said = str(error.value)

    assert " of 100 robots of radius 5 m found room at random in 100 m x 50 m: " in said
    assert "of its 5000 m² all 100 would cover 157%, and chance fills at most half" in said


def test_one_that_is_larger_than_the_world_is_refused() -> None:
    with pytest.raises(NoRoom, match="only 0 of 1 robots of radius 30 m found room"):
        draw(1, 30.0)


def test_no_chance_is_lost_on_a_world_of_exactly_the_right_size() -> None:
    assert draw(1, 25.0, Box(0.0, 0.0, 50.0, 50.0)) == [(25.0, 25.0)]


def test_ten_thousand_look_at_no_more_neighbours_each_than_a_thousand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At 30 % of the plane; a comparison of all with all would look at ten times as many."""
    look = placing._around
    seen = 0

    def counted(*where: Any) -> Iterator[Any]:
        nonlocal seen
        for member in look(*where):
            seen += 1
            yield member

    monkeypatch.setattr(placing, "_around", counted)

    def looks_each(count: int) -> float:
        nonlocal seen
        seen = 0
        side = math.sqrt(count * math.pi * 25.0 / 0.3)
        draw(count, 5.0, Box(0.0, 0.0, side, side))
        return seen / count

    assert looks_each(10_000) < 1.5 * looks_each(1_000)


@pytest.mark.parametrize("far", [1e155, 1e300])
def test_a_place_is_found_in_a_world_as_large_as_numbers_go(far: float) -> None:
    crowd = PlacedCircles()
    for _ in range(3):
        crowd.add(0.0, 0.0, 1.0)
        assert crowd.has_room(far, far, 1.0)
