"""A curve through places, and on beyond its ends."""

from __future__ import annotations

from math import pi

import pytest

from kumi._core import Point
from kumi.motion.pursuit import PursuitCurve

BEND = PursuitCurve([Point(0.0, 0.0), Point(1.0, 0.0), Point(1.0, 1.0)])
"""It turns by a right angle half way, and so leaves straight on by pi / 4 more at each end."""


def test_a_straight_curve_goes_on_beyond_both_ends() -> None:
    line = PursuitCurve([Point(0.0, 0.0), Point(1.0, 0.0), Point(3.0, 0.0)])

    for way in (-2.0, 0.0, 0.5, 2.0, 3.0, 5.0):
        place, heading, bend = line.at(way)
        assert [*place, heading, bend] == pytest.approx([way, 0.0, 0.0, 0.0])


def test_beyond_its_ends_a_bent_curve_is_straight() -> None:
    """Its headings are -pi/4 at the start, pi/4 in the middle and 3 pi/4 at the end."""
    before, heading, bend = BEND.at(-1.0)
    assert [*before, heading, bend] == pytest.approx([*Point.polar(-1.0, -pi / 4), -pi / 4, 0.0])
    after, heading, bend = BEND.at(3.0)
    beyond = Point(1.0, 1.0) + Point.polar(1.0, 3 * pi / 4)
    assert [*after, heading, bend] == pytest.approx([*beyond, 3 * pi / 4, 0.0])


def test_within_its_ends_it_passes_through_its_places() -> None:
    for way, place in zip((0.0, 1.0, 2.0), BEND.places, strict=True):
        assert [*BEND.at(way)[0]] == pytest.approx([*place])
    assert BEND.at(0.5)[2] == pytest.approx(pi / 2)  # radians a metre
