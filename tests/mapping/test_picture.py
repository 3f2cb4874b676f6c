"""A picture of a map has a square for each cell, with ways drawn over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from kumi.geometry import Point, Pose
from kumi.mapping import draw_map
from tests.mapping.sketches import sketch

if TYPE_CHECKING:
    from pathlib import Path


def test_cells_are_squares_of_their_shade_and_ways_are_coloured(tmp_path: Path) -> None:
    """The uppermost row is on top; a way of the lower row is red."""
    path = tmp_path / "map.png"
    draw_map(sketch("#. ", "..."), path, [[Pose(Point(0.0, 0.02)), Pose(Point(0.15, 0.02))]], scale=8)
    with Image.open(path) as picture:
        assert picture.size == (24, 16)
        shades = [picture.getpixel((x, 4)) for x in (4, 12, 20)]
        colours = {picture.getpixel((12, y)) for y in range(8, 16)}

    assert shades == [(30, 30, 30), (255, 255, 255), (190, 190, 190)]
    assert (214, 39, 40) in colours
