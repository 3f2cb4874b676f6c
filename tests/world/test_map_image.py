"""A picture becomes a map pixel by pixel, and a map a picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from kumi.geometry import Point, Rectangle
from kumi.world import Block, Map, MapError, Pillar, Slow, load_map, save_map
from kumi.world.map_grid import GridFrame, map_of_cells
from tests.world.cells import Cells, grids


def drawn(path: Path, rows: Any, mode: str | None = None) -> Path:
    """Save pixels, the uppermost row first."""
    picture = Image.fromarray(np.array(rows, dtype=np.uint8))
    (picture.convert(mode) if mode else picture).save(path)
    return path


def test_dark_pixels_are_blocks_and_the_first_row_is_the_uppermost(tmp_path: Path) -> None:
    path = drawn(tmp_path / "floor.png", [[0, 255, 255], [255, 255, 100]])

    assert load_map(path, resolution=0.5) == Map(
        1.5, 1, (0, 0), [Block(Rectangle(1, 0, 0.5, 0.5)), Block(Rectangle(0, 0.5, 0.5, 0.5))], name="floor"
    )


def test_how_dark_is_dark_can_be_given(tmp_path: Path) -> None:
    path = drawn(tmp_path / "floor.png", [[0, 51, 102, 204]])

    counts = [load_map(path, resolution=1, dark=dark).content_bounds for dark in (0.1, 0.3, 0.5, 1.0)]

    assert counts == [(0, 0, 1, 1), (0, 0, 2, 1), (0, 0, 3, 1), (0, 0, 4, 1)]


def test_the_lower_left_corner_lies_where_it_is_put(tmp_path: Path) -> None:
    path = drawn(tmp_path / "floor.png", [[0, 255]])

    assert load_map(path, resolution=2, origin=(-3, 7)).bounds == (-3, 7, 1, 9)


@pytest.mark.parametrize("mode", [None, "1", "P", "RGB", "RGBA", "LA"])
def test_every_kind_of_picture_is_read(tmp_path: Path, mode: str | None) -> None:
    path = drawn(tmp_path / "floor.png", [[0, 255, 255], [0, 0, 255]], mode)

    assert [block.bounds for block in load_map(path, resolution=1).obstacles] == [(0, 0, 2, 2)]


@pytest.mark.parametrize("ending", [".pgm", ".bmp", ".gif", ".jpg", ".tiff", ".PNG"])
def test_every_ending_of_a_picture_is_read(tmp_path: Path, ending: str) -> None:
    path = drawn(tmp_path / f"floor{ending}", np.kron([[0, 255]], np.ones((8, 8))))

    assert load_map(path, resolution=0.125).content_bounds == (0, 0, 1, 1)


def test_a_picture_with_sixteen_bits_is_read(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 30000, 35000, 65535]], dtype=np.uint16)).save(tmp_path / "floor.png")

    assert load_map(tmp_path / "floor.png", resolution=1).content_bounds == (0, 0, 2, 1)


def test_a_plain_pgm_is_read(tmp_path: Path) -> None:
    path = tmp_path / "floor.pgm"
    path.write_text("P2\n# a remark\n3 1\n15\n0 7 15\n")

    assert load_map(path, resolution=1).content_bounds == (0, 0, 2, 1)


def test_what_is_transparent_is_floor(tmp_path: Path) -> None:
    path = drawn(tmp_path / "floor.png", [[[0, 0, 0, 0], [0, 0, 0, 255]]])

    assert load_map(path, resolution=1).content_bounds == (1, 0, 2, 1)


@given(grids())
def test_what_is_drawn_is_read_again(tmp_path_factory: pytest.TempPathFactory, blocked: Cells) -> None:
    made = map_of_cells(GridFrame(0.05, Point(3, -2)), blocked, "cells")
    folder = tmp_path_factory.mktemp("maps")

    for path in (folder / "cells.png", folder / "cells.pgm", folder / "cells.bmp"):
        save_map(made, path, resolution=0.05)
        assert load_map(path, resolution=0.05, origin=(3, -2)) == made


def test_a_pixel_is_black_where_an_obstacle_reaches_into_it_or_the_plane_ends(tmp_path: Path) -> None:
    save_map(Map(2.5, 2, obstacles=[Pillar((1, 1), 0.1)]), tmp_path / "floor.png", resolution=0.5)

    assert np.array(Image.open(tmp_path / "floor.png")).tolist() == [
        [255, 255, 255, 255, 255],
        [255, 0, 0, 255, 255],
        [255, 0, 0, 255, 255],
        [255, 255, 255, 255, 255],
    ]
    save_map(Map(1.25, 0.5), tmp_path / "floor.png", resolution=0.5)
    assert np.array(Image.open(tmp_path / "floor.png")).tolist() == [[255, 255, 0]]


def test_terrain_is_not_dropped(tmp_path: Path) -> None:
    made = Map(2, 2, terrain=[Slow(Rectangle(0, 0, 1, 1), 0.5, "mud")])

    with pytest.raises(MapError, match=r"floor.png: mud cannot be written: a picture shows obstacles only"):
        save_map(made, tmp_path / "floor.png", resolution=1)


@pytest.mark.parametrize("resolution", [0.0, -1.0, math.nan, math.inf, "wide"])
def test_a_size_of_a_pixel_that_makes_no_sense_is_refused(tmp_path: Path, resolution: Any) -> None:
    path = drawn(tmp_path / "floor.png", [[0]])

    with pytest.raises(
        MapError, match=r"floor.png: resolution is .*; it takes a number of metres greater than 0"
    ):
        load_map(path, resolution=resolution)
    with pytest.raises(
        MapError, match=r"out.png: resolution is .*; it takes a number of metres greater than 0"
    ):
        save_map(Map(1, 1), tmp_path / "out.png", resolution=resolution)


def test_a_picture_without_a_size_of_a_pixel_is_refused(tmp_path: Path) -> None:
    path = drawn(tmp_path / "floor.png", [[0]])

    with pytest.raises(MapError, match=r"floor.png: resolution is missing: how many metres a pixel is wide"):
        load_map(path)
    with pytest.raises(MapError, match=r"out.png: resolution is missing"):
        save_map(Map(1, 1), tmp_path / "out.png")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is no picture of a known kind: PNG, PPM"),
        (b"P9\n1 1\n255\n.", "it is no picture of a known kind"),
        (b"P5\nwide 1\n255\n.", "the picture is damaged"),
        (b"P5\n4 4\n255\n...", "the picture is damaged"),
        (b"P2\n2 1\n255\n3 x\n", "the picture is damaged"),
        (b"P5\n8001 8000\n255\n", "8,001 by 8,000 cells; a map has from 1 to 64,000,000"),
        (b"P5\n20000 20000\n255\n", "it has more than 64,000,000 pixels, the most that a map may have"),
        (b"P5\n10000 10000\n255\n", "it has more than 64,000,000 pixels, the most that a map may have"),
    ],
)
def test_a_picture_that_is_wrong_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "floor.pgm"
    path.write_bytes(data)

    with pytest.raises(MapError, match=rf"floor.pgm: {message}"):
        load_map(path, resolution=1)


@pytest.mark.parametrize("dark", [0.0, -1.0, 1.5])
def test_a_limit_of_darkness_that_makes_no_sense_is_refused(tmp_path: Path, dark: float) -> None:
    path = drawn(tmp_path / "floor.png", [[0]])

    with pytest.raises(
        MapError, match=r"floor.png: dark is .*; it takes a number greater than 0 and at most 1"
    ):
        load_map(path, resolution=1, dark=dark)
