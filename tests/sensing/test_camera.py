"""A camera shows what stands before it, where it stands, and nothing that is hidden."""

from __future__ import annotations

from io import BytesIO
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kumi.devs import Simulation
from kumi.geometry import Disc, Point, Polygon
from kumi.recording.video import VideoError, film_of
from kumi.sensing import Camera, Picture, Prop
from kumi.world import Map, Pillar, Wall, World

RIGHT_ANGLE = {"view": pi / 2}
"""With 320 columns the picture is then 160 pixels away from the eye, which is in the middle of 240 rows."""


def seen(
    *obstacles: Any,
    others: tuple[tuple[float, float], ...] = (),
    props: tuple[Prop, ...] = (),
    heading: float = 0.0,
    shape: Any = None,
    **options: Any,
) -> Picture:
    """Return what a robot at the origin sees."""
    world = World(Map(obstacles=obstacles))
    with Simulation(world):
        body = world.add_body((0.0, 0.0), heading=heading, shape=Disc(0.05), name="eye")
        for place in others:
            world.add_body(place, shape=shape or Disc(0.2))
        camera = Camera(**RIGHT_ANGLE | options)
        camera.props = lambda: props
        return camera.attached_to(body).measure()


def changed(one: Picture, other: Picture) -> NDArray[np.bool_]:
    """Return which pixels differ."""
    differs: NDArray[np.bool_] = (one.pixels != other.pixels).any(axis=2)
    return differs


def test_a_straight_wall_is_straight_and_as_high_as_its_distance_says() -> None:
    """2 m away, from 0.3 m below the eye to 1 m above it: 24 pixels down and 80 up, in every column."""
    wall = seen(Wall((2.0, -50.0), (2.0, 50.0)), eye=0.3, room=1.3)

    rows = changed(seen(), wall)

    assert rows[40:144].all()
    assert not rows[:40].any()
    assert not rows[144:].any()


def test_what_is_to_the_left_is_on_the_left_of_the_picture() -> None:
    """1 m ahead and 0.5 m to the left: 80 pixels left of the middle, and a radius of 0.1 m is about 16."""
    columns = np.flatnonzero(changed(seen(), seen(props=(Prop((1.0, 0.5), radius=0.1),))).any(axis=0))

    assert columns.mean() == pytest.approx(160 - 80, abs=2)
    assert 32 <= columns.size <= 42


def test_a_wall_hides_what_is_behind_it_and_a_robot_does_not_hide_what_is_higher() -> None:
    wall = Wall((2.0, -50.0), (2.0, 50.0))

    assert seen(wall) == seen(wall, props=(Prop((3.0, 0.0)),), others=((4.0, 0.5),))
    assert changed(seen(wall), seen(wall, others=((1.0, 0.0),)))[:110].sum() == 0


def test_what_is_beside_or_behind_is_not_seen() -> None:
    assert seen() == seen(props=(Prop((-1.0, 0.0)), Prop((0.0, 2.0))), others=((-2.0, 0.1),))


def test_a_nearer_robot_hides_a_farther_prop() -> None:
    hidden = Prop((3.0, 0.0), radius=0.05, height=0.3)

    assert changed(seen(props=(hidden,)), seen()).any()
    assert seen(props=(hidden,), others=((1.0, 0.0),)) == seen(others=((1.0, 0.0),))


def test_what_is_far_fades() -> None:
    def middle(distance: float) -> Any:
        return seen(Pillar((distance, 0.0), 0.2)).pixels[118, 160].astype(np.int64)

    haze = np.array((204, 214, 222))
    gaps = [np.abs(middle(distance) - haze).sum() for distance in (1.0, 5.0, 20.0, 45.0)]
    assert gaps == sorted(gaps, reverse=True)


@settings(max_examples=25, deadline=None)
@given(
    x=st.floats(0.5, 4.0),
    y=st.floats(-2.0, 2.0),
    wall=st.floats(1.0, 5.0),
    pixel=st.tuples(st.integers(0, 63), st.integers(0, 47)),
)
def test_each_pixel_shows_what_a_line_of_sight_through_space_meets_first(
    x: float, y: float, wall: float, pixel: tuple[int, int]
) -> None:
    """An oracle in three dimensions: a robot is a cylinder of 0.35 m, the wall a plane, the eye 0.3 m up."""
    if abs(x - wall) < 0.25:
        return
    size: dict[str, Any] = {"width": 64, "height": 48}
    plane = Wall((wall, -90.0), (wall, 90.0))
    is_robot = changed(seen(plane, **size), seen(plane, others=((x, y),), **size))
    column, row = pixel
    left, up = (31.5 - column) / 32, (23.5 - row) / 32

    gap = x * x + y * y - 0.2**2
    along, length = x + y * left, 1.0 + left * left
    rest = along * along - length * gap
    meets = rest > 0.0 and 0.0 < (depth := (along - sqrt(rest)) / length) < wall
    is_met = meets and 0.0 <= 0.3 + up * depth <= 0.35

    assert is_robot[row, column] == is_met


@settings(max_examples=15, deadline=None)
@given(st.floats(-3.0, 3.0))
def test_a_turned_world_is_seen_in_the_same_pixels(angle: float) -> None:
    def around(turn: float) -> NDArray[np.bool_]:
        def at(x: float, y: float) -> Point:
            return Point(x, y).turned(turn)

        props = (Prop(at(1.5, 0.4)),)
        wall = Wall(at(3.0, -1.0), at(2.5, 2.0), 0.1)
        other = at(2.0, -0.5)
        full = seen(wall, others=((other.x, other.y),), props=props, heading=turn, width=64, height=48)
        return changed(full, seen(heading=turn, width=64, height=48))

    assert (around(0.0) != around(angle)).mean() < 0.01


def test_a_robot_with_corners_is_drawn_by_its_outline() -> None:
    """A square of 0.4 m whose near side is 0.8 m away: 0.2 m to each side are 40 pixels of 160."""
    square = Polygon([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)])

    columns = np.flatnonzero(changed(seen(), seen(others=((1.0, 0.0),), shape=square)).any(axis=0))

    assert (columns[0], columns[-1]) == (120, 199)


@pytest.mark.parametrize("options", [{"width": 15}, {"height": 17}, {"view": pi}, {"eye": 0.0}])
def test_a_camera_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"pixels|angle|height of an eye"):
        Camera(**options)


def test_a_film_has_each_picture_in_order() -> None:
    greys = [np.full((48, 64, 3), value, np.uint8) for value in (0, 60, 120, 180, 240)]

    with av.open(BytesIO(film_of(greys, fps=5)), "r") as file:
        shown = [frame.to_ndarray(format="rgb24").mean() for frame in file.decode(video=0)]

    assert shown == pytest.approx([0, 60, 120, 180, 240], abs=3)
    with pytest.raises(VideoError, match="a picture at least"):
        film_of([])


def test_the_direction_of_a_prop_can_be_read_from_its_column() -> None:
    for turn in (-0.5, -0.1, 0.3):
        prop = Prop((2.0 * cos(turn), 2.0 * sin(turn)), radius=0.02)
        columns = np.flatnonzero(changed(seen(), seen(props=(prop,))).any(axis=0))
        middle = (columns[0] + columns[-1]) / 2
        assert atan2(159.5 - middle, 160) == pytest.approx(turn, abs=0.01)
        assert hypot(prop.at.x, prop.at.y) == pytest.approx(2.0)


def test_the_floor_is_a_chessboard_that_stays_where_it_is() -> None:
    """The eye, of a height that has no share with that of a tile, stands on a corner of four of them.

    A quarter turn swaps their colours, half a turn changes nothing.
    """
    ahead, aside, behind = (seen(heading=angle, eye=pi / 10) for angle in (0.0, pi / 2, pi))

    assert changed(ahead, aside)[140:].all()
    assert not changed(ahead, aside)[:120].any()
    assert not changed(ahead, behind).any()
