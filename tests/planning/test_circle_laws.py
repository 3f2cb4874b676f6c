"""The laws of circle formation hold for every schedule for which they are promised."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import cos, dist, pi, sqrt, tau

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.geometry import Point
from kumi.planning.enclosing_circle import Disk, mean, smallest_circle
from kumi.planning.gathering import to_circle
from kumi.planning.schedulers import RobotView, asynchronous, play, semi_synchronous, synchronous
from tests.planning.swarms import disorder, frames, places, rounds


def by_trying(points: list[Point]) -> float:
    """Return the radius of the smallest circle around points: of those by two or three of them, the least."""
    disks = [Disk((a + b) / 2.0, a.distance_to(b) / 2.0) for a, b in combinations(points, 2)]
    for a, b, c in combinations(points, 3):
        # The centre is where the perpendicular bisectors of two sides meet, found by Cramer's rule.
        side, other = b - a, c - a
        area = side.cross(other)
        if abs(area) > 1e-9:
            x = (other.y * side.dot(side) - side.y * other.dot(other)) / (2.0 * area)
            y = (side.x * other.dot(other) - other.x * side.dot(side)) / (2.0 * area)
            disks.append(Disk(a + Point(x, y), abs(Point(x, y))))
    around = [d.radius for d in disks if all(d.centre.distance_to(p) <= d.radius + 1e-7 for p in points)]
    return min(around)


@given(places(most=6))
def test_the_smallest_circle_is_as_small_as_trying_all_finds(points: list[Point]) -> None:
    circle = smallest_circle(points)

    assert all(circle.centre.distance_to(point) <= circle.radius + 1e-9 for point in points)
    assert circle.radius == pytest.approx(by_trying(points), abs=1e-6)


def test_the_smallest_circle_of_points_on_a_line_and_of_one() -> None:
    assert smallest_circle([Point(0, 0), Point(4, 0), Point(1, 0)]) == (Point(2, 0), 2.0)
    assert smallest_circle([Point(3, 4)]) == (Point(3, 4), 0.0)
    assert smallest_circle([Point(3, 4), Point(3, 4)]).radius == 0.0
    with pytest.raises(ValueError, match="at least one point"):
        smallest_circle([])
    with pytest.raises(ValueError, match="at least one point"):
        mean([])


def is_kept(before: Disk, after: Disk) -> bool:
    """Tell whether a circle is still the same, to 1e-9 of its radius."""
    slack = 1e-9 * before.radius
    return abs(after.radius - before.radius) <= slack and dist(before.centre, after.centre) <= slack


@given(st.data())
def test_the_smallest_circle_is_kept_in_rounds(data: st.DataObject) -> None:
    """Whoever moves, and wherever each is stopped on its way."""
    points = data.draw(places(least=3, apart=0.1))
    circle = smallest_circle(points)
    for after in play(points, to_circle, data.draw(rounds(len(points)))):
        if not after.goals:
            assert is_kept(circle, smallest_circle(after.places))


@given(st.data())
def test_the_smallest_circle_is_kept_under_any_schedule_until_all_are_on_it(data: st.DataObject) -> None:
    points = data.draw(places(least=3, apart=0.1))
    circle = smallest_circle(points)
    for after in play(points, to_circle, data.draw(disorder(len(points)))):
        assert is_kept(circle, smallest_circle(after.places))
        if all(abs(dist(circle.centre, place) / circle.radius - 1.0) < 1e-9 for place in after.places):
            break


def on_circle(angles: list[float]) -> list[Point]:
    return [Point.polar(1.0, angle) for angle in angles]


def gaps(points: tuple[Point, ...]) -> list[float]:
    """Return the angles between neighbours on the unit circle."""
    angles = sorted(point.direction % tau for point in points)
    return [(after - before) % tau for before, after in zip(angles, [*angles[1:], angles[0]], strict=True)]


def unevenness(points: tuple[Point, ...]) -> float:
    """Return the root of the sum of the squares by which the gaps differ from equal ones."""
    return sqrt(sum((gap - tau / len(points)) ** 2 for gap in gaps(points)))


@pytest.mark.parametrize("count", [3, 4, 5, 8, 12])
def test_a_round_leaves_a_share_of_the_slowest_unevenness(count: int) -> None:
    """Angles off by 0.05 cos(2 pi k / n) keep that pattern, cos²(pi / n) times as large."""
    off = [tau * k / count + 0.05 * cos(tau * k / count) for k in range(count)]
    before = on_circle(off)
    *_, after = play(before, to_circle, synchronous(count, 1))

    assert unevenness(after.places) / unevenness(tuple(before)) == pytest.approx(
        cos(pi / count) ** 2, rel=1e-9
    )


@pytest.mark.slow
@given(st.lists(st.floats(0.0, tau), min_size=3, max_size=8))
def test_no_round_leaves_more(angles: list[float]) -> None:
    """Whatever the gaps are, as long as the circle is the smallest one around the robots."""
    points = tuple(on_circle(sorted(angles)))
    assume(max(gaps(points)) < pi - 1e-3)
    assume(min(gaps(points)) > 1e-3)
    *_, after = play(points, to_circle, synchronous(len(points), 1))

    assert unevenness(after.places) <= cos(pi / len(points)) ** 2 * unevenness(points) + 1e-9


@pytest.mark.parametrize("count", [4, 6, 10])
def test_a_full_step_does_not_converge_for_an_even_number(count: int) -> None:
    """Gaps that are wide and narrow in turn change places each round, and the half step evens them out."""
    start = on_circle([tau * k / count + (0.1 if k % 2 else 0.0) for k in range(count)])
    *_, full = play(start, partial(to_circle, step=1.0), synchronous(count, 100))
    *_, half = play(start, to_circle, synchronous(count, 100))

    assert unevenness(full.places) == pytest.approx(unevenness(tuple(start)), rel=1e-6)
    assert unevenness(half.places) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_robots_anywhere_end_on_the_circle_at_equal_distances(seed: int) -> None:
    chance = stream(seed, "places")
    points = [Point(chance.uniform(), chance.uniform()) for _ in range(8)]
    circle = smallest_circle(points)
    acts = semi_synchronous(8, 600, stream(seed, "rounds"), is_rigid=False)
    *_, last = play(points, to_circle, acts, least=0.001)
    around = tuple((place - circle.centre) / circle.radius for place in last.places)

    assert all(abs(abs(place) - 1.0) < 1e-9 for place in around)
    assert gaps(around) == pytest.approx([tau / 8] * 8, abs=1e-3)


def test_robots_in_one_line_from_the_centre_do_not_meet() -> None:
    """Three on a ray, the centre taken: all get to places of their own."""
    points = [Point(1, 0), Point(-1, 0), Point(0.5, 0), Point(0.25, 0), Point(0, 0), Point(0, 0.5)]
    *_, last = play(points, to_circle, synchronous(6, 20))

    assert min(gaps(last.places)) > 0.1
    assert all(abs(abs(place) - 1.0) < 1e-9 for place in last.places)


@given(st.data())
def test_frames_of_their_own_change_nothing(data: st.DataObject) -> None:
    """Turned, scaled and mirrored frames, one for each robot, give the same places to 1e-9."""
    chance = stream(data.draw(st.integers(0, 1000)), "places")  # no two gaps are equal by chance
    points = [Point(chance.uniform(), chance.uniform()) for _ in range(5)]
    acts = data.draw(rounds(5, most=5))
    plain = play(points, to_circle, acts)
    framed = play(points, to_circle, acts, frames=data.draw(frames(5)))
    for one, other in zip(plain, framed, strict=True):
        assert all(dist(a, b) < 1e-9 for a, b in zip(one.places, other.places, strict=True))


def test_one_or_two_robots_stay() -> None:
    assert to_circle(RobotView(())).length == 0.0
    assert to_circle(RobotView((Point(3, 4),))).length == pytest.approx(0.0)


def test_without_any_order_robots_still_end_on_the_circle() -> None:
    """What they converge to then need not be the first circle, but each of them is on it."""
    points = on_circle([0.0, 1.0, 2.5, 4.0, 5.0])
    *_, last = play(points, to_circle, asynchronous(5, 4000, stream(0, "acts")))

    assert gaps(last.places) == pytest.approx([tau / 5] * 5, abs=1e-3)
