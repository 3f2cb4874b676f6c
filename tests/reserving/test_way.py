"""A way is cut into zones that cover it, one after the other."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.reserving import Way, Zone

numbers = st.floats(-100.0, 100.0)
points = st.builds(Point, numbers, numbers)


def test_a_way_is_cut_into_chunks_and_what_is_left() -> None:
    way = Way.along([(0, 0), (1.25, 0)], radius=0.2, chunk=0.5)

    assert [[point.x for point in zone.path] for zone in way.zones] == [[0, 0.5], [0.5, 1.0], [1.0, 1.25]]
    assert {zone.radius for zone in way.zones} == {0.2}


def test_a_corner_lies_inside_a_chunk() -> None:
    way = Way.along([(0, 0), (3, 0), (3, 3)], radius=0.2, chunk=2.0)

    assert [zone.path for zone in way.zones] == [
        (Point(0, 0), Point(2, 0)),
        (Point(2, 0), Point(3, 0), Point(3, 1)),
        (Point(3, 1), Point(3, 3)),
    ]


def test_without_a_chunk_a_way_is_one_zone() -> None:
    assert Way.along([(0, 0), (3, 0), (3, 3)], 0.2).zones == (
        Zone((Point(0, 0), Point(3, 0), Point(3, 3)), 0.2),
    )


def test_a_way_has_a_first_zone_and_a_rest() -> None:
    way = Way.along([(0, 0), (4, 0)], 0.2, 2.0, stays=False)

    assert way.first == way.zones[0]
    assert way.rest == Way(way.zones[1:], stays=False)
    assert len(way) == 2


@given(st.lists(points, min_size=2, max_size=5), st.floats(0.1, 300.0))
def test_chunks_go_on_where_the_last_one_ended_from_start_to_end(path: list[Point], chunk: float) -> None:
    zones = Way.along(path, 0.2, chunk).zones
    lengths = [sum(one.distance_to(other) for one, other in pairwise(zone.path)) for zone in zones]

    assert (zones[0].path[0], zones[-1].path[-1]) == (path[0], path[-1])
    assert all(one.path[-1] == other.path[0] for one, other in pairwise(zones))
    assert sum(lengths) == pytest.approx(sum(one.distance_to(other) for one, other in pairwise(path)))
    assert all(length == pytest.approx(chunk, rel=1e-6) for length in lengths[:-1])
    assert lengths[-1] <= chunk * (1 + 1e-6)


@pytest.mark.parametrize("chunk", [0.0, -1.0, nan])
def test_a_chunk_is_longer_than_0(chunk: float) -> None:
    with pytest.raises(ValueError, match="a chunk of a way is a number of metres > 0"):
        Way.along([(0, 0), (1, 0)], 0.2, chunk)


def test_a_way_goes_through_two_points() -> None:
    with pytest.raises(ValueError, match="at least two points, not 1"):
        Way.along([(0, 0)], 0.2, inf)


def test_a_way_has_no_more_zones_than_anybody_could_ask_for() -> None:
    with pytest.raises(ValueError, match=r"a way of 1e\+06 m in chunks of 0.001 m has more than 10000 zones"):
        Way.along([(0, 0), (1e6, 0)], 0.2, 0.001)
