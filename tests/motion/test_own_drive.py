"""A drive of one's own is a class with `plan`; a contact policy of one's own is a function."""

from __future__ import annotations

from contextlib import suppress
from math import cos, pi, sin
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now, sleep, together
from kumi.contract import BadGoal, Blocked, Busy, CannotDo, Command, Contact, Forward, MoveTo
from kumi.geometry import Point
from kumi.motion import Leg, Moving, Wheel
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import Map, SimulatedBody, Wall, World
from tests.robot.stages import play, said, walled


class Legged:
    """Walks in steps of half a metre, with a rest after each."""

    def plan(self, command: Command, body: Moving, /) -> list[Leg]:
        """Give a step and a rest for each half metre."""
        match command:
            case Forward(distance):
                return [Leg.forward(0.5, 1.0), Leg.rest(0.5)] * int(distance / 0.5)
            case _:
                raise CannotDo(f"legs cannot carry out {command}")


def test_a_drive_of_one_s_own_moves_a_robot() -> None:
    seen: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        async def look() -> None:
            for _ in range(5):
                await sleep(0.375)
                seen.append((now(), robot.position))

        async with together() as tasks:
            tasks.start(look)
            await robot.forward(1.0)
            assert now() == 2.0

    play(go, drive=Legged())

    assert [place.x for _, place in seen] == [0.375, 0.5, 0.625, 1.0, 1.0]


def test_what_it_cannot_do_it_says() -> None:
    assert said(lambda robot: robot.turn(1.0), drive=Legged()) == (
        "CannotDo: legs cannot carry out Turn(angle=1.0, speed=None)"
    )


@pytest.mark.parametrize("plan", [None, 3, "legs", [1], [Leg.rest(1.0), None], {}, (Leg.rest(0.0), "x")])
def test_a_plan_that_is_no_legs_is_refused_in_one_clear_sentence(plan: Any) -> None:
    class Odd:
        def plan(self, command: Command, body: Moving, /) -> Any:
            return plan

    words = said(lambda robot: robot.forward(1.0), drive=Odd())

    assert words.startswith("TypeError: a drive's plan() gives legs, not ") or (
        plan == {} and words == "nothing"
    )


@pytest.mark.parametrize("error", [ValueError("no"), KeyError("no"), RuntimeError("no")])
def test_what_a_plan_raises_comes_out_of_the_motion(error: Exception) -> None:
    class Odd:
        def plan(self, command: Command, body: Moving, /) -> Any:
            raise error

    words = said(lambda robot: robot.forward(1.0), drive=Odd())

    assert words == f"{type(error).__name__}: {error}"
    assert said(lambda robot: robot.steer(1.0), drive=Odd()) == words


@pytest.mark.parametrize("drive", [object(), Wheel])
def test_a_drive_without_plan_is_refused_at_once(drive: Any) -> None:
    with pytest.raises(TypeError, match=r"^a drive is an object with plan\(\), such as Wheel\(\), not "):
        said(lambda robot: robot.forward(1.0), drive=drive)


def test_a_body_without_a_drive_says_so() -> None:
    async def go(body: SimulatedBody) -> None:
        with pytest.raises(TypeError, match=r"^body 'stone' has no drive, so it cannot carry out Forward\("):
            await Robot(body).forward(1.0)
        with pytest.raises(TypeError, match=r"^body 'stone' has no drive"):
            Robot(body).steer(1.0)

    world = World()
    stone = world.add_body((0.0, 0.0), name="stone")
    with Stage(world, on_error="run") as stage:
        stage.simulation.start(go, stone)
        stage.run()


def test_a_drive_can_be_changed_between_two_motions() -> None:
    ends: list[float] = []

    async def go(robot: Robot) -> None:
        await robot.forward(1.0)
        robot._body.drive = Wheel(speed=0.25)  # type: ignore[attr-defined]
        await robot.forward(1.0)
        ends.append(now())

    play(go, drive=Wheel(speed=1.0))

    assert ends == [5.0]


def test_a_plan_may_move_another_body_but_not_its_own() -> None:
    """A plan that starts its own body gets its motion replaced by the legs it gives."""

    class Meddling:
        def plan(self, command: Command, body: Any, /) -> Leg:
            body.start(Leg.forward(100.0, 1.0))
            return Leg.line((0.0, 1.0), 1.0)

    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        await robot.forward(1.0)
        ends.append((now(), robot.position))

    play(go, drive=Meddling())

    assert ends == [(1.0, Point(0.0, 1.0))]


def test_many_legs_are_one_motion() -> None:
    class Polygonal:
        def plan(self, command: Command, body: Moving, /) -> list[Leg]:
            x, y = body.position
            return [
                Leg.line((x + cos(k * pi / 5000) - 1.0, y + sin(k * pi / 5000)), 1.0)
                for k in range(1, 10_001)
            ]

    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        ends.append((now(), await robot.forward(1.0)))

    outcome = play(go, drive=Polygonal())

    assert outcome.simulated_seconds == pytest.approx(2 * pi, rel=1e-6)
    assert abs(ends[0][1]) < 1e-12


# Goals that cannot be.


@pytest.mark.parametrize("goal", [(11.0, 5.0), (-0.001, 5.0), (5.0, 10.5), (5.0, 5.0)])
def test_a_goal_outside_the_world_or_in_a_wall_is_refused(goal: tuple[float, float]) -> None:
    def hall() -> World:
        return World(Map(10.0, 10.0, obstacles=(Wall((5.0, 4.0), (5.0, 6.0), 0.5),)))

    async def go(robot: Robot) -> None:
        for motion in (robot.move_to(goal), robot.follow([(2.0, 2.0), goal])):
            with pytest.raises(BadGoal) as bad:
                await motion
            assert str(bad.value) == (
                f"robot 0 cannot go to ({goal[0]:g}, {goal[1]:g}): "
                "the place is outside the world, inside an obstacle or on forbidden ground"
            )
            assert (bad.value.goal, robot.is_moving, now()) == (Point(*goal), False, 0.0)
        await robot.move_to((2.0, 2.0))

    play(go, world=hall(), at=(1.0, 1.0))


# Policies.


def test_a_policy_of_one_s_own_decides() -> None:
    """It lets the robot through the first wall it meets and stops it at the second."""
    told: list[tuple[str, float, str]] = []

    def policy(body: SimulatedBody, contact: Contact) -> Any:
        told.append((body.name, contact.time, contact.by))
        return {"one": "pass", "two": "stop"}[contact.by]

    walls = tuple(
        Wall((x, -5.0), (x, 5.0), name=name) for x, name in [(1.1, "one"), (2.1, "two"), (3.1, "three")]
    )
    ends: list[tuple[float, str, Point]] = []

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(10.0)
        except Blocked as blocked:
            ends.append((now(), blocked.by, robot.position))

    play(go, world=World(Map(obstacles=walls), on_contact=policy))

    assert told == [("robot 0", 1.0, "one"), ("robot 0", 2.0, "two")]
    assert ends == [(2.0, "two", Point(2.0, 0.0))]


@pytest.mark.parametrize("answer", [None, "", "bounce", 3])
def test_a_policy_s_wrong_answer_ends_the_run_in_one_clear_sentence(answer: Any) -> None:
    async def go(robot: Robot) -> None:
        with suppress(Blocked):
            await robot.forward(10.0)

    obstacles = (Wall((2.0, -5.0), (2.0, 5.0), name="wall"),)
    world = World(Map(obstacles=obstacles), on_contact=lambda *_: answer)

    with pytest.raises(ValueError, match='a contact policy is "stop", "slide" or "pass", not '):
        play(go, world=world)


def test_what_a_policy_raises_ends_the_run() -> None:
    def policy(body: SimulatedBody, contact: Contact) -> Any:
        raise LookupError("no idea")

    async def go(robot: Robot) -> None:
        with suppress(Blocked):
            await robot.forward(10.0)

    with pytest.raises(LookupError, match="no idea"):
        play(go, world=World(Map(obstacles=(Wall((2.0, -5.0), (2.0, 5.0)),)), on_contact=policy))


def test_a_policy_may_be_no_word_of_ours() -> None:
    for wrong in ("bounce", None, 3, "ask"):
        with pytest.raises(ValueError, match=r'"stop", "slide".*"pass".*, not '):
            World(on_contact=wrong)  # type: ignore[arg-type]


@given(angle=st.floats(0.1, 1.4))
def test_sliding_goes_on_along_the_wall(angle: float) -> None:
    """What is left of the velocity along the wall goes on for as long as the way would have taken."""
    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        ends.append((now(), await robot.forward(10.0)))

    obstacles = (Wall((-50.0, 2.1), (50.0, 2.1), name="wall"),)
    play(go, world=World(Map(obstacles=obstacles), on_contact="slide"), heading=angle)

    assert ends[0][1].x == pytest.approx(10.0 * cos(angle), rel=1e-9)
    assert ends[0][1].y == pytest.approx(min(2.0, 10.0 * sin(angle)), rel=1e-9)


def test_in_ghost_mode_nothing_is_in_the_way() -> None:
    obstacles = (Wall((2.0, -5.0), (2.0, 5.0)),)
    ends: list[Point] = []

    async def go(robot: Robot) -> None:
        ends.append(await robot.forward(10.0))

    with Stage(World(Map(obstacles=obstacles), ghost=True), on_error="run") as stage:
        for _ in range(3):
            stage.add(go, at=(0.0, 0.0))
        assert stage.run().contacts == 0

    assert ends == [Point(10.0, 0.0)] * 3


def test_commands_are_values() -> None:
    assert MoveTo((1.0, 2.0)) == MoveTo((1.0, 2.0))
    assert MoveTo((1.0, 2.0)) != MoveTo((1.0, 2.0), speed=1.0)
    assert len({Forward(1.0), Forward(1.0), Forward(2.0)}) == 2


def test_busy_names_the_command_even_for_steering() -> None:
    heard: list[str] = []

    async def go(robot: Robot) -> None:
        async def late() -> None:
            with pytest.raises(Busy) as busy:
                robot.steer(0.5, 0.25)
            heard.append(str(busy.value))

        async with together() as tasks:
            tasks.start(late)
            await robot.forward(1.0)

    play(go, world=walled(50.0))

    assert heard == [
        (
            "robot 0 is busy with Forward(distance=1.0, speed=None) and cannot carry out "
            "Steer(speed=0.5, turn_speed=0.25): one motion at a time; await the first, or stop() it"
        )
    ]
