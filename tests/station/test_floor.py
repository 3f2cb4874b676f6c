"""Robots of a station keep out of each other's way: they arrive, and never touch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from itertools import combinations
from math import cos, inf, nan, pi, sin, tau
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import Blocked, Busy, after, now, sleep, together, until
from kumi.geometry import Disc, Point
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.station.entering.correction import Correction
from kumi.station.entering.program_body import ProgramBody
from kumi.station.entering.task_loop import TaskFailed
from kumi.station.entering.tasks import RouteDriver
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.floor.requesting import RobotFloor
from kumi.station.operations.floor import Reserve, ReservedFloor
from kumi.station.operations.maps import MapAnswer
from kumi.station.operations.robots import Welcome
from kumi.station.records import PlaceRecord, PoseRecord
from kumi.station.records import RobotRecord as Known
from kumi.station.refusals import Reason, Refused
from kumi.station.store.transaction import LogNotice
from kumi.world import Map, Wall, World, map_to_table

RADIUS = 0.15
Journey = tuple[tuple[float, float], tuple[float, float], float]
"""From where, to where, and when a robot begins."""
Drive = Callable[[RouteDriver, Robot, Any], Awaitable[None]]
"""What a robot does instead of a journey."""


class Still:
    """A desk without a network: all that a driver asks of one, for one robot of a keeper."""

    def __init__(self, map_: Map, keeper: FloorKeeper, robot: str) -> None:
        self.correction = Correction()
        self.map = MapAnswer(version=1, map=map_to_table(map_), objects=(), robots=())
        self._keeper, self._robot = keeper, robot

    def checkpoint(self) -> None:
        """Nobody interrupts."""

    async def ask(self, request: Any) -> Any:
        """Ask the keeper."""
        return request.answered(self._keeper, self._robot)

    async def beside(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do it at once."""
        return await work

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do it at once."""
        with pytest.raises(StopIteration):
            work.send(None)


def driven(
    map_: Map, journeys: Iterable[Journey], drive: Drive | None = None, limit: float = 300.0
) -> tuple[list[str], int]:
    """Send robots on their journeys; return what each said in the end, and how many contacts there were."""
    said: list[str] = []
    keeper = FloorKeeper()
    with Stage(World(map_)) as stage:

        async def go(robot: Robot, goal: tuple[float, float], begin: float) -> None:
            desk = Still(map_, keeper, robot.name)
            floor = RobotFloor(desk, RADIUS, lambda: robot.position)
            floor.hold()
            await sleep(begin)
            if drive is not None:
                await drive(RouteDriver(RADIUS, floor), robot, desk)
                return
            at = {"at": {"x": goal[0], "y": goal[1]}}
            said.append(await RouteDriver(RADIUS, floor).go_to(robot, desk, at))  # type: ignore[arg-type]

        for number, (start, goal, begin) in enumerate(journeys):
            stage.add(go, goal, begin, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name=f"r{number}")
        outcome = stage.run(limit)
    return sorted(said), outcome.contacts


def on_floor(driver: RouteDriver, robot: Robot, desk: Any) -> Robot:
    """Return a robot as a program has it that a team sent."""
    assert driver._floor is not None
    return Robot(ProgramBody(robot._body, desk, driver._floor, RADIUS))


CORRIDOR = Map(10.0, 2.0)
ROOMS = Map(
    10.0,
    4.0,
    obstacles=[
        Wall((3, 0), (3, 1.8)),
        Wall((3, 2.2), (3, 4)),
        Wall((7, 0), (7, 1.8)),
        Wall((7, 2.2), (7, 4)),
    ],
)
"""Two rooms, and a passage of 0.4 m into each: one robot fits, two do not."""


@pytest.mark.parametrize("late", [0.0, 0.3, 5.0])
def test_two_robots_that_change_places_in_a_corridor_both_arrive_without_contact(late: float) -> None:
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((9, 1), (1, 1), late)]

    assert driven(CORRIDOR, journeys) == (["at (1.00, 1.00)", "at (9.00, 1.00)"], 0)


@pytest.mark.parametrize("late", [0.0, 2.0])
def test_one_waits_where_only_one_can_pass(late: float) -> None:
    journeys: list[Journey] = [((1, 2), (9, 3), 0.0), ((9, 2), (1, 3), late)]

    assert driven(ROOMS, journeys) == (["at (1.00, 3.00)", "at (9.00, 3.00)"], 0)


def test_without_reserving_they_would_touch() -> None:
    """The journeys are a test of something: the same robots without a floor meet."""

    async def go(robot: Robot, goal: tuple[float, float]) -> None:
        await RouteDriver(RADIUS).go_to(robot, desk, {"at": {"x": goal[0], "y": goal[1]}})  # type: ignore[arg-type]

    desk = Still(CORRIDOR, FloorKeeper(), "")
    with Stage(World(CORRIDOR), on_error="robot") as stage:
        stage.add(go, (9.0, 1.0), at=(1, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        stage.add(go, (1.0, 1.0), at=(9, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        assert stage.run(100.0).contacts > 0


def test_a_robot_goes_around_one_that_stands_in_its_way() -> None:
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((5, 1), (5, 1), 0.0)]

    assert driven(CORRIDOR, journeys) == (["at (5.00, 1.00)", "at (9.00, 1.00)"], 0)


def test_six_robots_that_cross_a_hall_all_arrive() -> None:
    places = [(1.0, 1.0), (1.0, 4.0), (1.0, 7.0), (9.0, 1.0), (9.0, 4.0), (9.0, 7.0)]
    journeys: list[Journey] = [(place, (10.0 - place[0], 8.0 - place[1] + 0.6), 0.0) for place in places]

    said, contacts = driven(Map(10.0, 9.0), journeys)

    assert contacts == 0
    assert len(said) == 6


def test_a_program_that_drives_straight_on_waits_for_floor_and_is_blocked_where_a_robot_stands() -> None:
    """Two robots drive towards each other, 8 m each: neither comes within a robot of the other, and both are told why."""
    places: list[float] = []

    async def ahead(driver: RouteDriver, robot: Robot, desk: Any) -> None:
        if robot.name == "r1":
            await robot.turn(pi)
        with pytest.raises(Blocked, match="blocked by floor that others hold"):
            await on_floor(driver, robot, desk).forward(8.0)
        places.append(robot.position.x)

    journeys: list[Journey] = [((1, 1), (0, 0), 0.0), ((9, 1), (0, 0), 0.0)]
    assert driven(CORRIDOR, journeys, ahead) == ([], 0)
    assert len(places) == 2


def test_every_motion_of_a_program_ends_where_it_would_without_a_station_and_keeps_to_granted_floor() -> None:
    """Commands in pieces come to the places to which they come whole, and steering goes on over the ends of pieces."""

    async def driven_by(robot: Robot) -> list[tuple[float, float, float]]:
        places = []
        motions: tuple[Callable[[], Awaitable[Point]], ...] = (
            lambda: robot.move_to((3.0, 2.0)),
            lambda: robot.arc(1.0, pi / 2),
            lambda: robot.turn(2.0),
            lambda: robot.back_up(0.3),
            lambda: robot.arc(-0.5, -1.0, 0.2),
            lambda: robot.follow([(2.0, 2.0), (2.0, 4.0), (5.0, 4.0)]),
            lambda: robot.turn_to(0.0),
        )
        for motion in motions:
            await motion()
            places.append((*robot.position, robot.heading))
        robot.steer(0.4, 0.2)
        await sleep(6.0)
        places.append((*robot.position, robot.heading))
        robot.steer(-0.4)
        await sleep(2.0)
        robot.stop()
        places.append((*robot.position, robot.heading))
        return places

    seen: list[list[tuple[float, float, float]]] = []

    async def reserved(driver: RouteDriver, robot: Robot, desk: Any) -> None:
        body = ProgramBody(robot._body, desk, driver._floor, RADIUS)  # type: ignore[arg-type]
        async with together() as tasks:
            body.tasks = tasks
            seen.append(await driven_by(Robot(body)))

    async def free(_: RouteDriver, robot: Robot, __: Any) -> None:
        seen.append(await driven_by(robot))

    for drive in (reserved, free):
        assert driven(Map(9.0, 9.0), [((1.0, 2.0), (0, 0), 0.0)], drive) == ([], 0)
    assert [pytest.approx(one, abs=1e-9) for one in seen[1]] == seen[0]


def test_a_program_stops_and_steers_as_its_robot_would() -> None:
    """A stop ends a motion of many pieces where it is; a second motion is refused; one that is left stops."""

    async def ahead(held: Robot) -> Point:
        return await held.forward(6.0)

    async def busy(driver: RouteDriver, robot: Robot, desk: Any) -> None:
        body = ProgramBody(robot._body, desk, driver._floor, RADIUS)  # type: ignore[arg-type]
        held = Robot(body)
        async with together() as tasks:
            body.tasks = tasks
            task = tasks.start(ahead, held)
            await sleep(2.0)
            with pytest.raises(Busy, match="is busy with Forward"):
                await held.turn(1.0)
            with pytest.raises(Busy):
                held.steer(1.0)
            held.stop()
            await sleep(0.0)
            assert task.result == Point(2.0, 1.0)
            with until(after(1.0)):
                await held.move_to((9.0, 1.0))
            assert (held.position, held.is_moving) == (Point(2.5, 1.0), False)
            held.steer(0.0, 1.0)
            assert held.is_moving
            held.stop()
            assert not held.is_moving

    assert driven(CORRIDOR, [((1, 1), (0, 0), 0.0)], busy) == ([], 0)


def test_who_waits_at_a_passage_where_a_robot_stands_gives_up_after_some_minutes() -> None:
    said: list[str] = []

    async def pass_(driver: RouteDriver, robot: Robot, desk: Any) -> None:
        if robot.name == "r0":
            with pytest.raises(TaskFailed, match="no path: other robots are in the way"):
                await driver.go_to(robot, desk, {"at": {"x": 5.0, "y": 2.0}})
            said.append("gave up")

    journeys: list[Journey] = [((1, 2), (0, 0), 0.0), ((3, 2), (0, 0), 0.0)]
    assert driven(ROOMS, journeys, pass_) == ([], 0)
    assert said == ["gave up"]


def parked(
    map_: Map, others: list[tuple[float, float]], start: tuple[float, float]
) -> tuple[float, str, int]:
    """Send a robot 3 m on that others stand around; return when its task ended, in which words, and the contacts."""
    ended: list[tuple[float, str]] = []
    asked: list[Point] = []
    goal = {"at": {"x": start[0] + 3.0, "y": start[1]}}

    class Noted(Still):
        async def ask(self, request: Any) -> Any:
            if isinstance(request, Reserve) and request.way:
                asked.extend(Point(piece[-1].x, piece[-1].y) for piece in request.pieces[-1:])
            return await super().ask(request)

    with Stage(World(map_)) as stage:
        keeper = FloorKeeper(lambda: stage.simulation.now)
        for number, (x, y) in enumerate(others):
            keeper.hold(f"other {number}", Point(x, y), RADIUS)

        async def go(robot: Robot) -> None:
            desk = Noted(map_, keeper, robot.name)
            floor = RobotFloor(desk, RADIUS, lambda: robot.position)
            floor.hold()
            with pytest.raises(TaskFailed) as failed:
                await RouteDriver(RADIUS, floor).go_to(robot, desk, goal)  # type: ignore[arg-type]  # a stand-in for a desk
            ended.append((now(), str(failed.value)))

        async def stand(_: Robot) -> None:
            pass

        for place in others:
            stage.add(stand, at=place, shape=Disc(RADIUS), drive=Wheel(0.5))
        stage.add(go, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name="parked in")
        contacts = stage.run(20_000.0).contacts
    assert all(place.distance_to(Point(*other)) >= 2 * RADIUS for place in asked for other in others)
    (when, why) = ended[0]
    return when, why, contacts


RING = [(3.0 + 0.45 * cos(tau * one / 6), 3.0 + 0.45 * sin(tau * one / 6)) for one in range(6)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("map_", "others", "start"),
    [(Map(4.0, 0.5), [(0.6, 0.25)], (0.2, 0.25)), (Map(7.0, 6.0), RING, (3.0, 3.0))],
    ids=["in a dead end", "in a ring"],
)
def test_the_task_of_a_robot_that_is_parked_in_fails_after_three_minutes(
    map_: Map, others: list[tuple[float, float]], start: tuple[float, float]
) -> None:
    """It never asks for a way that ends in one that stands there, and waits for three minutes in all."""
    when, why, contacts = parked(map_, others, start)

    assert (why, contacts) == ("no path: other robots are in the way", 0)
    assert 180.0 <= when <= 200.0


def test_a_robot_whose_goal_is_taken_goes_around_who_stands_before_it() -> None:
    """Three in a row: the first wants to the place of the last, which leaves later; nobody waits for the one between them."""
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((5, 1), (5, 1), 0.0), ((9, 1), (9, 1.7), 5.0)]

    assert driven(CORRIDOR, journeys, limit=60.0) == (
        ["at (5.00, 1.00)", "at (9.00, 1.00)", "at (9.00, 1.70)"],
        0,
    )


class Clock:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def at(x: float, y: float = 0.0) -> Point:
    """Return a place."""
    return Point(x, y)


LINE = [[at(0), at(1)], [at(1), at(2)]]


def test_a_question_that_is_asked_again_gets_the_same_answer() -> None:
    keeper = FloorKeeper()
    keeper.hold("a", at(0), RADIUS)
    keeper.hold("b", at(1.5), RADIUS)

    assert [keeper.reserve("a", 1, 0, LINE, at(0), RADIUS) for _ in range(2)] == ["granted"] * 2
    assert [keeper.reserve("a", 1, 1, (), at(1), RADIUS) for _ in range(2)] == ["waiting"] * 2
    keeper.leave("b")
    assert [keeper.reserve("a", 1, 1, (), at(1), RADIUS) for _ in range(2)] == ["granted"] * 2
    keeper.release("a", 1, 0)  # an old word, which came late
    assert keeper.reserve("b", 1, 0, [[at(1.5, 1), at(1.5)]], at(1.5, 1), RADIUS) != "granted"
    keeper.release("a", 1, 1)
    assert keeper.reserve("a", 1, 0, LINE, at(2), RADIUS) == "refused", "that piece is past"


def test_what_lies_behind_a_robot_goes_to_who_waits_for_it() -> None:
    keeper = FloorKeeper()
    keeper.reserve("a", 1, 0, LINE, at(0), RADIUS)
    cross = [[at(0.5, 1), at(0.5, -1)]]
    assert keeper.reserve("b", 1, 0, cross, at(0.5, 1), RADIUS) == "waiting"
    keeper.release("a", 1, 0)
    assert keeper.reserve("b", 1, 0, cross, at(0.5, 1), RADIUS) == "granted"


def test_a_robot_that_is_lost_keeps_its_floor_and_one_that_left_does_not() -> None:
    keeper = FloorKeeper()
    keeper.hold("a", at(1), RADIUS)
    for kind, answer in (("robot_lost", "refused"), ("robot_left", "granted")):
        keeper.on_commit([LogNotice(1, 0.0, kind, None, "a", {})])
        assert keeper.reserve("b", 1 + (answer == "granted"), 0, LINE, at(0), RADIUS) == answer


def test_a_new_keeper_grants_nothing_until_robots_had_time_to_tell_where_they_stand() -> None:
    clock = Clock()
    keeper = FloorKeeper(clock)
    keeper.reserve("a", 1, 0, LINE, at(0), RADIUS)
    keeper.restart(2.0)
    assert keeper.reserve("b", 1, 0, LINE, at(0), RADIUS) == "waiting"
    keeper.hold("a", at(1), RADIUS)
    clock.now = 2.0
    assert keeper.reserve("b", 1, 0, [[at(0), at(1)]], at(0), RADIUS) == "waiting"
    assert keeper.reserve("a", 1, 1, (), at(1), RADIUS) == "refused", "it does not know that way"


def test_a_keeper_whose_time_is_over_refuses_and_what_it_refused_can_be_asked_again() -> None:
    clock = Clock()
    keeper = FloorKeeper(clock)
    keeper.keep_until(1.0)
    assert keeper.hold("a", at(0), RADIUS) == "granted"
    clock.now = 1.0
    for question in (
        lambda: keeper.hold("a", at(0), RADIUS),
        lambda: keeper.reserve("a", 1, 0, LINE, at(0), RADIUS),
        lambda: keeper.release("a", 1, 0),
    ):
        with pytest.raises(Refused, match="does not keep the floor; ask again") as caught:
            question()
        assert caught.value.reason is Reason.UNAVAILABLE
    keeper.keep_until(2.0)
    assert keeper.reserve("a", 1, 0, LINE, at(0), RADIUS) == "granted"


def test_a_new_keeper_holds_the_piece_that_a_robot_is_on() -> None:
    keeper = FloorKeeper()
    keeper.restart(0.0)
    assert keeper.hold("a", at(0.3), RADIUS, [at(0), at(1)]) == "granted"
    cross = [[at(0.8, 1), at(0.8, -1)]]
    assert keeper.reserve("b", 1, 0, cross, at(0.8, 1), RADIUS) == "waiting"
    assert keeper.hold("c", at(0.5, 0.2), RADIUS, [at(0.5, 0.2), at(0.5, 1)]) == "waiting", (
        "a holds some of it"
    )
    keeper.leave("c")
    assert keeper.hold("a", at(1.5), RADIUS) == "granted"
    assert keeper.reserve("b", 1, 0, cross, at(0.8, 1), RADIUS) == "granted"


def test_a_robot_on_a_piece_gives_back_what_lies_behind_it() -> None:
    keeper = FloorKeeper()
    path = [[at(0), at(1), at(2), at(3)]]
    assert keeper.reserve("a", 1, 0, path, at(0), RADIUS) == "granted"
    cross = [[at(0.5, 1), at(0.5, -1)]]
    assert keeper.reserve("b", 1, 0, cross, at(0.5, 1), RADIUS) == "waiting"
    keeper.release("a", 1, 0, at(1.1))
    assert keeper.reserve("b", 1, 0, cross, at(0.5, 1), RADIUS) == "waiting", (
        "it may still be on the first straight"
    )
    keeper.release("a", 1, 0, at(1.5))
    assert keeper.reserve("b", 1, 0, cross, at(0.5, 1), RADIUS) == "granted"
    assert keeper.reserve("c", 1, 0, [[at(2.5, 1), at(2.5, -1)]], at(2.5, 1), RADIUS) == "waiting"


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.floats(0.1, 12.0), st.floats(0.0, 0.5), st.floats(0.0, 0.5)), min_size=1, max_size=4
    )
)
@settings(max_examples=40, deadline=None)
def test_whenever_another_keeps_the_floor_robots_on_their_way_do_not_touch_and_arrive(
    restarts: list[tuple[float, float, float]],
) -> None:
    """At any instant the keeper knows nothing any more; robots hear of it at different times, and it settles for a second."""
    journeys: list[Journey] = [((1, 1), (5, 3), 0.0), ((5, 1), (1, 3), 0.0), ((1, 3), (5, 1.5), 0.3)]
    said: list[str] = []
    map_ = Map(6.0, 4.0)
    with Stage(World(map_)) as stage:
        keeper = FloorKeeper(lambda: stage.simulation.now)
        floors: list[RobotFloor] = []

        async def go(robot: Robot, goal: tuple[float, float], begin: float) -> None:
            desk = Still(map_, keeper, robot.name)
            floor = RobotFloor(desk, RADIUS, lambda: robot.position)
            floors.append(floor)
            floor.hold()
            await sleep(begin)
            path = {"path": [{"x": 3.0, "y": 2.0}, {"x": goal[0], "y": goal[1]}]}
            driver = RouteDriver(RADIUS, floor)
            aim = {"at": {"x": goal[0], "y": goal[1]}}
            if robot.name == "r0":
                said.append(await driver.follow_path(robot, desk, path))  # type: ignore[arg-type]  # a stand-in for a desk
            else:
                said.append(await driver.go_to(robot, desk, aim))  # type: ignore[arg-type]  # a stand-in for a desk

        async def take_over() -> None:
            for pause, first, second in restarts:
                await sleep(pause)
                keeper.restart(1.0)
                for floor, late in zip(floors, (0.0, first, second), strict=True):
                    await sleep(late)
                    floor.hold()

        for number, (start, goal, begin) in enumerate(journeys):
            stage.add(go, goal, begin, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name=f"r{number}")
        stage.simulation.start(take_over)
        contacts = stage.run(300.0).contacts
    assert (len(said), contacts) == (3, 0)


def test_a_robot_of_almost_no_size_takes_the_floor_from_nobody() -> None:
    keeper = FloorKeeper()
    assert keeper.hold("tiny", at(0), 1e-320) == "granted"
    assert keeper.hold("a", at(1, 5), RADIUS) == "granted"
    assert keeper.reserve("a", 1, 0, [[at(1, 5), at(2, 5)]], at(1, 5), RADIUS) == "granted"


@pytest.mark.parametrize("radius", [0.0, 1e-320, 0.0009, 102.0, 1e308, nan, inf])
def test_a_robot_of_a_size_that_makes_no_sense_is_refused_in_one_sentence(radius: float) -> None:
    for request, told in ((Reserve, {"way": 0, "at": {"x": 0.0, "y": 0.0}}), (Welcome, {})):
        with pytest.raises(msgspec.ValidationError, match=r"Expected `float` [<>]= .* - at `\$.radius`"):
            msgspec.convert({**told, "radius": radius}, request)


def test_a_place_that_others_leave_little_of_is_told_to_whoever_asks() -> None:
    """Between two robots a stranger has less than a millimetre: the answer can be read all the same."""
    keeper = FloorKeeper()
    keeper.hold("a", at(0), RADIUS)
    keeper.hold("b", at(0.3004), RADIUS)
    there = [_seen("a", at(0), False), _seen("b", at(0.3004), False), _seen("x", at(0.1502), False)]
    asked = Reserve(way=0, at=PlaceRecord(x=0.0, y=0.0), radius=RADIUS)
    answer = msgspec.json.decode(msgspec.json.encode(asked.answered(keeper, "a", there)), type=ReservedFloor)
    assert [round(one.radius, 3) for one in answer.others] == [RADIUS, 0.0]


def test_a_robot_on_whose_place_another_stands_gets_none_of_a_way_that_was_taken_back() -> None:
    """It waits, is asked to give way, and tells of a place that another holds: when that one leaves, it has a place and no way."""
    two = Two()
    two.keeper.hold("third", Point(9.0, 2.0), RADIUS)
    assert two.wait(3.0) == ["waiting"] * 6
    two.now += 0.5
    assert two.goes_straight() == "refused"
    taken_back = [two.keeper.reserve("member", 1, 1, [], Point(9.0, 2.0), RADIUS)]
    two.keeper.leave("third")
    taken_back.append(two.keeper.reserve("member", 1, 1, [], Point(9.0, 2.0), RADIUS))
    assert taken_back == ["refused", "refused"]
    assert [zone.path for zone in two.keeper._reservations.held("member")] == [(Point(9.0, 2.0),)]


def test_one_who_gives_way_where_a_lost_robot_is_takes_the_floor_from_nobody() -> None:
    two = Two()
    keeper = two.keeper
    keeper.hold("lost", Point(9.0, 2.0), RADIUS)
    keeper.give_up("lost")
    two.wait(3.0)
    two.now += 0.5
    assert two.goes_straight() == "refused"
    assert keeper.reserve("member", 1, 1, [], Point(9.0, 2.0), RADIUS) == "refused"
    two.now += 100.0
    for _ in range(2):
        keeper.see([_seen("straight", at(1, 2), False)], [at(1, 2)], "straight")
        two.now += 100.0
    assert two.goes_straight() == "granted"


def test_who_asks_for_more_pieces_than_its_way_has_keeps_the_last_one() -> None:
    keeper = FloorKeeper()
    assert keeper.reserve("a", 1, 0, [[at(0), at(1)]], at(0), RADIUS) == "granted"
    with pytest.raises(Refused, match="way 1 has 1 pieces, and no more"):
        keeper.reserve("a", 1, 1, (), at(0.5), RADIUS)
    assert keeper.reserve("b", 1, 0, [[at(0.5, 1), at(0.5, -1)]], at(0.5, 1), RADIUS) == "waiting"


def test_a_piece_is_no_longer_than_a_way_may_be() -> None:
    with pytest.raises(Refused, match="a way of 600 m is too long to be reserved: at most 500 m are"):
        FloorKeeper().hold("a", at(0), RADIUS, [at(0), at(600)])


coordinates = st.integers(0, 5).map(float) | st.sampled_from([-0.0, 1e-320, 1e-9, 1e6, -1e6, 1e300, -1.7e308])
somewhere = st.tuples(coordinates, coordinates).map(lambda one: Point(*one))
radii = st.just(RADIUS) | st.sampled_from(
    [0.0, 5e-324, 1e-320, 1e-9, 0.001, 100.0, 1e300, 1.7e308, nan, inf, -1.0]
)
deeds = st.sampled_from(["hold", "on a piece", "way", "on", "arrive", "pass", "cut", "leave", "see", "wait"])


def test_a_robot_that_is_seen_where_another_stands_keeps_no_floor() -> None:
    """The place of the stranger is taken by who stands there and free when that one leaves."""
    keeper = FloorKeeper()
    keeper.see([_seen("x", at(0), False)], [at(0)], "a")
    assert keeper.hold("a", at(0), RADIUS) == "granted"
    keeper.leave("a")
    keeper.leave("x")

    assert keeper.hold("z", at(0), RADIUS) == "granted"


@pytest.mark.parametrize("place", [(1e8, 0.0, RADIUS), (0.0, -1e300, RADIUS), (0.0, 0.0, 1e8)])
def test_no_floor_is_held_where_rounding_hides_a_gap(place: tuple[float, float, float]) -> None:
    x, y, radius = place
    with pytest.raises(Refused, match="no floor reaches so far"):
        FloorKeeper().hold("a", Point(x, y), radius)


@given(st.lists(st.tuples(st.sampled_from("abcx"), deeds, somewhere, somewhere, radii), max_size=30))
def test_whatever_was_asked_before_a_robot_gets_its_floor(
    steps: list[tuple[str, str, Point, Point, float]],
) -> None:
    """Calls that make sense and calls that make none: each is answered or refused, and no two ever hold the same floor."""
    clock = Clock()
    keeper = FloorKeeper(clock)
    for number, (robot, deed, here, there, radius) in enumerate(steps, 1):
        with suppress(Refused):
            _do(keeper, robot, deed, number, here, there, radius)
        clock.now += 4.0 if deed == "wait" else 0.1
        names = {*keeper._drivers, *keeper._seen}
        assert names == set(keeper._reservations._held)
        held = {one: keeper._reservations.held(one) for one in names}
        for one, other in combinations(sorted(names), 2):
            assert not any(mine.overlaps(theirs) for mine in held[one] for theirs in held[other])
    for robot in "abcx":
        keeper.leave(robot)
    assert keeper.hold("z", at(0), RADIUS) == "granted"
    assert keeper.reserve("z", 1, 0, LINE, at(0), RADIUS) == "granted"
    assert keeper.others("z", at(0)) == []
    keeper.leave("z")
    assert keeper._reservations._bookings._cells._grids == {}


def _do(
    keeper: FloorKeeper, robot: str, deed: str, number: int, here: Point, there: Point, radius: float
) -> None:
    """Ask one thing of a keeper."""
    known = keeper._drivers.get(robot)
    way, piece = (number, 0) if known is None else (known.way, known.piece)
    if deed == "hold":
        keeper.hold(robot, here, radius)
    elif deed == "on a piece":
        keeper.hold(robot, here, radius, [here, there])
    elif deed == "way":
        keeper.reserve(robot, number, 0, [[here, there], [there, here]], here, radius)
    elif deed == "on":
        keeper.reserve(robot, way, piece + 1, (), here, radius)
    elif deed == "wait":
        keeper.reserve(robot, way, piece, (), here, radius)
    elif deed in ("arrive", "pass"):
        keeper.release(robot, way, piece, here if deed == "pass" else None)
    elif deed == "cut":
        keeper.give_up(robot)
    elif deed == "leave":
        keeper.leave(robot)
    else:
        room = radius if 0.0 < radius < inf else RADIUS
        there_are = [_seen("x", there, robot == "a"), *(_seen(tag, here, False) for tag in "abc")]
        keeper.see([msgspec.structs.replace(one, radius=room) for one in there_are], [here], robot)


@given(
    st.lists(
        st.tuples(st.sampled_from("abcxyz"), st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=40
    )
)
def test_wherever_strangers_go_no_two_hold_the_same_floor(steps: list[tuple[str, int, int, bool]]) -> None:
    """Three robots reserve, three are only seen, lost or not, anywhere; what all of them hold never overlaps."""
    keeper = FloorKeeper()
    where = {"a": at(0, 0), "b": at(5, 0), "c": at(0, 5)}
    seen = {tag: Point(10.0 + number, 10.0) for number, tag in enumerate("xyz")}
    lost: set[str] = set()
    for robot, place in where.items():
        keeper.hold(robot, place, RADIUS)
    for number, (robot, x, y, is_lost) in enumerate(steps, 1):
        goal = at(float(x), float(y))
        if robot in seen:
            seen[robot] = goal
            (lost.add if is_lost else lost.discard)(robot)
        elif goal == where[robot]:
            keeper.give_up(robot)
        elif keeper.reserve(robot, number, 0, [[where[robot], goal]], where[robot], RADIUS) == "granted":
            keeper.release(robot, number, 0)
            where[robot] = goal
        there = [_seen(tag, place, tag in lost) for tag, place in (where | seen).items()]
        keeper.see(there, [at(0)], "a")
        names = [*keeper._drivers, *keeper._seen]
        held = {one: keeper._reservations.held(one) for one in names}
        assert set(where) <= set(names)
        for one, other in combinations(names, 2):
            assert not any(mine.overlaps(theirs) for mine in held[one] for theirs in held[other])


def _seen(tag: str, place: Point, is_lost: bool) -> Known:
    pose = PoseRecord(x=place.x, y=place.y)
    state: Any = "lost" if is_lost else "connected"
    return Known(tag=tag, team="red", kind="", radius=RADIUS, state=state, pose=pose, seen_at=0.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.integers(0, 5)), max_size=40))
def test_whatever_robots_do_no_two_are_granted_the_same_floor(steps: list[tuple[str, int, int]]) -> None:
    """Robots ask for ways between the crossings of a grid, in any order; what they hold never overlaps."""
    keeper = FloorKeeper()
    where = {"a": at(0, 0), "b": at(5, 0), "c": at(0, 5)}
    for robot, place in where.items():
        keeper.hold(robot, place, RADIUS)
    for number, (robot, x, y) in enumerate(steps, 1):
        goal = at(float(x), float(y))
        if goal == where[robot]:
            keeper.give_up(robot)
        elif keeper.reserve(robot, number, 0, [[where[robot], goal]], where[robot], RADIUS) == "granted":
            keeper.release(robot, number, 0)
            where[robot] = goal
        held = {one: keeper._reservations.held(one) for one in where}
        for one, other in combinations(where, 2):
            assert not any(mine.overlaps(theirs) for mine in held[one] for theirs in held[other])


class Two:
    """Robots that face each other at (1.5, 2) and (1, 2): the first waits for the place of the second, whose way is refused."""

    def __init__(self) -> None:
        self.now, self.way = 0.0, 1
        self.keeper = FloorKeeper(lambda: self.now)
        for robot, x in (("member", 5.0), ("straight", 1.0)):
            assert self.keeper.hold(robot, Point(x, 2.0), RADIUS) == "granted"
        pieces = [[Point(5.0, 2.0), Point(1.5, 2.0)], [Point(1.5, 2.0), Point(1.0, 2.0)]]
        assert self.keeper.reserve("member", 1, 0, pieces, Point(5.0, 2.0), RADIUS) == "granted"
        assert self.asks() == "waiting"

    def asks(self) -> str:
        """Have the one that waits ask again."""
        return self.keeper.reserve("member", 1, 1, [], Point(1.5, 2.0), RADIUS)

    def goes_straight(self) -> str:
        """Have the other ask for its way to (5, 2)."""
        self.way += 1
        path = [Point(1.0, 2.0), Point(5.0, 2.0)]
        return self.keeper.reserve("straight", self.way, 0, [path], path[0], RADIUS)

    def wait(self, seconds: float) -> list[str]:
        """Have both ask twice a second; return what the one that waits was told."""
        told = []
        for _ in range(int(2 * seconds)):
            self.now += 0.5
            assert self.goes_straight() == "refused"
            self.keeper.hold("straight", Point(1.0, 2.0), RADIUS)
            told.append(self.asks())
        return told

    def turns(self, y: float, way: int) -> str:
        """Have the first go to one side."""
        path = [Point(1.5, 2.0), Point(1.5, y)]
        return self.keeper.reserve("member", way, 0, [path], path[0], RADIUS)


def test_a_robot_that_holds_up_another_lets_it_pass_after_three_seconds() -> None:
    two = Two()
    assert two.wait(3.0) == ["waiting"] * 6
    two.now += 0.5
    assert two.goes_straight() == "refused"
    assert two.asks() == "refused"  # to be asked at once
    path = [Point(1.5, 2.0), Point(1.0, 2.0)]
    assert two.keeper.reserve("member", 2, 0, [path], path[0], RADIUS) == "refused"  # it would block again
    assert two.turns(2.2, 3) == "refused"  # still on the way of the other
    assert two.turns(3.0, 4) == "granted"
    two.keeper.release("member", 4, 0)

    assert two.goes_straight() == "granted"
    back = [Point(1.5, 3.0), Point(1.5, 2.0)]
    assert (
        two.keeper.reserve("member", 5, 0, [back], back[0], RADIUS) == "waiting"
    )  # the other is about to pass


def test_a_robot_that_holds_up_two_in_turn_lets_them_pass_as_soon() -> None:
    two = Two()
    assert two.keeper.hold("other", Point(0.0, 2.0), RADIUS) == "granted"
    path = [Point(0.0, 2.0), Point(5.0, 2.5)]
    told = []
    for number in range(1, 8):
        two.now += 0.5
        assert two.keeper.reserve("other", number, 0, [path], path[0], RADIUS) == "refused"
        assert two.goes_straight() == "refused"
        told.append(two.asks())
    assert told == ["waiting"] * 6 + ["refused"]


def test_a_robot_whose_rival_asks_no_more_goes_on_waiting() -> None:
    two = Two()
    two.wait(2.0)
    two.now += 5.0
    assert two.asks() == "waiting"
    assert two.wait(2.0) == ["waiting"] * 4


def test_who_lets_pass_one_that_never_comes_gets_its_way_again() -> None:
    two = Two()
    assert two.wait(3.5)[-1] == "refused"
    assert two.turns(2.2, 2) == "refused"
    two.now += 16.0
    assert two.turns(2.2, 3) == "granted"


def test_who_left_is_waited_for_no_more() -> None:
    two = Two()
    two.wait(2.5)
    two.keeper.leave("straight")
    assert two.asks() == "granted"
