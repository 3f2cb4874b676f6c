"""What a program tells a body to do.

Commands are values: they are sent, stored, compared and replayed. A speed of None leaves it to the drive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from kumi._core import provide
from kumi.geometry import PointLike


class MoveTo(msgspec.Struct, frozen=True, gc=False):
    """Go to a place."""

    goal: PointLike
    speed: float | None = None
    turn_speed: float | None = None


provide("MoveTo", MoveTo)  # the core makes it for a robot's move_to()


class Forward(msgspec.Struct, frozen=True, gc=False):
    """Go straight ahead, or back where the distance is negative; inf goes on until stopped."""

    distance: float
    speed: float | None = None


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Turn on the spot, to the left where the angle is positive."""

    angle: float
    speed: float | None = None


provide("Forward", Forward)  # the core plans both for wheels
provide("Turn", Turn)


class Arc(msgspec.Struct, frozen=True, gc=False):
    """Drive around a centre `radius` metres to the left, to the right where it is negative, turning by an angle.

    The angle is in radians, to the right where it is negative. Radius and angle of one sign drive forward, of different
    signs back.
    """

    radius: float
    angle: float
    speed: float | None = None


class Follow(msgspec.Struct, frozen=True):
    """Go from place to place."""

    path: Sequence[PointLike]
    speed: float | None = None
    turn_speed: float | None = None


class Sample(msgspec.Struct, frozen=True):
    """Where to be, looking where, how many seconds after the start."""

    time: float
    at: PointLike
    heading: float


class Track(msgspec.Struct, frozen=True):
    """Be at each place at its time."""

    samples: Sequence[Sample]

    def __str__(self) -> str:
        last = f" up to {self.samples[-1].time:g} s" if self.samples else ""
        return f"Track of {len(self.samples)} samples{last}"


class Steer(msgspec.Struct, frozen=True, gc=False):
    """Drive at a speed while turning at a rate, until told otherwise."""

    speed: float
    turn_speed: float = 0.0


provide("Steer", Steer)  # the core makes it for a robot's steer(), where the body is none of its own

Command: TypeAlias = MoveTo | Forward | Turn | Arc | Follow | Track | Steer
