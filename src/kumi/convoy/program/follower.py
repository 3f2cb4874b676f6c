"""How does a robot follow the one in front?

Predict and turn, move, adjust, inform. It sets off when the robot in front has told how it moved and the one behind
has caught up. It turns to where the front robot must be now, goes until it is the desired distance behind, and
looks. Where it sees nothing it scans: left, right, farther left, farther right, until it sees something in range,
about as far away as the front robot ought to be. Then it tells both neighbours.

A scan that finds nothing ends where it began: the robot is lost for this step, takes the distance for the desired
one, and tells its neighbours all the same. Range finders cannot tell a robot from a wall.
"""

from __future__ import annotations

from enum import Enum, auto
from math import remainder, tau

from kumi.contract import Forward, Turn
from kumi.contract.devices import Look, Moved, Seen
from kumi.convoy.program.decision import ConvoyDecision
from kumi.convoy.program.formulas import observed, predicted, turned
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.rules import ConvoyRules

ROUNDING = 1e-9
"""Metres: 0.8 - 0.5 is a little more than 0.3."""


class FollowPhase(Enum):
    """What a follower is doing."""

    WAITING = auto()
    TURNING = auto()
    MOVING = auto()
    LOOKING = auto()
    GIVING_UP = auto()


class ConvoyFollower(ConvoyDecision):
    """Follows the robot in front; has_back is False for the last one."""

    def __init__(self, name: str, rules: ConvoyRules, *, has_back: bool) -> None:
        super().__init__(name, rules, has_back=has_back)
        self.front_told = self.add_input("FReadyIn", Informed)
        self.to_front = self.add_output("FReadyOut", Caught)
        self.phase = FollowPhase.WAITING
        self.gap = rules.desired
        self.delta = 0.0
        self.steps = 0
        self.adjustments = 0
        self.times_lost = 0
        self.lost_in_a_row = 0
        self._front: Informed | None = None
        self._alpha = 0.0
        self._distance = 0.0
        self._beta = 0.0
        self._scans = 0

    @property
    def is_ready(self) -> bool:
        """Whether the robot in front has told how it moved."""
        return self.phase is FollowPhase.WAITING and self._front is not None

    def external(self) -> None:
        """Take what the robot in front told, and the rest."""
        for told in self.front_told:
            self._front = told
        super().external()

    def set_off(self) -> None:
        """Predict, and turn."""
        assert self._front is not None
        self._alpha, self._distance = predicted(self.gap, self.delta, self._front, self.rules.desired)
        self._beta, self._scans = 0.0, 0
        self.phase = FollowPhase.TURNING
        if self._alpha != 0.0:
            self.say(self.commands, Turn(self._alpha))
        else:
            self._go()

    def on_moved(self, moved: Moved) -> None:
        """Go on to the next part of the routine."""
        if self.phase is FollowPhase.TURNING:
            self._go()
        elif self.phase is FollowPhase.MOVING:
            self._distance = moved.way
            self._look()
        elif self.phase is FollowPhase.LOOKING:
            self._look()
        else:
            self._inform()

    def _go(self) -> None:
        self.phase = FollowPhase.MOVING
        if self._distance != 0.0:
            self.say(self.commands, Forward(self._distance))
        else:
            self._look()

    def _look(self) -> None:
        self.phase = FollowPhase.LOOKING
        self.say(self.looks, Look())

    def on_seen(self, seen: Seen) -> None:
        """Inform where the front robot is seen, else scan on."""
        ahead = seen.ranges[len(seen.ranges) // 2]
        gap = ahead.distance + self.rules.diameter
        if ahead.is_hit and abs(gap - self.rules.desired) <= self.rules.tolerance + ROUNDING:
            self.lost_in_a_row = 0
            self._learn(gap)
            self.gap = gap
            self._inform()
        else:
            self._scan()

    def _learn(self, gap: float) -> None:
        """Correct what is believed of the front robot's heading by where it was found."""
        assert self._front is not None
        if self.rules.learning > 0.0:
            own = Informed(self._alpha, self._distance, self._beta)
            seen = observed(self.gap, self._front, own, gap)
            if seen is not None:
                self.delta += self.rules.learning * remainder(seen - self.delta, tau)

    def _scan(self) -> None:
        if self._scans == 0:
            self.adjustments += 1
        self._scans += 1
        offset = self.rules.scan_step * ((self._scans + 1) // 2)
        if offset > self.rules.scan_reach:
            self._give_up()
            return
        bearing = offset if self._scans % 2 else -offset
        self.say(self.commands, Turn(bearing - self._beta))
        self._beta = bearing

    def _give_up(self) -> None:
        """Look where the scan began, and believe that all went as predicted."""
        self.phase = FollowPhase.GIVING_UP
        self.times_lost += 1
        self.lost_in_a_row += 1
        self.gap = self.rules.desired
        self.say(self.commands, Turn(-self._beta))
        self._beta = 0.0

    def _inform(self) -> None:
        assert self._front is not None
        own = Informed(self._alpha, self._distance, self._beta)
        self.delta = turned(self.delta, self._front, own)
        self._front = None
        self.steps += 1
        self.phase = FollowPhase.WAITING
        self.say(self.to_front, Caught())
        self.say(self.to_back, own)
