"""What robots say to each other.

A message is a frozen dataclass that is a `Message`. It is a value: two with equal fields are equal, and
nobody can change one that is under way. Its fields are numbers, text, bytes, None, places, tuples, frozen
sets and mappings of these, and other messages, so that every message can be written for a wire.
"""

from __future__ import annotations

from typing import TypeAlias

Address: TypeAlias = int
"""The number of a node in its group, from 0; a robot's number is its address."""


class Message:
    """What can be sent; subclasses are frozen dataclasses."""

    __slots__ = ()
