"""The shortest drives between two poses: as long as other formulas say, never longer than any drive, and free."""

from __future__ import annotations

from math import cos, hypot, inf, pi, remainder, sin, sqrt, tau

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.geometry import Bounds, Point
from kumi.planning.clothoids import Curve, CurvePiece
from kumi.planning.dubins import CurveEnd, SmoothTurn, shortest_curves
from kumi.planning.space import Space, WallSpace
from tests.planning.dubins_oracle import Pose, dubins_length, random_poses
from tests.planning.scenes import distance, spaces

angles = st.floats(-pi, pi)
ORIGIN = (0.0, 0.0, 0.0)


def end(pose: Pose) -> CurveEnd:
    return CurveEnd(Point(pose[0], pose[1]), pose[2])


def missed(curve: Curve, goal: Pose) -> float:
    """Return by how much the end of a curve is not the goal."""
    x, y, heading, _ = curve.places[-1]
    return hypot(x - goal[0], y - goal[1]) + abs(remainder(heading - goal[2], tau))


def stepped(curve: Curve, steps: int = 4000) -> tuple[float, float, float]:
    """Return the end of a curve by driving it in tiny steps, each with the curvature in its middle."""
    x, y, heading = curve.x, curve.y, curve.heading
    for length, first, last in curve.pieces:
        at = (np.arange(steps) + 0.5) / steps
        bends = first + at * (last - first)
        headings = heading + np.concatenate([[0.0], np.cumsum(bends * length / steps)])
        middles = (headings[1:] + headings[:-1]) / 2
        x, y = x + length / steps * np.cos(middles).sum(), y + length / steps * np.sin(middles).sum()
        heading = float(headings[-1])
    return float(x), float(y), heading


@pytest.mark.parametrize(
    ("goal", "length"),
    [
        ((4.0, 0.0, 0.0), 4.0),  # straight ahead
        ((1.0, 1.0, pi / 2), pi / 2),  # a quarter to the left
        ((0.0, -2.0, pi), pi),  # half a circle to the right
        ((2.0, 2.0, 0.0), pi),  # left, right
        ((2.0, 1.0, pi / 2), 1.0 + pi / 2),  # straight, left
        ((1.0, 2.0, pi / 2), pi / 2 + 1.0),  # left, straight
        ((0.0, 4.0, pi), pi + 2.0),  # left, straight, left
        ((0.0, 0.5, 0.0), None),  # three turns
        ((-4.0, 0.0, pi), None),  # behind
    ],
)
@pytest.mark.parametrize("scale", [1.0, 0.1, 300.0])
@pytest.mark.parametrize("place", [0.0, 123.456])
def test_lengths_that_follow_by_hand(goal: Pose, length: float | None, scale: float, place: float) -> None:
    """Also where a word just begins to exist, wherever that lies and whatever the scale."""
    there = (place + scale * goal[0], place + scale * goal[1], goal[2])
    if length is None:
        length = dubins_length(ORIGIN, goal)

    curve = shortest_curves(end((place, place, 0.0)), end(there), scale)[0]

    assert curve.length == pytest.approx(scale * length, rel=1e-9)
    assert missed(curve, there) < 1e-7 * scale


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("far", [1.0, 4.0, 16.0])
def test_the_shortest_is_as_long_as_other_formulas_say(seed: int, far: float) -> None:
    for start, goal in random_poses(seed, 60, 1e-3, far):
        curves = shortest_curves(end(start), end(goal), 1.0)

        assert curves[0].length == pytest.approx(dubins_length(start, goal), abs=1e-9)
        assert all(missed(curve, goal) < 1e-8 for curve in curves)
        assert all(piece.sharpest in (0.0, 1.0) for curve in curves for piece in curve.pieces)


@settings(max_examples=150, deadline=None)
@given(
    start=angles,
    drive=st.lists(
        st.tuples(st.sampled_from([-1.0, -0.7, 0.0, 0.4, 1.0]), st.floats(0.01, 5.0)), min_size=1, max_size=4
    ),
)
def test_no_drive_is_shorter(start: float, drive: list[tuple[float, float]]) -> None:
    """Whatever pieces of allowed curvature lead somewhere, in whatever order: the shortest curve is no longer."""
    driven = Curve(1.0, 2.0, start, tuple(CurvePiece(length, bend, bend) for bend, length in drive))
    x, y, heading, length = driven.places[-1]
    if hypot(x - 1.0, y - 2.0) < 1e-3:
        return

    assert shortest_curves(end((1.0, 2.0, start)), end((x, y, heading)), 1.0)[0].length <= length + 1e-7


def test_each_of_the_six_words_is_the_shortest_somewhere() -> None:
    found = set()
    for start, goal in random_poses(3, 300, 0.1, 6.0):
        pieces = shortest_curves(end(start), end(goal), 1.0)[0].pieces
        found.add("".join({1.0: "L", -1.0: "R", 0.0: "S"}[piece.first] for piece in pieces))

    assert found == {"LSL", "RSR", "LSR", "RSL", "LRL", "RLR"}


@settings(max_examples=40, deadline=None)
@given(x=st.floats(-6, 6), y=st.floats(-6, 6), first=angles, last=angles)
def test_a_mirror_and_the_way_back_change_no_length(x: float, y: float, first: float, last: float) -> None:
    if hypot(x, y) < 1e-3:
        return

    def length(start: Pose, goal: Pose) -> float:
        return shortest_curves(end(start), end(goal), 1.0)[0].length

    there = length((0, 0, first), (x, y, last))
    # A length jumps where a word ends to exist, and rounding is on either side of that: so a little is left out.
    nearby = [
        length((0, 0, first), (x + dx, y + dy, last)) for dx, dy in ((1e-7, 0), (0, 1e-7), (-1e-7, -1e-7))
    ]
    if max(abs(there - one) for one in nearby) < 1e-3:
        assert length((0, 0, -first), (x, -y, -last)) == pytest.approx(there, abs=1e-3)
        assert length((x, y, last + pi), (0, 0, first + pi)) == pytest.approx(there, abs=1e-3)


@pytest.mark.parametrize("rate", [inf, 4.0])
def test_a_free_heading_is_the_one_that_suits_best(rate: float) -> None:
    """Of 60 headings at the goal none leads there sooner; and a free one at the start is the same backwards."""
    for start, goal in random_poses(4, 12, 0.5, 5.0):
        to_place = shortest_curves(end(start), CurveEnd(Point(*goal[:2]), None), 1.0, rate)[0]
        for number in range(60 if rate == inf else 12):
            given_ = shortest_curves(end(start), end((goal[0], goal[1], tau * number / 60)), 1.0, rate)[0]
            assert to_place.length <= given_.length + (1e-9 if rate == inf else 0.2)
        assert to_place.length >= hypot(goal[0] - start[0], goal[1] - start[1]) - 1e-9
        back = shortest_curves(CurveEnd(Point(*goal[:2]), None), end((*start[:2], start[2] + pi)), 1.0, rate)[
            0
        ]
        assert back.length == pytest.approx(to_place.length, abs=1e-9)
        assert (back.x, back.y) == pytest.approx(goal[:2], abs=1e-9)
        assert missed(to_place.backwards, (*start[:2], start[2] + pi)) < 1e-9


@pytest.mark.parametrize("rate", [1000.0, 10.0, 1.0, 0.3, 0.02])
def test_with_a_bound_the_curvature_never_changes_faster(rate: float) -> None:
    """Pieces begin with the curvature of the one before, none at the ends, and lead to the goal; none is too tight."""
    for start, goal in random_poses(5, 8, 0.05, 12.0):
        curves = shortest_curves(end(start), end(goal), 1.0, rate)

        assert curves
        assert curves[0].length >= dubins_length(start, goal) - 1e-9
        for curve in curves:
            assert curve.rate <= rate * (1 + 1e-9)
            assert max(piece.sharpest for piece in curve.pieces) <= 1 + 1e-9
            assert missed(curve, goal) < 1e-8 * max(1.0, curve.length)


def test_a_place_between_the_turns_with_clothoids_is_reached() -> None:
    """20 cm ahead and 5 cm aside, with curvature that takes 3 m to its largest: turns of both sides pass it."""
    for goal in ((0.2, 0.05), (0.2, -0.05), (0.5, 0.0)):
        curve = shortest_curves(end(ORIGIN), CurveEnd(Point(*goal), None), 1.0, 0.3)[0]
        assert (curve.places[-1].x, curve.places[-1].y) == pytest.approx(goal, abs=1e-9)
        assert curve.rate <= 0.3 * (1 + 1e-9)


def test_a_faster_rate_comes_nearer_to_no_bound() -> None:
    """Away from where a word ends to exist, the length comes from above to that without a bound."""
    start, goal = ORIGIN, (6.0, 3.0, 2.0)
    lengths = [shortest_curves(end(start), end(goal), 1.0, rate)[0].length for rate in (1, 4, 16, 256, 1e6)]

    assert sorted(lengths, reverse=True) == lengths
    assert lengths[-1] == pytest.approx(dubins_length(start, goal), rel=1e-5)


def test_places_are_those_of_a_drive_in_tiny_steps() -> None:
    for start, goal in random_poses(6, 3, 1.0, 8.0):
        for rate in (inf, 2.0):
            curve = shortest_curves(end(start), end(goal), 1.0, rate)[0]
            x, y, heading = stepped(curve)
            assert (x, y) == pytest.approx(curve.places[-1][:2], abs=1e-5)
            assert heading == pytest.approx(curve.places[-1].heading, abs=1e-9)


def test_a_turn_is_as_long_as_its_clothoids_and_its_arc() -> None:
    """To 1 m at 4 rad/m² a clothoid takes 0.25 m and turns by 1/8; a turn of 1 rad is two, and 0.75 m of arc."""
    turn = SmoothTurn(1.0, 4.0)
    assert [(piece.length, piece.first, piece.last) for piece in turn.pieces(1, 0.0, 1.0)] == [
        (0.25, 0.0, 1.0),
        (0.75, 1.0, 1.0),
        (0.25, 1.0, 0.0),
    ]
    small = turn.pieces(-1, 0.0, -0.1)
    assert len(small) == 2
    assert sum(piece.turn for piece in small) == pytest.approx(-0.1)
    assert max(piece.sharpest for piece in small) < 1.0
    whole = Curve(0.0, 0.0, 0.0, turn.pieces(1, 0.0, pi / 2))
    # It ends as far from the centre of the turn as it began, and mirrors its beginning.
    assert sqrt((whole.places[-1].x - turn.centre.x) ** 2 + (whole.places[-1].y - turn.centre.y) ** 2) == (
        pytest.approx(abs(turn.centre))
    )
    assert whole.places[-1].x == pytest.approx(whole.places[-1].y)


def test_jumps_are_two_postures_and_the_ends_are_straight() -> None:
    """A quarter of a circle of 1 m: curvature 0 and 1 at the start, 1 and 0 at the end."""
    path = shortest_curves(end(ORIGIN), end((1.0, 1.0, pi / 2)), 1.0)[0].path(0.5)

    assert path.s.tolist() == pytest.approx([0, 0, pi / 8, pi / 4, 3 * pi / 8, pi / 2, pi / 2])
    assert path.curvature.tolist() == [0, 1, 1, 1, 1, 1, 0]
    assert path.heading == pytest.approx(path.s)
    assert path.x == pytest.approx([sin(s) for s in path.s.tolist()])
    assert path.y == pytest.approx([1 - cos(s) for s in path.s.tolist()])


@settings(max_examples=40, deadline=None)
@given(space=spaces, x=st.floats(3, 17), y=st.floats(3, 17), first=angles, last=angles)
def test_a_clear_curve_is_clear_at_every_place(
    space: Space, x: float, y: float, first: float, last: float
) -> None:
    """Looked at every five centimetres, by distances counted anew; and one that is not clear is blocked somewhere."""
    if distance(space, (5.0, 5.0)) <= 0.3 or hypot(x - 5, y - 5) < 0.1:
        return
    for curve in shortest_curves(end((5.0, 5.0, first)), end((x, y, last)), 1.0)[:3]:
        path = curve.path(0.05)
        least = min(distance(space, place) for place in zip(path.x.tolist(), path.y.tolist(), strict=True))
        if curve.is_clear(space, 0.3):
            assert least > 0.3
        else:
            assert least <= 0.3 + 0.03


def test_a_curve_that_touches_its_clearance_is_not_clear() -> None:
    """Half a circle of 1 m about (0, 1) comes as far as x = 1."""
    curve = shortest_curves(end(ORIGIN), end((0.0, 2.0, pi)), 1.0)[0]

    assert curve.is_clear(Space([WallSpace((1.5, -5), (1.5, 5))]), 0.4999)
    assert not curve.is_clear(Space([WallSpace((1.5, -5), (1.5, 5))]), 0.5)
    assert not curve.is_clear(Space([], Bounds(-1, -1, 0.9, 3)), 0.0)
