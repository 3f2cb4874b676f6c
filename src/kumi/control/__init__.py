"""The control program: commands in words for one to three packet robots, live values, warnings."""

from kumi.control.session import Session
from kumi.control.steps import Aim, Go, Look, Step, Stop, Wait
from kumi.control.telling import Began, Cleared, Ended, Looked, Telling, Trouble, Values, Warned
from kumi.control.unit import Unit
from kumi.control.warnings import Danger, Foresight, Outlook
from kumi.control.words import Order, WordsError, parse_orders

__all__ = [
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
