"""A map in TOML is exact: what is written is read again, to the last bit."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Circle, Outline, Rectangle
from kumi.world import (
    MATERIALS,
    Block,
    Forbidden,
    Hole,
    Map,
    MapError,
    Material,
    Obstacle,
    Pillar,
    Slow,
    Terrain,
    Wall,
    load_map,
    map_from_table,
    map_to_table,
    save_map,
)

ROOM = """
[map]
name = "room"
width = 10
height = 5.5
origin = [-1, -2]
obstacles = [
    { wall = [[1, 1], [4, 1]], thickness = 0.1 },
    { wall = [[1, 1], [1, 3]], name = "partition" },
    { pillar = [6, 2], radius = 0.5 },
    { block = [[7, 1], [8, 1], [8, 2], [7.5, 1.5]] },
    { block = [2, 2], size = [1, 0.5] },
]
terrain = [
    { slow = [0, 0], size = [2, 3], factor = 0.25, name = "mud" },
    { hole = [5, 3], radius = 0.4 },
    { forbidden = [[0, 0], [1, 0], [0, 1], [0, 0]] },
]
"""

numbers = st.floats(-1e6, 1e6)
lengths = st.floats(1e-3, 1e6)
points = st.tuples(numbers, numbers)
names = st.one_of(st.just(""), st.text(max_size=8), st.sampled_from(["wall 1", "wall 2", "hole 1"]))
rectangles = st.builds(Rectangle, numbers, numbers, lengths, lengths)
areas = st.one_of(rectangles, st.builds(Circle, points, lengths))
own_materials = st.builds(
    lambda name, light, *rest: Material(f"own {name}", rest[0], *light, *rest[1:]),
    st.text(max_size=4),
    st.sampled_from([(True, True), (True, False), (False, False)]),
    st.booleans(),
    st.booleans(),
    st.floats(0.0, 1e6),
    st.sampled_from(["", "#8a5a2b"]),
)
materials = st.one_of(st.sampled_from(list(MATERIALS)), own_materials)
obstacles = st.one_of(
    st.tuples(points, points, materials)
    .filter(lambda wall: wall[0] != wall[1])
    .map(lambda wall: Wall(wall[0], wall[1], material=wall[2])),
    st.builds(Pillar, points, lengths, names, materials),
    st.builds(Block, rectangles, names, materials),
)
terrain = st.one_of(
    st.builds(Slow, areas, st.floats(0, 1, exclude_min=True), names),
    st.builds(Hole, areas, names),
    st.builds(Forbidden, areas, names),
)


@st.composite
def maps(draw: st.DrawFn) -> Map:
    """Draw an infinite plane with whatever may stand on it, or a finite one that is large enough."""
    named: set[str] = set()

    def is_new(thing: Obstacle | Terrain) -> bool:
        known = thing.name in named
        named.add(thing.name)
        return not thing.name or not known

    size: dict[str, Any] = draw(st.sampled_from([{}, {"width": 4e6, "height": 4e6, "origin": (-2e6, -2e6)}]))
    return Map(
        **size,
        obstacles=[thing for thing in draw(st.lists(obstacles, max_size=5)) if is_new(thing)],
        terrain=[thing for thing in draw(st.lists(terrain, max_size=5)) if is_new(thing)],
        name=draw(names),
    )


def test_a_table_says_what_stands_and_lies_where() -> None:
    assert map_from_table(tomllib.loads(ROOM)["map"], "room.toml") == Map(
        10,
        5.5,
        (-1, -2),
        [
            Wall((1, 1), (4, 1), 0.1),
            Wall((1, 1), (1, 3), name="partition"),
            Pillar((6, 2), 0.5),
            Block(Outline([(7, 1), (8, 1), (8, 2), (7.5, 1.5)])),
            Block(Rectangle(2, 2, 1, 0.5)),
        ],
        [
            Slow(Rectangle(0, 0, 2, 3), 0.25, "mud"),
            Hole(Circle((5, 3), 0.4)),
            Forbidden(Outline([(0, 0), (1, 0), (0, 1)])),
        ],
        "room",
    )


def test_an_empty_table_is_an_empty_infinite_plane() -> None:
    assert map_from_table({}, "room.toml") == Map()


@given(maps())
def test_a_map_is_its_table(made: Map) -> None:
    assert map_from_table(map_to_table(made), "room.toml") == made


@given(maps())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, made: Map) -> None:
    path = tmp_path_factory.mktemp("maps") / "room.toml"

    save_map(made, path)

    assert load_map(path) == made


def test_a_material_is_written_by_its_name_and_one_of_your_own_by_what_it_differs_in(tmp_path: Path) -> None:
    film = Material("film", stops_light=False, echoes_light=False, radio_loss_db_per_m=0.5)
    save_map(
        Map(
            obstacles=[
                Pillar((0, 0), 1.0, material="glass"),
                Pillar((5, 0), 1.0, material=film),
                Pillar((9, 0), 1),
            ]
        ),
        tmp_path / "room.toml",
    )

    assert (tmp_path / "room.toml").read_text() == (
        "[map]\nobstacles = [\n"
        '    { pillar = [0.0, 0.0], radius = 1.0, material = "glass" },\n'
        '    { pillar = [5.0, 0.0], radius = 1.0, material = { name = "film", stops_light = false, '
        "echoes_light = false, radio_loss_db_per_m = 0.5 } },\n"
        "    { pillar = [9.0, 0.0], radius = 1.0 },\n]\n"
    )


def test_it_is_written_as_a_person_would(tmp_path: Path) -> None:
    made = Map(
        4,
        3,
        (0, 0),
        [Wall((1, 1), (2, 1), 0.5), Pillar((3, 2), 0.25, 'the "post"')],
        [Hole(Circle((1, 2), 1))],
    )

    save_map(made, tmp_path / "room.toml")

    assert (tmp_path / "room.toml").read_text() == (
        "[map]\n"
        "width = 4.0\n"
        "height = 3.0\n"
        "obstacles = [\n"
        "    { wall = [[1.0, 1.0], [2.0, 1.0]], thickness = 0.5 },\n"
        '    { pillar = [3.0, 2.0], radius = 0.25, name = "the \\"post\\"" },\n'
        "]\n"
        "terrain = [\n"
        "    { hole = [1.0, 2.0], radius = 1.0 },\n"
        "]\n"
    )


def test_the_other_tables_of_a_file_are_kept_with_their_remarks(tmp_path: Path) -> None:
    path = tmp_path / "room.toml"
    path.write_text(
        "# an experiment\nseed = 3 # prime\n\n[map]\nwidth = 1\nheight = 1\n\n[robots]\ncount = 5 # few\n"
    )

    save_map(Map(2, 2), path)
    text = path.read_text()

    assert load_map(path) == Map(2, 2)
    assert tomllib.loads(text) == {"seed": 3, "map": {"width": 2.0, "height": 2.0}, "robots": {"count": 5}}
    assert all(remark in text for remark in ("# an experiment", "# prime", "# few"))


def test_a_file_that_is_no_toml_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "room.toml"
    path.write_text("dear diary")

    with pytest.raises(MapError, match=r"room.toml, line 1: it is no TOML"):
        save_map(Map(2, 2), path)
    assert path.read_text() == "dear diary"


def refusal(table: dict[str, Any]) -> MapError:
    with pytest.raises(MapError) as caught:
        map_from_table(table, "room.toml")
    assert caught.value.where == "room.toml"
    return caught.value


@pytest.mark.parametrize(
    ("table", "keys", "message"),
    [
        (
            {"widht": 3},
            ("widht",),
            "widht is unknown; a map takes name, width, height, origin, obstacles and terrain",
        ),
        ({"width": "ten", "height": 1}, ("width",), "the width of a map is a number, not 'ten'"),
        ({"width": 1, "height": -1}, ("height",), "the height of a map is a finite number > 0, not -1"),
        (
            {"width": 1, "height": float("nan")},
            ("height",),
            "the height of a map is a finite number, not nan",
        ),
        ({"width": 1}, (), "a plane has a width and a height, or neither, not 1 and None"),
        ({"origin": [1]}, ("origin",), "the origin of a map is a Point or a pair of numbers, not [1]"),
        ({"name": 3}, ("name",), "a name is a text, not 3"),
        ({"obstacles": {}}, ("obstacles",), "obstacles is {}; it takes an array of tables"),
    ],
)
def test_a_mistake_in_the_table_is_named(table: dict[str, Any], keys: tuple[str, ...], message: str) -> None:
    error = refusal(table)

    assert (error.keys, error.reason) == (keys, message)


@pytest.mark.parametrize(
    ("entry", "keys", "message"),
    [
        ({}, (), "it takes a table with one of the keys wall, pillar or block"),
        (3, (), "it takes a table with one of the keys wall, pillar or block"),
        ({"hole": [0, 0]}, (), "it takes a table with one of the keys wall, pillar or block"),
        ({"wall": [], "pillar": []}, (), "it takes a table with one of the keys wall, pillar or block"),
        ({"wall": [[0, 0]]}, ("wall",), "wall is [[0, 0]]; it takes two points, [[x, y], [x, y]]"),
        ({"wall": 3}, ("wall",), "wall is 3; it takes two points, [[x, y], [x, y]]"),
        ({"wall": [[0, 0], [0, "x"]]}, (), "the end of a wall is a Point or a pair of numbers, not [0, 'x']"),
        (
            {"wall": [[0, 0], [1, 0]], "width": 3},
            ("width",),
            "width is unknown; a wall takes wall, name, thickness and material",
        ),
        (
            {"wall": [[0, 0], [1, 0]], "thickness": -3},
            (),
            "the thickness of a wall is a finite number >= 0, not -3",
        ),
        (
            {"pillar": [0, 0], "radius": 1, "material": "gold"},
            ("material",),
            "nobody knows the material 'gold'; known are solid, glass, mesh, curtain, dark, concrete, brick, plaster",
        ),
        (
            {"pillar": [0, 0], "radius": 1, "material": 3},
            ("material",),
            "a material is a Material or the name of one, not 3",
        ),
        (
            {"pillar": [0, 0], "radius": 1, "material": {"name": "film", "loss": 3}},
            ("material",),
            "loss is unknown; a material takes name, stops_bodies, stops_light, echoes_light, echoes_sound, radio_loss",
        ),
        (
            {"pillar": [0, 0], "radius": 1, "material": {"stops_bodies": False}},
            ("material",),
            "name is missing; a material takes one",
        ),
        (
            {"pillar": [0, 0], "radius": 1, "material": {"name": "glass"}},
            ("material",),
            "glass is a known material; one of your own has a name of its own",
        ),
        ({"pillar": [0, 0]}, (), "radius is missing; a pillar takes one"),
        ({"pillar": [0, 0], "radius": 0}, (), "the radius of a pillar is a finite number > 0, not 0"),
        ({"block": [[0, 0], [1, 1]]}, (), "an outline has at least 3 corners, not 2"),
        ({"block": [0, 0], "size": 3}, ("size",), "size is 3; it takes two numbers, [width, height]"),
        ({"block": [0, 0], "size": [1, 0]}, (), "the height of a rectangle is a finite number > 0, not 0"),
        ({"block": 3}, (), "the corners of an outline are a sequence of points, not 3"),
        (
            {"block": [[0, 0], [2, 2], [2, 0], [0, 1]]},
            (),
            "an outline does not meet itself, but the side from",
        ),
    ],
)
def test_a_mistake_in_an_obstacle_is_named(entry: Any, keys: tuple[str, ...], message: str) -> None:
    error = refusal({"obstacles": [{"pillar": [1, 1], "radius": 1}, entry]})

    assert error.keys == ("obstacles", 1, *keys)
    assert error.reason.startswith(f"obstacle 2: {message}")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"swamp": [0, 0]}, "it takes a table with one of the keys slow, hole or forbidden"),
        ({"slow": [0, 0], "radius": 1}, "factor is missing; a slow takes one"),
        (
            {"slow": [0, 0], "radius": 1, "factor": 2},
            "the factor of slow ground is a number > 0 and <= 1, not 2",
        ),
        (
            {"hole": [0, 0], "radius": 1, "factor": 0.5},
            "factor is unknown; a hole takes hole, name, radius and size",
        ),
        ({"hole": [0, 0], "radius": 1, "size": [1, 1]}, "it has a radius and a size; an area is a circle or"),
        ({"hole": [0, 0], "radius": -1}, "the radius of a circle is a finite number > 0, not -1"),
        ({"forbidden": [0, 0]}, "a corner of an outline is a Point or a pair of numbers, not 0"),
    ],
)
def test_a_mistake_in_the_terrain_is_named(entry: Any, message: str) -> None:
    error = refusal({"terrain": [entry]})

    assert error.keys[:2] == ("terrain", 0)
    assert error.reason.startswith(f"terrain 1: {message}")


def test_an_obstacle_outside_the_plane_is_named() -> None:
    error = refusal({"width": 1, "height": 1, "obstacles": [{"pillar": [5, 5], "radius": 1}]})

    assert error.reason.startswith(
        "pillar 1 reaches from (4, 4) to (6, 6), which is wholly outside the plane"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[map]\nwidth = \n", "room.toml, line 2: it is no TOML: invalid value"),
        (b"[map\n", "room.toml, line 1: it is no TOML: expected ']' at the end of a table declaration"),
        (b"[map]\nname = '\xff'\n", "room.toml: it is no TOML, which is text in UTF-8"),
        (b"x = " + b"[" * 100_000, "room.toml: it is no TOML, which is text in UTF-8"),
        (b"[world]\nwidth = 3\n", "room.toml: it has no table [map]"),
        (b"map = 3\n", "room.toml: it has no table [map]"),
    ],
)
def test_a_file_that_is_no_map_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "room.toml").write_bytes(text)

    with pytest.raises(MapError) as caught:
        load_map(tmp_path / "room.toml")

    assert str(caught.value).startswith(message)
