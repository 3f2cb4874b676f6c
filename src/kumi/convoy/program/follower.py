"""How does a robot follow the one in front?

Predict and turn, move, adjust, inform. It sets off when the robot in front has told how it moved and the one behind
has caught up. It turns to where the front robot must be now, goes until it is the desired distance behind, and
looks. Where it sees nothing it scans: left, right, farther left, farther right, until it sees something in range,
about as far away as the front robot ought to be. Then it tells both neighbours.

A scan that finds nothing ends where it began: the robot is lost for this step, takes the distance for the desired
one, and tells its neighbours all the same. Range finders cannot tell a robot from a wall.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import remainder, tau
from typing import Any

from kumi.contract import Asked, Body, Pushed
from kumi.contract.readings import Range
from kumi.convoy.program.formulas import observed, predicted, turned
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.robot import ConvoyRobot
from kumi.convoy.program.rules import ConvoyRules
from kumi.devs import Coupled

ROUNDING = 1e-9
"""Metres: 0.8 - 0.5 is a little more than 0.3."""
CAUGHT = Caught()


class ConvoyFollower(ConvoyRobot):
    """Follows the robot in front; has_back is False for the last one. The middle one of its range finders looks ahead."""

    def __init__(
        self,
        name: str,
        rules: ConvoyRules,
        body: Body,
        eyes: Sequence[Asked[Range]],
        feelers: Sequence[Pushed[Any]] = (),
        *,
        has_back: bool,
    ) -> None:
        super().__init__(name, rules, body, eyes, feelers)
        self.front_told = self.add_input("FReadyIn", Informed)
        self.to_front = self.add_output("FReadyOut", Caught)
        self.gap = rules.desired
        self.delta = 0.0
        self.adjustments = 0
        self.times_lost = 0
        self.lost_in_a_row = 0
        self._informed = self.front_told.arrivals.stream()
        self._has_back = has_back

    async def decide(self) -> None:
        """Predict and turn, move, adjust, inform."""
        drive, read = self.avoid.drive, self.eyes[len(self.eyes) // 2].read
        desired, diameter = self.rules.desired, self.rules.diameter
        tolerance = self.rules.tolerance + ROUNDING
        while True:
            front = await anext(self._informed)
            if self._has_back and self.steps:
                await anext(self._caught)
            alpha, distance = predicted(self.gap, self.delta, front, desired)
            moved = await drive(alpha, distance)
            seen, beta = await read(), 0.0
            gap = seen.distance + diameter
            is_found = seen.is_hit and abs(gap - desired) <= tolerance
            if not is_found:
                is_found, beta, gap = await self._scan(tolerance)
            own = Informed(alpha, moved.way, beta)
            if is_found:
                self.lost_in_a_row = 0
                self._learn(front, own, gap)
            self.gap = gap
            self.delta = turned(self.delta, front, own)
            self.steps += 1
            self.to_front.send(CAUGHT)
            self.to_back.send(own)

    async def _scan(self, tolerance: float) -> tuple[bool, float, float]:
        """Look to both sides; return whether the front robot was seen, after which turn in all, and how far away."""
        rules, drive, read = self.rules, self.avoid.drive, self.eyes[len(self.eyes) // 2].read
        self.adjustments += 1
        beta, scans = 0.0, 1
        while (offset := rules.scan_step * ((scans + 1) // 2)) <= rules.scan_reach:
            bearing = offset if scans % 2 else -offset
            await drive(bearing - beta, 0.0)
            beta, scans = bearing, scans + 1
            seen = await read()
            gap = seen.distance + rules.diameter
            if seen.is_hit and abs(gap - rules.desired) <= tolerance:
                return True, beta, gap
        # It looks where the scan began, and believes that all went as predicted.
        self.times_lost += 1
        self.lost_in_a_row += 1
        await drive(-beta, 0.0)
        return False, 0.0, rules.desired

    def _learn(self, front: Informed, own: Informed, gap: float) -> None:
        """Correct what is believed of the front robot's heading by where it was found."""
        if self.rules.learning > 0.0:
            seen = observed(self.gap, front, own, gap)
            if seen is not None:
                self.delta += self.rules.learning * remainder(seen - self.delta, tau)


def line_up(team: Coupled, leader: ConvoyRobot, followers: Sequence[ConvoyFollower]) -> None:
    """Put robots into a team, and couple each to its neighbours."""
    front = team.add(leader)
    for back in followers:
        team.add(back)
        team.couple(front.to_back, back.front_told)
        team.couple(back.to_front, front.back_told)
        front = back
