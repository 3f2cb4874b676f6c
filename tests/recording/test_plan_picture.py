"""Pictures of plans show routes, paths and profiles where they are."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageColor

from kumi.geometry import Bounds
from kumi.recording.palette import LIGHT
from kumi.recording.picture import PictureError
from kumi.recording.plan_picture import BAND, GOAL, PATH, ROUTE, SPEED, START, DrawnPlan, draw_plan, window_of
from kumi.recording.scenery import Round, Scenery
from kumi.recording.view import view_of

if TYPE_CHECKING:
    from pathlib import Path

ROOM = Scenery(Bounds(0.0, 0.0, 100.0, 100.0), (Round("pillar", (50.0, 80.0), 10.0),))
PLAN = DrawnPlan(
    route=[(10.0, 10.0), (90.0, 10.0), (90.0, 90.0)],
    path=[(10.0, 30.0), (60.0, 30.0), (60.0, 90.0)],
    radius=5.0,
)


def colour(picture: Image.Image, x: float, y: float) -> tuple[int, ...]:
    assert ROOM.bounds
    dot = view_of(ROOM.bounds, picture.size).dot(x, y)
    found = picture.getpixel((int(dot[0]), int(dot[1])))
    assert isinstance(found, tuple)
    return found


def test_routes_paths_and_ends_have_their_places_and_colours(tmp_path: Path) -> None:
    file = tmp_path / "plan.png"
    draw_plan(PLAN, ROOM, file)
    with Image.open(file) as picture:
        assert picture.size == (1280, 720)
        for expected, x, y in (
            (PATH, 40.0, 30.0),
            (BAND, 40.0, 33.0),
            (START, 10.0, 30.0),
            (GOAL, 60.0, 90.0),
            (LIGHT["obstacle"], 50.0, 85.0),
        ):
            assert colour(picture, x, y) == ImageColor.getrgb(expected), (x, y)
        assert colour(picture, 50.0, 10.0) != (255, 255, 255)


def test_a_profile_stands_below_the_plane(tmp_path: Path) -> None:
    """Constant speed: one level line in the lower quarter, from one side to the other."""
    file = tmp_path / "plan.png"
    draw_plan([DrawnPlan(route=PLAN.route, profile=[(0.0, 2.0), (50.0, 2.0)])], ROOM, file)
    with Image.open(file) as picture:
        rows = {
            y
            for y in range(540, 720)
            for x in (400, 700, 1000)
            if picture.getpixel((x, y)) == ImageColor.getrgb(SPEED)
        }

    assert rows
    assert max(rows) - min(rows) <= 2


def test_an_svg_has_a_line_for_each_route_and_path(tmp_path: Path) -> None:
    file = tmp_path / "plan.svg"
    draw_plan([PLAN, PLAN], ROOM, file, title="two")
    strokes = [shape.get("stroke") for shape in ET.parse(file).getroot().iter() if shape.get("points")]  # noqa: S314

    assert strokes.count(PATH) >= 2
    assert strokes.count(ROUTE) >= 2
    assert "two" in file.read_text()


def test_the_colours_of_ends_are_explained_by_dots_and_those_of_ways_by_lines(tmp_path: Path) -> None:
    """One of each in the plan, and one in the corner."""
    file = tmp_path / "plan.svg"
    draw_plan(PLAN, ROOM, file)
    shapes = list(ET.parse(file).getroot().iter())  # noqa: S314
    dots = [shape.get("fill") for shape in shapes if shape.tag.endswith("circle")]
    lines = [shape.get("stroke") for shape in shapes if shape.get("points")]

    assert [dots.count(colour) for colour in (START, GOAL, PATH, ROUTE)] == [2, 2, 0, 0]
    assert [lines.count(colour) for colour in (START, GOAL)] == [0, 0]
    assert lines.count(PATH) == 2


def test_the_window_of_an_endless_plane_is_where_plans_lead() -> None:
    """From 5 to 95 with the radius, and a tenth more on each side."""
    window = window_of([PLAN], Scenery())

    assert window == pytest.approx((-4.0, -4.0, 104.0, 104.0))
    assert window_of([], Scenery()) == pytest.approx((-1.2, -1.2, 1.2, 1.2))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"the name of a picture ends in .png or .svg, unlike"):
        draw_plan(PLAN, ROOM, tmp_path / "plan.jpg")
