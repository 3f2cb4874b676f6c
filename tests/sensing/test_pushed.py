"""A push sensor reports on its own: exactly, or once a period; late by its latency; never for nobody."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from kumi import after, now, sleep, until
from kumi.contract import Contact
from kumi.robot import Robot
from kumi.sensing import PushSensor
from kumi.world import Wall
from tests.sensing.scenes import place, rest


class Knock(PushSensor[float]):
    """Tells the time of each contact; written without super().__init__, as a user would."""

    def on_contact(self, contact: Contact) -> None:
        self.report(contact.time)


class Sampler(PushSensor[float]):
    """Tells the x of the body at each look."""

    def sample(self) -> None:
        self.report(self.pose.position.x)


def heard(sensor: PushSensor[Any], until_time: float = 10.0) -> list[Any]:
    """What a robot hears on its way of 2 m at 1 m/s, into a wall at 2.1 m, with times."""
    found = []

    async def drive(robot: Robot) -> None:
        stream = robot.tried.reports.stream()
        robot.steer(1.0)
        with until(after(until_time)):
            async for value in stream:
                found.append((now(), value))  # noqa: PERF401

    with place([Wall((2.1, -1), (2.1, 1))]) as stage:
        stage.add(drive, at=(0, 0), sensors={"tried": sensor})
        stage.run()
    return found


def test_it_reports_at_the_instant_of_the_event() -> None:
    assert heard(Knock()) == [(2.0, 2.0)]


def test_a_latency_delays_the_report_but_not_what_it_says() -> None:
    assert heard(Knock(latency=0.25)) == [(2.25, 2.0)]


def test_with_a_period_it_looks_at_multiples_of_it() -> None:
    assert heard(Sampler(period=0.5), 2.25) == [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.0, 2.0)]


def test_sampling_ends_with_the_last_program() -> None:
    """So a run without an end comes to one."""
    with place() as stage:

        async def listen(robot: Robot) -> None:
            await robot.tried.wait()

        stage.add(listen, at=(0, 0), sensors={"tried": Sampler(period=0.5)})
        stage.run(inf)

        assert stage.simulation.now <= 0.5


def test_sampling_that_has_ended_begins_again_for_the_next_who_listens() -> None:
    times = []

    async def listen(robot: Robot) -> None:
        await robot.tried.wait()
        times.append(now())

    with place() as stage:
        robot = stage.add(listen, at=(0, 0), sensors={"tried": Sampler(period=0.5)})
        stage.run(inf)
        stage.run(3.2)
        stage.simulation.start(listen, robot)
        stage.run(inf)

    assert times == [0.0, 3.5]


def test_a_sampled_sensor_is_not_read_before_somebody_wants_its_reports() -> None:
    looks = []

    class Eager(Sampler):
        def sample(self) -> None:
            looks.append(self.world.now)

    async def drive(robot: Robot) -> None:
        await sleep(1.2)
        with until(after(1.0)):
            await robot.tried.wait()

    with place() as stage:
        stage.add(drive, at=(0, 0), sensors={"tried": Eager(period=0.5)})
        stage.run()

    assert looks == [1.5, 2.0]


def test_all_ways_to_listen() -> None:
    """The next, each one, and until."""
    found: list[Any] = []

    async def drive(robot: Robot) -> None:
        found.append(await robot.tried.wait())
        async for value in robot.tried:
            found.append(value)
            break
        with until(robot.tried.reports) as cut:
            await sleep(100.0)
        found.append(cut.event)

    with place() as stage:
        robot = stage.add(drive, at=(0, 0), sensors={"tried": Sampler(period=1.0)})
        robot.steer(2.0)
        stage.run(10.0)

    assert found == [0.0, 2.0, 4.0]


def test_a_sensor_that_hears_nothing_says_so_when_it_is_attached() -> None:
    class Deaf(PushSensor[float]):
        pass

    with (
        place() as stage,
        pytest.raises(TypeError, match="Deaf hears nothing: it needs a method `def on_contact"),
    ):
        stage.add(rest, at=(0, 0), sensors={"tried": Deaf()})


def test_a_sensor_that_cannot_be_sampled_says_so_when_it_is_attached() -> None:
    with place() as stage, pytest.raises(TypeError, match="Knock cannot be sampled: it has no method"):
        stage.add(rest, at=(0, 0), sensors={"tried": Knock(period=0.5)})
