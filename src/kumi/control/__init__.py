"""What a person tells robots while they run: commands in words, live values and warnings, for real robots and simulated ones."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.control.live_run import ActionRefused, LiveActions
    from kumi.control.manual_override import OverridableBody
    from kumi.control.session import Session
    from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait
    from kumi.control.telling import (
        Began,
        ListEnded,
        Looked,
        RobotValues,
        Telling,
        Trouble,
        Warned,
        WarningCleared,
    )
    from kumi.control.unit import Unit
    from kumi.control.warnings import CollisionForecast, Danger, PredictedMotion
    from kumi.control.words import Order, WordsError, parse_orders

__all__ = [
    "ActionRefused",
    "Aim",
    "Began",
    "CollisionForecast",
    "Danger",
    "Go",
    "ListEnded",
    "LiveActions",
    "Looked",
    "Order",
    "OverridableBody",
    "PredictedMotion",
    "ReadStep",
    "RobotValues",
    "Session",
    "Step",
    "StopMotor",
    "Telling",
    "Trouble",
    "Unit",
    "Wait",
    "Warned",
    "WarningCleared",
    "WordsError",
    "parse_orders",
]

lazy(__name__)
