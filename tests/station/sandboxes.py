"""A robot on a stage whose program runs in the sandbox, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kumi import Map, Stage
from kumi.robot import Robot
from kumi.sensing import Sensor
from kumi.station.contest.field import Lockstep, shown_by
from kumi.station.entering.uploads import radio_of
from kumi.station.sandbox import jail
from kumi.station.sandbox.host import Host
from kumi.station.sandbox.jail import CodeLimits
from kumi.station.sandbox.run import Contained, Sandbox
from kumi.station.sandbox.words import OrderWord
from tests.waiting import PATIENCE

SHORT = CodeLimits(seconds=PATIENCE, cpu_seconds=20, memory=512 * jail.MEGABYTE)
ROOM = Map(width=6.0, height=4.0)


async def confined(robot: Robot, order: OrderWord, limits: CodeLimits = SHORT) -> Contained:
    """Run an order for a robot of a stage, which stands still while the sandbox computes."""
    sandbox = Sandbox(limits)
    try:
        host = Host(robot._body, robot.home, radio=radio_of(robot), show=shown_by(robot))
        return await host.run(order, Lockstep(sandbox))
    finally:
        sandbox.close()


def ran(
    code: str,
    limits: CodeLimits = SHORT,
    *,
    do: str = "run",
    sensors: Mapping[str, Sensor] | None = None,
    until: float = 100.0,
    **more: Any,
) -> Contained:
    """Run a text on a robot at (1, 2) in a room of 6 m by 4 m, and return what came of it."""
    done: list[Contained] = []

    async def program(robot: Robot) -> None:
        done.append(await confined(robot, OrderWord(do, "code", code, **more), limits))

    with Stage(ROOM, patience=float("inf")) as stage:
        stage.add(program, at=(1.0, 2.0), radius=0.2, sensors=sensors)
        stage.run(until)
    return done[0]
