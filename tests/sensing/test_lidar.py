"""A scan has one distance for each bearing, from right to left."""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np
import pytest

from kumi.contract.readings import LaserScan
from kumi.sensing import GaussianNoise, Lidar
from kumi.world import Pillar, Wall
from tests.sensing.scenes import about, reading

ROOM = [Wall((-2, -3), (4, -3)), Wall((4, -3), (4, 5)), Wall((4, 5), (-2, 5)), Wall((-2, 5), (-2, -3))]


def test_all_around_the_beams_are_spread_evenly_from_straight_back() -> None:
    scan = reading(Lidar(4), ROOM)

    assert scan.bearings == about([-pi, -pi / 2, 0.0, pi / 2])
    assert scan.distances == about([2.0, 3.0, 4.0, 5.0])


def test_in_a_field_of_view_the_first_and_the_last_are_its_edges() -> None:
    scan = reading(Lidar(3, view=pi / 2), ROOM)

    assert scan.bearings == about([-pi / 4, 0.0, pi / 4])
    assert scan.distances == about([3.0 * sqrt(2.0), 4.0, 4.0 * sqrt(2.0)])


def test_a_single_ray_looks_along_the_bearing() -> None:
    scan = reading(Lidar(1, view=pi / 2, bearing=pi / 2), ROOM)

    assert (scan.bearings.tolist(), scan.distances.tolist()) == ([pi / 2], [5.0])


def test_the_heading_turns_the_scan_with_the_robot() -> None:
    assert reading(Lidar(4), ROOM, heading=pi / 2).distances == about([3.0, 4.0, 5.0, 2.0])


def test_nothing_in_reach_reads_inf() -> None:
    assert reading(Lidar(4, reach=3.5), ROOM).distances == about([2.0, 3.0, inf, inf])


def test_robots_and_pillars_are_seen() -> None:
    scan = reading(Lidar(4), [Pillar((0.0, 2.0), 0.5)], others=[(1.0, 0.0)])

    assert scan.distances == about([inf, inf, 0.9, 1.5])


def test_noise_errs_in_each_ray_alone_and_leaves_nothing_nothing() -> None:
    scan = reading(Lidar(100, reach=4.5, noise=GaussianNoise(0.01), min_reach=0.2), ROOM)
    exact = reading(Lidar(100, reach=4.5), ROOM)
    hit = np.isfinite(exact.distances)

    assert np.array_equal(np.isfinite(scan.distances), hit)
    errors = scan.distances[hit] - exact.distances[hit]
    assert 0.005 < errors.std() < 0.015
    assert len(set(errors.tolist())) > 0.9 * hit.sum()


def test_a_dropout_reads_inf() -> None:
    scan = reading(Lidar(1000, dropout=0.3), ROOM)

    assert np.isinf(scan.distances).sum() == about(300, abs=60)


def test_a_scan_cannot_be_changed() -> None:
    for lidar in (Lidar(4), Lidar(4, noise=0.1)):
        scan = reading(lidar, ROOM)
        with pytest.raises(ValueError, match="read-only"):
            scan.distances[0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            scan.bearings[0] = 1.0


def test_scans_compare_by_what_they_hold() -> None:
    one, same, other = reading(Lidar(4), ROOM), reading(Lidar(4), ROOM), reading(Lidar(8), ROOM)

    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != LaserScan(one.bearings, one.bearings)
    assert one != 3


def test_the_number_of_rays_is_a_whole_one() -> None:
    with pytest.raises(ValueError, match=r"the rays of a lidar are a whole number >= 1, not 0"):
        Lidar(0)
