"""What stands between a decision model's ports and a body?

Devices: models with ports on one side and the contract on the other. A motor carries commands out with any `Body`,
range finders ask any `Asked` sensor, feelers pass on what any `Pushed` sensor reports. A simulated body makes them
virtual devices, a linked one real devices; the decision model is coupled to them in the same way, and unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from kumi.contract import Asked, Blocked, Body, Command, Forward, Pushed
from kumi.contract.devices import Halt, Look, Moved, Seen
from kumi.contract.readings import Pressed, Range
from kumi.devs import Program, Signal, until


class Motor(Program):
    """Carries out one command after the other, and tells when each motion is over."""

    def __init__(self, name: str, body: Body) -> None:
        super().__init__(name)
        self._body = body
        self.commands = self.add_input("commands", Command)
        self.halts = self.add_input("halts", Halt)
        self.moved = self.add_output("moved", Moved)
        self._to_do = self.commands.arrivals.stream()  # from now on: a model may send before this one runs

    async def run(self) -> None:
        """Wait for commands."""
        async for command in self._to_do:
            self.moved.send(await self._carried_out(command))

    async def _carried_out(self, command: Command) -> Moved:
        start = self._body.position
        with until(self.halts.arrivals):
            try:
                await self._body.carry_out(command)
            except Blocked:
                pass  # told below: not complete
            else:
                return Moved(True, command.distance if isinstance(command, Forward) else 0.0)
        way = start.distance_to(self._body.position)
        goes_back = isinstance(command, Forward) and command.distance < 0.0
        return Moved(False, -way if goes_back else way)


class RangeFinders(Program):
    """Asks its sensors, all that there are, whenever it is told to look."""

    def __init__(self, name: str, sensors: Sequence[Asked[Range]]) -> None:
        super().__init__(name)
        if not sensors:
            raise ValueError(f"'{name}' needs at least one sensor to ask")
        self._sensors = tuple(sensors)
        self.looks = self.add_input("looks", Look)
        self.seen = self.add_output("seen", Seen)
        self._asked = self.looks.arrivals.stream()  # from now on: a model may send before this one runs

    async def run(self) -> None:
        """Wait to be asked."""
        async for _ in self._asked:
            self.seen.send(Seen(tuple([await sensor.read() for sensor in self._sensors])))


class Feelers(Program):
    """Passes on each touch of its whiskers or bumpers."""

    def __init__(self, name: str, sensors: Sequence[Pushed[Pressed]]) -> None:
        super().__init__(name)
        if not sensors:
            raise ValueError(f"'{name}' needs at least one sensor to listen to")
        self._sensors = tuple(sensors)
        self.touched = self.add_output("touched", Pressed)

    async def run(self) -> None:
        """Listen to all of them."""
        touches: Signal[Any] = reduce(or_, [sensor.reports for sensor in self._sensors])
        async for pressed in touches:
            self.touched.send(pressed)
