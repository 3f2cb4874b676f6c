"""Maps of the Moving AI benchmarks are read and written cell by cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from kumi.geometry import Bounds, Circle, Point, Rectangle
from kumi.world import Block, Hole, Map, MapError, Slow, Wall, load_map, save_map
from kumi.world.map_grid import GridFrame, map_of_cells
from tests.world.cells import Cells, grids

HEADER = "type octile\nheight 3\nwidth 4\nmap\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "arena.map"
    path.write_bytes(text.encode("latin-1"))
    return path


def test_the_first_row_is_the_uppermost(tmp_path: Path) -> None:
    assert load_map(written(tmp_path, HEADER + "@...\n....\n..TT\n")) == Map(
        4, 3, (0, 0), [Block(Rectangle(2, 0, 2, 1)), Block(Rectangle(0, 2, 1, 1))], name="arena"
    )


def test_every_sign_means_ground_swamp_or_blocked(tmp_path: Path) -> None:
    made = load_map(written(tmp_path, HEADER + "@.O.\n.T.W\nS.GS\n"), swamp=0.25)

    assert [block.bounds for block in made.obstacles] == [
        (1, 1, 2, 2),
        (3, 1, 4, 2),
        (0, 2, 1, 3),
        (2, 2, 3, 3),
    ]
    assert [(slow.bounds, slow.factor) for slow in made.terrain if isinstance(slow, Slow)] == [
        ((0, 0, 1, 1), 0.25),
        ((3, 0, 4, 1), 0.25),
    ]


def test_a_cell_has_the_size_and_the_place_it_is_given(tmp_path: Path) -> None:
    made = load_map(written(tmp_path, HEADER + "....\n....\n...@\n"), resolution=0.5, origin=(10, 20))

    assert made.bounds == Bounds(10, 20, 12, 21.5)
    assert made.obstacles[0].bounds == (11.5, 20, 12, 20.5)


def test_ends_of_line_may_be_those_of_windows_and_the_sizes_in_any_order(tmp_path: Path) -> None:
    text = "type octile\r\nwidth 2\r\nheight 1\r\nmap\r\n.@\r\n\r\n"

    assert load_map(written(tmp_path, text)).bounds == (0, 0, 2, 1)


@given(grids(), grids())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, blocked: Cells, slow: Cells
) -> None:
    rows, columns = min(len(blocked), len(slow)), min(len(blocked[0]), len(slow[0]))
    blocked, slow = blocked[:rows, :columns], slow[:rows, :columns] & ~blocked[:rows, :columns]
    made = map_of_cells(GridFrame(0.5, Point(0, 0)), blocked, "cells", slow, 0.25)
    path = tmp_path_factory.mktemp("maps") / "cells.map"

    save_map(made, path, resolution=0.5, swamp=0.25)

    assert load_map(path, resolution=0.5, swamp=0.25) == made


def test_it_is_written_as_one_reads_it(tmp_path: Path) -> None:
    made = Map(
        4, 3, obstacles=[Wall((0.5, 0.5), (2.5, 0.5), 0.2)], terrain=[Slow(Circle((3.5, 2.5), 0.3), 0.5)]
    )

    save_map(made, tmp_path / "arena.map")

    assert (tmp_path / "arena.map").read_text() == HEADER + "...S\n....\n@@@.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "arena.map, line 1: it is '', but a map begins with 'type octile'"),
        ("type hex\nheight 1\nwidth 1\nmap\n.\n", "arena.map, line 1: it is 'type hex', but"),
        (
            "type octile\nheight 0.5\nwidth 1\nmap\n.\n",
            "arena.map, line 2: it is 'height 0.5', but here stand",
        ),
        ("type octile\nheight 1\nheight 1\nmap\n.\n", "arena.map, line 3: it is 'height 1', but here stand"),
        (
            "type octile\nheight 1\nwidth 1\n.\n",
            "arena.map, line 4: it is '.', but the header ends with 'map'",
        ),
        ("type octile\nheight 0\nwidth 1\nmap\n", "arena.map: 1 by 0 cells; a map has from 1 to 64,000,000"),
        (
            "type octile\nheight 9000\nwidth 9000\nmap\n",
            "arena.map: 9,000 by 9,000 cells; a map has from 1 to",
        ),
        (HEADER + "....\n....\n", "arena.map: 2 rows follow the header, which says height 3"),
        (HEADER + "....\n....\n....\n....\n", "arena.map: 4 rows follow the header, which says height 3"),
        (HEADER + "....\n...\n....\n", "arena.map, line 6: the row has 3 cells, but the header says width 4"),
        (HEADER + "....\n....\n..#.\n", "arena.map, line 7: column 3 is '#'; a cell is one of . G @ O T W S"),
        (HEADER + "....\n.\xe9..\n....\n", "arena.map, line 6: column 2 is 'é'; a cell is one of"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MapError) as caught:
        load_map(written(tmp_path, text))

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("ground", [Hole(Rectangle(0, 0, 1, 1)), Slow(Rectangle(0, 0, 1, 1), 0.75)])
def test_what_the_file_cannot_hold_is_not_dropped(tmp_path: Path, ground: Hole | Slow) -> None:
    made = Map(2, 2, terrain=[ground])

    with pytest.raises(
        MapError, match=r"arena.map: (hole|slow) 1 cannot be written: a .map file has only slow"
    ):
        save_map(made, tmp_path / "arena.map")
    assert not (tmp_path / "arena.map").exists()
