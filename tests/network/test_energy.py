"""Messages drain the battery of a robot, and it warns at the instant at which they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from kumi import now, sleep
from kumi.contract.messages import Message
from kumi.contract.readings import Low
from kumi.devs import together
from kumi.network.ether import Energy
from kumi.sensing import Battery
from kumi.stage import Stage
from kumi.world import World
from tests.network.stations import Net, Say


def drained(program: Callable[[Any], Any], battery: Battery) -> None:
    """Run a program with a battery."""
    stage = Stage(World())
    stage.add(program, at=(0, 0), sensors={"battery": battery})
    stage.run(100.0)


def test_what_is_drained_is_gone_at_once() -> None:
    """100 J at 1 W: after 10 s and a drain of 30 J, 60 are left."""
    levels = []

    async def drain(robot: Any) -> None:
        await sleep(10.0)
        robot.battery.drain(30.0)
        levels.append(robot.battery.level)

    drained(drain, Battery(100.0, idle=1.0, per_metre=0.0))

    assert levels == pytest.approx([0.6])


def test_a_drain_brings_the_warning_forward() -> None:
    """100 J at 1 W warn at 20 J, after 80 s; with 30 J drained at 10 s, after 50 s."""
    warnings: list[Low] = []

    async def drain(robot: Any) -> None:
        await sleep(10.0)
        robot.battery.drain(30.0)
        warnings.append(await robot.battery.wait_low())

    drained(drain, Battery(100.0, idle=1.0, per_metre=0.0))

    assert [warning.time for warning in warnings] == pytest.approx([50.0])


def test_a_drain_below_the_mark_warns_at_once() -> None:
    times = []

    async def listen(robot: Any) -> None:
        await robot.battery.wait_low()
        times.append(now())

    async def drain(robot: Any) -> None:
        await sleep(10.0)
        robot.battery.drain(85.0)

    stage = Stage(World())
    battery = Battery(100.0, idle=1.0, per_metre=0.0)

    async def both(robot: Any) -> None:
        async with together() as tasks:
            tasks.start(listen, robot)
            tasks.start(drain, robot)

    stage.add(both, at=(0, 0), sensors={"battery": battery})
    stage.run(100.0)

    assert times == [10.0]


def test_less_than_nothing_is_not_drained() -> None:
    async def drain(robot: Any) -> None:
        with pytest.raises(ValueError, match="what is drained"):
            robot.battery.drain(-1.0)

    drained(drain, Battery())


def test_messages_drain_a_battery() -> None:
    """Ten messages of 100 bytes at 0.01 J a byte take 10 of 100 J."""
    levels = []

    async def talk(robot: Any) -> None:
        net = Net()
        net.network.watch(Energy(charge, per_byte_sent=0.01, size=lambda _: 100))
        for number in range(10):
            net.network.send(0, 1, Say(number))
        levels.append(robot.battery.level)

    def charge(address: int, joules: float) -> None:
        assert address == 0
        batteries[address].drain(joules)

    batteries: dict[int, Battery] = {}

    async def start(robot: Any) -> None:
        batteries[0] = robot.battery
        await talk(robot)

    drained(start, Battery(100.0, idle=0.0))

    assert levels == pytest.approx([0.9])


def test_a_message_is_a_message_to_the_battery_too() -> None:
    """What is charged follows the encoded size: a longer text costs more."""

    @dataclass(frozen=True)
    class Text(Message):
        text: str

    paid: list[float] = []
    net = Net()
    net.network.watch(Energy(lambda _, joules: paid.append(joules), per_byte_sent=1.0))
    net.network.send(0, 1, Text("x" * 100))
    net.network.send(0, 1, Text("x" * 150))

    assert paid[1] - paid[0] == 50.0
