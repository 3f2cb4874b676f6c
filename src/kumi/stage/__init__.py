"""A world, or links to real robots, with a program for each robot, and what came out of the run."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.stage.links import RobotPort
    from kumi.stage.outcome import Outcome, ProgramError, Progress, Recorder
    from kumi.stage.stage import Stage

__all__ = ["Outcome", "ProgramError", "Progress", "Recorder", "RobotPort", "Stage"]

lazy(__name__)
