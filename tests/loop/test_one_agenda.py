"""Real robots behind the ports of a convoy: what decides is the same, counterparts follow, and a lost robot is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from kumi.contract import Command, Forward
from kumi.contract.readings import Range
from kumi.convoy import ConvoyRun
from kumi.convoy.program import ConvoyFollower, ConvoyRobot
from kumi.devs import Coupled, Simulation, now, sleep_until
from kumi.geometry import Point
from kumi.link.emulators import ReadingErrors
from kumi.loop import Choices, Tracking
from kumi.sensing import UniformNoise
from tests.convoy.played import watch, watch_eye
from tests.loop.one_agenda import CALIBRATION, HIL, HIL_THAT_SEES, OneAgenda, convoy


def code_of(model: object) -> dict[str, Any]:
    """Return the code objects of all that a robot does, by name."""
    return {
        name: member.__code__
        for kind in type(model).__mro__
        for name, member in vars(kind).items()
        if hasattr(member, "__code__")
    }


def ports_of(robot: ConvoyRobot) -> list[tuple[str, str]]:
    ports: list[Any] = [*robot.inputs, *robot.outputs]
    return [(port.name, str(port.type)) for port in ports]


def test_the_program_of_a_real_robot_is_that_of_a_virtual_one() -> None:
    """Its class, the code objects of what decides and avoids, and its ports are the same objects and names."""
    loop_run = OneAgenda(convoy(), {1: HIL, 2: HIL_THAT_SEES})
    loop_run.run()
    loop = loop_run.convoy.robots
    virtual_run = ConvoyRun(convoy())
    virtual_run.run()
    virtual = virtual_run.convoy.robots

    for one, other in zip(virtual, loop, strict=True):
        assert type(one) is type(other)
        assert all(code is code_of(other)[name] for name, code in code_of(one).items())
        assert type(one.avoid) is type(other.avoid)
    assert ports_of(virtual[1]) == ports_of(loop[1])


class Replayed:
    """A body and a range finder that answer as those of a robot did in another run, to the instant."""

    name, number, heading, is_moving = "replayed", 0, 0.0, False
    position = Point(0.0, 0.0)

    def __init__(self, ends: Sequence[float], readings: Sequence[tuple[float, Range]]) -> None:
        self._ends, self._readings = iter(ends), iter(readings)
        self.commands: list[tuple[float, Command]] = []

    async def carry_out(self, command: Command) -> Point:
        self.commands.append((now(), command))
        await sleep_until(next(self._ends))
        return self.position

    async def read(self) -> Range:
        time, reading = next(self._readings)
        await sleep_until(time)
        return reading


@pytest.mark.parametrize("number", [1, 2])
def test_what_a_real_robot_met_makes_a_fresh_program_decide_the_same(number: int) -> None:
    """Messages, ends of motions and readings of the run in the loop are brought to the same program alone.

    It commands the same, to the instant, as long as the other did; no motion was cut short.
    """
    loop = OneAgenda(convoy(noise=0.02, steps=8), {1: HIL, 2: HIL_THAT_SEES}, seed=3)
    robot = loop.convoy.robots[number]
    assert isinstance(robot, ConvoyFollower)
    readings: list[tuple[float, Range]] = []
    messages: list[tuple[float, str, object]] = []
    watch_eye(robot, lambda reading: readings.append((loop.simulation.now, reading)))
    for port in robot.inputs:
        port.watch(lambda time, value, name=port.name: messages.append((time, name, value)))  # type: ignore[misc]
    loop.run()
    done = loop.motions[number]

    body: Any = Replayed([one.end for one in done], readings)
    alone = Coupled("alone")
    model = alone.add(ConvoyFollower("fresh", robot.rules, body, [body], has_back=True))
    with Simulation(alone) as simulation:
        for time, name, value in messages:
            port = next(port for port in model.inputs if port.name == name)
            simulation.inject(port, value, at=time)
        with suppress(StopIteration, RuntimeError):  # it came to where the other run was over
            simulation.run(done[-1].end)

    assert len(done) > 5
    assert body.commands[: len(done)] == [(one.begin, one.command) for one in done]


def test_a_hil_motor_drives_the_robot_and_moves_its_counterpart_when_the_motion_is_over() -> None:
    """On the way the counterpart stands at its old place; at the end it is where the robot is, to a centimetre."""
    loop = OneAgenda(convoy(robots=3, steps=2), {1: HIL})
    counterpart = loop.real[1].counterpart
    assert counterpart is not None
    start = counterpart.twin.position
    at_ends = []
    halfway = []

    def look() -> None:
        halfway.append((loop.truth_of(1).position.x - start.x, counterpart.twin.position.x - start.x))

    watch(
        loop.convoy.robots[1],
        lambda _: loop.simulation.schedule(loop.simulation.now + 0.7, look),
        lambda _: at_ends.append(loop.off(1)),
    )
    loop.run()

    assert halfway[0][0] > 0.05
    assert halfway[0][1] == 0.0
    assert max(at_ends) < 0.01


def test_with_tracking_the_counterpart_follows_on_the_way_and_drift_does_not_grow() -> None:
    """A robot that skids believes to be elsewhere; a camera with errors of 5 mm keeps its counterpart near it."""
    errors = ReadingErrors(skid=UniformNoise(0.1), play=UniformNoise(0.005))
    exact = Tracking(place_noise=0.005, heading_noise=0.01, latency=0.1, period=0.2)
    without = OneAgenda(convoy(robots=3, steps=8), {1: HIL}, errors=errors, seed=1)
    tracked = OneAgenda(convoy(robots=3, steps=8), {1: HIL}, tracking=exact, errors=errors, seed=1)
    without.run()
    tracked.run()

    believed = tracked.real[1].body.position.distance_to(tracked.truth_of(1).position)
    assert tracked.off(1) < 0.015
    assert without.off(1) > 2.0 * tracked.off(1)
    assert believed > 2.0 * tracked.off(1)


def test_a_real_robot_sees_the_real_robot_in_front_with_its_own_infrared() -> None:
    """Their gap is 0.3 m at first; what robot 3 reads is within 1 cm of the truth on the floor."""
    loop = OneAgenda(convoy(), {1: HIL, 2: HIL_THAT_SEES})
    read: list[tuple[float, float]] = []

    def look(seen: Range) -> None:
        gap = loop.place(1).distance_to(loop.place(2)) - 2.0 * CALIBRATION.width / 2
        if seen.is_hit:
            read.append((seen.distance, gap))

    watch_eye(loop.convoy.robots[2], look)
    loop.run()

    assert len(read) >= 2
    for distance, gap in read:
        assert distance == pytest.approx(gap, abs=0.01)


def test_hil_infrared_is_compared_with_its_virtual_twin() -> None:
    """The real beam answers; the virtual one, from the counterparts, is some millimetres off."""
    loop = OneAgenda(convoy(), {1: HIL, 2: Choices("hil", contacts="real", front="hil")})
    loop.run()

    (compared,) = loop.real[2].compared.values()
    assert len(compared.pairs) >= 2
    for real, virtual in compared.pairs:
        assert real.distance == pytest.approx(virtual.distance, abs=0.02)


def test_a_robot_that_is_gone_is_waited_for_and_goes_on_when_it_is_back() -> None:
    """The cable of robot 2 is pulled for 20 s. Nobody moves meanwhile; then the motion is over, and all go on.

    The robot drove on for the second of its watchdog, so it went 0.3 m at least and 0.6 m at most.
    """
    loop = OneAgenda(convoy(robots=3, steps=4), {1: HIL})
    loop.simulation.schedule(4.0, lambda: setattr(loop.wires[1], "is_cut", True))
    loop.simulation.schedule(24.0, lambda: setattr(loop.wires[1], "is_cut", False))
    loop.run()

    longest = max(loop.motions[1], key=lambda one: one.end - one.begin)
    assert 18.0 < longest.end - longest.begin < 25.0
    assert isinstance(longest.command, Forward)
    assert 0.29 < longest.way < 0.61
    assert loop.convoy.leader.steps == 4
    others = [*loop.motions[0], *loop.motions[2]]
    assert not any(9.0 < one.end < 24.0 for one in others)


def test_a_convoy_whose_real_robot_is_carried_away_breaks_up_and_is_over() -> None:
    """Carried 5 m aside at 4 s, it is beyond the 3 m that break a convoy up when the next motion ends."""
    loop = OneAgenda(convoy(robots=3, steps=10), {1: HIL})
    loop.simulation.schedule(4.0, lambda: loop.hardware[1].body.put(1.0, 1.0, 0.0))
    loop.run()
    acceptor = loop.team.whole.acceptor

    assert acceptor.broke_up_at == loop.simulation.now < 5.0
    assert str(acceptor.break_up).startswith("lost sight: robot 2 ")
