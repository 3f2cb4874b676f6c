"""Conflict regions hold every meeting, and little else."""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np
import pytest

from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose, gap
from kumi.planning.conflicts import Mover, conflicts, window
from kumi.planning.limits import Limits
from kumi.planning.paths import Path
from kumi.planning.profile import speed_profile
from kumi.planning.trajectory import TimedMotion, Trajectory, poses_on
from tests.planning.courses import straight, winding

LIMITS = Limits(top_speed=1.0, acceleration=1.0, lateral=0.5)
OCTAGON = Polygon(
    [(0.5, 0.2), (0.2, 0.5), (-0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.2, -0.5), (0.2, -0.5), (0.5, -0.2)]
)


def mover(path: Path, shape: BodyShape) -> Mover:
    """Return a vehicle that drives a path as fast as it can."""
    return Mover(shape, Trajectory(path, speed_profile(path, LIMITS)).motion(0.05), "B")


def test_two_discs_that_cross_at_right_angles_meet_within_their_radii() -> None:
    """Radii of 0.5: while B is in the crossing, 1 m either way is taken."""
    other = mover(straight(10, start=(5.0, -5.0), heading=pi / 2), Disc(0.5))
    (region,) = conflicts(straight(10), Disc(0.5), other, resolution=0.02)

    assert region.low.min() == pytest.approx(4.0, abs=0.06)
    assert region.high.max() == pytest.approx(6.0, abs=0.06)
    # B is at the crossing 5.5 s after its start, at 1 m/s: from 4.5 to 6.5 s it is within 1 m.
    assert region.opens.min() == pytest.approx(4.5, abs=0.06)
    assert region.closes.max() == pytest.approx(6.5, abs=0.06)


def test_who_stays_on_the_path_is_there_for_ever() -> None:
    other = mover(straight(5, start=(5.0, -5.0), heading=pi / 2), Disc(0.5))
    (region,) = conflicts(straight(10), Disc(0.5), other)

    assert region.closes.max() == inf


def test_who_keeps_off_is_no_conflict_and_a_margin_makes_one() -> None:
    other = mover(straight(10, start=(0.0, 1.2)), Disc(0.5))

    assert conflicts(straight(10), Disc(0.5), other, resolution=0.02) == []
    assert len(conflicts(straight(10), Disc(0.5), other, margin=0.3, resolution=0.02)) == 1


@pytest.mark.parametrize(
    "shapes", [(OCTAGON, Ellipse(1.4, 0.8)), (Ellipse(1.4, 0.8), Disc(0.4)), (Disc(0.3), OCTAGON)]
)
@pytest.mark.parametrize("seed", range(3))
def test_every_meeting_lies_in_a_region(shapes: tuple[BodyShape, BodyShape], seed: int) -> None:
    """Places and times by chance: if the gap is below the margin, a region has them."""
    path, other = winding(seed, 10.0), mover(winding(seed + 10, 10.0), shapes[1])
    regions = conflicts(path, shapes[0], other, margin=0.1, resolution=0.1)
    chance = np.random.default_rng(seed)
    met = 0
    for s, t in zip(chance.uniform(0.0, 10.0, 2000), chance.uniform(0.0, 25.0, 2000), strict=True):
        here, there = poses_on(path, s), other.motion.poses(t)
        poses = [Pose(Point(float(x), float(y)), float(angle)) for x, y, angle in (here, there)]
        if gap(shapes[0], poses[0], shapes[1], poses[1]) <= 0.1:
            met += 1
            assert any(
                ((r.low <= s) & (s <= r.high) & (r.opens <= t) & (t <= r.closes)).any() for r in regions
            )
    assert met > 20


def test_regions_shrink_to_the_meetings_with_the_resolution() -> None:
    """Discs that cross: the taken part of (s, t) tends to that of the two bodies, from above."""
    other = mover(straight(10, start=(5.0, -5.0), heading=pi / 2), Disc(0.5))
    sizes = []
    for resolution in (0.2, 0.1, 0.02):
        (region,) = conflicts(straight(10), Disc(0.5), other, resolution=resolution)
        sizes.append(float(((region.high - region.low) * (region.closes - region.opens)).sum()))

    # |s - 5|² + |t - 5.5|² < 1 at 1 m/s: the unit circle.
    assert sizes[0] > sizes[1] > sizes[2] > pi
    assert sizes[2] < pi * 1.1
    assert sqrt(sizes[2] / pi) < 1.05


def test_bad_questions_are_refused() -> None:
    other = mover(straight(10), Disc(0.5))
    for margin, resolution in ((-1.0, 0.1), (0.0, 0.0), (0.0, 1e-5)):
        with pytest.raises(ValueError, match=r"margin|resolution"):
            conflicts(straight(10), Disc(0.5), other, margin=margin, resolution=resolution)
    with pytest.raises(ValueError, match="a window has a length and lasts"):
        window(4, 4, 0, 1)


def test_what_would_take_too_much_memory_is_refused_before_it_is_taken() -> None:
    late = Mover(Disc(0.5), TimedMotion.of([0, 1e9], [5, 5], [-50, 50], [0, 0]), "the late one")
    near = Mover(Disc(0.5), TimedMotion.of([0, 10], [5, 5], [-5, 5], [0, 0]))

    with pytest.raises(ValueError, match="the late one moves for"):
        conflicts(straight(10), Disc(0.5), late)
    with pytest.raises(ValueError, match="must be coarser"):
        conflicts(straight(10), Disc(0.5), near, resolution=1e-9)
