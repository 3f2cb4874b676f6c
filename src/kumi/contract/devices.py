"""What crosses between a decision model and the devices of a robot: sensors and actuators as models.

A decision model sends a command to a motor and gets `Moved` when the motion is over; it sends `Look` to its range
finders and gets `Seen`. Which device answers, a virtual one, a real one or both together, it cannot tell.
"""

from __future__ import annotations

import msgspec

from kumi.contract.readings import Range


class Moved(msgspec.Struct, frozen=True, gc=False):
    """A motion is over: whether all of it was done, and how far the robot believes it has gone.

    `way` is in metres, negative where it went back, and 0 for a turn.
    """

    is_complete: bool
    way: float


class Halt(msgspec.Struct, frozen=True, gc=False):
    """End the motion under way."""


class Look(msgspec.Struct, frozen=True, gc=False):
    """Ask the range finders, all at once."""


class Seen(msgspec.Struct, frozen=True):
    """What the range finders answered, from right to left."""

    ranges: tuple[Range, ...]
