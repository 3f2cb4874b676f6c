"""Robots in a line, each following the one in front, by what it sees and what its neighbours tell."""

from kumi.programs.convoy.avoid import Avoid
from kumi.programs.convoy.follower import Follower
from kumi.programs.convoy.formulas import observed, predicted, turned
from kumi.programs.convoy.leader import Leader
from kumi.programs.convoy.messages import Caught, Informed
from kumi.programs.convoy.robot import ConvoyRobot, line_up
from kumi.programs.convoy.rules import Rules

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
