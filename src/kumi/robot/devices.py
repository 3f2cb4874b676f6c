"""What stands between a decision model's ports and a body?

A motor: a model with ports on one side and the contract on the other, which carries commands out with any `Body`. A simulated
body makes it a virtual device, a linked one a real device; the decision model is coupled to it in the same way, and unchanged.
"""

from __future__ import annotations

from kumi.contract import Blocked, Body, Command, Forward
from kumi.contract.devices import Halt, Moved
from kumi.devs import Program, until


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
