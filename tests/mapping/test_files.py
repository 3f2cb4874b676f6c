"""A drawn map is saved as ROS's map_server has it, and what is read back has the same walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml
from PIL import Image

from kumi.mapping import MappingError, OccupancyMap, save_map
from kumi.world import load_map
from tests.mapping.sketches import sketch

if TYPE_CHECKING:
    from pathlib import Path


def shifted(drawn: OccupancyMap) -> OccupancyMap:
    """Return a map that begins 2 columns left of the origin and 3 rows above it."""
    return OccupancyMap(drawn.evidence, -2, 3, drawn.cell)


def test_the_picture_is_white_black_and_grey_with_the_uppermost_row_first(tmp_path: Path) -> None:
    save_map(shifted(sketch("# .", "...")), tmp_path / "hall.yaml")
    settings = yaml.safe_load((tmp_path / "hall.yaml").read_text())
    with Image.open(tmp_path / "hall.pgm") as picture:
        grey = np.asarray(picture).tolist()

    assert grey == [[0, 205, 254], [254, 254, 254]]
    assert settings == {
        "image": "hall.pgm",
        "mode": "trinary",
        "resolution": 0.05,
        "origin": [pytest.approx(-0.1), pytest.approx(0.15), 0.0],
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
    }


def test_the_world_reads_it_with_its_wall_in_place(tmp_path: Path) -> None:
    save_map(shifted(sketch("#.", "..")), tmp_path / "hall.yaml")
    (wall,) = load_map(tmp_path / "hall.yaml").obstacles

    assert tuple(wall.bounds) == pytest.approx((-0.1, 0.2, -0.05, 0.25))


def test_another_ending_and_a_folder_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match=r"saved as a \.yaml file, not as hall\.png"):
        save_map(sketch("#"), tmp_path / "hall.png")
    with pytest.raises(MappingError, match="cannot be written: there is no folder"):
        save_map(sketch("#"), tmp_path / "nowhere" / "hall.yaml")
