"""Maps and scenarios of the Moving AI benchmarks are read as they are meant, or refused with the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.planning.grid_error import GridError
from kumi.planning.movingai import check_queries, read_map, read_scen

if TYPE_CHECKING:
    from pathlib import Path

MAP = "type octile\nheight 2\nwidth 4\nmap\n.GS@\nOTW.\n"
SCEN = "version 1\n0\ta.map\t4\t2\t1\t0\t3\t1\t2.41421356\n"


def written(folder: Path, text: str, name: str = "a.map") -> Path:
    path = folder / name
    path.write_text(text, encoding="latin-1")
    return path


def test_ground_and_swamp_are_free(tmp_path: Path) -> None:
    for text in (MAP, MAP.replace("\n", "\r\n"), MAP.rstrip("\n"), MAP + "\n"):
        assert read_map(written(tmp_path, text)).tolist() == [
            [False, False, False, True],
            [True, True, True, False],
        ]


def test_a_query_has_columns_first_and_a_cell_has_rows_first(tmp_path: Path) -> None:
    (query,) = read_scen(written(tmp_path, SCEN, "a.scen"))

    assert (query.start, query.goal, query.expected, query.size) == ((0, 1), (1, 3), 2.41421356, (2, 4))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a map begins with"),
        ("type octile\nheight 0\nwidth 4\nmap\n", "1 to"),
        ("type octile\nheight 9999999\nwidth 9999999\nmap\n", "1 to"),
        (
            "type octile\nheight x\nwidth 4\nmap\n",
            "line 2: it is 'height x', but here stand height and width",
        ),
        (MAP.replace("height 2", "height 3"), "2 rows follow the header, which says height 3"),
        (MAP.replace("OTW.", "OTW"), "line 6: the row has 3 cells, but the header says width 4"),
        (MAP.replace("OTW.", "OTx."), "line 6: column 3 is 'x'; a cell is one of . G @ O T W S"),
    ],
)
def test_a_map_that_makes_no_sense(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(GridError) as caught:
        read_map(written(tmp_path, text))
    assert words in str(caught.value)
    assert "a.map" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: a scenario begins with 'version 1'"),
        ("version 1\n0\ta.map\t4\t2\t1\n", "line 2: a query is bucket, map, width"),
        (SCEN.replace("2.41421356", "long"), "line 2: a query is"),
        (SCEN.replace("2.41421356", "nan"), "line 2: a query is"),
        (SCEN.replace("\t4\t2\t", "\t5\t2\t"), "line 2: it is for a map of width 5 and height 2"),
        (SCEN.replace("\t3\t1\t", "\t4\t1\t"), "line 2: (4, 1) lies outside of the map"),
        (SCEN.replace("\t3\t1\t", "\t-1\t1\t"), "line 2: (-1, 1) lies outside of the map"),
    ],
)
def test_a_scenario_that_makes_no_sense(tmp_path: Path, text: str, words: str) -> None:
    blocked, path = read_map(written(tmp_path, MAP)), written(tmp_path, text, "a.scen")
    with pytest.raises(GridError) as caught:
        check_queries(read_scen(path), blocked, path)
    assert words in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GridError, match="there is no such file"):
        read_map(tmp_path / "gone.map")
    with pytest.raises(GridError, match="it cannot be read: is a directory"):
        read_scen(tmp_path)


def test_a_map_written_as_tiles_has_the_same_cells(tmp_path: Path) -> None:
    (tmp_path / "a.map").write_text(MAP)
    (tmp_path / "b.map").write_text(MAP.replace("octile", "tile"))

    assert read_map(tmp_path / "a.map").tolist() == read_map(tmp_path / "b.map").tolist()
