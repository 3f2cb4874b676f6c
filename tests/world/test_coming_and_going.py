"""Bodies come and go without end: those who are there notice nothing of it, nor does the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now, sleep
from kumi.contract import Blocked, Contact, Lost
from kumi.devs import Simulation
from kumi.geometry import Circle, Disc, Point
from kumi.motion import Leg, Omni
from kumi.recording.journal import JournalReader
from kumi.recording.records import BodyAdded, Gone, Moves, Touched
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Hole, Map, SimulatedBody, World


def churn(world: World, times: int, at: tuple[float, float] = (50.0, 50.0)) -> None:
    """Let bodies come and go, one after the other."""
    for _ in range(times):
        world.add_body(at).remove()


# What it costs, by counts.


@pytest.mark.parametrize("alive", [10, 1000])
def test_memory_is_that_of_the_most_who_were_there_at_once(alive: int) -> None:
    world = World()
    for k in range(alive):
        world.add_body((k, 0))
    churn(world, 100)
    before = world.bytes
    churn(world, 20_000)

    assert world.bytes == before
    assert (world.count, world.added) == (alive, alive + 20_100)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [False, True])
def test_the_process_does_not_grow(runs: bool, resident: Callable[[], int]) -> None:
    """A hundred thousand would be 4 MB, if each left its two records behind."""
    world = World()
    world.add_body((0, 0))
    with Simulation(world, seed=0) as simulation:
        if runs:
            simulation.run(1.0)
        churn(world, 50_000)
        before = resident()
        churn(world, 100_000)

    assert resident() - before < 2_000_000


def calls_of_adding(world: World) -> int:
    """Return how many functions an add and a remove call, in Python and in the core."""
    calls = 0

    def count(frame: FrameType, what: str, argument: Any) -> None:
        nonlocal calls
        calls += what in {"call", "c_call"}

    sys.setprofile(count)
    try:
        churn(world, 1)
    finally:
        sys.setprofile(None)
    return calls


def test_adding_asks_for_no_more_after_ten_thousand_have_gone() -> None:
    world = World()
    churn(world, 10)
    before = calls_of_adding(world)
    churn(world, 10_000)

    assert calls_of_adding(world) == before


def test_watches_that_are_closed_leave_room_for_others() -> None:
    world = World()
    owner = world.add_body((0, 0))

    def watch(times: int) -> None:
        for _ in range(times):
            owner.watch(1.0, print).close()
            other = world.add_body((50, 50))
            other.watch(1.0, print)
            other.remove()

    watch(10)
    before = world.bytes
    watch(1000)

    assert world.bytes == before


def test_who_comes_by_the_hand_of_one_who_goes_takes_a_free_place() -> None:
    """Within a call of `on_gone` something is still to be told of the one who goes; later no more."""
    world = World()

    def replace() -> None:
        world.add_body((0, 0)).on_gone(replace)

    replace()
    for _ in range(10):
        world.bodies[0].remove()
    before = world.bytes
    for _ in range(1000):
        world.bodies[0].remove()

    assert (world.count, world.bytes) == (1, before)


# Numbers are for good.


def test_a_number_is_never_given_twice() -> None:
    world = World()
    seen = []
    for _ in range(100):
        body = world.add_body((0, 0))
        seen.append((body.number, body.name))
        body.remove()

    assert seen == [(number, f"robot {number}") for number in range(100)]


def test_those_who_are_there_are_told_by_number() -> None:
    world = World()
    first = [world.add_body((k, 0)) for k in range(4)]
    first[0].remove()
    first[2].remove()
    later = [world.add_body((k, 5)) for k in range(2)]
    here = [first[1], first[3], *later]

    assert list(world.bodies) == here
    assert world.near((2, 2), 20.0) == here
    assert [body.number for body in here] == [1, 3, 4, 5]
    added = [record for record in JournalReader().read(world.snapshot()) if isinstance(record, BodyAdded)]
    assert [(one.body, one.pose.position) for one in added] == [(body.number, body.position) for body in here]


def test_one_who_is_gone_keeps_what_it_was() -> None:
    """Another has its place in the store, and does something else."""
    world = World()
    gone = world.add_body((1, 2), heading=0.5, drive=Omni())
    watch = gone.watch(5.0, print)
    with Simulation(world, seed=0) as simulation:
        gone.start([Leg.spin(1.0, 1.0), Leg.line((4, 6), 1.0)])
        simulation.run(20.0)
        gone.remove()
        other = world.add_body((8, 8), heading=-1.0)
        other.start(Leg.forward(3.0, 1.0))
        seen = other.watch(5.0, print)
        simulation.run(21.0)
        watch.close()
        gone.remove()
        gone.stop()

        assert (gone.number, gone.is_gone, gone.is_moving) == (0, True, False)
        assert (gone.position, gone.heading, gone.velocity) == (Point(4, 6), 1.5, Point(0, 0))
        assert (gone.odometer, gone.turned) == (5.0, 1.0)
        assert (other.number, other.is_gone, other.is_moving) == (1, False, True)
        assert watch.inside == []
        with pytest.raises(Lost):
            gone.start(Leg.rest(1.0))
        world.add_body((8, 10))
        simulation.run(22.0)
        assert [body.number for body in seen.inside] == [2]


# Those who are there do not notice.


def meeting(world: World) -> list[tuple[Any, ...]]:
    """Return what happens when two meet, and a third comes to a place that is free in the end."""
    first = world.add_body((0, 0), shape=Disc(0.5))
    other = world.add_body((10, 0), shape=Disc(0.5))
    before = first.number
    world.keep_journal(True)
    with Simulation(world, seed=0) as simulation:
        first.start(Leg.line((10, 0), 1.0))
        other.start(Leg.line((0, 0), 1.0))
        simulation.run(100.0)
    return [
        (type(record), record.time, record.body - before, getattr(record, "at", None))
        for record in JournalReader().read(world.take_journal())
        if isinstance(record, (Moves, Touched))
    ]


@given(st.lists(st.integers(0, 5), max_size=20))
def test_who_came_and_went_before_changes_nothing(removals: list[int]) -> None:
    world = World()
    there: list[SimulatedBody] = []
    for number in removals:
        there.append(world.add_body((20.0 + 2.0 * world.added, 20.0)))
        if number < len(there):
            there.pop(number).remove()
    for body in there:
        body.remove()

    assert meeting(world) == meeting(World())


def blocked_by(replaced_at: tuple[float, float]) -> tuple[float, int | None]:
    """Return when and by whom a robot is blocked whose partner is replaced on the way."""
    heard: list[tuple[float, int | None]] = []
    stage = Stage(World(), on_error="run")

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(10.0)
        except Blocked as blocked:
            heard.append((now(), blocked.number))
        else:
            heard.append((now(), None))

    async def replace(robot: Robot) -> None:
        await sleep(1.0)
        other.remove()
        stage.world.add_body(replaced_at, shape=Disc(0.5))

    stage.add(go, at=(0, 0), shape=Disc(0.5))
    other = stage.world.add_body((5, 0), shape=Disc(0.5))
    stage.add(replace, at=(0, 50))
    stage.run()
    return heard[0]


def test_what_was_predicted_with_one_who_is_gone_does_not_happen_to_the_next() -> None:
    """Both times the next one has the place in the store of the one who is gone."""
    assert blocked_by((5.0, 40.0)) == (10.0, None)
    assert blocked_by((5.0, 0.0)) == (4.0, 3)
    assert blocked_by((7.0, 0.0)) == (6.0, 3)


def test_one_whom_another_may_pass_through_is_not_taken_for_the_next() -> None:
    told: list[int | None] = []

    def policy(body: SimulatedBody, contact: Contact) -> Literal["pass"]:
        told.append(contact.number)
        return "pass"

    world = World(on_contact=policy)
    walker = world.add_body((0, 0), shape=Disc(0.5))
    first = world.add_body((2, 0), shape=Disc(0.5))
    with Simulation(world, seed=0) as simulation:
        walker.start(Leg.line((20, 0), 1.0))
        simulation.run(1.5)
        first.remove()
        world.add_body((6, 0), shape=Disc(0.5))
        simulation.run(20.0)

    assert told == [1, 2]


def test_who_is_watched_is_told_by_the_body_that_is_there() -> None:
    world = World()
    owner = world.add_body((0, 0))
    told: list[tuple[bool, int]] = []
    owner.watch(2.0, lambda entered, body: told.append((entered, body.number)))
    with Simulation(world, seed=0) as simulation:
        for _ in range(3):
            body = world.add_body((1, 0))
            simulation.run(simulation.now + 1.0)
            body.remove()
            simulation.run(simulation.now + 1.0)

    assert told == [(entered, number) for number in (1, 2, 3) for entered in (True, False)]


def test_robots_that_fall_into_a_hole_leave_room_too() -> None:
    world = World(Map(terrain=[Hole(Circle((5, 0), 1.0))]))
    with Simulation(world, seed=0) as simulation:

        def fall(times: int) -> None:
            for _ in range(times):
                world.add_body((0, 0)).start(Leg.forward(10.0, 1.0))
                simulation.run(simulation.now + 10.0)

        fall(10)
        before = world.bytes
        fall(100)

    assert (world.count, world.added, world.bytes) == (0, 110, before)


# Recordings.


def test_a_recording_tells_each_by_its_number() -> None:
    world = World()
    world.keep_journal(True)
    with Simulation(world, seed=0) as simulation:
        for k in range(5):
            body = world.add_body((k, 0))
            body.start(Leg.forward(1.0, 1.0))
            simulation.run(simulation.now + 2.0)
            body.remove()
    records = list(JournalReader().read(world.take_journal()))

    for kind in (BodyAdded, Moves, Gone):
        assert [record.body for record in records if isinstance(record, kind)] == [0, 1, 2, 3, 4]


def test_a_keyframe_of_a_recording_has_only_those_who_are_there() -> None:
    world = World()
    world.keep_journal(True)
    with Simulation(world, seed=0) as simulation:
        walker = world.add_body((0, 0), shape=Disc(0.5))
        size = 0
        for k in range(20):
            other = world.add_body((2, 0), shape=Disc(0.5))
            walker.start(Leg.line((3, 0), 1.0))
            simulation.run(simulation.now + 5.0)
            other.remove()
            walker.teleport((0, 0))
            size = size or len(world.snapshot())
            assert len(world.snapshot()) == size, k
