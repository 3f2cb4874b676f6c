"""Robots in a line, each following the one in front, by what it sees and what its neighbours tell."""

from kumi.convoy.program.avoid import Avoid
from kumi.convoy.program.follower import Follower
from kumi.convoy.program.formulas import observed, predicted, turned
from kumi.convoy.program.leader import Leader
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.robot import ConvoyRobot, line_up
from kumi.convoy.program.rules import Rules

__all__ = [
    "Avoid",
    "Caught",
    "ConvoyRobot",
    "Follower",
    "Informed",
    "Leader",
    "Rules",
    "line_up",
    "observed",
    "predicted",
    "turned",
]
