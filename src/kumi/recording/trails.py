"""Where have the robots of a run been lately?

A trail goes back from where a robot is, until it is as long as a share of the plane: so it tells as much of a slow run
as of a quick one. It goes through the places at instants that lie close together, since the exact motion between them
is of no size in a picture.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from math import inf
from typing import TYPE_CHECKING

from kumi.recording.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.geometry import Bounds, Point
    from kumi.recording.latest import BodyState
    from kumi.recording.painting import Painter
    from kumi.recording.runfile import RunFile
    from kumi.recording.view import Viewport

TRAIL = LIGHT["trail"]
TRAIL_SHARE = 0.35
"""How long a trail is, as a share of the shorter side of what is shown."""
STEPS = 96
"""Instants of a trail."""
GLANCES = 24
"""Instants that are looked at to find out how far back a trail goes."""
HALVED = 10
"""How often the time of a run is halved, at most, for what a trail goes back."""
Trail = list["Point"]


class Trails:
    """Trails that grow with the states that are added, in order of time, and are cut to a length in metres."""

    def __init__(self, length: float) -> None:
        self._length = length
        self._growing: dict[int, _GrowingTrail] = {}

    def add(self, states: Sequence[BodyState]) -> None:
        """Take where all bodies are now; trails of those that are gone go, too."""
        before, self._growing = self._growing, {}
        for state in states:
            trail = before.get(state.number) or _GrowingTrail()
            trail.add(state.pose.position, self._length)
            self._growing[state.number] = trail

    def lines(self) -> list[Trail]:
        """Return the trails, each from its old end to where the body is; of those that have moved."""
        return [list(trail.places) for trail in self._growing.values() if len(trail.places) > 1]

    @property
    def longest(self) -> float:
        """How long the longest of them is."""
        return max((trail.length for trail in self._growing.values()), default=0.0)


class _GrowingTrail:
    """A trail, its steps in metres, and their sum."""

    __slots__ = ("length", "places", "steps")

    def __init__(self) -> None:
        self.places: deque[Point] = deque()
        self.steps: deque[float] = deque()
        self.length = 0.0

    def add(self, here: Point, most: float) -> None:
        """Go on to a place, and forget the old end beyond a length."""
        if self.places:
            step = abs(here - self.places[-1])
            if step == 0.0:
                return
            self.steps.append(step)
            self.length += step
        self.places.append(here)
        while len(self.steps) > 1 and self.length > most:
            self.places.popleft()
            self.length -= self.steps.popleft()


def trails_of(run: RunFile, instant: float, window: Bounds) -> Trails:
    """Return the trails of all bodies of a run at an instant, as long as suits what is shown."""
    longest = trail_length(window)
    span = back_from(run, instant, longest)
    trails = Trails(longest)
    for step in range(STEPS + 1):
        trails.add(run.state_at(instant - span * (1.0 - step / STEPS)))
    return trails


def trail_length(window: Bounds) -> float:
    """Return how long trails are, in metres."""
    return TRAIL_SHARE * min(window.right - window.left, window.top - window.bottom)


def back_from(run: RunFile, instant: float, longest: float) -> float:
    """Return how many seconds a trail goes back: until the one that is quickest has come its length."""
    whole = instant - run.start
    spans = [whole / 2**halved for halved in range(HALVED, 0, -1)]
    found = bisect_left(spans, True, key=lambda span: gone_in(run, instant, span) >= longest)
    return spans[found] if found < len(spans) else whole


def gone_in(run: RunFile, instant: float, span: float) -> float:
    """Return how far the quickest body has come in the seconds before an instant."""
    trails = Trails(inf)
    for glance in range(GLANCES + 1):
        trails.add(run.state_at(instant - span * (1.0 - glance / GLANCES)))
    return trails.longest


def paint_trails(painter: Painter, view: Viewport, trails: Sequence[Trail]) -> None:
    """Paint where bodies have been."""
    for line in trails:
        painter.line(view.dots(line), TRAIL, max(1.5, 2.5 * view.unit))
