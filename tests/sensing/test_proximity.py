"""Proximity tells what is close when asked; the alarm tells who comes and goes, at the exact instant."""

from __future__ import annotations

from contextlib import suppress
from math import pi, sqrt
from typing import Any

from kumi import Blocked, now, sleep, until
from kumi.contract import Entered, Left
from kumi.contract.readings import Sighting
from kumi.devs import together
from kumi.geometry import Outline, Point
from kumi.robot import Robot
from kumi.sensing import GaussianNoise, Proximity, ProximityAlarm, PushSensor
from kumi.stage.stage import Stage
from kumi.world import Block, Map, Obstacle, Pillar, Wall, World
from tests.sensing.scenes import about, place, reading, readings, rest


def test_it_tells_of_robots_and_obstacles_the_nearest_first() -> None:
    """A wall 0.5 m above, a robot whose surface is 0.9 m ahead, a pillar 1 m behind; a block is too far."""
    things: list[Obstacle] = [
        Wall((-5, 0.6), (5, 0.6), 0.2, "wall"),
        Pillar((-2.0, 0.0), 1.0, "pillar"),
        Block(Outline([(0.0, -3.0), (1.0, -3.0), (1.0, -2.0)]), "block"),
    ]
    found = reading(Proximity(1.5), things, others=[(1.0, 0.0)])

    assert found == (
        Sighting(None, "wall", about(0.5), pi / 2, Point(0.0, 0.5)),
        Sighting(1, "robot 1", about(0.9), 0.0, Point(1.0, 0.0)),
        Sighting(None, "pillar", about(1.0), about(pi), Point(-1.0, 0.0)),
    )


def test_of_a_block_the_nearest_side_counts() -> None:
    """All four sides are within reach: right at 2 m, top at sqrt(2) m, left at 1 m, bottom at sqrt(2) m."""
    block = Block(Outline([(2.0, -1.0), (2.0, 1.0), (1.0, 1.0), (1.0, -1.0)]), "block")
    (found,) = reading(Proximity(3.0), [block])

    assert (found.distance, found.bearing, found.position) == (1.0, 0.0, Point(1.0, 0.0))


def test_of_two_that_are_equally_near_the_name_decides() -> None:
    pillars: list[Obstacle] = [Pillar((2.0, 0.0), 1.0, "b"), Pillar((-2.0, 0.0), 1.0, "a")]

    assert [one.name for one in reading(Proximity(3.0), pillars)] == ["a", "b"]


def test_a_robot_that_turns_does_not_come_into_its_own_view() -> None:
    found: list[Any] = []

    async def turn(robot: Robot) -> None:
        robot.steer(0.0, 1.0)
        with until(robot.near.entered) as cut:
            await sleep(10.0)
        found.append(cut.event)

    with place() as stage:
        stage.add(turn, at=(0, 0), sensors={"near": ProximityAlarm(1.0, view=1.0, bearing=pi, period=0.1)})
        stage.run(20.0)

    assert found == [None]


def test_the_border_is_an_obstacle() -> None:
    found: list[Any] = []

    async def look(robot: Robot) -> None:
        found.extend(await robot.near.read())

    with Stage(World(Map(10, 10)), on_error="robot") as stage:
        stage.add(look, at=(0.5, 5.0), sensors={"near": Proximity(1.0)})
        stage.run()

    assert [(one.name, one.distance, one.position) for one in found] == [("border", 0.5, Point(0.0, 5.0))]


def test_a_field_of_view_looks_at_nearest_points() -> None:
    wall = Wall((-5, 1.0), (5, 1.0))

    assert reading(Proximity(2.0, view=pi / 2), [wall]) == ()
    assert len(reading(Proximity(2.0, view=pi / 2, bearing=pi / 2), [wall])) == 1


def test_noise_errs_in_distance_and_the_place_follows() -> None:
    found = [one for (one,) in readings(Proximity(2.0, noise=GaussianNoise(0.05)), 200, others=[(1.0, 0.0)])]

    assert len({one.distance for one in found}) == 200
    for one in found:
        assert one.position.x == about(one.distance + 0.1)


def heard(sensor: PushSensor[Any], until_time: float = 20.0) -> list[Any]:
    """What a resting robot hears while another passes it at 1 m/s on a line 0.6 m away, from x = -5 to 5.

    The other is a disc of 0.1 m.
    """
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        async for event in robot.near:
            found.append((now(), event))  # noqa: PERF401

    async def go_by(robot: Robot) -> None:
        await robot.forward(10.0)

    with place() as stage:
        stage.add(listen, at=(0, 0), sensors={"near": sensor})
        stage.add(go_by, at=(-5, 0.6), name="passer")
        stage.run(until_time)
    return found


def test_entering_and_leaving_are_told_at_the_exact_instant() -> None:
    """The surface is within 0.9 m while the centre is within 1.0 m: from x = -0.8 to 0.8."""
    (came, entered), (went, left) = heard(ProximityAlarm(0.9))

    assert (came, entered.time) == (about(4.2, abs=1e-9), came)
    assert (went, left.time) == (about(5.8, abs=1e-9), went)
    assert entered == Entered(came, "passer", 1, entered.at)
    assert left == Left(went, "passer", 1, left.at)
    assert [*entered.at, *left.at] == about([-0.8, 0.6, 0.8, 0.6], abs=1e-9)


def test_a_sampled_alarm_tells_at_the_next_look() -> None:
    assert [(time, type(event)) for time, event in heard(ProximityAlarm(0.9, period=0.5))] == [
        (4.5, Entered),
        (6.0, Left),
    ]


def test_a_latency_delays_what_is_told() -> None:
    found = heard(ProximityAlarm(0.9, latency=0.25))

    assert [time for time, _ in found] == about([4.45, 6.05])
    assert [event.time for _, event in found] == about([4.2, 5.8])


def test_in_a_field_of_view_its_edges_are_borders_too() -> None:
    """The view is 90 degrees to the left: the passer is in it while |x| <= 0.6."""
    found = heard(ProximityAlarm(5.0, view=pi / 2, bearing=pi / 2))

    assert [time for time, _ in found] == about([4.4, 5.6], abs=1e-6)


def test_a_sampled_alarm_looks_in_its_field_of_view_alone() -> None:
    """The passer is in the view while |x| <= 0.6, from 4.4 s to 5.6 s."""
    found = heard(ProximityAlarm(5.0, view=pi / 2, bearing=pi / 2, period=0.25))

    assert [(time, type(event)) for time, event in found] == [(4.5, Entered), (5.75, Left)]


def test_who_is_near_from_the_start_is_not_told_until_it_leaves() -> None:
    found = []

    async def listen(robot: Robot) -> None:
        async for event in robot.near:
            found.append((now(), type(event)))  # noqa: PERF401

    async def go_away(robot: Robot) -> None:
        await robot.forward(10.0)

    for period in (None, 0.25):
        found.clear()
        with place() as stage:
            stage.add(listen, at=(0, 0), sensors={"near": ProximityAlarm(0.9, period=period)})
            stage.add(go_away, at=(0.5, 0))
            stage.run(20.0)
        assert found == [(about(0.5 if period is None else 0.75), Left)]


def test_entered_and_left_are_signals_of_their_own() -> None:
    """A robot drives on until somebody comes near, and waits until nobody is."""
    log: list[Any] = []

    async def shy(robot: Robot) -> None:
        with until(robot.near.entered) as cut:
            await robot.forward(100.0)
        assert cut.event is not None
        log.append((now(), robot.position.x, cut.event.who))
        left = await robot.near.left.next()
        log.append((now(), left.who))

    async def go_away(robot: Robot) -> None:
        await sleep(6.0)
        await robot.move_to((10, 50))

    with place() as stage:
        stage.add(shy, at=(0, 0), sensors={"near": ProximityAlarm(0.9)})
        stage.add(go_away, at=(5, 0), heading=pi / 2, name="other")
        stage.run(40.0)

    assert log[0] == (4.0, 4.0, "other")
    assert log[1][1] == "other"


def test_who_is_removed_has_left() -> None:
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        async for event in robot.near:
            found.append((now(), event.who, type(event)))  # noqa: PERF401

    with place() as stage:
        stage.add(listen, at=(0, 0), sensors={"near": ProximityAlarm(0.9)})
        stage.add(rest, at=(0.5, 0), name="other")
        stage.simulation.schedule(2.0, stage.world.bodies[1].remove)
        stage.run(5.0)

    assert found == [(2.0, "other", Left)]


def test_both_move_and_the_instant_is_still_exact() -> None:
    """At right angles, 1 m/s each, meeting at the origin: the distance is sqrt(2) * (5 - t)."""
    found: list[Any] = []

    async def drive(robot: Robot) -> None:
        robot.steer(1.0)
        found.append((await robot.near.wait()).time)

    async def other(robot: Robot) -> None:
        await robot.forward(10.0)

    with place(ghost=True) as stage:
        stage.add(drive, at=(-5, 0), sensors={"near": ProximityAlarm(0.9)})
        stage.add(other, at=(0, -5), heading=pi / 2)
        stage.run(10.0)

    assert found == [about(5.0 - 1.0 / sqrt(2.0), abs=1e-9)]


class ToldByPython(ProximityAlarm):
    """An alarm of somebody's own, which the core does not take over."""


def test_the_core_fires_the_signals_that_python_would() -> None:
    """In a crowd that bumps into each other robots come and go all the time: the same events, listened to, in one trace."""

    def run(alarm: type[ProximityAlarm]) -> tuple[str, list[Any]]:
        events: list[Any] = []

        async def walk(robot: Robot) -> None:
            while True:
                with suppress(Blocked):
                    await robot.turn(robot.chance.uniform(-pi, pi))
                    await robot.forward(robot.chance.uniform(0.2, 1.0))

        async def listen(robot: Robot) -> None:
            while True:
                events.append((robot.number, await robot.near.wait()))

        async def both(robot: Robot) -> None:
            async with together() as tasks:
                tasks.start(listen, robot)
                tasks.start(walk, robot)

        with Stage(Map(4.0, 4.0), seed=3) as stage:
            for number in range(25):
                at = (0.5 + 0.75 * (number % 5), 0.5 + 0.75 * (number // 5))
                stage.add(both, at=at, radius=0.1, sensors={"near": alarm(0.6, view=2.0 * pi)})
            outcome = stage.run(20.0)
        assert outcome.contacts > 50
        return outcome.trace_hash, events

    trace, events = run(ProximityAlarm)
    assert len(events) > 200
    assert (trace, events) == run(ToldByPython)
