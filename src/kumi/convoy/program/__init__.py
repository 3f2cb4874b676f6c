"""Robots in a line, each following the one in front, by what it sees and what its neighbours tell."""

from kumi.convoy.program.avoid import Avoid
from kumi.convoy.program.follower import ConvoyFollower, line_up
from kumi.convoy.program.formulas import observed, predicted, turned
from kumi.convoy.program.leader import Leader
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.robot import ConvoyRobot
from kumi.convoy.program.rules import ConvoyRules

__all__ = [
    "Avoid",
    "Caught",
    "ConvoyFollower",
    "ConvoyRobot",
    "ConvoyRules",
    "Informed",
    "Leader",
    "line_up",
    "observed",
    "predicted",
    "turned",
]
