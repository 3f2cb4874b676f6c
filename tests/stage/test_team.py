"""A team is many ordinary robots and one program: it does what programs of their own would do, and keeps its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import (
    Blocked,
    Busy,
    CannotDo,
    Car,
    Circle,
    Disc,
    Hole,
    Map,
    Omni,
    Pillar,
    Point,
    Polygon,
    Robot,
    Stage,
    Team,
    Wall,
    Wheel,
    sleep,
)
from kumi.contract.body import BodyAround
from kumi.recording import RunFile
from kumi.sensing import Infrared, Lidar, Proximity, RangeFinder, Ultrasonic, UniformNoise, View
from kumi.stage import Outcome
from kumi.world import World

PLACES = [(0.5 + 0.5 * column, 0.5 + 0.5 * row) for row in range(6) for column in range(6)]
SEED = 7


async def wander(robot: Robot) -> None:
    while True:
        robot.steer(0.2, robot.chance.uniform(-2.0, 2.0))
        await sleep(0.1)


async def wander_together(team: Team) -> None:
    while True:
        team.steer(0.2, team.chance.uniform(-2.0, 2.0))
        await sleep(0.1)


def alone(between: Callable[[Any], Any] | None = None, **kit: Any) -> tuple[Stage, list[Robot]]:
    stage = Stage(Map(4.0, 4.0), seed=SEED, between=between)
    return stage, [stage.add(wander, at=at, radius=0.1, **kit) for at in PLACES]


def led(between: Callable[[Any], Any] | None = None, **kit: Any) -> tuple[Stage, Team]:
    stage = Stage(Map(4.0, 4.0), seed=SEED, between=between)
    return stage, stage.add_team(wander_together, len(PLACES), at=PLACES, radius=0.1, **kit)


@pytest.mark.parametrize("drive", [Wheel(), Omni(), Car(min_radius=0.1)], ids=["wheel", "omni", "car"])
@pytest.mark.parametrize("between", [None, BodyAround], ids=["native", "looped"])
def test_a_team_moves_as_its_robots_would_alone(drive: Any, between: Callable[[Any], Any] | None) -> None:
    """Thirty-six robots that fill 7 % of a room bump into each other all the time, and every bit is the same."""
    one, robots = alone(drive=drive)
    other, team = led(between, drive=drive)
    with one, other:
        outcomes = one.run(10.0), other.run(10.0)

        assert outcomes[0].contacts == outcomes[1].contacts > 100
        assert [tuple(robot.position) for robot in robots] == [tuple(at) for at in team.positions]
        assert [robot.heading for robot in robots] == team.headings.tolist()
        assert [robot.is_moving for robot in robots] == team.is_moving.tolist()


@pytest.mark.parametrize("between", [None, BodyAround], ids=["native", "looped"])
def test_contacts_are_counted_for_each_robot_with_their_places(between: Callable[[Any], Any] | None) -> None:
    """Two discs of 10 cm meet head on in the middle between them, and the third meets nobody."""
    seen: list[Any] = []

    async def meet(team: Team) -> None:
        seen.append((team.contacts.tolist(), team.contact_places.tolist()))
        team.steer(0.1, 0.0, which=[0, 1])
        await sleep(5.0)
        seen.append((team.contacts.tolist(), team.contact_places.tolist(), team.is_moving.tolist()))

    with Stage(between=between) as stage:
        stage.add_team(meet, 3, at=[(0.0, 0.0), (1.0, 0.0), (0.0, 5.0)], heading=[0.0, pi, 0.0], radius=0.1)
        stage.run()

    none = [np.nan, np.nan]
    assert seen[0][0] == [0, 0, 0]
    np.testing.assert_array_equal(seen[0][1], [none, none, none])
    assert seen[1][0] == [1, 1, 0]
    np.testing.assert_allclose(seen[1][1], [[0.5, 0.0], [0.5, 0.0], none], atol=1e-15)
    assert seen[1][2] == [False, False, False]


def test_who_has_left_keeps_its_number() -> None:
    """One is removed after a second, one comes; the others go on under the numbers that they had."""
    seen: list[Any] = []

    async def drive(team: Team) -> None:
        for _ in range(4):
            team.steer(1.0)
            await sleep(1.0)
            seen.append(
                (team.present.tolist(), team.positions[:, 0].tolist(), team.velocities[:, 0].tolist())
            )

    with Stage() as stage:
        team = stage.add_team(drive, 3, at=[(0, 0), (0, 1), (0, 2)], radius=0.1, name="ant")
        stage.run(1.5)
        stage.remove(team.robots[1])
        stage.run(2.5)
        (new,) = stage.add_to_team(team, 1, at=[(0, 3)])
        outcome = stage.run()

        assert [robot.name for robot in team.robots] == ["ant 0", "ant 1", "ant 2", "ant 3"]
        assert new is team.robots[3]
    assert seen == [
        ([True, True, True], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
        ([True, False, True], [2.0, 1.5, 2.0], [1.0, 0.0, 1.0]),
        ([True, False, True, True], [3.0, 1.5, 3.0, 0.0], [1.0, 0.0, 1.0, 0.0]),
        ([True, False, True, True], [4.0, 1.5, 4.0, 1.0], [1.0, 0.0, 1.0, 1.0]),
    ]
    assert outcome.lost == ("ant 1",)
    assert outcome.robots == 3


def test_who_falls_into_a_hole_has_left() -> None:
    async def drive(team: Team) -> None:
        team.steer(1.0)
        await sleep(3.0)
        assert team.present.tolist() == [True, False]
        assert team.neighbours(inf).robots.tolist() == []

    hole = Hole(Circle((1.5, 1.0), 0.5))
    with Stage(World(Map(terrain=[hole]))) as stage:
        stage.add_team(drive, 2, at=[(0, 0), (0, 1)], radius=0.1)
        outcome = stage.run()

    assert outcome.lost == ("robot 1",)
    assert outcome.errors == ()


@dataclass
class Standing:
    """A robot of somebody else's that knows where it is."""

    position: Point
    heading: float = 0.0


coordinates = st.floats(-1e3, 1e3) | st.integers(-5, 5).map(float)


@given(st.lists(st.tuples(coordinates, coordinates), max_size=30), st.floats(0.0, 1e4) | st.just(inf))
def test_neighbours_are_all_pairs_within_reach(places: list[tuple[float, float]], reach: float) -> None:
    team = Team("t")
    for place in places:
        team._admit(Standing(Point(*place)))
    found = team.neighbours(reach)
    at = [Point(*place) for place in places]
    wanted = [
        (one, other, at[one].distance_to(at[other]))
        for one in range(len(at))
        for other in range(len(at))
        if one != other and at[one].distance_to(at[other]) <= reach
    ]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == wanted


@pytest.mark.parametrize("between", [None, BodyAround], ids=["native", "looped"])
def test_sensors_of_a_team_read_as_those_of_its_robots(between: Callable[[Any], Any] | None) -> None:
    """24 beams of a lidar and one of an infrared sensor, with noise and dropout, at one instant; NaN for who has left."""
    kit: dict[str, Any] = {
        "lidar": Lidar(24, reach=1.0),
        "rough": Lidar(24, reach=1.0, noise=0.01, dropout=0.1, latency=0.05),
        "front": Infrared(noise=0.01),
    }
    read: dict[str, Any] = {"alone": {}, "together": []}

    async def look(robot: Robot) -> None:
        await sleep(1.0)
        read["alone"][robot.number] = [
            (await robot.lidar.read()).distances,
            (await robot.rough.read()).distances,
            [(await robot.front.read()).distance],
        ]

    async def look_together(team: Team) -> None:
        await sleep(1.0)
        read["together"] = [await team.lidar.read(), await team.rough.read(), await team.front.read()]

    def walled() -> Stage:
        return Stage(Map(4.0, 4.0, obstacles=[Wall((0.25, 0.2), (3.0, 0.2))]), seed=SEED, between=between)

    with walled() as one, walled() as other:
        for at in PLACES:
            one.add(look, at=at, radius=0.1, sensors=kit)
        team = other.add_team(look_together, len(PLACES), at=PLACES, radius=0.1, sensors=kit)
        one.run(0.5)
        one.remove(one.robots[3])
        one.run()
        other.run(0.5)
        other.remove(team.robots[3])
        other.run()

    for index, rows in enumerate(read["together"]):
        for number in range(len(PLACES)):
            if number == 3:
                assert np.isnan(rows[number]).all()
            else:
                np.testing.assert_array_equal(rows[number], read["alone"][number][index])


def test_a_team_is_recorded_and_replayed_like_other_robots(tmp_path: Path) -> None:
    """The run file has each robot where it was, and recording changes no trace."""

    def run(record: Path | None) -> tuple[Outcome, np.ndarray]:
        with Stage(Map(4.0, 4.0), seed=SEED, record=record) as stage:
            team = stage.add_team(wander_together, len(PLACES), at=PLACES, radius=0.1, name="bee")
            return stage.run(3.0), team.positions

    path = tmp_path / "run.kumi"
    (plain, places), (kept, _) = run(None), run(path)
    file = RunFile(path)

    assert plain.trace_hash == kept.trace_hash
    assert [one.pose.position for one in file.state_at(3.0)] == [Point(*at) for at in places]
    assert [(group.team, group.count) for group in file.meta.groups] == [("bee", len(PLACES))]


def test_what_a_program_of_a_team_raises_ends_it_and_stops_its_robots() -> None:
    async def slip(team: Team) -> None:
        team.steer(1.0)
        await sleep(1.0)
        raise KeyError("lost")

    with Stage(on_error="robot") as stage:
        team = stage.add_team(slip, 2, at=[(0, 0), (0, 1)], radius=0.1, name="fish")
        outcome = stage.run(5.0)
        assert team.positions.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert [(error.robot, error.time, str(error.error)) for error in outcome.errors] == [
        ("fish", 1.0, "'lost'")
    ]


def test_robots_that_end_their_program_stop() -> None:
    async def drive(team: Team) -> None:
        team.steer(1.0)
        await sleep(1.0)

    with Stage() as stage:
        team = stage.add_team(drive, 2, at=[(0, 0), (0, 1)], radius=0.1)
        outcome = stage.run()
        assert team.is_moving.tolist() == [False, False]
    assert outcome.end == "all programs have ended"


def test_a_robot_of_a_team_can_be_moved_alone() -> None:
    """A robot whose own motion is awaited is busy; the others may be steered."""

    async def mixed(team: Team) -> None:
        first = team.robots[0]
        with pytest.raises(Blocked):
            await first.forward(5.0)
        team.steer(0.5, which=[False, True])
        assert team.is_moving.tolist() == [False, True]

    with Stage(Map(obstacles=[Wall((1.0, -1.0), (1.0, 1.0))])) as stage:
        stage.add_team(mixed, 2, at=[(0, 0), (0, 3)], radius=0.1)
        stage.run()


def test_a_busy_robot_is_named() -> None:
    async def mixed(team: Team) -> None:
        stage.simulation.begin_task(go, (), name="go", parent=None, on_end=None)
        await sleep(0.1)
        with pytest.raises(Busy, match="robot 0"):
            team.steer(0.5)

    async def go() -> None:
        await stage.robots[0].forward(5.0)

    with Stage() as stage:
        stage.add_team(mixed, 1, at=[(0, 0)], radius=0.1)
        stage.run()


def test_which_robots_are_meant_is_a_mask_or_numbers() -> None:
    async def told(team: Team) -> None:
        team.steer([0.1, 0.2, 0.3], 0.0, which=np.array([True, False, True]))
        team.stop(which=[2])
        assert team.is_moving.tolist() == [True, False, False]
        for which in ([3], [-1], [True, False], [0.5]):
            with pytest.raises(ValueError, match=r"of this team have|which robots is"):
                team.stop(which)
        with pytest.raises(ValueError, match="one number, or one for each of 3 robots"):
            team.steer([1.0, 2.0])

    with Stage() as stage:
        stage.add_team(told, 3, at=[(0, 0), (0, 1), (0, 2)], radius=0.1)
        stage.run()


@pytest.mark.parametrize("between", [None, BodyAround], ids=["native", "looped"])
def test_nobody_is_told_where_a_number_is_wrong(between: Callable[[Any], Any] | None) -> None:
    """Neither of speeds, turning rates and busy robots, nor of random numbers; one that left or is not meant may have NaN."""

    async def told(team: Team) -> None:
        for wrong in (
            lambda: team.steer([0.1, 0.2, nan]),
            lambda: team.steer(0.1, [0.0, -inf, 0.0]),
            lambda: team.chance.uniform([0.0, 0.0, 2.0]),
            lambda: team.chance.normal(0.0, [0.0, 0.0, -1.0]),
            lambda: team.chance.happens([0.5, nan, 0.5]),
        ):
            with pytest.raises(ValueError, match=r", but that of robot [12] of the team is "):
                wrong()
        assert team.chance.uniform().tolist() == drawn
        with pytest.raises(ValueError, match=r"a mask of 3 truths, or numbers of robots"):
            team.steer(0.1, which=[0, nan])
        assert not team.is_moving.any()
        team.steer([0.1, nan, nan], which=[0])
        stage.remove(team.robots[2])
        team.steer([0.1, 0.1, nan])
        assert team.is_moving.tolist() == [True, True, False]
        assert np.isnan(team.chance.normal([0.0, 0.0, nan])[2])

    async def drawing(team: Team) -> None:
        drawn.extend(team.chance.uniform().tolist())

    drawn: list[float] = []
    for program in (drawing, told):
        with Stage(seed=SEED, between=between) as stage:
            stage.add_team(program, 3, at=[(0, 0), (0, 1), (0, 2)], radius=0.1)
            stage.run()


def test_nobody_is_told_where_a_robot_is_busy() -> None:
    async def mixed(team: Team) -> None:
        stage.simulation.begin_task(go, (), name="go", parent=None, on_end=None)
        await sleep(0.1)
        with pytest.raises(Busy, match="robot 1"):
            team.steer(0.5)
        assert team.is_moving.tolist() == [False, True]

    async def go() -> None:
        await stage.robots[1].forward(5.0)

    with Stage() as stage:
        stage.add_team(mixed, 2, at=[(0, 0), (0, 1)], radius=0.1)
        stage.run()


def test_a_team_that_begins_empty_knows_its_sensors() -> None:
    """Before the first robot comes there are no rows, as wide as they will be."""
    shapes: list[Any] = []

    async def look(team: Team) -> None:
        for _ in range(2):
            rows = await team.lidar.read()
            shapes.append(
                (rows.shape, rows.argmin(axis=1).tolist(), (await team.eyes.read()).numbers.tolist())
            )
            await sleep(1.0)

    kit: dict[str, Any] = {"lidar": Lidar(8, reach=1.0), "eyes": View(1.0)}
    with Stage() as stage:
        team = stage.add_team(look, 0, at=[], radius=0.1, sensors=kit)
        stage.run(0.5)
        stage.add_to_team(team, 2, at=[(0, 0), (0.5, 0)])
        stage.run()

    assert shapes == [((0, 8), [], []), ((2, 8), [4, 0], [1, 0])]


@pytest.mark.parametrize("noise", [0.0, 0.02], ids=["exact", "noisy"])
@pytest.mark.parametrize("between", [None, BodyAround], ids=["native", "looped"])
def test_a_team_sees_what_its_robots_see(between: Callable[[Any], Any] | None, noise: float) -> None:
    """Who sees whom, how far, in which direction and where, in the order of each; with a wall, a pillar, and one that left."""
    kit: dict[str, Any] = {
        "eyes": View(1.2, view=4.0, bearing=0.3, noise=noise),
        "near": Proximity(0.6, noise=noise),
    }
    alone: dict[str, list[Any]] = {"eyes": [], "near": []}
    together: dict[str, Any] = {}

    async def look(robot: Robot) -> None:
        await sleep(1.0)
        for name in kit:
            alone[name] += [(robot.number, one) for one in await getattr(robot, name).read()]

    async def look_together(team: Team) -> None:
        await sleep(1.0)
        for name in kit:
            together[name] = await getattr(team, name).read()

    def furnished() -> Stage:
        things: list[Any] = [Wall((0.25, 0.2), (3.0, 0.2)), Pillar((0.75, 0.75), 0.1)]
        return Stage(Map(4.0, 4.0, obstacles=things), seed=SEED, between=between)

    with furnished() as one, furnished() as other:
        for at in PLACES:
            one.add(look, at=at, heading=at[0], radius=0.1, sensors=kit)
        team = other.add_team(
            look_together, len(PLACES), at=PLACES, heading=[x for x, _ in PLACES], radius=0.1, sensors=kit
        )
        one.run(0.5)
        one.remove(one.robots[3])
        one.run()
        other.run(0.5)
        other.remove(team.robots[3])
        other.run()

    for name, found in alone.items():
        wanted = [
            (
                who,
                -1 if seen.number is None else seen.number,
                seen.distance,
                seen.bearing,
                list(seen.position),
            )
            for who, seen in found
        ]
        assert len(wanted) > 100
        assert list(zip(*(part.tolist() for part in together[name]), strict=True)) == wanted


@pytest.mark.parametrize(
    "shape",
    [Disc(0.1), Polygon([(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.15, -0.1)])],
    ids=["disc", "polygon"],
)
def test_range_finders_of_a_team_sit_on_the_surface_of_each(shape: Any) -> None:
    """Beams and cones of any bearing and offset, among others and behind a wall of felt, read as those of single robots."""
    kit: dict[str, Any] = {
        "left": Infrared(1.0, noise=UniformNoise(0.02, 0.01), dropout=0.1),
        "cone": Ultrasonic(-0.7),
        "inner": RangeFinder(2.0, reach=0.7, offset=0.05, resolution=0.03),
        "wide": RangeFinder(0.0, reach=2.0, view=2.0),
    }
    alone: dict[str, list[float]] = {name: [] for name in kit}
    together: dict[str, Any] = {}

    async def look(robot: Robot) -> None:
        for name in kit:
            alone[name].append((await getattr(robot, name).read()).distance)

    async def look_together(team: Team) -> None:
        for name in kit:
            together[name] = await getattr(team, name).read()

    def walled() -> Stage:
        felt = Wall((0.25, 0.22), (3.0, 0.22), material="curtain")
        return Stage(World(Map(4.0, 4.0, obstacles=[felt])), seed=SEED)

    with walled() as one, walled() as other:
        for at in PLACES:
            one.add(look, at=at, heading=3.0 * at[0], shape=shape, sensors=kit)
        other.add_team(
            look_together,
            len(PLACES),
            at=PLACES,
            heading=[3.0 * x for x, _ in PLACES],
            shape=shape,
            sensors=kit,
        )
        one.run()
        other.run()

    for name, wanted in alone.items():
        assert together[name].shape == (len(PLACES), 1)
        assert together[name].ravel().tolist() == wanted


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": 3}, "a team of 3 robots needs 3 places, not 2"),
        ({"count": 2, "heading": [0.0]}, "a team of 2 robots needs 2 headings, not 1"),
        ({"count": -1}, "a team has a whole number of robots >= 0"),
        ({"count": 2, "sensors": {"positions": Lidar()}}, "a team has something of that name"),
        ({"count": 2, "ports": ["/dev/null", None]}, "a robot at a port has its own size"),
    ],
)
def test_a_team_that_does_not_fit_is_refused(given: dict[str, Any], words: str) -> None:
    with Stage() as stage:
        with pytest.raises(ValueError, match=words):
            stage.add_team(wander_together, at=[(0, 0), (0, 1)], radius=0.1, **given)
        assert stage.world.count == 0


def test_a_program_that_takes_no_team_is_refused() -> None:
    async def nobody() -> None:
        """Do nothing."""

    with Stage() as stage:
        with pytest.raises(TypeError, match=r"a program takes its team, as in .*nobody\(team\)`"):
            stage.add_team(nobody, 1, at=[(0, 0)])
        assert stage.world.count == 0


numbers = st.floats(-5.0, 5.0) | st.sampled_from([0.0, -0.0, 1e-300, 5e-324, 1e300])


@given(numbers, numbers, st.sampled_from([Wheel(), Omni(), Car(min_radius=0.5)]))
def test_the_core_steers_as_the_drive_plans(speed: float, turn: float, drive: Any) -> None:
    """A robot of the core's own and one that is asked by name stand at one place, and are told one thing."""

    async def told(robot: Robot) -> None:
        try:
            robot.steer(speed, turn)
            words.append("")
        except (ValueError, CannotDo) as error:
            words.append(str(error).replace(robot.name, "it"))
        await sleep(0.7)

    words: list[str] = []
    with Stage(World(ghost=True)) as one, Stage(World(ghost=True), between=BodyAround) as other:
        stages = one, other
        robots = [stage.add(told, at=(1, 2), heading=0.3, drive=drive, name="it") for stage in stages]
        for stage in stages:
            stage.run(0.5)
        assert words[0] == words[1]
        assert robots[0].position == robots[1].position
        assert robots[0].heading == robots[1].heading


@pytest.mark.parametrize("kit", [{}, {"period": 0.2}, {"latency": 0.2}], ids=str)
def test_rows_are_as_wide_as_ever_when_all_robots_have_left(kit: dict[str, Any]) -> None:
    """So a program that takes the least of each row goes on; those who left while it waited are NaN, too."""
    shapes = []

    async def look(team: Team) -> None:
        for _ in range(20):
            rows = await team.lidar.read()
            shapes.append(rows.shape)
            rows.argmin(axis=1)
            assert np.isnan(rows[~team.present]).all() or kit
            await sleep(0.05)
        assert not team.present.any()
        assert np.isnan(await team.lidar.read()).all()

    stage = Stage(Map(4.0, 4.0))
    team = stage.add_team(look, 3, at=PLACES[:3], radius=0.1, sensors={"lidar": Lidar(8, reach=1.0, **kit)})

    async def clear(_: Robot) -> None:
        await sleep(0.42)
        for robot in team.robots:
            stage.remove(robot)
            await sleep(0.05)

    stage.add(clear, at=(3.5, 3.5), radius=0.1)
    stage.run(until=10.0)
    assert shapes == [(3, 8)] * 20


@pytest.mark.parametrize("wrong", ["a", ["a"] * 3, object(), 10**400])
def test_what_is_no_number_is_refused_in_one_sentence(wrong: Any) -> None:
    async def tell(team: Team) -> None:
        with pytest.raises(TypeError, match="speeds are numbers, not"):
            team.steer(wrong)
        with pytest.raises((TypeError, OverflowError), match=r"reach|large"):
            team.neighbours(wrong)

    stage = Stage(Map(4.0, 4.0))
    stage.add_team(tell, 3, at=PLACES[:3], radius=0.1)
    stage.run(until=1.0)
