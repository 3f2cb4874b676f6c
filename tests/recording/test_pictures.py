"""Pictures show what is there, where it is, in the colours that were promised."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from math import pi
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageColor

from kumi.geometry import Bounds, Disc, Ellipse, Point, Polygon, Pose
from kumi.recording.chunks import RunFileError
from kumi.recording.latest import BodyState
from kumi.recording.painted_bodies import MOVING, RESTING, behind_arrow, outline
from kumi.recording.painted_scenery import dashes
from kumi.recording.painting import Dot, DotPainter
from kumi.recording.palette import LIGHT, PALETTE
from kumi.recording.picture import FLOOR, PAPER, draw, draw_svg
from kumi.recording.scenery import Cornered, Ridge, Round, Scenery, read_scenery
from kumi.recording.view import length, multiples, scale_step, view_of, window_around

if TYPE_CHECKING:
    from kumi.geometry import BodyShape

ROOM = Scenery(Bounds(0.0, 0.0, 100.0, 100.0))


def body(
    number: int,
    x: float,
    y: float,
    *,
    shape: BodyShape | None = None,
    heading: float = 0.0,
    moves: bool = True,
) -> BodyState:
    return BodyState(number, Pose(Point(x, y), heading), shape or Disc(1.0), moves)


def colour(picture: Image.Image, scenery: Scenery, x: float, y: float) -> tuple[int, ...]:
    """Return the colour at a place of a finite plane."""
    assert scenery.bounds
    dot = view_of(scenery.bounds, picture.size).dot(x, y)
    found = picture.getpixel((int(dot[0]), int(dot[1])))
    assert isinstance(found, tuple)
    return found


def test_robots_are_drawn_where_they_are_in_the_colour_of_what_they_do() -> None:
    """At a radius of 6 pixels there is a mark to the right of the middle, and plain colour to the left."""
    states = [body(1, 20.0, 30.0), body(2, 80.0, 60.0, moves=False)]
    picture = draw(states, ROOM, time=0.0)

    assert picture.size == (1280, 720)
    assert colour(picture, ROOM, 19.5, 30.0) == ImageColor.getrgb(MOVING)
    assert colour(picture, ROOM, 20.4, 30.0) == (255, 255, 255)
    assert colour(picture, ROOM, 79.5, 60.0) == ImageColor.getrgb(RESTING)
    assert colour(picture, ROOM, 51.0, 51.0) == ImageColor.getrgb(FLOOR)
    assert picture.getpixel((2, 2)) == ImageColor.getrgb(PAPER)


def test_the_ground_has_its_colours_and_obstacles_stand_on_it() -> None:
    scenery = read_scenery(
        {
            "width": 100.0,
            "height": 100.0,
            "obstacles": [
                {"wall": [[10.0, 10.0], [10.0, 90.0]], "thickness": 2.0},
                {"pillar": [30.0, 30.0], "radius": 4.0, "name": "post"},
                {"block": [[50.0, 50.0], [60.0, 50.0], [60.0, 60.0]]},
            ],
            "terrain": [
                {"slow": [30.0, 30.0], "radius": 10.0, "factor": 0.5},
                {"hole": [[70.0, 70.0], [80.0, 70.0], [80.0, 80.0]]},
                {"forbidden": [70.0, 10.0], "size": [20.0, 10.0]},
            ],
        }
    )
    picture = draw([], scenery, time=0.0)

    for kind, x, y in (
        ("wall", 10.0, 50.0),
        ("pillar", 30.0, 30.0),
        ("slow", 37.0, 30.0),
        ("block", 58.0, 52.0),
        ("hole", 78.0, 72.0),
        ("forbidden", 85.0, 15.0),
    ):
        assert colour(picture, scenery, x, y) == ImageColor.getrgb(LIGHT.get(kind, LIGHT["obstacle"])), kind
    assert colour(picture, scenery, 52.0, 58.0) == ImageColor.getrgb(FLOOR)


def test_a_map_is_read_from_its_table() -> None:
    scenery = read_scenery(
        {
            "width": 4.0,
            "height": 3.0,
            "origin": [-1.0, -1.0],
            "obstacles": [{"wall": [[0, 0], [1, 1]]}, {"block": [0, 0], "size": [1, 2]}],
            "terrain": [{"hole": [2, 1], "radius": 0.5}],
        }
    )

    assert scenery == Scenery(
        Bounds(-1.0, -1.0, 3.0, 2.0),
        (
            Round("hole", (2, 1), 0.5),
            Ridge("wall", (0, 0), (1, 1), 0.0),
            Cornered("block", ((0, 0), (1, 0), (1, 2), (0, 2))),
        ),
    )
    assert read_scenery({}) == Scenery()


@pytest.mark.parametrize(
    "table",
    [{"obstacles": [{"tower": [0, 0]}]}, {"obstacles": 3}, {"width": 3.0}, {"terrain": [{"hole": 1}]}],
)
def test_a_map_that_cannot_be_drawn_is_refused(table: dict[str, object]) -> None:
    with pytest.raises(RunFileError, match="the map of the run cannot be drawn"):
        read_scenery(table)


def test_an_infinite_plane_is_shown_where_the_robots_are() -> None:
    """Around two robots 100 m apart, with a twentieth of room; around one, with twice its width."""
    far = [body(1, 0.0, 0.0), body(2, 98.0, 10.0)]

    assert window_around(far, Scenery()) == Bounds(-6.0, -6.0, 104.0, 16.0)
    assert window_around(far[:1], Scenery()) == Bounds(-5.0, -5.0, 5.0, 5.0)
    assert window_around([], Scenery()) == Bounds(-5.0, -5.0, 5.0, 5.0)
    assert window_around(far, ROOM) == ROOM.bounds


def test_a_window_keeps_its_proportions() -> None:
    """Of a plane twice as wide as high, in a picture of the same proportions, nothing is bent."""
    view = view_of(Bounds(0.0, 0.0, 200.0, 100.0), (1440, 720))
    (left, bottom), (right, top) = view.dot(0.0, 0.0), view.dot(200.0, 100.0)

    assert (right - left) / (bottom - top) == pytest.approx(2.0)
    assert (left + right, bottom + top) == pytest.approx((1440.0, 720.0))
    filled = view_of(Bounds(0.0, 0.0, 10.0, 10.0), (1440, 720), fills=True)
    assert (filled.window.left + filled.window.right, filled.window.top) == pytest.approx((10.0, 10.0))
    assert filled.window.right - filled.window.left > 20.0


def test_shapes_are_placed_and_turned() -> None:
    """A quarter turn to the left brings the front up."""
    square = body(
        1, 10.0, 0.0, shape=Polygon([(2.0, -1.0), (2.0, 1.0), (-2.0, 1.0), (-2.0, -1.0)]), heading=pi / 2
    )
    oval = body(1, 10.0, 0.0, shape=Ellipse(4.0, 2.0), heading=pi / 2)

    assert [place for corner in outline(square) for place in corner] == pytest.approx(
        [11.0, 2.0, 9.0, 2.0, 9.0, -2.0, 11.0, -2.0]
    )
    assert outline(oval)[0] == pytest.approx((10.0, 2.0))
    assert outline(oval)[12] == pytest.approx((9.0, 0.0))


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 100, 10_000])
@pytest.mark.parametrize("size", [(1280, 720), (64, 64), (301, 2000)])
def test_any_number_of_robots_fits_into_any_picture(count: int, size: tuple[int, int]) -> None:
    states = [body(k, k % 100 + 0.5, k // 100 + 0.5, shape=Disc(0.3)) for k in range(count)]

    for scenery in (ROOM, Scenery()):
        picture = draw(states, scenery, size, time=1e6, title="a title")
        assert picture.size == size
        assert len(picture.getcolors(1 << 24) or []) > 10


def test_robots_far_from_the_origin_are_drawn() -> None:
    picture = draw([body(1, 1e6, -1e6)], Scenery(), time=0.0)

    assert picture.getpixel((600, 360)) == ImageColor.getrgb(MOVING)


def test_an_svg_has_a_circle_for_each_disc() -> None:
    """Besides the one of the legend and the end of the way."""
    goal = BodyState(3, Pose(Point(5.0, 5.0), 0.0), Disc(1.0), True, Point(9.0, 9.0))
    text = draw_svg([body(1, 1.0, 1.0), goal], ROOM, time=2.5, title="<a & b>")
    root = ET.fromstring(text)  # noqa: S314  # the text is our own
    name = "{http://www.w3.org/2000/svg}"

    assert root.attrib["viewBox"] == "0 0 1280 720"
    assert len(root.findall(f"{name}circle")) == 2 + 1 + 1
    words = [element.text for element in root.findall(f"{name}text")]
    assert {"t = 2.500 s", "<a & b>", "20 m", "1", "3", "2 moving"} == set(words)


def test_lengths_are_round_and_written_with_their_unit() -> None:
    assert [length(metres) for metres in (5000.0, 1000.0, 20.0, 0.5, 0.01, 0.002, 1e-5)] == [
        "5 km",
        "1 km",
        "20 m",
        "50 cm",
        "1 cm",
        "2 mm",
        "10 µm",
    ]
    assert multiples(0.5, -0.6, 1.0) == [-0.5, 0.0, 0.5, 1.0]
    for width in (1e-6, 0.3, 7.0, 1e9):
        view = view_of(Bounds(0.0, 0.0, width, width), (1280, 720))
        assert 90.0 <= scale_step(view) * view.scale <= 225.0


def test_a_large_picture_is_smoothed_less_so_that_it_fits_into_memory() -> None:
    assert [
        DotPainter(size, PAPER)._large.width // size[0] for size in ((1280, 720), (3000, 3000), (8000, 8000))
    ] == [
        3,
        2,
        1,
    ]


def test_each_material_looks_like_no_other_and_is_named_above_the_plane() -> None:
    names = ["solid", *PALETTE.materials]
    table = {
        "width": 100.0,
        "height": 100.0,
        "obstacles": [
            {"pillar": [5.0 + 9.0 * number, 50.0], "radius": 3.0, "material": name}
            for number, name in enumerate(names)
        ]
        + [
            {
                "wall": [[5.0, 80.0], [95.0, 80.0]],
                "thickness": 3.0,
                "material": {"name": "film", "colour": "#c0a000"},
            }
        ],
    }
    scenery = read_scenery(table)
    picture = draw([], scenery, time=0.0)
    drawn = draw_svg([], scenery, time=0.0)

    assert colour(picture, scenery, 50.0, 80.0) == ImageColor.getrgb("#c0a000")
    assert len({colour(picture, scenery, 5.0 + 9.0 * number, 50.0) for number in range(len(names))}) == len(
        names
    )
    assert [name for name in (*names, "film") if f">{name}</text>" in drawn] == [*PALETTE.materials, "film"]


def test_a_material_is_named_to_the_right_of_how_it_looks() -> None:
    """A square of 13 dots around the height of the name, which ends at its place; nothing else is at that height."""
    scenery = read_scenery(
        {
            "width": 9.0,
            "height": 9.0,
            "obstacles": [{"pillar": [3.0, 3.0], "radius": 1.0, "material": "glass"}],
        }
    )
    shapes = list(ET.fromstring(draw_svg([], scenery, time=0.0)).iter())  # noqa: S314
    (name,) = [shape for shape in shapes if shape.text == "glass"]
    end, height = float(name.get("x", "nan")), float(name.get("y", "nan"))
    outlines = [
        [tuple(map(float, corner.split(","))) for corner in shape.get("points", "").split()]
        for shape in shapes
    ]
    squares = [
        points for points in outlines if len(points) >= 4 and all(abs(y - height) < 10.0 for _, y in points)
    ]

    assert name.get("text-anchor") == "end"
    assert squares
    assert all(x < end - 20.0 for points in squares for x, _ in points)


def test_a_plane_on_which_all_is_solid_names_no_material() -> None:
    scenery = read_scenery(
        {"width": 9.0, "height": 9.0, "obstacles": [{"pillar": [3.0, 3.0], "radius": 1.0}]}
    )

    assert "solid" not in draw_svg([], scenery, time=0.0)


def test_a_colour_that_is_none_is_refused() -> None:
    film = {"name": "film", "colour": '"/><script>'}
    with pytest.raises(
        RunFileError, match=r"the map of the run cannot be drawn: .* is no colour such as #8a5a2b"
    ):
        read_scenery({"obstacles": [{"pillar": [0, 0], "radius": 1, "material": film}]})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            [(0.0, 0.0), (10.0, 0.0)],
            [[(0, 0), (2, 0)], [(3, 0), (5, 0)], [(6, 0), (8, 0)], [(9, 0), (10, 0)]],
        ),
        ([(0.0, 0.0), (1.0, 0.0), (1.0, 2.5)], [[(0, 0), (1, 0), (1, 1)], [(1, 2), (1, 2.5)]]),
        ([(0.0, 0.0), (2.5, 0.0)], [[(0, 0), (2, 0)]]),
    ],
)
def test_dashes_go_on_around_corners(line: list[Dot], expected: list[list[Dot]]) -> None:
    """Dashes of 2 with gaps of 1."""
    assert list(dashes(line, 2.0, 1.0)) == expected


def test_the_number_of_a_car_stands_on_it_between_its_rear_and_the_arrowhead() -> None:
    """The car reaches 7.5 cm behind its position and 22.5 cm ahead; the arrowhead begins at 0.53 of that, 11.925 cm."""
    car = Polygon([(-0.075, -0.1), (0.225, -0.1), (0.225, 0.1), (-0.075, 0.1)])
    assert behind_arrow(body(0, 0.0, 0.0, shape=car), 100.0) == pytest.approx((2.2125, 19.425))
