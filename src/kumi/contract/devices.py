"""What crosses between a decision and a motor.

A command is carried out, and `Moved` tells when the motion is over. Which device answers, a virtual one, a real one or both
together, cannot be told.
"""

from __future__ import annotations

import msgspec


class Moved(msgspec.Struct, frozen=True, gc=False):
    """A motion is over: whether all of it was done, and how far the robot believes it has gone.

    `way` is in metres, negative where it went back, and 0 for a turn.
    """

    is_complete: bool
    way: float


class Halt(msgspec.Struct, frozen=True, gc=False):
    """End the motion under way."""
