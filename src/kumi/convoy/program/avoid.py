"""What comes before following: to hurt nobody.

Subsumption: the convoy's decisions drive by this layer alone. It carries commands out with any `Body`, and tells how far the
robot got. When a whisker touches something on the way ahead, or a motion is blocked, it takes over: it ends the
motion, goes back a little, and only then tells the layer above that the way ended short.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from kumi.contract import Blocked, Body, Forward, Pushed, Turn
from kumi.contract.devices import Moved
from kumi.devs import Signal
from kumi.geometry import Point

NOWHERE = Moved(True, 0.0)


class Avoid:
    """Drives a body, and goes back from what is touched; `avoided` counts how often."""

    def __init__(self, body: Body, feelers: Sequence[Pushed[Any]], back_off: float) -> None:
        self.body = body
        self.feelers = tuple(feelers)
        self.avoided = 0
        self._back_off = back_off
        self._goes_ahead = False
        self._is_touched = False

    async def feel(self) -> None:
        """End each motion ahead at which a whisker touches something."""
        touches: Signal[Any] = reduce(or_, [feeler.reports for feeler in self.feelers])
        async for _ in touches:
            if self._goes_ahead and self.body.is_moving:
                self._goes_ahead, self._is_touched = False, True
                self.body.stop()

    async def drive(self, angle: float, distance: float) -> Moved:
        """Turn, go straight on, and tell how the way ended; an angle or a distance of 0 is no motion."""
        body = self.body
        if angle != 0.0:
            try:
                await body.carry_out(Turn(angle))
            except Blocked:
                await self._go_back(body.position, 0.0)
        if distance == 0.0:
            return NOWHERE
        start = body.position
        self._goes_ahead = distance > 0.0
        try:
            await body.carry_out(Forward(distance))
        except Blocked:
            self._is_touched = True
        self._goes_ahead = False
        if self._is_touched:
            return Moved(False, await self._go_back(start, distance))
        return Moved(True, distance)

    async def _go_back(self, start: Point, distance: float) -> float:
        """Go back from what is touched, and return how far the robot got in all."""
        self.avoided += 1
        self._is_touched = False
        back = -self._back_off if distance > 0.0 else self._back_off
        turned = self.body.position
        way = start.distance_to(turned)
        try:
            await self.body.carry_out(Forward(back))
        except Blocked:
            gone = turned.distance_to(self.body.position)
            back = -gone if back < 0.0 else gone
        return (-way if distance < 0.0 else way) + back
