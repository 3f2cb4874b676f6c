"""The laws of robot programs, as docs/style.md states them."""

from __future__ import annotations

import inspect
from math import inf, pi
from typing import Any

import numpy as np
import pytest

from kumi import Interrupted, Signal, after, sleep, together, unless, until
from kumi._core import Plane, PlaneBody
from kumi.contract import Blocked, Busy, Contact, Lost
from kumi.devs.errors import NeverAwaited
from kumi.geometry import Point
from kumi.mapping import OccupancyMap
from kumi.motion import Leg, Omni, Wheel
from kumi.robot import Robot
from kumi.stage import Outcome, Stage
from kumi.world import SimulatedBody, World
from tests.programs.log import Log
from tests.robot.stages import play, walled


@pytest.fixture
def log() -> Log:
    """All that happened, with times."""
    return Log()


# Only what waits is async.

WAITS = {"move_to", "forward", "back_up", "turn", "turn_to", "arc", "follow", "track"}
AT_ONCE = {
    "position",
    "heading",
    "home",
    "is_moving",
    "name",
    "number",
    "chance",
    "contacts",
    "partings",
    "stop",
    "steer",
    "show",
    "show_map",
    "show_path",
    "show_mark",
}


def test_only_what_waits_is_awaited() -> None:
    """A motion is awaited, and nothing else is."""
    waits, at_once = set(), set()
    drawn = OccupancyMap(np.zeros((1, 1), dtype=np.float32), 0, 0, 0.1)
    arguments: dict[str, tuple[Any, ...]] = {"move_to": ((1.0, 0.0),), "follow": ([],), "track": ([],)}
    arguments |= {"arc": (1.0, 0.1), "steer": (0.0,), "stop": ()}
    arguments |= {
        "show": ("n", 1.0),
        "show_path": ([],),
        "show_mark": ((0.0, 0.0), "n"),
        "show_map": (drawn,),
    }

    async def try_all(robot: Robot) -> None:
        for name in WAITS | AT_ONCE:
            value = getattr(robot, name)
            if callable(value):
                value = value(*arguments.get(name, (0.1,)))
            if inspect.isawaitable(value) and not isinstance(value, Signal):
                waits.add(name)
                await value
            else:
                at_once.add(name)

    play(try_all, drive=Omni())

    public = {name for name in dir(Robot) if name[0] != "_"} | {"home"}
    assert (waits, at_once) == (WAITS, AT_ONCE)
    assert public == WAITS | AT_ONCE | {"radio"}  # which takes a network to have


def test_no_time_passes_where_nothing_is_awaited(log: Log) -> None:
    async def ask(robot: Robot) -> None:
        with until(after(1.0)):
            await robot.forward(5.0)
        log(robot.position, robot.heading, robot.is_moving)
        robot.steer(1.0)
        log(robot.position, robot.is_moving)
        robot.stop()
        log(robot.position, robot.is_moving)

    play(ask)

    here = Point(1.0, 0.0)
    assert log == [(1.0, here, 0.0, False), (1.0, here, True), (1.0, here, False)]


# Leaving a motion stops the robot.


def test_arrival_stops_the_robot(log: Log) -> None:
    async def go(robot: Robot) -> None:
        log(await robot.move_to((3.0, 4.0), turn_speed=1.0), robot.is_moving)
        await sleep(10.0)
        log(robot.position)

    play(go, heading=0.0, drive=Omni())

    assert log == [(5.0, Point(3.0, 4.0), False), (15.0, Point(3.0, 4.0))]


def test_a_contact_stops_the_robot_where_it_touches(log: Log) -> None:
    async def go(robot: Robot) -> None:
        with pytest.raises(Blocked) as blocked:
            await robot.move_to((5.0, 0.0))
        log(robot.position, robot.is_moving, blocked.value.at, blocked.value.by, blocked.value.bearing)
        await sleep(1.0)
        log(robot.position)

    play(go, world=walled(2.0))

    assert log == [
        (1.9, Point(1.9, 0.0), False, Point(2.0, 0.0), "wall", 0.0),
        (2.9, Point(1.9, 0.0)),
    ]


def test_a_cut_stops_the_robot(log: Log) -> None:
    async def go(robot: Robot) -> None:
        with until(after(2.5)):
            await robot.forward(10.0)
        log(robot.position, robot.is_moving)
        with pytest.raises(Interrupted), unless(after(0.5)):
            await robot.forward(10.0)
        log(robot.position, robot.is_moving)

    play(go)

    assert log == [(2.5, Point(2.5, 0.0), False), (3.0, Point(3.0, 0.0), False)]


def test_a_failure_beside_the_motion_stops_the_robot(log: Log) -> None:
    async def go(robot: Robot) -> None:
        async def drive() -> None:
            await robot.forward(10.0)

        async def fail() -> None:
            await sleep(2.0)
            raise ValueError("beside")

        with pytest.raises(ValueError, match="beside"):  # noqa: PT012  # the block is what raises
            async with together() as tasks:
                tasks.start(drive)
                tasks.start(fail)
        log(robot.position, robot.is_moving)
        await sleep(1.0)
        log(robot.position)

    play(go)

    assert log == [(2.0, Point(2.0, 0.0), False), (3.0, Point(2.0, 0.0))]


def test_a_task_that_is_cut_leaves_its_robot_at_rest(log: Log) -> None:
    async def go(robot: Robot) -> None:
        async def drive() -> None:
            await robot.forward(10.0)

        async with together() as tasks:
            driving = tasks.start(drive)
            await sleep(1.0)
            driving.cut()
            await sleep(0.5)
            log(robot.position, robot.is_moving)

    play(go)

    assert log == [(1.5, Point(1.0, 0.0), False)]


def test_the_end_of_the_run_stops_the_robot() -> None:
    """A program that is cut because the run is closed leaves a robot at rest."""
    world = World()
    stage = Stage(world, on_error="robot")

    async def go(robot: Robot) -> None:
        await robot.forward(10.0)

    stage.add(go, at=(0.0, 0.0))
    stage.run(4.0)
    (body,) = world.bodies
    assert (body.position, body.is_moving) == (Point(4.0, 0.0), True)

    stage.close()

    assert (body.position, body.is_moving) == (Point(4.0, 0.0), False)


def test_a_cut_at_the_instant_of_the_arrival_leaves_the_robot_at_its_goal(log: Log) -> None:
    """Whichever of the two comes first, no way is lost."""

    async def go(robot: Robot) -> None:
        with until(after(2.0)):
            await robot.forward(2.0)
        log(robot.position, robot.is_moving)

    play(go)

    assert log == [(2.0, Point(2.0, 0.0), False)]


def test_a_motion_that_begins_in_a_cut_block_does_not_begin(log: Log) -> None:
    bell: Signal[None] = Signal("bell")

    async def go(robot: Robot) -> None:
        with until(bell):
            bell.fire(None)
            await robot.forward(1.0)
        log(robot.position, robot.is_moving)

    play(go)

    assert log == [(0.0, Point(0.0, 0.0), False)]


# One motion at a time.


def test_who_comes_second_gets_busy(log: Log) -> None:
    async def go(robot: Robot) -> None:
        async def late() -> None:
            await sleep(1.0)
            with pytest.raises(Busy) as busy:
                await robot.turn(1.0)
            log(str(busy.value))
            with pytest.raises(Busy):
                robot.steer(1.0)

        async with together() as tasks:
            tasks.start(late)
            log(await robot.forward(3.0))

    play(go)

    assert log == [
        (
            1.0,
            (
                "robot 0 is busy with Forward(distance=3.0, speed=None) and cannot carry out "
                "Turn(angle=1.0, speed=None): one motion at a time; await the first, or stop() it"
            ),
        ),
        (3.0, Point(3.0, 0.0)),
    ]


def test_busy_is_for_awaited_motions_and_steering_gives_way(log: Log) -> None:
    """Nobody waits for a robot that is steered, so the next command replaces it."""

    async def go(robot: Robot) -> None:
        robot.steer(1.0)
        await sleep(2.0)
        robot.steer(2.0)
        await sleep(1.0)
        log(await robot.turn(pi / 2, speed=pi / 2))

    play(go)

    assert log == [(4.0, Point(4.0, 0.0))]


def test_after_an_end_of_any_kind_the_robot_is_free(log: Log) -> None:
    async def go(robot: Robot) -> None:
        await robot.forward(1.0)
        with pytest.raises(Blocked):
            await robot.forward(10.0)
        with until(after(1.0)):
            await robot.back_up(10.0)
        with pytest.raises(ValueError, match="distance"):
            await robot.forward(float("nan"))
        log(await robot.back_up(1.0))

    play(go, world=walled(3.1))

    assert log == [(5.0, Point(1.0, 0.0))]


def test_stop_always_works(log: Log) -> None:
    """At rest, in a motion, while steered, from another task: the motion gives where it stopped."""

    async def go(robot: Robot) -> None:
        async def stop() -> None:
            await sleep(1.5)
            robot.stop()
            robot.stop()

        robot.stop()
        async with together() as tasks:
            tasks.start(stop)
            log(await robot.forward(10.0))
        robot.steer(1.0)
        await sleep(1.0)
        robot.stop()
        log(robot.position, robot.is_moving)

    play(go)

    assert log == [(1.5, Point(1.5, 0.0)), (2.5, Point(2.5, 0.0), False)]


# Cause before consequence.


def test_the_contact_comes_before_the_end_of_the_motion(log: Log) -> None:
    async def go(robot: Robot) -> None:
        async def listen() -> None:
            async for contact in robot.contacts.stream():
                log("contact", contact.at, contact.by, contact.bearing, contact.number)

        with until(after(5.0)):
            async with together() as tasks:
                tasks.start(listen)
                await sleep(0.0)
                try:
                    await robot.forward(5.0)
                except Blocked as blocked:
                    log("blocked", blocked.at, blocked.by, blocked.bearing, blocked.number)
                await sleep(100.0)

    play(go, world=walled(2.1))

    facts = (Point(2.1, 0.0), "wall", 0.0, None)
    assert log == [(2.0, "contact", *facts), (2.0, "blocked", *facts)]


def test_a_block_ended_by_its_own_contact_is_cut_not_blocked(log: Log) -> None:
    """The contact is the cause: `until(robot.contacts)` ends the block before Blocked can be raised."""

    async def go(robot: Robot) -> None:
        with until(robot.contacts) as cut:
            await robot.forward(5.0)
        assert isinstance(cut.event, Contact)
        log(cut.event.time, cut.event.at, robot.position, robot.is_moving)

    play(go, world=walled(2.1))

    assert log == [(2.0, 2.0, Point(2.1, 0.0), Point(2.0, 0.0), False)]


def test_both_bodies_hear_of_a_contact_in_the_order_of_their_numbers(log: Log) -> None:
    """One contact, two reports, at one instant; who rests is told, too."""

    async def go(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.forward(5.0)

    async def stay(robot: Robot) -> None:
        contact = await robot.contacts.next()
        log(robot.name, contact.by, contact.number, contact.bearing, contact.time)

    async def listen(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(stay, robot)
            tasks.start(go, robot)

    with Stage(World(), on_error="run") as stage:
        stage.add(listen, at=(0.0, 0.0), name="a")
        stage.add(stay, at=(1.2, 0.0), heading=pi / 2, name="b")
        assert stage.run().contacts == 1

    assert log == [(1.0, "a", "b", 1, 0.0, 1.0), (1.0, "b", "a", 0, pi / 2, 1.0)]


def test_blocked_says_what_was_so_at_the_contact(log: Log) -> None:
    """Whatever others do at that instant before the program wakes."""
    world = World()

    async def go(robot: Robot) -> None:
        with pytest.raises(Blocked) as blocked:
            await robot.forward(5.0)
        log(blocked.value.by, blocked.value.bearing, blocked.value.number)

    async def meddle(robot: Robot) -> None:
        await robot.contacts.next()
        one, other = world.bodies
        one.teleport((50.0, 50.0), heading=1.0)
        other.remove()

    with Stage(world, on_error="run") as stage:
        stage.add(go, at=(0.0, 0.0), name="a")
        stage.add(meddle, at=(1.2, 0.0), name="b")
        stage.run()

    assert log == [(1.0, "b", 0.0, 1)]


# A motion never awaited, or awaited too often.


def test_a_motion_never_awaited_is_an_error_that_names_its_line() -> None:
    async def forget(robot: Robot) -> None:
        robot.forward(1.0)  # type: ignore[unused-awaitable]
        await sleep(1.0)

    with pytest.raises(
        NeverAwaited, match=r"a motion was made but never awaited; it was dropped at .*test_laws\.py"
    ):
        play(forget)


def test_a_motion_never_awaited_does_not_move_the_robot() -> None:
    where: list[Point] = []

    async def keep(robot: Robot) -> None:
        motion = robot.forward(1.0)
        await sleep(2.0)
        where.append(robot.position)
        await motion
        where.append(robot.position)

    assert play(keep).simulated_seconds == 3.0
    assert where == [Point(0.0, 0.0), Point(1.0, 0.0)]


def test_a_motion_is_awaited_once(log: Log) -> None:
    async def go(robot: Robot) -> None:
        motion = robot.forward(1.0)
        await motion
        with pytest.raises(RuntimeError, match="only once"):
            await motion
        log(robot.position)

    play(go)

    assert log == [(1.0, Point(1.0, 0.0))]


def test_awaiting_a_motion_twice_at_once_leaves_the_first_its_end(log: Log) -> None:
    """The second is refused; the first gets its arrival all the same."""

    async def go(robot: Robot) -> None:
        motion = robot.forward(2.0)

        async def drive() -> None:
            try:
                log(await motion)
            except RuntimeError as error:
                log(str(error))

        async with together() as tasks:
            tasks.start(drive)
            tasks.start(drive)
        log("both ended")

    play(go)

    assert log == [
        (0.0, "Forward(distance=2.0, speed=None) can be awaited only once, by one task"),
        (2.0, Point(2.0, 0.0)),
        (2.0, "both ended"),
    ]


# A program sees a robot, never a world.


def reachable(thing: object, depth: int = 4) -> set[type]:
    """Return the types of all that public attributes lead to."""
    found = {type(thing)}
    if depth == 0 or isinstance(thing, type | str | int | float | Point):
        return found
    for name in dir(thing):
        if not name.startswith("_"):
            try:
                found |= reachable(getattr(thing, name), depth - 1)
            except Exception:  # noqa: BLE001, S112  # what cannot be had leads nowhere
                continue
    return found


def test_nothing_a_robot_offers_leads_to_the_world() -> None:
    found: set[type] = set()

    async def look(robot: Robot) -> None:
        motion = robot.forward(1.0)
        found.update(reachable(robot), reachable(motion), reachable(robot.contacts.stream()))
        try:
            await motion
        except Blocked as blocked:
            found.update(reachable(blocked))

    play(look, world=walled(0.5))

    assert Robot in found
    assert not [kind for kind in found if issubclass(kind, Plane | PlaneBody | World | SimulatedBody | Stage)]


def test_a_robot_needs_no_simulated_body() -> None:
    """Any body that keeps the contract will do."""

    class Toy:
        name, number, heading, is_moving = "toy", 7, 3 * pi, False
        position = Point(1.0, 2.0)

        def __init__(self) -> None:
            self.heard: list[object] = []
            self.contacts: Signal[Contact] = Signal("contacts")
            self.sensors: dict[str, Any] = {"nose": "a nose"}

        @property
        def chance(self) -> Any:
            """Give none."""

        def carry_out(self, command: object) -> Any:
            self.heard.append(command)

        def steer(self, command: object) -> None:
            self.heard.append(command)

        def stop(self) -> None:
            self.heard.append("stop")

    body = Toy()
    robot = Robot(body)
    robot.stop()

    assert (robot.name, robot.number, robot.position, robot.home) == ("toy", 7, Point(1, 2), Point(1, 2))
    assert robot.heading == pytest.approx(-pi) or robot.heading == pytest.approx(pi)
    assert (robot.nose, repr(robot), body.heard) == ("a nose", "<Robot 'toy'>", ["stop"])
    with pytest.raises(AttributeError, match=r"^toy has no 'ear'; its sensors are: nose$"):
        robot.ear  # noqa: B018


# Same seed, same trace.


async def wander(robot: Robot) -> None:
    """Go from one random place to the next, whatever is in the way."""
    while True:
        try:
            await robot.move_to(
                (robot.chance.uniform(-4.0, 4.0), robot.chance.uniform(-4.0, 4.0)),
                speed=robot.chance.uniform(0.2, 2.0),
            )
        except Blocked:
            await robot.turn(robot.chance.uniform(-pi, pi))


def crowd(seed: int, until_time: float = 60.0) -> tuple[Outcome, list[Point]]:
    world = World()
    with Stage(world, seed=seed, on_error="robot") as stage:
        for number in range(12):
            stage.add(wander, at=(number % 4, number // 4), drive=Wheel(acceleration=2.0))
        return stage.run(until_time), [body.position for body in world.bodies]


def test_the_same_seed_gives_the_same_trace() -> None:
    first, places = crowd(5)
    again, same_places = crowd(5)
    other, other_places = crowd(6)

    assert first.contacts > 10
    assert (first.trace_hash, places) == (again.trace_hash, same_places)
    assert first.events == again.events
    assert other.trace_hash != first.trace_hash
    assert other_places != places


# Lost.


def test_a_removed_body_ends_its_motion_with_lost(log: Log) -> None:
    world = World()

    async def go(robot: Robot) -> None:
        with pytest.raises(Lost, match=r"^robot 0 is lost: it left the world at \(2, 0\)$"):
            await robot.forward(10.0)
        log("lost", robot.position)
        with pytest.raises(Lost):
            await robot.forward(1.0)
        with pytest.raises(Lost):
            robot.steer(1.0)
        robot.stop()
        log(robot.position, robot.is_moving)

    with Stage(world, on_error="run") as stage:
        stage.add(go, at=(0.0, 0.0))
        stage.simulation.schedule(2.0, world.bodies[0].remove)
        stage.run()

    assert log == [(2.0, "lost", Point(2.0, 0.0)), (2.0, Point(2.0, 0.0), False)]


def test_a_motion_without_end_ends_by_a_stop_alone(log: Log) -> None:
    async def go(robot: Robot) -> None:
        with until(after(1e6)):
            await robot.forward(inf)
        log(robot.position)
        with until(after(1e6)):
            await robot.arc(2.0, inf, speed=pi)
        log(robot.position.distance_to((1e6, 0.0)) < 1e-3)

    play(go)

    assert log == [(1e6, Point(1e6, 0.0)), (2e6, True)]


def test_legs_of_no_length_take_no_time(log: Log) -> None:
    async def go(robot: Robot) -> None:
        for motion in [
            robot.forward(0.0),
            robot.turn(0.0),
            robot.arc(1.0, 0.0),
            robot.follow([]),
            robot.move_to(robot.position),
            robot.follow([robot.position] * 3),
        ]:
            log(await motion)

    play(go)

    assert log == [(0.0, Point(0.0, 0.0))] * 6


def test_a_leg_is_a_drive_s_word_and_no_command() -> None:
    async def go(robot: Robot) -> None:
        await robot._body.carry_out(Leg.rest(1.0))  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="wheels cannot carry out"):
        play(go)


def test_a_robot_moves_as_its_class_or_whoever_gave_it_another_way_says(log: Log) -> None:
    """`move_to` of a plain robot is answered without a search; one that was put in its place is not passed over."""

    class Careful(Robot):
        def move_to(self, goal: Any, speed: float | None = None, turn_speed: float | None = None) -> Any:
            log(f"careful to {goal}")
            return super().move_to(goal, speed, turn_speed)

    async def drive(robot: Robot) -> None:
        await robot.move_to((1.0, 0.0))
        plain = robot.move_to
        await Careful(robot._body).move_to((2.0, 0.0))

        def another(goal: Any) -> Any:
            log(f"another to {goal}")
            return plain(goal)

        robot.move_to = another  # type: ignore[assignment,method-assign]  # as a user may, in a test
        await robot.move_to((3.0, 0.0))
        del robot.move_to
        await robot.move_to((4.0, 0.0))
        log(str(robot.position))

    stage = Stage(World())
    stage.add(drive, at=(0.0, 0.0), drive=Omni(speed=1.0))
    stage.run()
    assert log == [
        (1.0, "careful to (2.0, 0.0)"),
        (2.0, "another to (3.0, 0.0)"),
        (4.0, "Point(4.0, 0.0)"),
    ]


def test_what_is_put_into_the_class_of_robots_during_a_run_counts_at_once(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As tests do that look at what a program asks for."""

    async def drive(robot: Robot) -> None:
        await robot.move_to((1.0, 0.0))
        with monkeypatch.context() as patch:
            patch.setattr(Robot, "move_to", lambda _, goal: sleep(goal[0]))
            patch.setattr(Robot, "position", "nowhere")
            await robot.move_to((5.0, 0.0))
            log(str(robot.position))
        await robot.move_to((2.0, 0.0))
        log(str(robot.position))

    stage = Stage(World())
    stage.add(drive, at=(0.0, 0.0), drive=Omni(speed=1.0))
    stage.run()
    assert log == [(6.0, "nowhere"), (7.0, "Point(2.0, 0.0)")]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((("a", 0),), r"move_to\(\) takes a Point or a pair of numbers, not \('a', 0\)"),
        (((1, 0), 0), r"move_to\(\): speed is a number of metres a second > 0, not 0.0"),
    ],
)
def test_a_motion_that_makes_no_sense_is_refused_by_the_name_that_the_program_called(
    asked: tuple[Any, ...], said: str
) -> None:
    async def go(robot: Robot) -> None:
        await robot.move_to(*asked)

    stage = Stage(World())
    stage.add(go, at=(0.0, 0.0), drive=Omni())
    with pytest.raises((TypeError, ValueError), match=said):
        stage.run()


def test_a_robot_always_has_a_home(log: Log) -> None:
    async def settle(robot: Robot) -> None:
        with pytest.raises(AttributeError, match="give it another place instead"):
            del robot.home
        robot.home = Point(3.0, 4.0)
        log(str(robot.home))

    play(settle)
    assert log == [(0.0, "Point(3.0, 4.0)")]
