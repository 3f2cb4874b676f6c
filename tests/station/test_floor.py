"""Robots of a station keep out of each other's way: they arrive, and never touch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from itertools import combinations
from math import pi
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.experiment.stage import Stage
from kumi.geometry import Disc, Point
from kumi.kernel import sleep
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.station.answers import MapAnswer
from kumi.station.entering.correction import Correction
from kumi.station.entering.errands import Failed
from kumi.station.entering.floor import Floor
from kumi.station.entering.tasks import Driver
from kumi.station.records import Pose
from kumi.station.records import Robot as Known
from kumi.station.refusals import Reason, Refused
from kumi.station.requests import Reserve
from kumi.station.service.floor_counter import release, reserve
from kumi.station.service.floor_keeper import FloorKeeper
from kumi.station.store.transaction import Told
from kumi.world import Map, Wall, World, map_to_table

RADIUS = 0.15
Journey = tuple[tuple[float, float], tuple[float, float], float]
"""From where, to where, and when a robot begins."""
Drive = Callable[[Driver, Robot, Any], Awaitable[None]]
"""What a robot does instead of a journey."""


class Still:
    """A desk without a network: all that a driver asks of one, for one robot of a keeper."""

    def __init__(self, map_: Map, keeper: FloorKeeper, robot: str) -> None:
        self.correction = Correction()
        self.map = MapAnswer(version=1, map=map_to_table(map_), objects=(), robots=())
        self.on_floor: Callable[[], None] = lambda: None
        self._keeper, self._robot = keeper, robot

    def breathe(self) -> None:
        """Nobody interrupts."""

    async def ask(self, request: Any) -> Any:
        """Ask the keeper."""
        answer = reserve if isinstance(request, Reserve) else release
        return answer(self._keeper, request, self._robot)

    async def beside(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do it at once."""
        return await work

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do it at once."""
        with pytest.raises(StopIteration):
            work.send(None)


def driven(map_: Map, journeys: Iterable[Journey], drive: Drive | None = None) -> tuple[list[str], int]:
    """Send robots on their journeys; return what each said in the end, and how many contacts there were."""
    said: list[str] = []
    keeper = FloorKeeper()
    with Stage(World(map_)) as stage:

        async def go(robot: Robot, goal: tuple[float, float], begin: float) -> None:
            desk = Still(map_, keeper, robot.name)
            floor = Floor(desk, RADIUS, lambda: robot.position)
            floor.hold()
            await sleep(begin)
            if drive is not None:
                await drive(Driver(RADIUS, floor), robot, desk)
                return
            at = {"at": {"x": goal[0], "y": goal[1]}}
            said.append(await Driver(RADIUS, floor).go_to(robot, desk, at))  # type: ignore[arg-type]

        for number, (start, goal, begin) in enumerate(journeys):
            stage.add(go, goal, begin, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name=f"r{number}")
        outcome = stage.run(300.0)
    return sorted(said), outcome.collisions


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
        await Driver(RADIUS).go_to(robot, desk, {"at": {"x": goal[0], "y": goal[1]}})  # type: ignore[arg-type]

    desk = Still(CORRIDOR, FloorKeeper(), "")
    with Stage(World(CORRIDOR), on_error="robot") as stage:
        stage.add(go, (9.0, 1.0), at=(1, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        stage.add(go, (1.0, 1.0), at=(9, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        assert stage.run(100.0).collisions > 0


def test_a_robot_goes_around_one_that_stands_in_its_way() -> None:
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((5, 1), (5, 1), 0.0)]

    assert driven(CORRIDOR, journeys) == (["at (5.00, 1.00)", "at (9.00, 1.00)"], 0)


def test_six_robots_that_cross_a_hall_all_arrive() -> None:
    places = [(1.0, 1.0), (1.0, 4.0), (1.0, 7.0), (9.0, 1.0), (9.0, 4.0), (9.0, 7.0)]
    journeys: list[Journey] = [(place, (10.0 - place[0], 8.0 - place[1] + 0.6), 0.0) for place in places]

    said, collisions = driven(Map(10.0, 9.0), journeys)

    assert collisions == 0
    assert len(said) == 6


def test_code_that_drives_straight_on_waits_for_floor_and_fails_where_a_robot_stands() -> None:
    """Two robots drive towards each other, 8 m each: neither comes within a robot of the other, and both are told why."""
    places: list[float] = []

    async def ahead(driver: Driver, robot: Robot, desk: Any) -> None:
        if robot.name == "r1":
            await robot.turn(pi)
        with pytest.raises(Failed, match="another robot is in the way"):
            await driver.forward(robot, desk, 8.0)
        places.append(robot.position.x)

    journeys: list[Journey] = [((1, 1), (0, 0), 0.0), ((9, 1), (0, 0), 0.0)]
    assert driven(CORRIDOR, journeys, ahead) == ([], 0)
    assert len(places) == 2


def test_who_waits_at_a_passage_where_a_robot_stands_gives_up_after_some_minutes() -> None:
    said: list[str] = []

    async def pass_(driver: Driver, robot: Robot, desk: Any) -> None:
        if robot.name == "r0":
            with pytest.raises(Failed, match="no path: other robots are in the way"):
                await driver.go_to(robot, desk, {"at": {"x": 5.0, "y": 2.0}})
            said.append("gave up")

    journeys: list[Journey] = [((1, 2), (0, 0), 0.0), ((3, 2), (0, 0), 0.0)]
    assert driven(ROOMS, journeys, pass_) == ([], 0)
    assert said == ["gave up"]


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
        keeper.on_commit([Told(1, 0.0, kind, None, "a", {})])
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
        desks: list[Still] = []

        async def go(robot: Robot, goal: tuple[float, float], begin: float) -> None:
            desk = Still(map_, keeper, robot.name)
            floor = Floor(desk, RADIUS, lambda: robot.position)
            desks.append(desk)
            floor.hold()
            await sleep(begin)
            path = {"path": [{"x": 3.0, "y": 2.0}, {"x": goal[0], "y": goal[1]}]}
            driver = Driver(RADIUS, floor)
            aim = {"at": {"x": goal[0], "y": goal[1]}}
            if robot.name == "r0":
                said.append(await driver.follow_path(robot, desk, path))  # type: ignore[arg-type]  # a stand-in for a desk
            else:
                said.append(await driver.go_to(robot, desk, aim))  # type: ignore[arg-type]  # a stand-in for a desk

        async def take_over() -> None:
            for pause, first, second in restarts:
                await sleep(pause)
                keeper.restart(1.0)
                for desk, late in zip(desks, (0.0, first, second), strict=True):
                    await sleep(late)
                    desk.on_floor()

        for number, (start, goal, begin) in enumerate(journeys):
            stage.add(go, goal, begin, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name=f"r{number}")
        stage.simulation.start(take_over)
        collisions = stage.run(300.0).collisions
    assert (len(said), collisions) == (3, 0)


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
    pose = Pose(x=place.x, y=place.y)
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
