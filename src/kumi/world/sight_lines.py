"""When does something change on the straight line between two bodies?

A claim about a line holds or not, such as "something stands on it", and says how far both ends of the line can
move before that can change. So the search goes along the motions under way in steps in which nothing can have
happened, and no change is missed. A step that finds another answer is halved until it is as short as the clock
can tell: the instant is as exact as the claim and the positions are.

Where a line stays within `FINEST` of a border, as one that runs along a wall does, the steps are that short at
first and then up to `COARSEST`: what begins and ends again in less is missed there.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nextafter
from typing import Protocol

from kumi.devs import Event
from kumi.geometry import Point
from kumi.world.world import SimulatedBody, World

FINEST = 1e-6
"""Metres of motion that are looked at at least, however near a change may be."""

COARSEST = 1e-3
"""Metres of motion that a look near a border skips at most."""

FARTHEST = 100.0
"""Metres of motion after which the search pauses until they are over."""


class Claim(Protocol):
    """Something about a line that holds or does not."""

    def judge(self, start: Point, end: Point) -> tuple[bool, float]:
        """Whether it holds, and how many metres both ends can move before that can change."""


class SightLine:
    """The line between two bodies, which tells each change of a claim at its instant, up to a time.

    Its owner calls `look` when a body or an obstacle has changed.
    """

    def __init__(
        self,
        world: World,
        one: SimulatedBody,
        other: SimulatedBody,
        claim: Claim,
        told: Callable[[bool], object],
        until: float = inf,
    ) -> None:
        self._world = world
        self.ends = one, other
        self._claim = claim
        self._told = told
        self._until = until
        self.is_open = True
        self.holds, _ = self._judge(world.now)
        # Motions that begin before the run, or later at this instant, are seen by a look at its end.
        self._event: Event | None = world.schedule(world.now, self.look)

    def close(self) -> None:
        """End it."""
        self.is_open = False
        self._forget()

    def end(self) -> None:
        """One of the bodies is gone: the claim holds no more."""
        held = self.is_open and self.holds
        self.close()
        if held:
            self._told(False)

    def look(self) -> None:
        """Plan the next change on the motions under way."""
        self._forget()
        if not self.is_open or not self._world.is_running:
            return
        one, other = self.ends
        now = self._world.now
        holds, free = self._judge(now)
        if holds != self.holds:
            self._event = self._world.schedule(now, self._change)
            return
        top = max(one.top_speed, other.top_speed)
        if top == 0.0:
            return
        # A new piece of motion makes its body tell, and the owner look again.
        end = min(one.piece_end, other.piece_end, self._until)
        horizon = min(end, now + FARTHEST / top)
        time = self._next_change(now, horizon, top, free)
        if time is not None:
            self._event = self._world.schedule(time, self._change)
        elif horizon < end:
            self._event = self._world.schedule(horizon, self.look)

    def _change(self) -> None:
        self._event = None
        self.holds = not self.holds
        self._told(self.holds)
        self.look()

    def _forget(self) -> None:
        if self._event is not None and self._event.is_planned:
            self._event.withdraw()
        self._event = None

    def _judge(self, time: float) -> tuple[bool, float]:
        one, other = self.ends
        return self._claim.judge(one.place_by(time), other.place_by(time))

    def _next_change(self, time: float, end: float, top: float, free: float) -> float | None:
        """Return the first instant at which the claim has changed; None if it does not by the end."""
        doubt = FINEST
        while time < end:
            if free > FINEST:
                step, doubt = free, FINEST
            else:
                step, doubt = doubt, min(2.0 * doubt, COARSEST)
            later = min(max(time + step / top, nextafter(time, inf)), end)
            holds, free = self._judge(later)
            if holds != self.holds:
                return self._first_change(time, later)
            time = later
        return None

    def _first_change(self, before: float, after: float) -> float:
        while before < (middle := before + (after - before) / 2) < after:
            if self._judge(middle)[0] == self.holds:
                before = middle
            else:
                after = middle
        return after
