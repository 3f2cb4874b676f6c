"""What a person tells robots while they run: commands in words, live values and warnings, for real robots and simulated ones."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.control.live_run import LiveActions, ActionRefused
    from kumi.control.manual_override import OverridableBody
    from kumi.control.session import Session
    from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait
    from kumi.control.telling import Began, WarningCleared, ListEnded, Looked, Telling, Trouble, RobotValues, Warned
    from kumi.control.unit import Unit
    from kumi.control.warnings import Danger, CollisionForecast, Outlook
    from kumi.control.words import Order, WordsError, parse_orders

__all__ = [
    "LiveActions",
    "Aim",
    "Began",
    "WarningCleared",
    "Danger",
    "ListEnded",
    "CollisionForecast",
    "Go",
    "ReadStep",
    "Looked",
    "Order",
    "Outlook",
    "ActionRefused",
    "OverridableBody",
    "Session",
    "Step",
    "StopMotor",
    "Telling",
    "Trouble",
    "Unit",
    "RobotValues",
    "Wait",
    "Warned",
    "WordsError",
    "parse_orders",
]

lazy(__name__)
