"""A convoy in which some robots are real: the same robots, with the devices that were chosen behind their ports.

A virtual robot is as in `kumi.convoy`. What decides does not change: `Leader`, `Follower` and `Avoid` are
made and coupled by the same lines, whatever drives and senses for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kumi.contract import Asked, Body, Command, Pushed, Turn
from kumi.contract.readings import Pressed, Range
from kumi.convoy import Setup
from kumi.convoy.team import Convoy
from kumi.loop.devices import RealRobot
from kumi.loop.tracking import Tracking
from kumi.motion import Leg, Wheel
from kumi.motion.drives import Legs, Moving
from kumi.world import SimulatedBody

AHEAD = ("front",)
AROUND = ("front_right", "front", "front_left")
"""The rangers of a real robot that a follower and the leader look with, from right to left."""


class SettingOff:
    """A drive that takes some seconds for each motion in which it does not move, and more where its wheel is turned.

    The wheel of a real robot is turned across between a straight way and a turn on the spot.
    """

    def __init__(self, wheel: Wheel, seconds: float, turning: float) -> None:
        self._wheel, self._seconds, self._turning = wheel, seconds, turning
        self._is_across = False
        self.speed, self.turn_speed = wheel.speed, wheel.turn_speed

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        legs = self._wheel.plan(command, body)
        before, self._is_across = self._is_across, isinstance(command, Turn)
        seconds = self._seconds + (self._turning if before != self._is_across else 0.0)
        return [Leg.rest(seconds), *(legs if isinstance(legs, Sequence) else [legs])]


class LoopConvoy(Convoy):
    """A convoy with real robots by number, from 1 for the leader; `tracking` tells where they are."""

    def __init__(
        self,
        setup: Setup,
        real: Mapping[int, RealRobot],
        tracking: Tracking | None = None,
        *,
        setting_off: float = 0.0,
        turning_wheel: float = 0.0,
    ) -> None:
        self._real = real
        self._tracking = tracking
        super().__init__(setup)
        if setting_off > 0.0 or turning_wheel > 0.0:
            for body in self.bodies:
                assert isinstance(body.drive, Wheel)
                body.drive = SettingOff(body.drive, setting_off, turning_wheel)

    def body_for_motor(self, number: int, body: SimulatedBody) -> Body:
        """Return the body itself, or the one that drives a real robot."""
        real = self._real.get(number + 1)
        return body if real is None else real.motor(body, self._tracking)

    def infrared_of(self, number: int, body: SimulatedBody) -> Sequence[Asked[Range]]:
        """Return virtual range finders, real ones, or real ones beside virtual ones."""
        virtual = super().infrared_of(number, body)
        real = self._real.get(number + 1)
        if real is None:
            return virtual
        kind, names = real.choices["infrared"], AHEAD if number else AROUND
        return [real.asked(kind, name, twin) for name, twin in zip(names, virtual, strict=True)]

    def whiskers_of(self, number: int, body: SimulatedBody) -> Sequence[Pushed[Pressed]]:
        """Return virtual whiskers, or the switches of a real robot."""
        real = self._real.get(number + 1)
        if real is None:
            return super().whiskers_of(number, body)
        return real.pushed(real.choices["whiskers"], "bumper", list(super().whiskers_of(number, body)))
