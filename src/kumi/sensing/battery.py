"""How long will it last?

The charge falls with time, with the way and with turning. Between two changes of the motion it is a known
function of time, so the instant at which it gets low is computed, and nothing is looked up in between.

An empty battery stops nobody: what a robot does about it is its program's business.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import inf, isinf

from kumi._core import Event, Signal
from kumi.contract.readings import Low
from kumi.geometry.points import as_size
from kumi.sensing.noise import as_share, not_negative
from kumi.sensing.sensor import PushSensor
from kumi.teaching import taught

LONGEST_LIFE = 1e9
"""Seconds; what lasts longer never gets low."""


class Battery(PushSensor[Low]):
    """Reports when its level falls to `warns_at`; the level is a share of the capacity, from 1 down to 0.

    The capacity is joules, `idle` watts at all times, `per_metre` joules for each metre of the way and
    `per_radian` joules for each radian turned to either side.
    """

    offered = ("recharge",)
    """What a program may call, besides reading what it tells."""

    @taught
    def __init__(
        self,
        capacity: float = 10_000.0,
        *,
        idle: float = 1.0,
        per_metre: float = 10.0,
        per_radian: float = 1.0,
        level: float = 1.0,
        warns_at: float = 0.2,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.capacity = as_size(capacity, "a capacity")
        self.idle = not_negative(idle, "idle")
        self.per_metre = not_negative(per_metre, "per_metre")
        self.per_radian = not_negative(per_radian, "per_radian")
        self.first_level = as_share(level, "a level")
        self.warns_at = as_share(warns_at, "warns_at")

    def start(self) -> None:
        """Begin with the first level, at this instant."""
        self._charge = self.first_level * self.capacity
        self._mark = self._state(self.world.now)
        self._has_warned = self.first_level <= self.warns_at
        self._warning: Event | None = None
        self.body.on_motion(self._moved)
        super().start()

    def listen(self) -> None:
        """Plan the warning, which each change of the motion plans anew."""
        if self.world.is_running:
            self._plan_warning()

    @property
    def level(self) -> float:
        """How full it is now, from 1 down to 0."""
        return max(0.0, self._charge - self._used_by(self.world.now)) / self.capacity

    @property
    def low(self) -> Signal[Low]:
        """Fires at the instant at which the level falls to `warns_at`."""
        return self.reports

    @property
    def reports(self) -> Signal[Low]:
        """Each warning, at its instant."""
        if self.period is None and self._warning is None and self.world.is_running:
            self._plan_warning()
        return super().reports

    def wait_low(self) -> Awaitable[Low]:
        """Wait until the level falls to `warns_at`."""
        return self.wait()

    def recharge(self, level: float = 1.0) -> None:
        """Fill it up to a level, at once; above `warns_at` it can get low again."""
        self._charge = as_share(level, "a level") * self.capacity
        self._mark = self._state(self.world.now)
        self._has_warned = level <= self.warns_at
        if self.period is None:
            self._plan_warning()

    def drain(self, joules: float) -> None:
        """Use some charge at once, such as for a message."""
        self._charge -= not_negative(joules, "what is drained")
        if self.period is None and self.world.is_running:
            self._plan_warning()

    def sample(self) -> None:
        """Warn if the level has fallen since."""
        if not self._has_warned and self.level <= self.warns_at:
            self._warn()

    def _state(self, time: float) -> tuple[float, float, float]:
        way, turned = self.body.way_by(time)
        return time, way, turned

    def _used_by(self, time: float) -> float:
        """Return what is used from the last mark to a time within the piece of motion under way."""
        since, way_then, turned_then = self._mark
        _, way, turned = self._state(time)
        return (
            self.idle * (time - since)
            + self.per_metre * (way - way_then)
            + self.per_radian * abs(turned - turned_then)
        )

    def _moved(self) -> None:
        """Count what the piece that is over has used: within one the body turns to one side only."""
        now = self.world.now
        self._charge -= self._used_by(now)
        self._mark = self._state(now)
        if self.period is None:
            self._plan_warning()

    def _plan_warning(self) -> None:
        if self._warning is not None:
            self._warning.withdraw()
            self._warning = None
        instant = inf if self._has_warned else self._when_low()
        if not isinf(instant):
            self._warning = self.world.schedule(instant, self._warn)

    def _when_low(self) -> float:
        """Return when the level falls to `warns_at` during the piece under way; inf if it does not."""
        spare = self._charge - self.warns_at * self.capacity
        if self._used_by(self.world.now) >= spare:
            return self.world.now
        early, late = self.world.now, min(self.body.piece_end, self.world.now + LONGEST_LIFE)
        if self._used_by(late) < spare:
            return inf
        while early < (middle := early + (late - early) / 2) < late:
            if self._used_by(middle) < spare:
                early = middle
            else:
                late = middle
        return late

    def _warn(self) -> None:
        self._warning = None
        self._has_warned = True
        if not self.body.is_gone:
            self.report(Low(self.world.now, self.level))
