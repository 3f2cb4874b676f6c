"""What robots of a convoy tell their neighbours."""

from __future__ import annotations

import msgspec


class Informed(msgspec.Struct, frozen=True, gc=False):
    """To the robot behind: I turned by alpha, went a distance and turned by beta; radians and metres."""

    alpha: float
    distance: float
    beta: float


class Caught(msgspec.Struct, frozen=True, gc=False):
    """To the robot in front: I have caught up."""
