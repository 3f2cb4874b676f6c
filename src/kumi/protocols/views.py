"""Views of a group: the promise of view synchrony, and what its protocol says.

The promise is by Birman and Joseph (1987); `Membership` keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import Broadcast


class ViewSynchrony(Broadcast):
    """Tells `View`s, from the node itself, and messages, each in the view in which it was sent.

    Views with equal numbers are equal; who goes on to the next has delivered the same as all who do. What is
    broadcast while the view changes is sent in the next one.
    """


@dataclass(frozen=True, slots=True)
class View(Message):
    """The so many-th list of members."""

    number: int
    members: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Cast(Message):
    """A message in a view, and its number among those of its sender there."""

    view: int
    sender: Address
    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Known(Message):
    """How many messages of each member the sender has delivered without a gap."""

    view: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flush(Message):
    """What the sender delivered in a view, and others perhaps did not; it delivers no more in it."""

    view: int
    messages: tuple[Cast, ...]


@dataclass(frozen=True, slots=True)
class NextView(Message):
    """A view, and what is delivered by all before it begins."""

    view: View
    messages: tuple[Cast, ...]


@dataclass(frozen=True, slots=True)
class Join(Message):
    """The sender is not a member and wants to be."""
