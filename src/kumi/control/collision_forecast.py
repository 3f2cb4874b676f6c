"""Who will hit whom, or what, if all go on as they move now?

The present motions are played ahead by the exact engine, as in the control program. What a program will command
next is not known, so a motion is played to the end of its present piece. It costs some hundredths of a millisecond for
each robot; with so many that the run would be held up, no warnings are made, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import copysign
from typing import TYPE_CHECKING

from kumi.control.warnings import Danger, Foresight, Outlook
from kumi.geometry import Disc, Pose
from kumi.maths import cos
from kumi.motion import Leg

if TYPE_CHECKING:
    from kumi.geometry import BodyShape
    from kumi.world import Map, SimulatedBody, World

MOST_ROBOTS = 3000
"""With so many, one look takes about a tenth of a second."""
HORIZON = 5.0
"""Seconds of the run that are looked ahead."""
LEAST = 1e-9
"""Metres, or radians, that are no motion."""
ALONG = 0.999
"""The cosine from which on a body goes where it looks, or straight back."""


class Lookout:
    """Looks ahead in a world again and again. Close it at the end."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._foresight: Foresight | None = None
        self._known: tuple[Map, dict[str, BodyShape]] | None = None

    @property
    def why_off(self) -> str:
        """Why nobody is warned; empty where they are."""
        count = self._world.count
        if count <= MOST_ROBOTS:
            return ""
        return f"Warnings are off: there are {count:,} robots, and contacts are foreseen for up to {MOST_ROBOTS:,}."

    def dangers(self) -> list[Danger]:
        """Return the contacts to come, the soonest first; none where warnings are off."""
        if self.why_off:
            return []
        bodies = [body for body in self._world.bodies if not body.is_gone]
        foresight = self._foresight_for(bodies)
        now = self._world.now
        outlooks = {body.name: outlook_of(body, now) for body in bodies}
        return foresight.dangers(outlooks)

    def close(self) -> None:
        """Let the world that is played ahead go."""
        if self._foresight is not None:
            self._foresight.close()
            self._foresight = None

    def _foresight_for(self, bodies: Iterable[SimulatedBody]) -> Foresight:
        present = self._world.map, {body.name: body.shape for body in bodies}
        if self._foresight is None or present != self._known:
            self.close()
            self._known = present
            self._foresight = Foresight(*present, horizon=HORIZON)
        return self._foresight


def outlook_of(body: SimulatedBody, now: float) -> Outlook:
    """Return where a body is, and the rest of the present piece of its motion, as far as one looks ahead.

    A disc may go to any side; it is played as if it looked where it goes. Another shape that goes sideways is played
    as if it stood.
    """
    left = min(body.piece_end - now, HORIZON)
    speed, turning = body.speed, body.turn_rate
    if not body.is_moving or left <= 0.0 or speed * left < LEAST:
        return Outlook(body.pose)
    side = cos(body.velocity.direction - body.heading)
    if isinstance(body.shape, Disc):
        pose, side = Pose(body.position, body.velocity.direction), 1.0
    elif abs(side) < ALONG:
        return Outlook(body.pose)
    else:
        pose = body.pose
    if abs(turning) * left < LEAST:
        return Outlook(pose, [Leg.forward(copysign(speed * left, side), speed)])
    return Outlook(pose, [Leg.arc(copysign(speed / turning, turning * side), turning * left, speed)])
