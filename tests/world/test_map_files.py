"""The ending of a file says what it is, and a table may name a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kumi.geometry import Bounds, Rectangle
from kumi.world import Block, Map, MapError, Material, Pillar, load_map, map_from_table, save_map

ARENA = "type octile\nheight 2\nwidth 2\nmap\n@.\n..\n"
BLOCK = Block(Rectangle(0, 1, 1, 1))


def arena(folder: Path) -> None:
    (folder / "arena.map").write_text(ARENA)


def test_a_path_may_be_text(tmp_path: Path) -> None:
    save_map(Map(2, 2), str(tmp_path / "room.toml"))

    assert load_map(str(tmp_path / "room.toml")) == Map(2, 2)


@pytest.mark.parametrize("name", ["room.toml", "room.yaml", "room.yml", "room.map", "room.png"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(MapError, match=rf"{name}: there is no such file"):
        load_map(tmp_path / name, resolution=1 if name.endswith(".png") else None)


def test_a_folder_is_no_map(tmp_path: Path) -> None:
    (tmp_path / "room.map").mkdir()

    with pytest.raises(MapError, match=r"room.map: it cannot be read: is a directory"):
        load_map(tmp_path / "room.map")


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        MapError, match=r"room.dwg: the ending '.dwg' is unknown; maps are read as .toml, .map,"
    ):
        load_map(tmp_path / "room.dwg")
    with pytest.raises(
        MapError, match=r"room: it has no ending; maps are written as .toml, .map, .yaml, .yml"
    ):
        save_map(Map(1, 1), tmp_path / "room")
    with pytest.raises(MapError, match=r"room.jpg: the ending '.jpg' is unknown; maps are written as"):
        save_map(Map(1, 1), tmp_path / "room.jpg", resolution=1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("room.toml", {"resolution": 1.0}, "resolution means nothing for this file, which takes no option"),
        ("room.yaml", {"swamp": 0.5}, "swamp means nothing for this file, which takes unknown"),
        (
            "room.map",
            {"unknown": "free"},
            "unknown means nothing for this file, which takes resolution, origin, swamp and material",
        ),
        (
            "room.png",
            {"unknown": "free"},
            "unknown means nothing for this file, which takes resolution, origin, dark and material",
        ),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    tmp_path: Path, name: str, options: Any, message: str
) -> None:
    with pytest.raises(MapError, match=f"{name}: {message}"):
        load_map(tmp_path / name, **options)


def test_a_table_may_name_a_file_with_its_options_and_add_to_it(tmp_path: Path) -> None:
    arena(tmp_path)
    table = {
        "file": "arena.map",
        "resolution": 0.5,
        "name": "mine",
        "obstacles": [{"pillar": [0.75, 0.25], "radius": 0.1}, {"block": [0, 0], "size": [0.1, 0.1]}],
        "terrain": [{"hole": [0.25, 0.25], "radius": 0.1}],
    }

    made = map_from_table(table, "scenario.toml", tmp_path)

    assert made.bounds == Bounds(0, 0, 1, 1)
    assert [thing.name for thing in (*made.obstacles, *made.terrain)] == [
        "block 1",
        "pillar 1",
        "block 2",
        "hole 1",
    ]
    assert made.name == "mine"


def test_a_file_may_name_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    arena(tmp_path / "maps")
    (tmp_path / "maps" / "outer.toml").write_text('[map]\nfile = "arena.map"\n')

    assert load_map(tmp_path / "maps" / "outer.toml") == Map(2, 2, obstacles=[BLOCK], name="arena")
    assert map_from_table({"file": "maps/outer.toml"}, "s.toml", tmp_path).name == "arena"


def test_files_that_name_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text('[map]\nfile = "two.toml"\n')
    (tmp_path / "two.toml").write_text('[map]\nfile = "one.toml"\n')

    with pytest.raises(MapError, match=r"one.toml: it names itself as its file, directly or through others"):
        load_map(tmp_path / "one.toml")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"file": 3}, "s.toml: file is 3; it takes the path of a map"),
        ({"file": "gone.map"}, "gone.map: there is no such file"),
        ({"file": "arena.map", "width": 3}, "s.toml: width is unknown; a map from a file takes file, name,"),
        ({"file": "arena.map", "unknown": "free"}, "arena.map: unknown means nothing for this file"),
        (
            {"file": "arena.map", "origin": "here"},
            "s.toml: the origin of arena.map is a Point or a pair of numbers",
        ),
        (
            {"file": "arena.map", "obstacles": [{"pillar": [9, 9], "radius": 1}]},
            "s.toml: pillar 1 reaches from",
        ),
        ({"file": "arena.map", "obstacles": [{"pillar": [9, 9]}]}, "s.toml: obstacle 1: radius is missing"),
    ],
)
def test_a_mistake_beside_a_file_is_named(tmp_path: Path, table: dict[str, Any], message: str) -> None:
    arena(tmp_path)

    with pytest.raises(MapError) as caught:
        map_from_table(table, "s.toml", tmp_path)

    assert message in str(caught.value)


def test_a_map_goes_through_every_kind_of_file(tmp_path: Path) -> None:
    """Once it consists of cells, it comes back from each as it went in."""
    first = Map(6, 4, obstacles=[Pillar((2, 2), 1), Block(Rectangle(4, 1, 1, 2))], name="room")
    save_map(first, tmp_path / "room.map", resolution=0.25)
    made = load_map(tmp_path / "room.map", resolution=0.25)
    save_map(made, tmp_path / "room.yaml", resolution=0.25)
    save_map(made, tmp_path / "room.png", resolution=0.25)
    save_map(made, tmp_path / "room.toml")

    assert made.content_bounds == Bounds(1, 1, 5, 3)
    assert load_map(tmp_path / "room.yaml") == made
    assert load_map(tmp_path / "room.png", resolution=0.25) == made
    assert load_map(tmp_path / "room.toml") == made


@pytest.mark.parametrize(
    "material", ["glass", Material("film", stops_light=False, echoes_light=False)], ids=["known", "own"]
)
def test_cells_are_of_the_material_that_is_given(tmp_path: Path, material: Material | str) -> None:
    arena(tmp_path)
    value = (
        material
        if isinstance(material, str)
        else {"name": "film", "stops_light": False, "echoes_light": False}
    )

    (block,) = load_map(tmp_path / "arena.map", material=material).obstacles
    named = map_from_table({"file": "arena.map", "material": value}, "hall.toml", tmp_path)

    assert block == Block(Rectangle(0, 1, 1, 1), "block 1", material)
    assert named.obstacles == (block,)


def test_cells_of_an_unknown_material_are_named(tmp_path: Path) -> None:
    arena(tmp_path)
    with pytest.raises(
        MapError, match=r"hall\.toml: nobody knows the material 'gold'; known are solid, glass"
    ) as told:
        map_from_table({"file": "arena.map", "material": "gold"}, "hall.toml", tmp_path)
    assert told.value.keys == ("material",)


@pytest.mark.parametrize("name", ["room.yaml", "room.map", "room.png"])
def test_what_is_not_solid_is_not_written_as_cells(tmp_path: Path, name: str) -> None:
    pane = Map(2, 2, obstacles=[Block(Rectangle(0, 0, 1, 1), "pane", "glass")])

    with pytest.raises(
        MapError, match=f"{name}: pane is of glass and cannot be written: cells are of no material"
    ):
        save_map(pane, tmp_path / name, resolution=1.0)
    assert not list(tmp_path.iterdir())
