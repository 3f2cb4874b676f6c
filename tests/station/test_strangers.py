"""Robots that do not reserve floor: others keep away from them, they wait where their way is not free, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from xmlrpc import client

import pytest

from kumi.geometry import Point
from kumi.geometry import Pose as Place
from kumi.station.callers import STATION
from kumi.station.client import Client
from kumi.station.entering.enter import Entrant, enter_simulated
from kumi.station.entering.session import StationSession
from kumi.station.floor.keeper import HELD_MARGIN, LOST_ROOM, FloorKeeper
from kumi.station.gateway import xmlrpc
from kumi.station.gateway.xmlrpc import Door
from kumi.station.operations.floor import Reserve
from kumi.station.operations.maps import SetMap
from kumi.station.operations.robots import MonitorRobot, Welcome
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, PoseRecord, RobotRecord
from kumi.station.refusals import Refused
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from kumi.world import Map, Wall, map_to_table
from tests.station.conftest import Little
from tests.station.processes import running
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
RADIUS = 0.15
STRANGER, MEMBER = "red robot", "blue robot"
GO_TO = [{"name": "goTo", "parameters": [{"name": "at", "kind": "spot"}]}]


def seen(tag: str, x: float, y: float = 0.0, state: Any = "connected") -> RobotRecord:
    """Return a robot as the station sees it."""
    return RobotRecord(
        tag=tag, team="red", kind="", radius=RADIUS, state=state, pose=PoseRecord(x=x, y=y), seen_at=0.0
    )


def line(*xs: float) -> list[list[Point]]:
    """Return a way along the x axis in pieces."""
    return [[Point(one, 0.0), Point(other, 0.0)] for one, other in pairwise(xs)]


class Clock:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_robot_that_does_not_reserve_is_held_where_it_was_seen() -> None:
    """A stranger stands at 2 m: the piece up to 1 m is granted, the one through it when it is gone."""
    keeper = FloorKeeper()
    here = [Point(0.0, 0.0)]
    keeper.see([seen("a", 0.0), seen("stranger", 2.0)], here, "a")

    assert keeper.reserve("a", 1, 0, line(0, 1, 3), Point(0.0, 0.0), RADIUS) == "granted"
    assert keeper.reserve("a", 1, 1, (), Point(1.0, 0.0), RADIUS) == "waiting"
    assert [(zone.path[0].x, zone.radius) for zone in keeper.others("a", Point(1.0, 0.0))] == [
        (2.0, RADIUS + HELD_MARGIN)
    ]
    keeper.see([seen("a", 1.0), seen("stranger", 2.0, 1.0)], here, "a")
    assert keeper.reserve("a", 1, 1, (), Point(1.0, 0.0), RADIUS) == "granted"


def test_ways_through_a_lost_robot_are_refused_also_by_a_keeper_that_never_heard_of_it() -> None:
    keeper = FloorKeeper()
    keeper.see([seen("a", 0.0), seen("lost", 2.0, state="lost")], [Point(0.0, 0.0)], "a")

    assert keeper.reserve("a", 1, 0, line(0, 3), Point(0.0, 0.0), RADIUS) == "refused"
    assert keeper.others("a", Point(0.0, 0.0))[0].radius == RADIUS + LOST_ROOM
    keeper.see([seen("a", 0.0), seen("lost", 2.0, state="away")], [Point(0.0, 0.0)], "a")
    assert keeper.reserve("a", 2, 0, line(0, 3), Point(0.0, 0.0), RADIUS) == "granted"


def test_the_room_around_a_stranger_takes_nothing_from_those_who_hold_it() -> None:
    """A robot that stands 0.4 m from a stranger can drive away from it, and the stranger gets the room that is left."""
    keeper = FloorKeeper()
    keeper.hold("a", Point(0.4, 0.0), RADIUS)
    keeper.see([seen("a", 0.4), seen("stranger", 0.0)], [Point(0.0, 0.0)], "a")

    assert keeper.others("a", Point(0.4, 0.0))[0].radius == pytest.approx(0.25, abs=1e-5)
    assert keeper.reserve("a", 1, 0, line(0.4, 3), Point(0.4, 0.0), RADIUS) == "granted"
    keeper.release("a", 1, 0)
    keeper.see([seen("a", 3.0), seen("stranger", 0.0)], [Point(0.0, 0.0)], "a")
    assert keeper.others("a", Point(3.0, 0.0))[0].radius == RADIUS + HELD_MARGIN


def test_what_a_robot_holds_that_is_not_there_any_more_becomes_free() -> None:
    """A word of a robot that came after it had left holds floor for two seconds, not for ever."""
    clock = Clock()
    keeper = FloorKeeper(clock)
    keeper.hold("ghost", Point(1.0, 0.0), RADIUS)
    answers = []
    for clock.now in (0.0, 1.9, 2.1):
        keeper.see([seen("a", 0.0)], [Point(0.0, 0.0)], "a")
        answers.append(keeper.reserve("a", 1, 0, line(0, 3), Point(0.0, 0.0), RADIUS))
    assert answers == ["waiting", "waiting", "granted"]


def test_a_stranger_that_has_gone_away_is_held_only_where_it_was_seen_last() -> None:
    """It stood at 5 m, on the way of a robot, and is 50 m away by now: the way is free, its new place is taken, the old one not."""
    clock = Clock()
    keeper = FloorKeeper(clock)
    way = line(0, 8)
    keeper.see([seen("a", 0.0), seen("stranger", 5.0)], way[0], "a")
    assert keeper.reserve("a", 1, 0, way, Point(0.0, 0.0), RADIUS) == "waiting"
    clock.now = 0.3
    keeper.see([seen("a", 0.0), seen("stranger", 50.0)], way[0], "a")
    assert keeper.reserve("a", 1, 0, way, Point(0.0, 0.0), RADIUS) == "granted"
    assert keeper.others("a", Point(5.0, 0.0)) == []
    assert [zone.path[0].x for zone in keeper.others("a", Point(50.0, 0.0))] == [50.0]


def test_a_stranger_near_which_nobody_asks_is_let_go_when_it_moves() -> None:
    clock = Clock()
    keeper = FloorKeeper(clock)
    keeper.see([seen("a", 0.0), seen("stranger", 5.0)], [Point(0.0, 0.0)], "a")
    for clock.now, x in ((1.0, 50.0), (4.0, 60.0)):
        keeper.see([seen("a", 0.0), seen("stranger", x)], [Point(0.0, 0.0)], "a")
    assert keeper.others("a", Point(60.0, 0.0)) == []
    keeper.see([seen("a", 0.0), seen("stranger", 60.0)], [Point(58.0, 0.0)], "a")
    assert [zone.path[0].x for zone in keeper.others("a", Point(60.0, 0.0))] == [60.0]


def test_who_waits_for_a_stranger_is_not_granted_where_it_goes_by_a_question_from_afar() -> None:
    """Two strangers, seen by a robot that waits, move on and change places: one who asks 100 m away grants it nothing by that."""
    clock = Clock()
    keeper = FloorKeeper(clock)
    robots = [seen("a", 0.0), seen("far", 100.0)]
    keeper.see([*robots, seen("x", 2.0), seen("y", 3.0)], [Point(0.0, 0.0)], "a")
    assert keeper.reserve("a", 1, 0, line(0, 5), Point(0.0, 0.0), RADIUS) == "waiting"
    for clock.now, x, y in ((0.2, 2.2, 3.2), (0.4, 3.2, 2.2), (0.6, 1.5, 4.0)):
        keeper.see([*robots, seen("x", x), seen("y", y)], [Point(100.0, 0.0)], "far")
        assert keeper.reserve("a", 1, 0, (), Point(0.0, 0.0), RADIUS) == "waiting"
    keeper.see([*robots, seen("x", 2.2, 3.0), seen("y", 3.2, 3.0)], [Point(100.0, 0.0)], "far")
    assert keeper.reserve("a", 1, 0, (), Point(0.0, 0.0), RADIUS) == "granted"


def called(little: Little, door: Door, *calls: tuple[Any, ...], robot: str = STRANGER) -> list[Any]:
    """Make calls through the door as a robot; return the answers."""

    async def run() -> list[Any]:
        return [await door.call(one[0], one[1:], little.caller(robot)) for one in calls]

    return asyncio.run(run())


def give(little: Little, x: float, y: float = 0.0) -> int:
    """Send the stranger somewhere."""
    at = {"at": {"x": x, "y": y}}
    return little.call(GiveTask(robot=STRANGER, task="goTo", arguments=at), STATION).task


def stand(little: Little, x: float, y: float = 0.0) -> None:
    """Let the robot that reserves tell where it stands."""
    little.call(Welcome(pose=PoseRecord(x=x, y=y)), MEMBER)
    little.call(Reserve(way=0, at=PlaceRecord(x=x, y=y), radius=RADIUS), MEMBER)


def go_on(little: Little, number: int, *xs: float) -> str:
    """Let the robot that reserves ask for a way along a line; return the answer."""
    path = tuple(PlaceRecord(x=x, y=0.0) for x in xs)
    return little.call(Reserve(way=number, at=path[0], radius=RADIUS, pieces=(path,)), MEMBER).state


def at(x: float, y: float = 0.0) -> tuple[Any, ...]:
    """Return the call by which the stranger tells where it is."""
    return ("reportPosition", STRANGER, [x, y], 0.0)


ASK = ("requestNewTask", STRANGER)


def test_a_stranger_gets_its_task_when_its_whole_way_is_free(little: Little) -> None:
    door = Door(little.service)
    stand(little, 2.0)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 4.0)

    assert called(little, door, ASK, at(0.0), ASK)[::2] == [False, False]
    assert little.call(MonitorRobot(robot=STRANGER), STATION).values == {"floor": "waits"}
    stand(little, 2.0, 1.0)
    assert called(little, door, ASK) == [[task, "goTo", [4.0, 0.0]]]


def test_floor_behind_a_stranger_becomes_free_and_floor_before_it_does_not(little: Little) -> None:
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    give(little, 4.0)
    assert called(little, door, ASK)[0]
    stand(little, 0.0, 3.0)

    def crosses(number: int, x: float) -> str:
        path = (PlaceRecord(x=0.0, y=3.0), PlaceRecord(x=x, y=3.0), PlaceRecord(x=x, y=-3.0))
        return little.call(Reserve(way=number, at=path[0], radius=RADIUS, pieces=(path,)), MEMBER).state

    assert crosses(1, 1.0) == "waiting"
    called(little, door, at(1.8), ASK)
    assert crosses(1, 1.0) == "granted"
    stand(little, 0.0, 3.0)
    assert crosses(1, 3.0) == "waiting"
    called(little, door, at(4.0), ("taskDone", STRANGER, 1, "there"))
    assert crosses(1, 3.0) == "granted"


def test_a_task_whose_way_stays_taken_fails_in_words(little: Little) -> None:
    clock = Clock()
    door = Door(little.service, clock)
    stand(little, 2.0)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 4.0)
    for clock.now in (0.0, xmlrpc.GRANT_TIMEOUT - 1.0, xmlrpc.GRANT_TIMEOUT + 1.0):
        assert called(little, door, ASK) == [False]
    done = little.call(MonitorRobot(robot=STRANGER), STATION).done
    assert [(one.id, one.state, one.outcome) for one in done] == [
        (task, "failed", "no path: another robot is in the way")
    ]


def test_a_stranger_off_its_way_is_held_where_it_is_and_waits_where_it_is_not_free(little: Little) -> None:
    """It goes around something that the door does not know of, and meets a robot there."""
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 4.0)
    assert called(little, door, ASK, at(1.0, 0.2), ASK)[2] == [task, "goTo", [4.0, 0.0]]
    stand(little, 2.5, 0.75)
    assert called(little, door, at(1.0, 1.5), ASK)[1] is False, (
        "the straight from there leads through the other"
    )
    assert go_on(little, 1, 2.5, 5.0) == "refused", "begins where the robot is not"
    path = (PlaceRecord(x=2.5, y=0.75), PlaceRecord(x=1.0, y=0.75), PlaceRecord(x=1.0, y=3.0))
    asked = Reserve(way=2, at=path[0], radius=RADIUS, pieces=(path,))
    assert little.call(asked, MEMBER).state != "granted", "through the place of the stranger"
    stand(little, 2.5, 3.0)
    assert called(little, door, ASK) == [[task, "goTo", [4.0, 0.0]]]


def _taken_over(little: Little) -> None:
    """Another process keeps the floor, and knows nothing yet."""
    little.service.floor.restart(0.0)


def test_a_new_keeper_of_the_floor_hears_of_a_strangers_way(little: Little) -> None:
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 4.0)
    assert called(little, door, ASK)[0]
    _taken_over(little)
    assert called(little, door, at(1.0), ASK)[1] == [task, "goTo", [4.0, 0.0]]
    stand(little, 3.0, 1.0)
    path = (PlaceRecord(x=3.0, y=1.0), PlaceRecord(x=3.0, y=-1.0))
    cross = Reserve(way=1, at=path[0], radius=RADIUS, pieces=(path,))
    assert little.call(cross, MEMBER).state == "waiting"
    called(little, door, at(4.0), ("taskDone", STRANGER, task, "there"))
    assert little.call(cross, MEMBER).state == "granted"


def test_a_stranger_whose_way_went_to_another_meanwhile_is_made_to_wait(little: Little) -> None:
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 4.0)
    assert called(little, door, ASK)[0]
    _taken_over(little)
    stand(little, 3.0)
    assert called(little, door, at(1.0), ASK)[1] is False
    stand(little, 3.0, 2.0)
    assert called(little, door, at(1.0), ASK)[1] == [task, "goTo", [4.0, 0.0]]


def test_a_stranger_that_is_stopped_keeps_its_place_alone(little: Little) -> None:
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    give(little, 4.0)
    assert called(little, door, ASK)[0]
    stand(little, 3.0, 1.0)
    little.call(Stop(robot=STRANGER), STATION)
    assert called(little, door, at(1.0), ASK)[1] is False
    stand(little, 3.0)
    assert go_on(little, 1, 3.0, 2.0) == "granted"
    assert go_on(little, 2, 2.0, 0.0) != "granted"


def test_a_way_that_is_very_long_is_reserved_in_parts(little: Little) -> None:
    """A hundred kilometres: the first 80 m are reserved, and more when half of them lies behind."""
    door = Door(little.service)
    called(little, door, ("welcome", ""), ("taskOptions", STRANGER, GO_TO), at(0.0))
    task = give(little, 100_000.0)
    assert called(little, door, ASK) == [[task, "goTo", [100_000.0, 0.0]]]
    stand(little, 90.0)
    assert go_on(little, 1, 90.0, 85.0) == "granted"
    steps = [(at(float(x)), ASK) for x in range(0, 60, 6)]
    answers = called(little, door, *(call for step in steps for call in step))[1::2]
    assert answers[:5] == [[task, "goTo", [100_000.0, 0.0]]] * 5
    assert answers[-1] is False, "a robot stands on the part that comes next"


def test_a_path_that_crosses_itself_is_held_where_it_was_not_driven_yet() -> None:
    """An eight: where it crosses itself, a robot that comes by for the first time frees nothing that it needs again."""
    path = [Point(*one) for one in ((0, 0), (4, 4), (4, 0), (0, 4))]
    way = xmlrpc._Way(0.25, path[0], places=path[1:])
    way.plan()
    whole = len(way.path)
    for place in (Point(1, 1), Point(2, 2), Point(3, 3)):
        assert way.go_on(place)
        assert way.path[0] == place
    assert way.path[-1] == path[-1]
    assert whole > len(way.path) > whole // 2
    assert not way.go_on(Point(-3, 0))


def test_each_operation_is_called_by_its_own_name_too(little: Little) -> None:
    """A robot reserves its way itself; what there is not is False; what makes no sense is refused in words."""
    door = Door(little.service)
    stand(little, 5.0)
    at_origin = {"x": 0.0, "y": 0.0}
    way = {"way": 1, "at": at_origin, "radius": RADIUS, "pieces": [[at_origin, {"x": 1.0, "y": 0.0}]]}

    _, reserved, map_ = called(little, door, ("welcome", ""), ("reserve", way), ("get_map", {}))

    assert reserved["state"] == "granted"
    assert [(one["x"], one["y"]) for one in reserved["others"]] == [(5.0, 0.0)]
    assert (map_["map"], {one["tag"] for one in map_["robots"]}) == (False, {STRANGER, MEMBER})
    assert client.loads(client.dumps((map_,), methodresponse=True))[0] == (map_,)
    with pytest.raises(Refused, match="'way' must be a whole number, not a text"):
        called(little, door, ("reserve", way | {"way": "first"}))
    with pytest.raises(Refused, match="for users, not for robots"):
        called(little, door, ("list_robots",))


ROOMS = Map(6.0, 4.0, obstacles=[Wall((3, 0), (3, 1.8)), Wall((3, 2.2), (3, 4))])
"""Two rooms, and a passage of 0.4 m between them: one robot fits, two do not."""
STRANGERS_PROGRAM = """
import math, sys, time, xmlrpc.client
url, log = sys.argv[1:]
tag, here = url.partition("://")[2].partition(":")[0].replace("%20", " "), [1.0, 2.0]
out = open(log, "w", buffering=1)
with xmlrpc.client.ServerProxy(url) as station:
    station.welcome("", 0.15)
    station.taskOptions(tag, [{"name": "goTo", "parameters": [{"name": "at", "kind": "spot"}]}])
    while True:
        print(time.monotonic(), *here, file=out)
        station.reportPosition(tag, here, 0.0)
        task = station.requestNewTask(tag)
        if not task:
            continue
        goal = task[2]
        way = math.dist(here, goal)
        share = min(1.0, 0.1 / way) if way else 1.0
        here = [start + share * (end - start) for start, end in zip(here, goal)]
        if here == goal:
            station.reportPosition(tag, here, 0.0)
            station.taskDone(tag, task[0], "there", True)
"""
"""A robot that has nothing but the calls of the XML-RPC door: a step of 10 cm at each turn, straight to where it is sent."""


@pytest.mark.slow
def test_a_robot_that_reserves_and_one_that_does_not_change_rooms_through_a_narrow_passage(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three processes: the station, a robot behind the XML-RPC door, and a simulated robot; both arrive, and never come near."""
    shutil.copy(template[0], tmp_path / "station.db")
    door = free_port()
    member: list[tuple[float, Point]] = []
    tell = StationSession.tell_position

    def logged(self: StationSession, pose: PoseRecord, values: dict[str, Any]) -> None:
        member.append((time.monotonic(), Point(pose.x, pose.y)))
        tell(self, pose, values)

    monkeypatch.setattr(StationSession, "tell_position", logged)

    async def be_there() -> None:
        carrier = await ZenohCarrier.connected(f"tcp/127.0.0.1:{door}")
        entrant = Entrant(MEMBER, template[2][MEMBER], Place(Point(5.0, 2.0)), speed=2.0)
        await enter_simulated(carrier, [entrant], ROOMS, period=0.02, ready=lambda _: is_in.set())

    is_in = threading.Event()
    with (
        running(tmp_path, free_port(), robots=door) as station,
        Client(station.url, template[1]["chief"]) as chief,
    ):
        chief.call(SetMap(map=map_to_table(ROOMS)))
        who = f"{STRANGER.replace(' ', '%20')}:{template[2][STRANGER]}"
        url, log = f"{station.url.replace('://', f'://{who}@')}/RPC2", tmp_path / "log"
        command = [sys.executable, "-c", STRANGERS_PROGRAM, url, str(log)]
        loop = asyncio.new_event_loop()
        task = loop.create_task(be_there())
        thread = threading.Thread(target=lambda: _run(loop, task))
        thread.start()
        with subprocess.Popen(command, cwd=tmp_path) as stranger:
            try:
                assert is_in.wait(PATIENCE)
                ends = _sent(chief, {STRANGER: 5.0, MEMBER: 1.0})
            finally:
                stranger.terminate()
                loop.call_soon_threadsafe(task.cancel)
                thread.join()
    assert ends == {STRANGER: "done", MEMBER: "done"}
    words = [[float(word) for word in one.split()] for one in log.read_text().splitlines()]
    assert _gap(member, [(one[0], Point(one[1], one[2])) for one in words]) > 2 * RADIUS


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    with suppress(asyncio.CancelledError):
        loop.run_until_complete(task)


def _sent(chief: Client, goals: dict[str, float]) -> dict[str, str]:
    """Send robots somewhere on the line y = 2; return in which states their tasks ended."""
    wait_for(lambda: all(chief.call(MonitorRobot(robot=tag)).options for tag in goals))
    for tag, x in goals.items():
        chief.call(GiveTask(robot=tag, task="goTo", arguments={"at": {"x": x, "y": 2.0}}))
    wait_for(lambda: all(chief.call(MonitorRobot(robot=tag)).done for tag in goals))
    ended = [chief.call(MonitorRobot(robot=tag)).done for tag in goals]
    return {done[0].robot: done[0].state for done in ended}


def _gap(ours: list[tuple[float, Point]], theirs: list[tuple[float, Point]]) -> float:
    """Return the least distance between two robots, by where each was told to be last."""
    begun = max(ours[0][0], theirs[0][0])
    told = sorted([(*one, 0) for one in ours] + [(*one, 1) for one in theirs], key=lambda one: one[0])
    last: list[Point | None] = [None, None]
    least = float("inf")
    for when, place, who in told:
        last[who] = place
        if when >= begun and last[0] is not None and last[1] is not None:
            least = min(least, last[0].distance_to(last[1]))
    return least
