"""The map of a scenario is in the file, or in another; a mistake in it is named with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.geometry import Circle, Point, Rectangle
from kumi.scenario.document import ScenarioError
from kumi.scenario.initial_poses import EmptyWorld, map_of
from kumi.scenario.scenario import load_scenario
from kumi.world import Hole, Map, Pillar, Slow, World

if TYPE_CHECKING:
    from pathlib import Path

ROBOTS = '[robots]\ncount = 1\nprogram = "gathering"\n'
PILLAR = "obstacles = [\n  { pillar = [3, 4], radius = 1 },\n]\n"


def map_in(folder: Path, text: str) -> Map:
    (folder / "hall.toml").write_text(text + ROBOTS)
    return map_of(load_scenario(folder / "hall.toml"))


def complaint(folder: Path, text: str) -> str:
    with pytest.raises(ScenarioError) as error:
        map_in(folder, text)
    return str(error.value)


def test_a_map_is_a_table_of_the_scenario(tmp_path: Path) -> None:
    found = map_in(tmp_path, f"[map]\nwidth = 10\nheight = 8\n{PILLAR}")

    assert (found.width, found.height) == (10, 8)
    assert [(pillar.centre, pillar.radius) for pillar in found.obstacles if isinstance(pillar, Pillar)] == [
        (Point(3, 4), 1.0)
    ]


def test_without_a_map_the_plane_has_no_end(tmp_path: Path) -> None:
    assert not map_in(tmp_path, "").is_finite


def test_a_map_may_lie_in_another_file(tmp_path: Path) -> None:
    """The path starts at the folder of the scenario; a string is enough."""
    (tmp_path / "room.toml").write_text(f"[map]\nwidth = 10\nheight = 8\n{PILLAR}")

    assert map_in(tmp_path, 'map = "room.toml"\n') == map_in(tmp_path, '[map]\nfile = "room.toml"\n')
    assert map_in(tmp_path, 'map = "room.toml"\n').width == 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[map]\nwidth = -1\nheight = 8\n",
            "hall.toml, line 2: map: the width of a map is a finite number > 0, not -1",
        ),
        ("[map]\nwidth = 5\n", "hall.toml, line 1: map: a plane has a width and a height"),
        ("[map]\nwdth = 5\n", "hall.toml, line 2: map: wdth is unknown"),
        (f"[map]\n{PILLAR.replace('1 }', '-1 }')}", "hall.toml, line 3: map: obstacle 1: "),
        (
            "[map]\n" + PILLAR.replace("1 }", "1, material = 'gold' }"),
            "hall.toml, line 3: map: obstacle 1: nobody knows the material 'gold'; known are solid, glass, ",
        ),
        ('map = "gone.toml"\n', "hall.toml, line 1: "),
        ('[map]\nfile = "gone.toml"\n', "hall.toml, line "),
    ],
)
def test_what_is_wrong_with_a_map_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert complaint(tmp_path, text).startswith(said)


def test_what_is_wrong_in_another_file_names_both(tmp_path: Path) -> None:
    (tmp_path / "room.toml").write_text("[map]\nwidth = 0\nheight = 8\n")
    said = complaint(tmp_path, 'map = "room.toml"\n')

    assert said.startswith("hall.toml, line 1: room.toml: the width of a map is a")


FLOOR = Map(
    20.0,
    10.0,
    obstacles=[Pillar((5.0, 5.0), 1.0)],
    terrain=[
        Hole(Rectangle(10.0, 4.0, 2.0, 2.0)),
        Hole(Circle((16.0, 5.0), 1.0)),
        Slow(Circle((1, 1), 1), 0.5),
    ],
)


@pytest.mark.parametrize(
    ("point", "is_free"),
    [
        ((8.0, 5.0), True),
        ((0.5, 5.0), True),
        ((0.4, 5.0), False),
        ((19.6, 5.0), False),
        ((3.0, 9.6), False),
        ((6.4, 5.0), False),
        ((6.6, 5.0), True),
        ((9.4, 5.0), True),
        ((9.6, 5.0), False),
        ((11.0, 5.0), False),
        ((14.4, 5.0), True),
        ((14.6, 5.0), False),
        ((1.0, 1.0), True),
        ((-100.0, 1.0), False),
    ],
)
def test_a_robot_of_radius_half_a_metre_has_room(point: tuple[float, float], is_free: bool) -> None:
    """Not in a pillar at 5 of radius 1, holes from 10 to 12 and from 15 to 17, nor across the border."""
    assert EmptyWorld(World(FLOOR)).is_free(point, 0.5) is is_free


def test_an_infinite_world_has_room_everywhere() -> None:
    empty = EmptyWorld(World())

    assert empty.box is None
    assert empty.is_free((1e9, -1e9), 5.0)
