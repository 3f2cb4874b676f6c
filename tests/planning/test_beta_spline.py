"""β-splines: weights, joints, radii and lengths."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.planning.beta_spline import BetaSpline, coefficients

biases, tensions = st.floats(0.2, 5.0), st.floats(0.0, 20.0)
controls = st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=5, max_size=9).map(
    lambda points: np.array(points) + np.arange(len(points))[:, None] * [25.0, 0.0]
)
"""Points that advance by 7 to 43 m each, so that no curve stands still."""


def weights(u: float, b1: float, b2: float) -> list[float]:
    """Return the four weights as they are printed in the books."""
    delta = 2 * b1**3 + 4 * b1**2 + 4 * b1 + b2 + 2
    return [
        2 * b1**3 * (1 - u) ** 3 / delta,
        (
            2 * b1**3 * u * (u**2 - 3 * u + 3)
            + 2 * b1**2 * (u**3 - 3 * u**2 + 2)
            + 2 * b1 * (u**3 - 3 * u + 2)
            + b2 * (2 * u**3 - 3 * u**2 + 1)
        )
        / delta,
        (2 * b1**2 * u**2 * (3 - u) + 2 * b1 * u * (3 - u**2) + b2 * u**2 * (3 - 2 * u) + 2 * (1 - u**3))
        / delta,
        2 * u**3 / delta,
    ]


def corner(d: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return control points every d along a corner of 90°."""
    legs = [(-k * d, 0.0) for k in (4, 3, 2, 1)] + [(0.0, k * d) for k in range(5)]
    return np.array(legs)


@given(u=st.floats(0, 1), bias=biases, tension=tensions)
def test_the_weights_are_those_of_the_books_never_below_0_and_add_up_to_1(
    u: float, bias: float, tension: float
) -> None:
    found = np.array([1, u, u**2, u**3]) @ coefficients(bias, tension)

    assert found == pytest.approx(weights(u, bias, tension), abs=1e-12)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert (found >= -1e-12).all()


@settings(deadline=None)
@given(control=controls, bias=biases, tension=tensions)
def test_place_heading_and_curvature_are_continuous_at_joints(
    control: np.ndarray[tuple[int, int], np.dtype[np.float64]], bias: float, tension: float
) -> None:
    spline = BetaSpline(control, bias, tension)
    before, after = np.arange(len(spline) - 1), np.arange(1, len(spline))
    ends, begins = np.ones(len(before)), np.zeros(len(after))

    np.testing.assert_allclose(spline.places(before, ends), spline.places(after, begins), rtol=0, atol=1e-9)
    one, other = spline.rates(before, ends), spline.rates(after, begins)
    np.testing.assert_allclose(one * bias, other, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        spline.bends(before, ends) * bias**2 + tension * one,
        spline.bends(after, begins),
        rtol=1e-9,
        atol=1e-8,
    )
    np.testing.assert_allclose(
        spline.curvatures(before, ends), spline.curvatures(after, begins), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(("tension", "share"), [(0, 0.354), (1, 0.261), (5, 0.111)])
@pytest.mark.parametrize("d", [1.0, 2.5])
def test_the_least_radius_at_a_corner(tension: float, share: float, d: float) -> None:
    """A vehicle of least radius r needs control points every 2.83 r at a corner of 90°."""
    spline = BetaSpline(corner(d), 1.0, tension)
    radius = 1 / np.abs(spline.curvatures(*spline.even(1000))).max()

    assert radius / d == pytest.approx(share, abs=5e-4)
    if tension == 0:
        assert radius == pytest.approx(d / sqrt(8), rel=1e-9)


def test_points_on_a_line_make_a_straight_line() -> None:
    """For any bias and tension: B-spline or not."""
    control = np.column_stack([np.arange(6.0), 2 * np.arange(6.0)])
    spline = BetaSpline(control, 2.0, 3.0)

    assert np.abs(spline.curvatures(*spline.even(16))).max() == 0
    first, last = spline.places(np.array([0, len(spline) - 1]), np.array([0.0, 1.0]))
    assert spline.length == pytest.approx(float(np.hypot(*(last - first))), rel=1e-12)


def test_tension_pulls_the_curve_to_its_corner() -> None:
    """At the corner's joint of d = 1 the curve is (1, 1)·√2/6 off without tension: 0.2357 m."""
    off = []
    for tension in (0.0, 1.0, 10.0, 1000.0):
        spline = BetaSpline(corner(1.0), 1.0, tension)
        places = spline.places(*spline.even(100))
        off.append(float(np.hypot(places[:, 0], places[:, 1]).min()))

    assert off[0] == pytest.approx(sqrt(2) / 6)
    assert all(one > other for one, other in pairwise(off))
    assert off[-1] < 3e-3


def test_bias_pulls_to_one_side_and_its_inverse_to_the_other() -> None:
    """A curve with bias b, gone through backwards, is the one with bias 1/b and tension t/b³."""
    there = BetaSpline(corner(1.0), 2.0, 8.0)
    back = BetaSpline(corner(1.0)[::-1], 0.5, 1.0)
    piece, u = there.even(8)

    np.testing.assert_allclose(
        there.places(piece, u), back.places(len(back) - 1 - piece, 1 - u), rtol=0, atol=1e-12
    )


def test_the_length_is_that_of_very_short_straight_ways() -> None:
    spline = BetaSpline(corner(1.0), 1.3, 2.0)
    places = spline.places(*spline.even(20_000))
    ways = float(np.hypot(*np.diff(places, axis=0).T).sum())

    assert spline.length == pytest.approx(ways, abs=1e-7)


def test_places_are_found_by_their_way() -> None:
    spline = BetaSpline(corner(1.0), 1.0, 5.0)
    s = np.linspace(0, spline.length, 301)
    piece, u = spline.find(s)
    fine = spline.places(*spline.even(20_000))
    ways = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])
    expected = np.column_stack([np.interp(s, ways, fine[:, axis]) for axis in (0, 1)])

    np.testing.assert_allclose(spline.places(piece, u), expected, rtol=0, atol=1e-6)


def test_a_regular_polygon_makes_nearly_a_circle() -> None:
    """64 points on a circle of 1 m: the radius of the curve is one less the third of a step's square."""
    at = np.arange(67) * 2 * pi / 64
    spline = BetaSpline(np.column_stack([np.cos(at), np.sin(at)]))
    radius = np.hypot(*spline.places(*spline.even(4)).T)

    assert radius == pytest.approx(1 - (2 * pi / 64) ** 2 / 6, abs=1e-4)
    assert spline.curvatures(*spline.even(4)) == pytest.approx(1, abs=4e-3)


@pytest.mark.parametrize("control", [[(0, 0)] * 3, [(0, 0, 0)] * 4, [(0, nan)] * 4])
def test_other_control_points_are_refused(control: list[tuple[float, ...]]) -> None:
    with pytest.raises(ValueError, match="at least four control points of two finite numbers each"):
        BetaSpline(np.array(control))


@pytest.mark.parametrize(("bias", "tension"), [(0, 0), (-1, 0), (nan, 0), (1, -0.1), (1, inf)])
def test_other_biases_and_tensions_are_refused(bias: float, tension: float) -> None:
    with pytest.raises(ValueError, match=r"the (bias|tension) of a β-spline is a finite number"):
        coefficients(bias, tension)
