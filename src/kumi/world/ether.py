"""What stands between two robots, as radio meets it, and which walls does a line of sight cross?

A robot's number is its address. Distances go from centre to centre. Neighbours come from the core, which
knows it by cells, and so does who comes into range; the length of a line inside each obstacle, and the instants
at which a line comes into and out of a shadow, are computed here. Obstacles of the world shadow, those that come
and go during a run, too; robots do not.

A claim about a line holds or not, such as "something stands on it", and says how far both ends of the line can
move before that can change. So the search goes along the motions under way in steps in which nothing can have
happened, and no change is missed. A step that finds another answer is halved until it is as short as the clock
can tell: the instant is as exact as the claim and the positions are.

Where a line stays within `FINEST` of a border, as one that runs along a wall does, the steps are that short at
first and then up to `COARSEST`: what begins and ends again in less is missed there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, nextafter
from typing import Protocol, TypeAlias

from kumi.devs import Event
from kumi.geometry import Point
from kumi.world.obstacles import Obstacle
from kumi.world.shadows import clearance, thickness_along
from kumi.world.world import SimulatedBody, Thing, World

Between: TypeAlias = Sequence[tuple[float, float]]

LOOK_MARGIN = 1.0
"""Metres around a line in which obstacles are looked at; the ends are not trusted to move farther at once."""

IN_SHADOW = 1e-3
"""Metres of motion after which the power behind obstacles is looked at again."""


class WorldEther:
    """The ether of a world; what an obstacle takes of a radio's power, its material says."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._bodies: dict[int, SimulatedBody] = {}
        self._added = 0  # how many bodies the world had ever had when they were last looked up
        self._lines: dict[int, dict[SightLine, None]] = {}  # by the bodies at their ends
        self._watches_obstacles = False

    @property
    def is_clear(self) -> bool:
        """Whether there is no obstacle at all."""
        return not self.world.map.obstacles

    def body(self, address: int) -> SimulatedBody | None:
        """Return the body of an address, or None if there is none any more."""
        body = self._bodies.get(address)
        if body is None and self._added != self.world.added:
            self._bodies = {one.number: one for one in self.world.bodies}
            self._added = self.world.added
            body = self._bodies.get(address)
        if body is None or not body.is_gone:
            return body
        del self._bodies[address]
        return None

    def near(self, address: int, within: float) -> list[tuple[int, float]]:
        """Return all others whose centres are within a distance of a body's centre, by number."""
        body = self.body(address)
        return [] if body is None else self.world.near_centres(body, within)

    def distance(self, one: int, other: int) -> float | None:
        """Return the metres between two centres."""
        here, there = self.body(one), self.body(other)
        return None if here is None or there is None else abs(there.position - here.position)

    def obstacles_between(self, one: int, other: int) -> Between:
        """Return how many metres of each obstacle the line between two centres goes through, at how many dB a metre."""
        if not self.world.map.obstacles:
            return ()
        here, there = self.body(one), self.body(other)
        if here is None or there is None:
            return ()
        return self.obstacles_on(here.position, there.position)

    def obstacles_on(self, start: Point, end: Point) -> list[tuple[float, float]]:
        """Return how many metres of each obstacle a line goes through, at how many dB a metre."""
        found = []
        for thing in self.world.obstacles_beside(start, end, 0.0):
            thickness = thickness_along(thing, start, end)
            if thickness > 0.0 and isinstance(thing, Obstacle):
                found.append((thickness, thing.material.radio_loss_db_per_m))
        return found

    def watch(self, address: int, within: float, told: Callable[[bool, int], object]) -> Callable[[], None]:
        """Tell who comes within a distance of a body, or leaves it, at the exact instant."""
        body = self.body(address)
        if body is None or within == 0.0:
            return _nothing

        def passed(has_entered: bool, other: SimulatedBody) -> None:
            told(has_entered, other.number)

        return body.watch(within, passed, to_centres=True).close

    def watch_shadow(self, one: int, other: int, told: Callable[[bool], object]) -> Callable[[], None]:
        """Tell when an obstacle comes onto the line between two bodies, and when there is none again."""
        return self._follow(one, other, InShadow(self.world), told, inf)

    def watch_hearing(
        self,
        one: int,
        other: int,
        within: float,
        passes: Callable[[float, Between], bool],
        until: float,
        told: Callable[[bool], object],
    ) -> Callable[[], None]:
        """Tell when two bodies cease to be within a distance, or what is between them to let pass; and the reverse.

        Leaving the distance, and the first obstacle on the line, are exact; behind obstacles `passes` is asked
        for each `IN_SHADOW` of motion. Where a body goes for good, that is told.
        """
        return self._follow(one, other, InReach(self, within, passes), told, until)

    def _follow(
        self, one: int, other: int, claim: Claim, told: Callable[[bool], object], until: float
    ) -> Callable[[], None]:
        ends = self.body(one), self.body(other)
        if ends[0] is None or ends[1] is None:
            return _nothing
        if not self._watches_obstacles:
            self._watches_obstacles = True
            self.world.on_obstacle(self._look_everywhere)
        for number, body in ((one, ends[0]), (other, ends[1])):
            if number not in self._lines:
                self._lines[number] = {}
                body.on_motion(partial(self._look, number))
                body.on_gone(partial(self._gone, number))
        line = SightLine(self.world, ends[0], ends[1], claim, told, until)
        self._lines[one][line] = self._lines[other][line] = None

        def close() -> None:
            line.close()
            self._forget(line)

        return close

    def _forget(self, line: SightLine) -> None:
        for body in line.ends:
            self._lines.get(body.number, {}).pop(line, None)

    def _look(self, number: int) -> None:
        """Look anew at the lines of a body that moves in another way now."""
        for line in self._lines.get(number, ()):
            line.look()

    def _look_everywhere(self) -> None:
        for line in dict.fromkeys(line for lines in self._lines.values() for line in lines):
            line.look()

    def _gone(self, number: int) -> None:
        for line in self._lines.pop(number):
            self._forget(line)
            line.end()


class InShadow:
    """The claim that something stands on a line."""

    def __init__(self, world: World) -> None:
        self._world = world

    def judge(self, start: Point, end: Point) -> tuple[bool, float]:
        """Whether it does, and how many metres both ends can move before that can change."""
        things = around(self._world, start, end)
        hidden = [
            -clearance(thing, start, end) for thing in things if thickness_along(thing, start, end) > 0.0
        ]
        if hidden:
            return True, max(hidden)
        return False, min((LOOK_MARGIN, *(clearance(thing, start, end) for thing in things)))


class InReach:
    """The claim that two bodies are within a distance, and that what is between them lets pass."""

    def __init__(self, ether: WorldEther, within: float, passes: Callable[[float, Between], bool]) -> None:
        self._ether = ether
        self._within = within
        self._passes = passes

    def judge(self, start: Point, end: Point) -> tuple[bool, float]:
        """Whether it does, and how many metres both ends can move before that can change."""
        away = abs(end - start)
        spare = (self._within - away) / 2
        if spare < 0.0:
            return False, -spare
        obstacles = self._ether.obstacles_on(start, end)
        if obstacles:
            return self._passes(away, obstacles), min(spare, IN_SHADOW)
        things = around(self._ether.world, start, end)
        return True, min((spare, LOOK_MARGIN, *(clearance(thing, start, end) for thing in things)))


def around(world: World, start: Point, end: Point) -> list[Thing]:
    """Return the obstacles that a line can come to while its ends move by less than `LOOK_MARGIN`."""
    return world.obstacles_beside(start, end, LOOK_MARGIN)


def _nothing() -> None:
    """Nothing was watched, so nothing ends."""


FINEST = 1e-6
"""Metres of motion that are looked at at least, however near a change may be."""

COARSEST = 1e-3
"""Metres of motion that a look near a border skips at most."""

SEARCH_REACH = 100.0
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
        horizon = min(end, now + SEARCH_REACH / top)
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
