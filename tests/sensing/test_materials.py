"""What an obstacle is made of decides who perceives it: each material by each sensor, in each shape."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import atan, hypot, inf, sqrt
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import until
from kumi.contract import Blocked
from kumi.contract.readings import Range
from kumi.geometry import Rectangle
from kumi.robot import Robot
from kumi.scenario.spaces import space_of
from kumi.sensing import (
    Bumper,
    Camera,
    ContactSensor,
    FloorSensor,
    Infrared,
    Lidar,
    Proximity,
    RangeFinder,
    Sensor,
    Ultrasonic,
    View,
    Whisker,
)
from kumi.world import MATERIALS, Block, Map, Material, Modality, Obstacle, Overlap, Pillar, Wall, World
from tests.sensing.scenes import about, place, reading

Light = Literal["echoes", "passes", "is swallowed"]

# Whether bodies stop, what light does, whether sound comes back: written down once more, by hand.
TABLE: dict[str, tuple[bool, Light, bool]] = {
    "solid": (True, "echoes", True),
    "glass": (True, "passes", True),
    "mesh": (True, "passes", False),
    "curtain": (False, "echoes", False),
    "dark": (True, "is swallowed", True),
    "concrete": (True, "echoes", True),
    "brick": (True, "echoes", True),
    "plasterboard": (True, "echoes", True),
    "wood": (True, "echoes", True),
    "metal": (True, "echoes", True),
}

# Each has its near side at x = 1.5.
SHAPES: dict[str, Callable[[str], Obstacle]] = {
    "wall": lambda material: Wall((1.6, -5.0), (1.6, 5.0), 0.2, "it", material),
    "pillar": lambda material: Pillar((2.5, 0.0), 1.0, "it", material),
    "block": lambda material: Block(Rectangle(1.5, -5.0, 1.0, 10.0), "it", material),
}
BEHIND = Wall((4.0, -5.0), (4.0, 5.0), name="behind")

each = pytest.mark.parametrize("material", TABLE)
in_each_shape = pytest.mark.parametrize("shape", SHAPES)


def seen(sensor: Sensor, shape: str, material: str) -> Any:
    """What a sensor at (0, 0), on a disc of 0.1 m, tells of an obstacle before a solid wall."""
    return reading(sensor, [SHAPES[shape](material), BEHIND])


def test_the_table_is_about_all_materials_that_are_known() -> None:
    assert TABLE.keys() == MATERIALS.keys()


@each
@in_each_shape
@pytest.mark.parametrize("view", [0.0, 0.2])
@pytest.mark.parametrize("kind", [RangeFinder, Infrared])
def test_infrared_measures_what_light_comes_back_from(
    shape: str, material: str, kind: type[RangeFinder], view: float
) -> None:
    light = TABLE[material][1]
    expected = {
        "echoes": Range(about(1.4), True),
        "passes": Range(about(3.9), True),
        "is swallowed": Range(5.0, False),
    }

    assert seen(kind(reach=5.0, resolution=0.0, view=view), shape, material) == expected[light]


@each
@in_each_shape
def test_a_lidar_measures_what_light_comes_back_from(shape: str, material: str) -> None:
    scan = seen(Lidar(4, reach=5.0), shape, material)
    ahead = {"echoes": 1.5, "passes": 4.0, "is swallowed": inf}[TABLE[material][1]]

    assert dict(zip(scan.bearings.round(6).tolist(), scan.distances.tolist(), strict=True)) == {
        -3.141593: inf,
        -1.570796: inf,
        0.0: about(ahead),
        1.570796: inf,
    }


@each
@in_each_shape
@pytest.mark.parametrize("view", [0.0, 0.2])
def test_ultrasound_measures_what_sound_comes_back_from(shape: str, material: str, view: float) -> None:
    distance = 1.4 if TABLE[material][2] else 3.9

    assert seen(Ultrasonic(reach=5.0, view=view), shape, material) == Range(about(distance), True)


@each
@in_each_shape
def test_a_floor_sensor_sees_the_floor_behind_what_light_passes(shape: str, material: str) -> None:
    """From 1 m above the floor to 2 m ahead: sqrt(5) m; what stands 1.4 m ahead is met at 1.4 / 2 of that."""
    found = seen(FloorSensor(height=1.0, tilt=atan(2.0)), shape, material)

    assert (
        found
        == {
            "echoes": Range(about(0.7 * sqrt(5.0)), True),
            "passes": Range(about(sqrt(5.0)), True),
            "is swallowed": Range(3.0, False),
        }[TABLE[material][1]]
    )


@each
@in_each_shape
def test_who_is_behind_what_light_passes_is_in_sight(shape: str, material: str) -> None:
    sightings = reading(View(), [SHAPES[shape](material)], others=[(4.0, 0.0)])

    assert [one.distance for one in sightings] == ([about(3.9)] if TABLE[material][1] == "passes" else [])


@each
@in_each_shape
def test_a_camera_shows_what_stops_light_in_its_colour(shape: str, material: str) -> None:
    """What light passes leaves the picture as it is; what is dark is black but for haze: 24 of 255 at 1.5 m."""
    picture = seen(Camera(64, 48), shape, material).pixels
    without = reading(Camera(64, 48), [BEHIND]).pixels
    middle = picture[24, 32].tolist()

    assert np.array_equal(picture, without) == (TABLE[material][1] == "passes")
    if material == "dark":
        assert max(middle) < 30
    elif material == "brick":
        assert middle[0] > middle[1] > middle[2]


@each
@in_each_shape
def test_proximity_tells_of_what_stops_bodies(shape: str, material: str) -> None:
    found = [(one.name, one.distance) for one in seen(Proximity(2.0), shape, material)]

    assert found == ([("it", about(1.5))] if TABLE[material][0] else [])


@each
@in_each_shape
@pytest.mark.parametrize(
    ("sensor", "at"), [(Bumper(), 1.4), (ContactSensor(), 1.4), (Whisker(length=0.3), 1.1)]
)
def test_touch_is_of_what_stops_bodies(shape: str, material: str, sensor: Sensor, at: float) -> None:
    """A disc of 0.1 m touches 0.1 m before the surface, a whisker of 0.3 m on it 0.4 m before."""
    stopped: list[float] = []

    async def go(robot: Robot) -> None:
        with until(robot.tried.reports):
            await robot.forward(3.0)
        stopped.append(robot.position.x)

    with place([SHAPES[shape](material), BEHIND]) as stage:
        stage.add(go, at=(0.0, 0.0), sensors={"tried": sensor})
        stage.run()

    assert stopped == [about(at if TABLE[material][0] else 3.0)]


@each
@in_each_shape
def test_a_body_drives_through_what_does_not_stop_it_without_a_contact(shape: str, material: str) -> None:
    async def go(robot: Robot) -> None:
        with pytest.raises(Blocked) as blocked:
            await robot.forward(10.0)
        assert blocked.value.by == ("it" if TABLE[material][0] else "behind")

    with place([SHAPES[shape](material), BEHIND]) as stage:
        robot = stage.add(go, at=(0.0, 0.0))
        outcome = stage.run()

        assert robot.position.x == about(1.4 if TABLE[material][0] else 3.9)
        assert outcome.contacts == 1


@each
@in_each_shape
def test_plans_goals_and_places_are_free_where_bodies_are_not_stopped(shape: str, material: str) -> None:
    room = Map(obstacles=[SHAPES[shape](material)])
    world = World(room)
    is_free = not TABLE[material][0]

    assert space_of(room).is_clear((0.0, 0.0), (5.0, 0.0), 0.1) == is_free
    assert world.is_solid((1.6, 0.0)) != is_free
    if is_free:
        world.add_body((1.6, 0.0))
        world.remove_obstacle("it")
        assert world.add_obstacle(SHAPES[shape](material)).material.name == material
        assert world.least_gap() == inf
        return
    with pytest.raises(Overlap, match="'robot 0' cannot be at"):
        world.add_body((1.6, 0.0))
    world.remove_obstacle("it")
    world.add_body((1.6, 0.0))
    with pytest.raises(Overlap, match="it cannot stand there"):
        world.add_obstacle(SHAPES[shape](material))


def test_behind_a_pane_light_measures_the_wall_and_sound_the_pane() -> None:
    pane, wall = Wall((1.0, -2.0), (1.0, 2.0), material="glass"), Wall((2.0, -2.0), (2.0, 2.0))

    for sensor, distance in ((Infrared(reach=3.0), 1.9), (Ultrasonic(), 0.9)):
        assert reading(sensor, [pane, wall]) == Range(about(distance), True)


def test_behind_something_dark_nothing_is_seen() -> None:
    dark, wall = Wall((1.0, -9.0), (1.0, 9.0), material="dark"), Wall((2.0, -9.0), (2.0, 9.0))

    assert reading(Infrared(view=0.4, reach=3.0), [dark, wall]) == Range(3.0, False)
    assert reading(Infrared(reach=3.0), [dark], others=[(2.0, 0.0)]) == Range(3.0, False)
    assert reading(Infrared(reach=3.0), [dark], others=[(0.5, 0.0)]) == Range(0.3, True)


@pytest.mark.parametrize(
    "dark",
    [Wall((2.0, -5.0), (2.0, 0.2), material="dark"), Wall((1.0, -2.7), (5.0, 3.3), material="dark")],
    ids=["ends", "crosses"],
)
def test_a_cone_finds_the_nearest_point_beside_what_is_dark(dark: Wall) -> None:
    """The wall 3 m ahead is hidden up to 0.3 m to the left, where the dark one ends, or goes behind it."""
    sensor = RangeFinder(reach=5.0, view=0.8, offset=0.0)

    found = reading(sensor, [dark, Wall((3.0, -5.0), (3.0, 5.0))])
    assert found == Range(about(hypot(3.0, 0.3), abs=1e-7), True)


coordinates = st.floats(-4.0, 4.0).map(lambda value: round(value, 2))
points = st.tuples(coordinates, coordinates)
materials = st.sampled_from([MATERIALS[name] for name in ("solid", "glass", "mesh", "curtain", "dark")])
things = st.one_of(
    st.builds(
        lambda start, step, thickness, material: Wall(
            start, (start[0] + step[0], start[1] + step[1] + 0.005), thickness, "", material
        ),
        points,
        points,
        st.sampled_from([0.0, 0.2]),
        materials,
    ),
    st.builds(Pillar, points, st.floats(0.1, 1.0), st.just(""), materials),
    st.builds(
        lambda x, y, material: Block(Rectangle(x, y, 0.7, 1.1), "", material),
        coordinates,
        coordinates,
        materials,
    ),
)
scenes = st.lists(things, min_size=1, max_size=6)


@given(scenes, points, st.floats(-3.0, 3.0), st.sampled_from([Modality.LIGHT, Modality.SOUND]))
@settings(max_examples=150, deadline=None)
def test_a_ray_meets_what_it_would_meet_if_nothing_else_stood_there(
    scene: list[Obstacle], start: tuple[float, float], direction: float, modality: Modality
) -> None:
    met = [replace(thing, material=MATERIALS["solid"]) for thing in scene if thing.material.meets(modality)]
    hit = World(Map(obstacles=scene)).first_hit(start, direction, 9.0, modality=modality)
    alone = World(Map(obstacles=met)).first_hit(start, direction, 9.0)

    assert (hit and hit.distance) == (alone and alone.distance)


@given(scenes, st.floats(-3.0, 3.0))
@settings(max_examples=60, deadline=None)
def test_a_cone_reads_the_least_of_all_its_beams(scene: list[Obstacle], heading: float) -> None:
    """None of 2,000 beams comes back from nearer, and what echoes is not nearer than the reading, dark or not."""
    view, reach, count = 0.7, 5.0, 2000
    world = World(Map(obstacles=scene))
    if world.near_obstacles((0.0, 0.0), 0.2):
        return
    read = reading(RangeFinder(reach=reach, view=view, offset=0.0), scene, heading=heading)
    turns = (view * (number / (count - 1) - 0.5) for number in range(count))
    beams = (world.echo((0.0, 0.0), heading + turn, reach) for turn in turns)
    echoing = Map(obstacles=[thing for thing in scene if thing.material.echoes_light])
    nearest = (away for _, away in World(echoing).near_obstacles((0.0, 0.0), reach))

    assert read.distance <= min((beam for beam in beams if beam is not None), default=reach) + 1e-9
    assert read.distance >= min(nearest, default=reach) - 1e-9


@given(scenes, points, points)
@settings(max_examples=100, deadline=None)
def test_a_drive_past_what_does_not_stop_bodies_is_as_if_it_were_not_there(
    scene: list[Obstacle], start: tuple[float, float], goal: tuple[float, float]
) -> None:
    stopping = [thing for thing in scene if thing.material.stops_bodies]
    ends = []
    for obstacles in (scene, stopping):
        with place(obstacles) as stage:
            if stage.world.near_obstacles(start, 0.11) or stage.world.is_solid(goal) or start == goal:
                return
            stage.add(drive, goal, at=start)
            stage.run()
            ends.append((stage.world.bodies[0].position, stage.world.now))
    assert ends[0] == ends[1]


async def drive(robot: Robot, goal: tuple[float, float]) -> None:
    """Go there, as far as it goes."""
    with suppress(Blocked):
        await robot.move_to(goal)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "the name of a material is not empty"),
        ({"name": 3}, "the name and the colour of a material are texts, not 3"),
        ({"name": "film", "stops_light": False}, "film cannot echo light that it lets pass"),
        ({"name": "film", "stops_bodies": 1}, "stops_bodies of film is true or false, not 1"),
        ({"name": "film", "radio_loss_db_per_m": -1.0}, "a number of dB a metre >= 0, not -1.0"),
        ({"name": "film", "radio_loss_db_per_m": inf}, "radio_loss_db_per_m of film"),
        ({"name": "film", "colour": "red"}, "the colour of film is a text such as \"#8a5a2b\", not 'red'"),
    ],
)
def test_a_material_that_cannot_be_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        Material(**fields)
    assert words in str(refused.value)


def test_a_name_that_is_known_means_one_thing() -> None:
    with pytest.raises(
        ValueError, match="nobody knows the material 'gold'; known are solid, glass, mesh, curtain"
    ):
        Pillar((0, 0), 1.0, material="gold")
    with pytest.raises(ValueError, match="glass is a known material; one of your own has a name of its own"):
        Pillar((0, 0), 1.0, material=Material("glass"))
    with pytest.raises(TypeError, match="a material is a Material or the name of one, not 3"):
        Pillar((0, 0), 1.0, material=3)  # type: ignore[arg-type]
    assert Pillar((0, 0), 1.0, material="glass") == Pillar((0, 0), 1.0, material=MATERIALS["glass"])
