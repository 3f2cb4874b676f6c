"""A robot of a convoy: a program with the ports of the paper, over a body and its sensors.

Ports with F lead to the robot in front, those with B to the one behind. Body and sensors are known by the contract alone, so
that virtual ones can be replaced by real ones without a change of what decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kumi.contract import Asked, Body, Pushed
from kumi.contract.readings import Range
from kumi.convoy.program.avoid import Avoid
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.rules import ConvoyRules
from kumi.devs import Program, together


class ConvoyRobot(Program):
    """What leader and followers have in common: they avoid what they touch, and wait for the robot behind."""

    def __init__(
        self,
        name: str,
        rules: ConvoyRules,
        body: Body,
        eyes: Sequence[Asked[Range]],
        feelers: Sequence[Pushed[Any]] = (),
    ) -> None:
        super().__init__(name)
        if not eyes:
            raise ValueError(f"'{name}' needs at least one range finder")
        self.rules = rules
        self.eyes = tuple(eyes)
        self.avoid = Avoid(body, feelers, rules.back_off)
        self.steps = 0
        self.back_told = self.add_input("BReadyIn", Caught)
        self.to_back = self.add_output("BReadyOut", Informed)
        self._caught = self.back_told.arrivals.stream()  # from now on: one may send before this one runs

    async def run(self) -> None:
        """Decide, and avoid what is touched meanwhile."""
        async with together() as tasks:
            if self.avoid.feelers:
                tasks.start(self.avoid.feel)
            await self.decide()

    async def decide(self) -> None:
        """Go step by step, without end."""
        raise NotImplementedError
