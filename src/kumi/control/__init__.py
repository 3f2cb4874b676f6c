"""What a person tells robots while they run: commands in words, live values and warnings, for real robots and simulated ones."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.control.live_run import Acting, Refused
    from kumi.control.manual_override import Reins
    from kumi.control.session import Session
    from kumi.control.steps import Aim, Go, Look, Step, Stop, Wait
    from kumi.control.telling import Began, Cleared, Ended, Looked, Telling, Trouble, Values, Warned
    from kumi.control.unit import Unit
    from kumi.control.warnings import Danger, Foresight, Outlook
    from kumi.control.words import Order, WordsError, parse_orders

__all__ = [
    "Acting",
    "Aim",
    "Began",
    "Cleared",
    "Danger",
    "Ended",
    "Foresight",
    "Go",
    "Look",
    "Looked",
    "Order",
    "Outlook",
    "Refused",
    "Reins",
    "Session",
    "Step",
    "Stop",
    "Telling",
    "Trouble",
    "Unit",
    "Values",
    "Wait",
    "Warned",
    "WordsError",
    "parse_orders",
]

lazy(__name__)
