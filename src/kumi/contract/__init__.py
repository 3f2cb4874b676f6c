"""What crosses between a program and a body: commands, events, readings, errors."""

from kumi.contract.body import Asked, Body, BodyAround, Pushed
from kumi.contract.commands import (
    Arc,
    Command,
    Follow,
    Forward,
    MoveTo,
    Sample,
    Steer,
    Track,
    Turn,
)
from kumi.contract.errors import BadGoal, Blocked, Busy, CannotDo, LinkLost, Lost, OffTarget
from kumi.contract.events import Contact, Entered, Left, Parting
from kumi.contract.messages import Address, Message
from kumi.lazy import eager

__all__ = [
    "Address",
    "Arc",
    "Asked",
    "BadGoal",
    "Blocked",
    "Body",
    "BodyAround",
    "Busy",
    "CannotDo",
    "Command",
    "Contact",
    "Entered",
    "Follow",
    "Forward",
    "Left",
    "LinkLost",
    "Lost",
    "Message",
    "MoveTo",
    "OffTarget",
    "Parting",
    "Pushed",
    "Sample",
    "Steer",
    "Track",
    "Turn",
]

eager(__name__)
