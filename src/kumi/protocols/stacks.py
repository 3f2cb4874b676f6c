"""Stacks to use as they are, by name in a scenario: each function makes one for one node."""

from __future__ import annotations

from kumi.protocols.stack import Stack


def plain() -> Stack:
    """Nothing but the network."""
    return Stack()
