"""Walls come and go while robots move, exactly as if they had stood, or not, from the start."""

from __future__ import annotations

import io
from contextlib import suppress
from math import cos, sin, tau
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import Blocked
from kumi.control.action_handler import THICKNESS
from kumi.control.actions import DrawWall, LoadMap, PlaceRobot, RemoveWall, SaveMap, SetNoise, Spot
from kumi.geometry import Rectangle
from kumi.recording import Cleared, RunFile, Stands, write_log
from kumi.recording.palette import LIGHT, PALETTE
from kumi.recording.picture import write_picture
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Block, Map, Material, Overlap, Pillar, Wall, World, map_from_table
from tests.control.stages import acted, go_ten_metres, place, rest

STOPPED = 5.0 - 0.1 - THICKNESS / 2
"""Where a robot of radius 0.1 touches a wall at x = 5."""
ACROSS = DrawWall(Spot(5.0, -2.0), Spot(5.0, 2.0))


async def onwards(robot: Robot, goal: tuple[float, float]) -> None:
    """Go somewhere, and stay where something is in the way."""
    with suppress(Blocked):
        await robot.move_to(goal)


def test_a_wall_that_is_drawn_stops_a_robot_that_was_on_its_way() -> None:
    with acted(on_error="robot") as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, ACROSS)
        stage.run(20.0)
        assert place(stage) == (STOPPED, 0.0)
        assert stage.world.contact_count == 1


def test_a_wall_that_is_taken_away_in_time_was_never_there() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, ACROSS)
        acting.plan(4.0, RemoveWall(0))
        stage.run(20.0)
        assert place(stage) == (10.0, 0.0)
        assert stage.world.map.obstacles == ()


def test_a_wall_through_a_robot_is_refused_and_nothing_changes() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(5.0, ACROSS)
        with pytest.raises(Overlap, match="wall 1 cannot stand there: robot 0 is in its place"):
            stage.run(5.0)
        assert stage.world.map.obstacles == ()
        stage.run(12.0)
        assert place(stage) == (10.0, 0.0)


def test_obstacles_of_the_map_are_taken_away_by_their_numbers() -> None:
    with acted(Wall((5.0, -2.0), (5.0, 2.0)), Pillar((-5.0, 5.0), 1.0)) as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(1.0, RemoveWall(0))
        stage.run(12.0)
        assert place(stage) == (10.0, 0.0)
        assert [one.name for one in stage.world.map.obstacles] == ["pillar 1"]
        acting.plan(13.0, RemoveWall(0))
        with pytest.raises(ValueError, match="there is no obstacle 0 in the world now"):
            stage.run(14.0)


coordinate = st.floats(-9.0, 9.0).map(lambda value: round(value, 3))


@given(
    walls=st.lists(st.tuples(coordinate, coordinate, coordinate, coordinate), min_size=1, max_size=4),
    count=st.sampled_from([3, 40]),  # more than a few are looked for in cells
)
def test_walls_put_up_in_a_run_stop_robots_where_walls_of_the_map_do(
    walls: list[tuple[float, float, float, float]], count: int
) -> None:
    """The oracle is the same engine with the walls there from the start."""
    obstacles = [Wall((a, b), (c, d), 0.1) for a, b, c, d in walls if (a, b) != (c, d)]
    places = [(9.8 * cos(tau * one / count), 9.8 * sin(tau * one / count)) for one in range(count)]

    def ends(world: World, late: list[Wall]) -> list[tuple[float, float]]:
        with Stage(world) as stage:
            for x, y in places:
                stage.add(onwards, (-x, -y), at=(x, y))
            stage.run(0.0)
            for wall in late:
                world.add_obstacle(wall)
            stage.run(60.0)
            return [place(stage, body.number) for body in world.bodies]

    plane = Map(22.0, 22.0, (-11.0, -11.0))
    inside = World(plane.with_(obstacles=obstacles))
    if any(inside.near_obstacles(at, 0.11) for at in places):
        return  # a robot cannot be born in a wall, nor a wall be put through a robot
    assert ends(World(plane), obstacles) == ends(inside, [])


def test_the_run_file_shows_walls_from_when_they_stand_to_when_they_are_gone(tmp_path: Path) -> None:
    block = Wall((-5.0, -2.0), (-5.0, 2.0))
    with acted(block, record=tmp_path / "run.kumi") as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(2.0, ACROSS)
        acting.plan(4.0, RemoveWall(0))
        acting.plan(6.0, RemoveWall(1))
        for second in range(8):
            stage.run(second + 1.0)
    run = RunFile(tmp_path / "run.kumi")
    assert [type(one) for one in run.records() if isinstance(one, Stands | Cleared)] == [
        Stands,
        Cleared,
        Cleared,
    ]
    counts = [len(map_from_table(run.map_at(t), "run").obstacles) for t in (1.0, 3.0, 5.0, 7.0, 1.0)]
    assert counts == [1, 2, 1, 0, 1]
    drawn = []
    for instant in (1.0, 3.0, 7.0):
        write_picture(run, instant, tmp_path / "run.svg")
        drawn.append((tmp_path / "run.svg").read_text().count(LIGHT["obstacle"]))
    # A wall is drawn by the same strokes each time.
    one, both, none = (count - drawn[2] for count in drawn)
    assert (none, both) == (0, 2 * one)
    assert one > 0
    lines = io.StringIO()
    write_log(run, lines)
    assert "2.000 run notes e wall 2 stands: obstacle 1\n" in lines.getvalue()
    assert "6.000 run notes e obstacle 1 is gone\n" in lines.getvalue()


def test_a_run_remembers_of_what_the_obstacles_were_that_stood_and_that_came(tmp_path: Path) -> None:
    film = Material("film", stops_bodies=False, colour="#c0a000")
    pane, came = (
        Wall((3.0, -1.0), (3.0, 1.0), name="pane", material="glass"),
        Pillar((9.0, 9.0), 0.5, "came", film),
    )
    world = World(Map(obstacles=[pane]))
    with Stage(world, record=tmp_path / "run.kumi") as stage:
        stage.simulation.schedule(1.0, lambda: world.add_obstacle(came))
        stage.run(2.0)
    run = RunFile(tmp_path / "run.kumi")

    assert map_from_table(run.map_at(0.5), "run").obstacles == (pane,)
    assert map_from_table(run.map_at(1.5), "run").obstacles == (pane, came)
    write_picture(run, 1.5, tmp_path / "run.svg")
    drawn = (tmp_path / "run.svg").read_text()
    assert all(
        words in drawn for words in (">glass<", ">film<", PALETTE.materials["glass"].light[1], "#c0a000")
    )


def test_a_map_is_saved_with_its_changes_and_loaded_again() -> None:
    with acted(Pillar((-5.0, 5.0), 1.0)) as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        saved: list[object] = []
        acting.plan(1.0, ACROSS)
        acting.plan(2.0, SaveMap(), saved.append)
        stage.run(3.0)
        before = stage.world.map
        acting.plan(4.0, RemoveWall(0))
        acting.plan(5.0, LoadMap(str(saved[0])))
        stage.run(6.0)
        assert stage.world.map.obstacles == before.obstacles


def test_a_map_that_does_not_fit_changes_nothing() -> None:
    square = {"block": [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]}
    plane = {"width": 40.0, "height": 20.0, "origin": [-20.0, -10.0]}
    refused = [
        ({**plane, "obstacles": [{"pillar": [9.0, 0.0], "radius": 1.0}, square]}, "robot 0 is in its place"),
        ({**plane, "terrain": [{"hole": [9.0, 0.0], "radius": 1.0}]}, "a run keeps its ground"),
        ({"width": 3.0, "height": 3.0}, "a run keeps its size"),
        ({"file": "/etc/hostname"}, "file is unknown"),
        ("width = 3", "it has no table"),
    ]
    for table, sentence in refused:
        with acted(Pillar((-5.0, 5.0), 1.0)) as (stage, acting):
            stage.add(rest, at=(0.0, 0.0))
            acting.plan(1.0, LoadMap(table))  # type: ignore[arg-type]
            with pytest.raises(ValueError, match=sentence):
                stage.run(2.0)
            assert [one.name for one in stage.world.map.obstacles] == ["pillar 1"]
            assert stage.world.first_hit((0.0, 5.0), 3.14159265, 10.0) is not None


def test_a_block_is_put_around_nobody() -> None:
    world = World()
    world.add_body((0.0, 0.0))
    with pytest.raises(Overlap):
        world.add_obstacle(Block(Rectangle(-3.0, -3.0, 6.0, 6.0)))
    assert world.near_obstacles((0.0, 0.0), 100.0) == []


def test_a_robot_is_placed_that_is_like_the_first_and_does_nothing() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(1.0, PlaceRobot(Spot(0.0, 5.0)))
        stage.run(3.0)
        assert place(stage, 1) == (0.0, 5.0)
        assert stage.world.bodies[1].shape == stage.world.bodies[0].shape


def test_noise_changes_ways_from_now_on_and_zero_takes_it_away() -> None:
    async def to_and_fro(robot: Robot) -> None:
        for goal in ((2.0, 0.0), (0.0, 0.0)) * 3:
            await robot.move_to(goal)

    def end(share: float) -> tuple[float, float]:
        with acted() as (stage, acting):
            stage.add(to_and_fro, at=(0.0, 0.0))
            acting.plan(1.0, SetNoise(share, 0.0))
            stage.run(40.0)
            return place(stage)

    assert end(0.0) == (0.0, 0.0)
    off = end(0.05)
    assert off != (0.0, 0.0)
    assert abs(off[0]) + abs(off[1]) < 2.0
    assert end(0.05) == off
