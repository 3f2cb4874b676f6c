"""A robot of a convoy: decisions, avoidance and devices, coupled.

The paper's ports are those of the whole robot. Devices come from outside, made for a body of any kind, so that a
virtual motor can be replaced by a real one without a change of what decides.
"""

from __future__ import annotations

from itertools import pairwise

from kumi.convoy.program.avoid import Avoid
from kumi.convoy.program.follower import ConvoyFollower
from kumi.convoy.program.leader import Leader
from kumi.convoy.program.messages import Caught, Informed
from kumi.devs import Coupled
from kumi.robot.devices import Feelers, Motor, RangeFinders


class ConvoyRobot(Coupled):
    """Ports FReadyIn and FReadyOut lead to the robot in front, BReadyIn and BReadyOut to the one behind."""

    def __init__(
        self,
        name: str,
        decision: Leader | ConvoyFollower,
        motor: Motor,
        eyes: RangeFinders,
        feelers: Feelers | None = None,
    ) -> None:
        super().__init__(name)
        self.decision = self.add(decision)
        self.avoid = self.add(Avoid("avoid", decision.rules.back_off))
        self.motor = self.add(motor)
        self.eyes = self.add(eyes)
        self.back_in = self.add_input("BReadyIn", Caught)
        self.back_out = self.add_output("BReadyOut", Informed)
        self.couple(self.back_in, decision.back_told)
        self.couple(decision.to_back, self.back_out)
        self.couple(decision.looks, eyes.looks)
        self.couple(eyes.seen, decision.seen)
        self.couple(decision.commands, self.avoid.wanted)
        self.couple(self.avoid.moved, decision.moved)
        self.couple(self.avoid.commands, motor.commands)
        self.couple(self.avoid.halts, motor.halts)
        self.couple(motor.moved, self.avoid.motor_moved)
        if feelers is not None:
            self.couple(self.add(feelers).touched, self.avoid.touched)
        if isinstance(decision, ConvoyFollower):
            self.front_in = self.add_input("FReadyIn", Informed)
            self.front_out = self.add_output("FReadyOut", Caught)
            self.couple(self.front_in, decision.front_told)
            self.couple(decision.to_front, self.front_out)


def line_up(team: Coupled, robots: list[ConvoyRobot]) -> None:
    """Put robots into a team, the leader first, and couple each to its neighbours."""
    for robot in robots:
        team.add(robot)
    for front, back in pairwise(robots):
        team.couple(front.back_out, back.front_in)
        team.couple(back.front_out, front.back_in)
