"""A range finder tells the exact distance from the body's surface, within what it can measure."""

from __future__ import annotations

from math import cos, hypot, pi, radians, sin
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract.readings import Range
from kumi.devs import NeverAwaited, together
from kumi.geometry import Disc, Outline, Point, Polygon, Rectangle
from kumi.robot import Robot
from kumi.sensing import GaussianNoise, Infrared, RangeFinder, Ultrasonic
from kumi.sensing.range_finders import rounded
from kumi.world import Block, Map, Obstacle, Pillar, Wall, World
from tests.sensing.scenes import about, place, reading, readings, rest

FAR = Wall((2.0, -5.0), (2.0, 5.0))


def test_a_beam_measures_from_the_surface() -> None:
    assert reading(RangeFinder(reach=5.0), [FAR], shape=Disc(0.25)) == Range(1.75, True)


def test_an_offset_says_where_it_sits() -> None:
    assert reading(RangeFinder(reach=5.0, offset=0.0), [FAR], shape=Disc(0.25)) == Range(2.0, True)
    assert reading(RangeFinder(reach=5.0, offset=0.5), [FAR], shape=Disc(0.25)) == Range(1.5, True)


def test_on_a_body_with_corners_it_sits_where_its_beam_leaves_the_body() -> None:
    """A robot of 0.6 by 0.4 m: 0.3 m ahead of its middle, 0.2 m beside it."""
    shape = Polygon([(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)])
    side = Wall((-5.0, 1.0), (5.0, 1.0))

    assert reading(RangeFinder(reach=5.0), [FAR], shape=shape).distance == about(1.7)
    assert reading(RangeFinder(pi / 2, reach=5.0), [side], shape=shape).distance == about(0.8)


def test_the_bearing_counts_from_the_heading() -> None:
    sensor = RangeFinder(radians(-60.0), reach=5.0, offset=0.0)

    assert reading(sensor, [FAR], heading=radians(60.0)).distance == about(2.0)
    assert reading(sensor, [FAR], heading=radians(120.0)).distance == about(2.0 / cos(radians(60.0)))


def test_robots_are_seen_and_the_own_body_is_not() -> None:
    assert reading(RangeFinder(reach=5.0), [FAR], others=[(1.0, 0.0)]).distance == about(0.8)


def test_out_of_reach_it_reads_its_reach_and_no_hit() -> None:
    assert reading(RangeFinder(reach=1.5), [FAR]) == Range(1.5, False)


def test_nearer_than_it_can_measure_it_reads_the_least() -> None:
    assert reading(RangeFinder(reach=1.5, min_reach=0.3), [FAR], at=(1.8, 0.0)) == Range(0.3, True)


def test_infrared_reads_whole_centimetres_from_10_to_80() -> None:
    distances = [0.0, 0.05, 0.123, 0.5749, 0.799, 0.9]
    found = [reading(Infrared(), [FAR], at=(1.9 - distance, 0.0)) for distance in distances]

    assert found == [
        Range(0.1, True),
        Range(0.1, True),
        Range(0.12, True),
        Range(0.57, True),
        Range(0.8, True),
        Range(0.8, False),
    ]


def test_ultrasonic_reads_from_10_cm_to_3_m() -> None:
    found = [reading(Ultrasonic(), [FAR], at=(1.9 - distance, 0.0)) for distance in (0.05, 1.25, 2.75, 3.25)]

    assert found == [Range(0.1, True), Range(about(1.25), True), Range(2.75, True), Range(3.0, False)]


def test_a_cone_finds_the_nearest_point_within_it() -> None:
    """A wall that runs away at 45 degrees is nearest at the cone's edge; a pillar inside at its near side."""
    slanted = Wall((1.0, 0.0), (4.0, 3.0))
    cone = Ultrasonic(view=radians(30.0), offset=0.0, min_reach=0.0)
    beam = Ultrasonic(view=0.0, offset=0.0, min_reach=0.0)

    # At the right edge, -15 degrees, the beam passes the wall's end; the nearest point is that end.
    assert reading(cone, [slanted]).distance == about(1.0)
    # A wall whose nearest point is outside the cone: the edge at 15 degrees meets y = 0.3 first.
    parallel = Wall((-5.0, 0.3), (5.0, 0.3))
    assert reading(cone, [parallel]).distance == about(0.3 / sin(radians(15.0)))
    assert reading(beam, [parallel]) == Range(3.0, False)
    # A thin pillar that the beam in the middle misses.
    thin = Pillar((1.0, 0.2), 0.01)
    assert reading(cone, [thin]).distance == about(hypot(1.0, 0.2) - 0.01)
    assert reading(beam, [thin]) == Range(3.0, False)


obstacles = st.one_of(
    st.builds(
        Wall,
        st.tuples(st.floats(0.4, 2.0), st.floats(-1.5, 0.0)),
        st.tuples(st.floats(0.4, 2.0), st.floats(0.1, 1.5)),
        st.sampled_from([0.0, 0.1]),
    ),
    st.builds(Pillar, st.tuples(st.floats(0.8, 2.0), st.floats(-1.5, 1.5)), st.floats(0.02, 0.4)),
    st.builds(
        lambda x, y, w, h: Block(Rectangle(x, y, w, h)),
        st.floats(0.4, 2.0),
        st.floats(-1.5, 1.5),
        st.floats(0.1, 1.0),
        st.floats(0.1, 1.0),
    ),
    st.just(Block(Outline([(0.6, 0.2), (1.5, 0.2), (1.5, 1.0), (1.2, 0.4)]))),
)


@given(st.lists(obstacles, min_size=1, max_size=3), st.floats(0.05, 2.0), st.floats(-1.0, 1.0))
def test_a_cone_finds_what_no_beam_in_it_finds_nearer(
    things: list[Obstacle], view: float, bearing: float
) -> None:
    """And at that distance, within the cone, there is a surface."""
    beams, reach = 300, 4.0
    world = World(Map(obstacles=things))
    cone = RangeFinder(bearing, view=view, reach=reach, offset=0.0).attached_to(world.add_body((0.0, 0.0)))
    found = cone.nearest()
    angles = [bearing + view * (number / (beams - 1) - 0.5) for number in range(beams)]
    hits = [world.first_hit((0.0, 0.0), angle, reach, bodies=False) for angle in angles]
    nearest = min((hit.distance for hit in hits if hit is not None), default=reach)

    if found is None:
        assert nearest == reach
        return
    assert found <= nearest + 1e-9
    on_the_arc = [Point.polar(found, angle) for angle in angles]
    apart = found * view / (beams - 1)
    assert any(world.near_obstacles(point, 0.51 * apart + 1e-9) for point in on_the_arc)


def test_noise_errs_within_what_can_be_measured() -> None:
    found = [
        one.distance
        for one in readings(RangeFinder(reach=1.0, noise=GaussianNoise(0.05)), 1000, others=[(0.7, 0.0)])
    ]

    assert stdev(found) == about(0.05, rel=0.15)
    # 0.1 m short of the reach, errors of 0.2 m go beyond it in about three of ten.
    far = readings(RangeFinder(reach=1.0, noise=0.2), 1000, others=[(1.1, 0.0)])
    assert max(one.distance for one in far) == 1.0
    assert sum(one.distance == 1.0 for one in far) == about(309, abs=60)
    assert all(one.is_hit for one in far)
    near = [one.distance for one in readings(Ultrasonic(noise=0.2), 1000, others=[(0.4, 0.0)])]
    assert min(near) == 0.1


def test_a_dropout_reads_as_no_hit() -> None:
    found = readings(Ultrasonic(dropout=0.2), 1000, others=[(1.0, 0.0)])

    assert sum(one.is_hit for one in found) == about(800, abs=60)
    assert {one.distance for one in found if not one.is_hit} == {3.0}


@pytest.mark.parametrize(
    ("value", "resolution", "read"),
    [(0.574, 0.01, 0.57), (0.576, 0.01, 0.58), (1.23456, 0.0, 1.23456), (0.74, 0.5, 0.5), (7.4, 3.0, 6.0)],
)
def test_readings_are_rounded_to_whole_steps(value: float, resolution: float, read: float) -> None:
    assert rounded(value, resolution) == read


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"reach": 0.0}, "a reach is a finite number > 0, not 0.0"),
        ({"reach": 1.0, "min_reach": 1.0}, "a min_reach is less than the reach, 1.0 m, not 1.0"),
        ({"view": 3.5}, "the cone of a range finder is narrower than pi radians, not 3.5"),
        ({"bearing": float("nan")}, "a bearing is a finite number, not nan"),
        ({"resolution": -1.0}, "a resolution is a finite number >= 0, not -1.0"),
        ({"offset": -0.1}, "an offset is a finite number >= 0, not -0.1"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        RangeFinder(**arguments)
    assert str(error.value) == sentence


def test_a_beam_that_begins_in_a_wall_reads_the_least() -> None:
    """A sensor may stand out of the body, and so into a wall."""
    assert reading(RangeFinder(reach=1.0, offset=0.3), [Pillar((0.3, 0.0), 0.1)]) == Range(0.0, True)
    assert reading(RangeFinder(reach=1.0, offset=0.3, view=0.5), [Pillar((0.3, 0.0), 0.1)]) == Range(
        0.0, True
    )


@pytest.mark.parametrize("kind", [RangeFinder, Infrared, Ultrasonic])
def test_a_range_finder_errs_and_drops_out_only_if_it_is_told_to(kind: type[RangeFinder]) -> None:
    found = readings(kind(), 100, others=[(0.6, 0.0)])

    assert found == [found[0]] * 100
    assert found[0].is_hit


class Slowly(RangeFinder):
    """A class of a user's own, which the core does not answer for."""

    def measure(self) -> Range:
        return super().measure()


@given(
    st.floats(-pi, pi),
    st.floats(-pi, pi),
    st.sampled_from([0.0, radians(20.0)]),
    st.sampled_from([0.0, 0.01, 0.03]),
    st.sampled_from([Disc(0.2), Polygon([(-0.2, -0.1), (0.3, -0.1), (0.2, 0.15)])]),
    st.none() | st.floats(0.0, 0.3),
)
def test_what_the_core_reads_is_what_the_sensor_measures_to_the_last_bit(
    bearing: float,
    heading: float,
    view: float,
    resolution: float,
    shape: Disc | Polygon,
    offset: float | None,
) -> None:
    things: list[Obstacle] = [
        FAR,
        Pillar((-1.0, 1.0), 0.3),
        Block(Outline([(-0.5, -2.0), (0.5, -2.0), (0.5, -1.5), (-0.5, -1.5)])),
    ]
    one, other = (
        reading(
            kind(bearing, reach=2.0, min_reach=0.1, view=view, resolution=resolution, offset=offset),
            things,
            heading=heading,
            shape=shape,
        )
        for kind in (RangeFinder, Slowly)
    )

    assert one == other


def test_what_is_changed_on_a_sensor_counts_from_the_next_reading_on() -> None:
    found = []

    async def look(robot: Robot) -> None:
        found.append((await robot.front.read()).distance)
        robot.front.reach = 0.5
        found.append((await robot.front.read()).distance)
        robot.front.reach, robot.front.resolution = 5.0, 0.5
        found.append((await robot.front.read()).distance)
        robot._body.resize(Disc(0.4))  # type: ignore[attr-defined]
        robot.front.resolution = 0.0
        found.append((await robot.front.read()).distance)

    with place([FAR]) as stage:
        stage.add(look, at=(0, 0), radius=0.2, sensors={"front": RangeFinder(reach=5.0)})
        stage.run()

    assert found == [about(1.8), 0.5, 2.0, about(1.6)]


def test_who_measures_may_ask_whom_the_last_beam_met() -> None:
    met = []

    async def look(robot: Robot) -> None:
        met.append(robot.front.met)
        await robot.front.read()
        met.append(robot.front.met)
        await robot.turn(pi)
        await robot.front.read()
        met.append(robot.front.met)

    with place([FAR]) as stage:
        stage.add(look, at=(0, 0), sensors={"front": RangeFinder(reach=5.0)})
        other = stage.add(rest, at=(1.0, 0.0))
        stage.run()

    assert met == [None, other._body, None]


def test_a_reading_and_a_motion_may_be_tasks() -> None:
    """What is awaited and is no coroutine can be begun beside others, too."""
    found = []

    async def look(robot: Robot) -> None:
        async with together() as tasks:
            reading = tasks.start(robot.front.read)
            tasks.start(robot.forward, 0.5)  # type: ignore[arg-type]
        found.append((reading.result.distance, robot.position.x))

    with place([FAR]) as stage:
        stage.add(look, at=(0, 0), radius=0.2, sensors={"front": RangeFinder(reach=5.0)})
        stage.run()

    assert found == [(about(1.8), about(0.5))]


def test_a_reading_that_nobody_awaits_is_a_mistake() -> None:
    async def look(robot: Robot) -> None:
        robot.front.read()

    with place([FAR]) as stage:
        stage.add(look, at=(0, 0), sensors={"front": RangeFinder(reach=5.0)})
        with pytest.raises(NeverAwaited, match="a reading was made but never awaited"):
            stage.run()
