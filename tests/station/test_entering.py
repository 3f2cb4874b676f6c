"""Simulated robots in a station, in real time: they go where they are sent, stop at once, run code, and come back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import hypot, pi
from typing import Any

import pytest

from kumi.geometry import Point, Pose
from kumi.station.callers import STATION
from kumi.station.entering.enter import Entrant, enter_simulated
from kumi.station.entering.session import NotLetIn
from kumi.station.operations.finds import ListObjects
from kumi.station.operations.maps import SetMap
from kumi.station.operations.output import TaskOutput
from kumi.station.operations.robots import MonitorRobot, RemoveRobot
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import CancelTask, GiveTask, SendCode
from kumi.station.records import ENDED, RobotStatus, Task
from kumi.station.records import PoseRecord as Told
from kumi.station.service.robot_sessions import Sessions
from kumi.station.wire import messages as talk
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.in_process_carrier import CarrierHub, InsideCarrier
from kumi.world import Map, Wall, map_to_table
from tests.station.conftest import Little
from tests.station.stillness import Stillness
from tests.waiting import PATIENCE, until

TAG = "red robot"
HALL = Map(width=10.0, height=8.0, obstacles=[Wall((4, 0), (4, 5), 0.2)])


class Play:
    """A station and a robot in it, for one test."""

    def __init__(self, little: Little, hub: CarrierHub) -> None:
        self.little = little
        self.hub = hub
        self.entered: Sessions | None = None
        self._pulse: asyncio.Task[None] | None = None
        self._carrier: InsideCarrier | None = None

    def open(self) -> None:
        """Let robots in."""
        self._carrier = InsideCarrier(self.hub)
        self.entered = self.little.let_robots_in(self._carrier)
        self._pulse = asyncio.ensure_future(self.entered.run())

    async def shut(self) -> None:
        """Be gone, without a word."""
        assert self._pulse is not None
        assert self._carrier is not None
        self._pulse.cancel()
        await self._carrier.close()

    async def ask(self, request: Any) -> Any:
        """Call as the red commander."""
        return await self.little.service.call(request, self.little.caller("red commander"))

    async def monitor(self) -> RobotStatus:
        """Return all that is known of the robot."""
        found: RobotStatus = await self.ask(MonitorRobot(robot=TAG))
        return found

    async def go(self, x: float, y: float, **more: Any) -> int:
        """Send the robot somewhere."""
        arguments = {"at": {"x": x, "y": y}}
        given = await self.ask(GiveTask(robot=TAG, task="goTo", arguments=arguments, **more))
        return int(given.task)

    async def end_of(self, number: int) -> Task:
        """Wait until a task has ended."""
        ended: list[Task] = []

        async def look() -> bool:
            ended[:] = [one for one in (await self.monitor()).done if one.id == number]
            return bool(ended)

        await until(look)
        assert ended[0].state in ENDED
        return ended[0]

    async def standing(self) -> Told:
        """Wait until the robot stands still; return where."""
        still = Stillness()

        async def stands() -> bool:
            return still.is_seen((await self.monitor()).robot)

        await until(stands)
        return still.place


def played(
    little: Little,
    story: Callable[[Play], Awaitable[None]],
    speed: float = 8.0,
    enter: Callable[[Carrier], Awaitable[None]] | None = None,
) -> None:
    """Tell a story of one robot in the hall: a simulated one that starts at (1, 1), or one that enters as told."""

    async def run() -> None:
        await little.service.call(SetMap(map=map_to_table(HALL)), STATION)
        play = Play(little, CarrierHub())
        play.open()
        entrant = Entrant(TAG, little.keys[TAG], Pose(Point(1.0, 1.0), 0.0), speed=speed)
        carrier = InsideCarrier(play.hub)
        robots = asyncio.ensure_future(
            enter_simulated(carrier, [entrant], HALL, period=0.05) if enter is None else enter(carrier)
        )
        try:

            async def is_in() -> bool:
                return robots.done() or "followPath" in [one.name for one in (await play.monitor()).options]

            await until(is_in)
            await story(play)
        finally:
            if not robots.cancel():
                robots.result()
            await asyncio.gather(robots, return_exceptions=True)
            await play.shut()

    asyncio.run(run())


@pytest.mark.slow
def test_it_goes_around_the_wall_and_says_where_it_is(little: Little) -> None:
    async def story(play: Play) -> None:
        ended = await play.end_of(await play.go(7.0, 1.0))
        assert (ended.state, ended.outcome) == ("done", "at (7.00, 1.00)")

        async def is_there() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and abs(pose.x - 7.0) < 1e-9 and abs(pose.y - 1.0) < 1e-9

        await until(is_there)

    played(little, story)


def test_what_cannot_be_done_is_said_in_words(little: Little) -> None:
    async def story(play: Play) -> None:
        inside_wall = await play.end_of(await play.go(4.0, 1.0))
        outside = await play.end_of(await play.go(70.0, 1.0))
        assert inside_wall.outcome.startswith("unwalkable: the goal (4, 1) is blocked")
        assert outside.outcome.startswith("unwalkable: the goal (70, 1) is outside")

    played(little, story)


@pytest.mark.slow
def test_a_stop_halts_it_on_its_way_and_ends_what_waits(little: Little) -> None:
    async def story(play: Play) -> None:
        tasks = [await play.go(9.0, 7.0), await play.go(1.0, 1.0)]

        async def is_under_way() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and pose.y > 1.5

        await until(is_under_way)
        await play.ask(Stop(robot=TAG))
        assert [(await play.end_of(one)).state for one in tasks] == ["stopped", "stopped"]
        place = await play.standing()
        assert hypot(place.x - 9.0, place.y - 7.0) > 1.0
        assert (await play.end_of(await play.go(1.0, 1.0))).state == "done"

    played(little, story, speed=1.0)


@pytest.mark.slow
def test_an_interruption_ends_the_present_straight_first(little: Little) -> None:
    """The second task begins at the end of a leg of the first, not somewhere on it."""

    async def story(play: Play) -> None:
        path = {"path": [{"x": 3.0, "y": 1.0}, {"x": 3.0, "y": 7.0}, {"x": 1.0, "y": 7.0}]}
        first = (await play.ask(GiveTask(robot=TAG, task="followPath", arguments=path))).task

        async def is_under_way() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and 1.1 < pose.x < 2.9

        await until(is_under_way)
        second = await play.go(1.0, 1.0, when="now")
        assert (await play.end_of(first)).state == "interrupted"
        visited = []

        async def came_back() -> bool:
            monitor = await play.monitor()
            assert monitor.robot.pose is not None
            visited.append((monitor.robot.pose.x, monitor.robot.pose.y))
            return any(one.id == second for one in monitor.done)

        await until(came_back)
        assert max(x for x, _ in visited) == pytest.approx(3.0)
        assert max(y for _, y in visited) < 2.0

    played(little, story, speed=1.0)


@pytest.mark.slow
def test_a_cancelled_task_is_left_at_the_next_leg(little: Little) -> None:
    async def story(play: Play) -> None:
        path = {"path": [{"x": 3.0, "y": 1.0}, {"x": 1.0, "y": 1.0}] * 50}
        number = (await play.ask(GiveTask(robot=TAG, task="followPath", arguments=path))).task

        async def is_begun() -> bool:
            task = (await play.monitor()).task
            return task is not None and task.id == number

        await until(is_begun)
        await play.ask(CancelTask(task=number))
        assert (await play.end_of(await play.go(2.0, 6.0))).state == "done"

    played(little, story)


SQUARE = """
from math import pi
async def square(robot, side: float) -> str:
    "Drive a square."
    for _ in range(4):
        await robot.forward(side)
        await robot.turn(pi / 2)
    return "back where it began"
TASKS = {"square": square}
"""


@pytest.mark.slow
def test_a_module_adds_a_task_that_the_robot_then_does(little: Little) -> None:
    async def story(play: Play) -> None:
        given = await play.ask(SendCode(robot=TAG, name="shapes", code=SQUARE, purpose="module"))
        assert (await play.end_of(given.task)).outcome == "this robot can square now"

        async def is_announced() -> bool:
            return "square" in [one.name for one in (await play.monitor()).options]

        await until(is_announced)
        number = (await play.ask(GiveTask(robot=TAG, task="square", arguments={"side": 1.0}))).task
        ended = await play.end_of(number)
        assert (ended.state, ended.outcome) == ("done", "back where it began")

    played(little, story)


@pytest.mark.slow
def test_a_robot_that_is_started_anew_has_its_modules_and_does_what_waits(little: Little) -> None:
    """The robot's process ends with a task of a module in its queue, and another one begins."""
    given: list[int] = []

    async def first(play: Play) -> None:
        module = SendCode(robot=TAG, name="shapes", code=SQUARE, purpose="module")
        await play.end_of((await play.ask(module)).task)

        async def is_announced() -> bool:
            return "square" in [one.name for one in (await play.monitor()).options]

        await until(is_announced)
        await play.go(1.0, 6.0)
        given.append((await play.ask(GiveTask(robot=TAG, task="square", arguments={"side": 0.5}))).task)

    async def second(play: Play) -> None:
        assert (await play.end_of(given[0])).outcome == "back where it began"

    played(little, first, speed=0.5)
    played(little, second)


@pytest.mark.slow
def test_code_uses_a_module_that_was_sent_before_and_adds_a_task_of_its_own(little: Little) -> None:
    module = (
        "async def there_and_back(robot, way):\n    await robot.forward(way)\n    await robot.forward(-way)\n"
    )
    code = (
        "import moves\n"
        "async def twice(robot, way: float):\n    await moves.there_and_back(robot, way)\n"
        "    await moves.there_and_back(robot, way)\n    return 'twice'\n"
        "TASKS = {'twice': twice}\n"
        "async def main(robot):\n    await moves.there_and_back(robot, 0.5)\n    print(robot.position.x)"
    )

    async def story(play: Play) -> None:
        sent = await play.ask(SendCode(robot=TAG, name="moves", code=module, purpose="module"))
        assert (await play.end_of(sent.task)).outcome == "code can import moves now"
        ran = await play.end_of((await play.ask(SendCode(robot=TAG, name="more", code=code))).task)
        assert "it printed: 1.0" in ran.outcome
        assert ran.outcome.endswith("this robot can twice now")

        async def is_announced() -> bool:
            return "twice" in [one.name for one in (await play.monitor()).options]

        await until(is_announced)
        number = (await play.ask(GiveTask(robot=TAG, task="twice", arguments={"way": 0.5}))).task
        assert (await play.end_of(number)).outcome == "twice"

    played(little, story)


@pytest.mark.slow
def test_code_acts_on_its_own_robot_and_is_told_what_it_meets(little: Little) -> None:
    code = (
        "from kumi import Blocked\nasync def main(robot):\n    await robot.turn(3.0)\n"
        "    try:\n        await robot.forward(5)\n    except Blocked as error:\n        print(error)\n"
        "    robot.show('state', 'back')\n    robot.show_mark((0.5, 1.0), 'a wall')\n"
        "    for place in robot.plan.route((1.5, 1.5)):\n        await robot.move_to(place)\n"
        "    print(robot.position.distance_to((1.5, 1.5)) < 0.01)"
    )

    async def story(play: Play) -> None:
        given = await play.ask(SendCode(robot=TAG, name="explore", code=code))
        ended = await play.end_of(given.task)
        assert ended.state == "done"
        assert "blocked by" in ended.outcome
        assert ended.outcome.endswith("True")

        async def is_shown() -> bool:
            return (await play.monitor()).values.get("state") == "back"

        await until(is_shown)

        async def is_marked() -> bool:
            return bool((await play.ask(ListObjects())).objects)

        await until(is_marked)

    played(little, story)


@pytest.mark.slow
def test_what_code_prints_is_told_while_it_runs_and_whole_when_it_has_ended(little: Little) -> None:
    """It waits for the robot's own motion after its first line, so that line is told before its end."""
    code = (
        "async def main(robot):\n    print('begun')\n    await robot.turn(3.0)\n    for number in range(5000):\n"
        "        print(number)\n    await robot.turn(3.0)\n    1 / 0"
    )

    async def story(play: Play) -> None:
        given = await play.ask(SendCode(robot=TAG, name="count", code=code))
        first = await play.ask(TaskOutput(task=given.task, wait=30.0))
        assert (first.text.rstrip(), first.task.state) == ("begun", "sent")
        text, last, state = first.text, first.last, first.task.state
        while state == "sent":
            more = await play.ask(TaskOutput(task=given.task, after=last, wait=30.0))
            text, last, state = text + more.text, more.last, more.task.state
        assert text == "begun\n" + "".join(f"{one}\n" for one in range(5000))
        ended = await play.end_of(given.task)
        assert ended.state == "failed"
        assert "line 7" in ended.outcome

    played(little, story, speed=1.0)


@pytest.mark.slow
def test_a_stop_ends_code_that_never_ends(little: Little) -> None:
    async def story(play: Play) -> None:
        code = "async def main(robot):\n    while True: await robot.turn(0.1)"
        given = await play.ask(SendCode(robot=TAG, name="spin", code=code))

        async def spins() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and pose.heading != 0.0

        await until(spins)
        await play.ask(Stop(robot=TAG))
        assert (await play.end_of(given.task)).state == "stopped"
        assert (await play.end_of(await play.go(2.0, 1.0))).state == "done"

    played(little, story)


@pytest.mark.slow
def test_a_robot_that_lost_its_station_stops_and_goes_on_when_it_is_back(little: Little) -> None:
    async def story(play: Play) -> None:
        number = await play.go(1.0, 7.5)

        async def is_under_way() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and pose.y > 1.2

        await until(is_under_way)
        await play.shut()
        outside = InsideCarrier(play.hub)
        asked: list[str] = []

        async def say_nothing(key: str, _: bytes) -> bytes:
            asked.append(key)
            return b""

        outside.serve(talk.ENTER, say_nothing)
        await until(lambda: bool(asked))  # it knows that its station is gone
        await outside.close()
        play.open()
        ended = await play.end_of(number)
        assert ended.state == "done"

        async def is_there() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and abs(pose.heading - pi / 2) < 1e-6

        await until(is_there)

    played(little, story, speed=1.0)


@pytest.mark.slow
def test_a_stop_that_was_not_heard_counts_when_the_robot_comes_back(little: Little) -> None:
    """The station stops a robot while that enters anew: it stands still when it is in, not at the end of its straight."""

    async def story(play: Play) -> None:
        await play.go(7.0, 1.0)

        async def drives() -> bool:
            pose = (await play.monitor()).robot.pose
            return pose is not None and pose.x > 1.05

        await until(drives)
        assert play.entered is not None
        play.entered.move(1)
        play.entered._sessions.clear()  # it cannot be told
        await play.ask(Stop(robot=TAG))
        assert (await play.standing()).x < 2.5

    played(little, story, speed=0.3)


@pytest.mark.slow
def test_robots_of_different_processes_keep_out_of_each_others_way(little: Little) -> None:
    """Two robots, each in a world of its own, cross each other's way: the station lets them do it one after the other."""
    starts = {TAG: Point(1.0, 1.0), "blue robot": Point(1.0, 3.0)}
    goals = {TAG: (3.0, 3.0), "blue robot": (3.0, 1.0)}
    places = dict(starts)
    gaps: list[float] = []
    entered: list[str] = []

    async def run() -> None:
        play = Play(little, CarrierHub())
        play.open()
        assert play.entered is not None
        take = play.entered._take

        def taken(tag: str, position: Any) -> None:
            places[tag] = Point(position.pose.x, position.pose.y)
            gaps.append(places[TAG].distance_to(places["blue robot"]))
            take(tag, position)

        play.entered._take = taken  # type: ignore[method-assign]
        worlds = [
            asyncio.ensure_future(
                enter_simulated(
                    InsideCarrier(play.hub),
                    [Entrant(tag, little.keys[tag], Pose(start, 0.0), speed=1.0)],
                    Map(10.0, 10.0),
                    period=0.02,
                    ready=entered.append,
                )
            )
            for tag, start in starts.items()
        ]

        def are_there() -> bool:
            return all(places[tag].distance_to(goal) < 0.01 for tag, goal in goals.items())

        try:
            await until(lambda: len(entered) == 2)
            for tag, (x, y) in goals.items():
                give = GiveTask(robot=tag, task="goTo", arguments={"at": {"x": x, "y": y}})
                await little.service.call(give, STATION)
            await until(are_there)
        finally:
            for world in worlds:
                world.cancel()
            await asyncio.gather(*worlds, return_exceptions=True)
            await play.shut()

    asyncio.run(run())
    assert min(gaps) >= 0.3


def test_one_wrong_key_is_said_and_the_others_stay(little: Little) -> None:
    """The red robot is in, and goes where it is sent, while the blue one is refused."""

    async def run() -> None:
        play = Play(little, CarrierHub())
        play.open()
        entrants = [
            Entrant(TAG, little.keys[TAG], Pose(Point(1.0, 1.0), 0.0), speed=8.0),
            Entrant("blue robot", "wrong", Pose(Point(2.0, 2.0), 0.0)),
        ]
        refused: list[str] = []
        robots = asyncio.ensure_future(
            enter_simulated(InsideCarrier(play.hub), entrants, HALL, refused=refused.append)
        )
        await until(lambda: bool(refused))
        assert (await play.end_of(await play.go(1.0, 3.0))).state == "done"
        assert refused == ["robot 'blue robot' is not enrolled here, or its key is wrong"]
        robots.cancel()
        await asyncio.gather(robots, return_exceptions=True)
        await play.shut()

    asyncio.run(run())


def test_a_robot_that_is_removed_hears_it_and_the_others_leave(little: Little) -> None:
    async def run() -> None:
        play = Play(little, CarrierHub())
        play.open()
        entrants = [
            Entrant(tag, little.keys[tag], Pose(Point(1.0, 1.0 + y), 0.0))
            for y, tag in enumerate((TAG, "blue robot"))
        ]
        entered: list[str] = []
        robots = asyncio.ensure_future(
            enter_simulated(InsideCarrier(play.hub), entrants, HALL, ready=entered.append)
        )
        await until(lambda: len(entered) == 2)
        await little.service.call(RemoveRobot(robot="blue robot"), STATION)
        with pytest.raises(NotLetIn, match="robot 'blue robot' was removed from the station"):
            await asyncio.wait_for(robots, PATIENCE)
        assert (await play.monitor()).robot.state == "away"
        await play.shut()

    asyncio.run(run())
