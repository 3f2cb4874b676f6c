"""Maps of ROS's map_server mean what they mean to nav2_map_server."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from kumi.geometry import Bounds, Circle, Point
from kumi.world import Block, Map, MapError, Pillar, Slow, load_map, save_map
from kumi.world.map_grid import GridFrame, map_of_cells
from tests.world.cells import Cells, grids

SETTINGS = {
    "image": "office.pgm",
    "resolution": 1.0,
    "origin": "[0.0, 0.0, 0.0]",
    "negate": 0,
    "occupied_thresh": 0.65,
    "free_thresh": 0.196,
}
BLACK, UNSEEN, WHITE = 0, 205, 254


def office(folder: Path, rows: Any = ((BLACK, UNSEEN, WHITE),), **changes: Any) -> Path:
    """Write a map, with some of its settings changed, or left out by None."""
    settings = {key: value for key, value in {**SETTINGS, **changes}.items() if value is not None}
    Image.fromarray(np.array(rows, dtype=np.uint8)).save(folder / "office.pgm")
    (folder / "office.yaml").write_text("".join(f"{key}: {value}\n" for key, value in settings.items()))
    return folder / "office.yaml"


def columns(path: Path, unknown: Any = None) -> list[int]:
    """Return the columns that are blocked in a map with one row."""
    blocks = [block.bounds for block in load_map(path, unknown=unknown).obstacles]
    return [column for left, _, right, _ in blocks for column in range(round(left), round(right))]


def test_black_is_occupied_and_what_nobody_saw_is_free_unless_told_otherwise(tmp_path: Path) -> None:
    path = office(tmp_path)

    assert columns(path) == [0]
    assert columns(path, "free") == [0]
    assert columns(path, "blocked") == [0, 1]


def test_the_origin_is_the_lower_left_corner_of_the_picture(tmp_path: Path) -> None:
    path = office(tmp_path, [[0, 254, 254], [254, 254, 254]], resolution=0.5, origin="[-1, 2, 0]")
    made = load_map(path)

    assert made.bounds == Bounds(-1, 2, 0.5, 3)
    assert [block.bounds for block in made.obstacles] == [(-1, 2.5, -0.5, 3)]
    assert made.name == "office"


def test_negated_white_is_occupied(tmp_path: Path) -> None:
    for negate in (1, "true"):
        assert columns(office(tmp_path, [[0, 50, 255]], negate=negate)) == [2]


def test_the_thresholds_belong_to_what_they_limit(tmp_path: Path) -> None:
    """Grey 51 is 0.8 occupied, grey 204 is 0.2."""
    path = office(tmp_path, [[50, 51, 52, 203, 204, 205]], occupied_thresh=0.8, free_thresh=0.2)

    assert columns(path) == [0, 1]
    assert columns(path, "blocked") == [0, 1, 2, 3]


def test_scaled_cells_are_occupied_from_the_threshold_on_and_all_others_known(tmp_path: Path) -> None:
    path = office(tmp_path, mode="scale", rows=[[0, 80, 120, 205, 254]])

    assert columns(path) == columns(path, "blocked") == [0, 1]


def test_raw_values_are_per_cent_up_to_a_hundred_and_unknown_above(tmp_path: Path) -> None:
    path = office(tmp_path, mode="raw", rows=[[0, 64, 65, 100, 101, 255]])

    assert columns(path) == [2, 3]
    assert columns(path, "blocked") == [2, 3, 4, 5]


def test_what_is_transparent_is_unknown(tmp_path: Path) -> None:
    path = office(tmp_path, image="office.png")
    pixels = [[[0, 0, 0, 255], [0, 0, 0, 254], [255, 255, 255, 0]]]
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(tmp_path / "office.png")

    assert columns(path) == [0]
    assert columns(path, "blocked") == [0, 1, 2]


def test_a_picture_may_lie_anywhere(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    path = office(tmp_path, image="pictures/floor.pgm")
    (tmp_path / "office.pgm").rename(tmp_path / "pictures" / "floor.pgm")

    assert columns(path) == [0]
    path.write_text(path.read_text().replace("pictures/", f"{tmp_path}/pictures/"))
    assert columns(path) == [0]


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path: Path) -> None:
    assert load_map(office(tmp_path, resolution="5e-2")).width == pytest.approx(0.15)


def test_a_map_turned_by_a_right_angle_lies_on_its_side(tmp_path: Path) -> None:
    made = load_map(office(tmp_path, [[0, 254, 254]], origin=f"[0, 0, {math.pi / 2}]"))

    assert made.bounds == pytest.approx((-1, 0, 0, 3))
    assert made.obstacles[0].bounds == pytest.approx((-1, 0, 0, 1))


def test_a_turned_map_lies_in_the_rectangle_around_it(tmp_path: Path) -> None:
    """A square of 2 by 2, turned by 45 degrees about the lower left corner of the picture."""
    half = math.sqrt(2)
    path = office(tmp_path, [[254, 254], [0, 254]], origin=f"[5, 5, {math.pi / 4}]")
    made = load_map(path)

    assert made.bounds == pytest.approx((5 - half, 5, 5 + half, 5 + 2 * half))
    assert made.obstacles[0].bounds == pytest.approx((5 - half / 2, 5, 5 + half / 2, 5 + half))


def test_the_corners_around_a_turned_map_are_unknown(tmp_path: Path) -> None:
    """The square is half of the rectangle around it, and its one black cell a quarter of the square."""
    path = office(tmp_path, [[254, 254], [0, 254]], origin=f"[5, 5, {math.pi / 4}]")
    made = load_map(path, unknown="blocked")

    assert len(made.obstacles) == 5
    assert sum(block.outline.area for block in made.obstacles if isinstance(block, Block)) == pytest.approx(
        4 + 1
    )


@given(grids())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, blocked: Cells) -> None:
    made = map_of_cells(GridFrame(0.05, Point(0.1, -1 / 3)), blocked, "cells")
    path = tmp_path_factory.mktemp("maps") / "cells.yaml"

    save_map(made, path, resolution=0.05)

    assert load_map(path) == load_map(path, unknown="blocked") == made


def test_a_cell_is_occupied_where_an_obstacle_reaches_into_it(tmp_path: Path) -> None:
    made = Map(10, 8, (-5, -4), [Pillar((0, 0), 1.0)])

    save_map(made, tmp_path / "office.yml", resolution=0.5)
    again = load_map(tmp_path / "office.yml")

    assert again.bounds == made.bounds
    assert again.content_bounds == Bounds(-1, -1, 1, 1)
    assert (tmp_path / "office.yml").read_text() == (
        'image: "office.pgm"\n'
        "mode: trinary\nresolution: 0.5\norigin: [-5.0, -4.0, 0.0]\n"
        "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )


def test_terrain_is_not_dropped(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r"office.yaml: slow 1 cannot be written"):
        save_map(Map(2, 2, terrain=[Slow(Circle((0, 0), 1), 0.5)]), tmp_path / "office.yaml", resolution=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"resolution": 0},
            "office.yaml, line 2: resolution is 0; it takes a number of metres greater than 0",
        ),
        ({"resolution": ".nan"}, "office.yaml, line 2: resolution is nan; it takes a number of metres"),
        ({"resolution": -0.1}, "office.yaml, line 2: resolution is -0.1; it takes a number of metres"),
        ({"resolution": "true"}, "office.yaml, line 2: resolution is True; it takes a number of metres"),
        ({"origin": "[0, 0]"}, "office.yaml, line 3: origin is [0, 0]; it takes three numbers, [x, y, yaw]"),
        ({"origin": "[0, 0, .inf]"}, "office.yaml, line 3: origin is [0, 0, inf]; it takes three numbers"),
        ({"origin": "here"}, "office.yaml, line 3: origin is 'here'; it takes three numbers"),
        ({"negate": 2}, "office.yaml, line 4: negate is 2; it takes 0 or 1"),
        (
            {"occupied_thresh": 65},
            "office.yaml, line 5: occupied_thresh is 65; it takes a number from 0 to 1",
        ),
        (
            {"free_thresh": 0.9},
            "office.yaml, line 6: free_thresh is 0.9; it takes a number up to occupied_thresh",
        ),
        ({"mode": "binary"}, "office.yaml, line 7: mode is 'binary'; it takes trinary, scale or raw"),
        ({"image": "gone.pgm"}, "office.yaml, line 1: image is 'gone.pgm', but there is no file "),
        ({"image": 3}, "office.yaml, line 1: image is 3; it takes the path of a picture"),
        ({"image": "office.yaml"}, "office.yaml: it is no picture of a known kind"),
        ({"free_thresh": None}, "office.yaml: free_thresh is missing"),
        ({"image": None}, "office.yaml: image is missing"),
    ],
)
def test_a_setting_that_is_wrong_is_refused_with_its_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(MapError) as caught:
        load_map(office(tmp_path, **changes))

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"image: [office\nresolution: 1\n", "office.yaml, line 2: it is no YAML: "),
        (
            b"- office.pgm\n",
            "office.yaml: it is no map of ROS, which begins with lines such as 'image: floor.pgm'",
        ),
        (b"", "office.yaml: it is no map of ROS"),
        (b"image: \xff\xfe\n", "office.yaml: it is no YAML, which is text in UTF-8"),
    ],
)
def test_a_file_that_is_no_map_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "office.yaml").write_bytes(text)

    with pytest.raises(MapError) as caught:
        load_map(tmp_path / "office.yaml")

    assert str(caught.value).startswith(message)


def test_what_is_unknown_is_free_or_blocked_and_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r"office.yaml: unknown is 'maybe'; it takes free or blocked"):
        load_map(office(tmp_path), unknown="maybe")  # type: ignore[arg-type]
