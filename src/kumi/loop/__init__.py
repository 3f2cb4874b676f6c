"""Real robots in a simulated team: devices chosen one by one, counterparts, tracking, and runs in real time."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.loop.choices import Choices
    from kumi.loop.counterpart import Tracking
    from kumi.loop.outcome import LostRobot, RealOutcome
    from kumi.loop.real import Emulated, Real
    from kumi.loop.robot_processes import NotThere

__all__ = ["Choices", "Emulated", "LostRobot", "NotThere", "Real", "RealOutcome", "Tracking"]

lazy(__name__)
