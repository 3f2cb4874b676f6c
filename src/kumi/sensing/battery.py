"""How long will it last?

The charge falls with time, with the way and with turning. Between two changes of the motion it is a known
function of time, so the instant at which it gets low is computed, and nothing is looked up in between.

An empty battery stops nobody: what a robot does about it is its program's business.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import inf

from kumi._core import Signal
from kumi.contract.readings import Low
from kumi.geometry.points import as_size
from kumi.sensing.noise import as_share, not_negative
from kumi.sensing.sensor import PushSensor
from kumi.teaching import taught


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
        charge = self.first_level * self.capacity
        self._gauge = self.body.open_gauge(
            self.idle, self.per_metre, self.per_radian, charge, self._limit(self.first_level), self._warn
        )
        self._has_warned = self.first_level <= self.warns_at
        self._last: float | None = None
        self.body.on_gone(self._keep_level)
        super().start()

    def listen(self) -> None:
        """The world tells of the instant by itself."""

    @property
    def level(self) -> float:
        """How full it is now, from 1 down to 0; of a robot that is gone, as it was then."""
        if self._last is not None:
            return self._last
        return max(0.0, self.body.gauge_left(self._gauge)) / self.capacity

    @property
    def low(self) -> Signal[Low]:
        """Fires at the instant at which the level falls to `warns_at`."""
        return self.reports

    def wait_low(self) -> Awaitable[Low]:
        """Wait until the level falls to `warns_at`."""
        return self.wait()

    def recharge(self, level: float = 1.0) -> None:
        """Fill it up to a level, at once; above `warns_at` it can get low again."""
        charge = as_share(level, "a level") * self.capacity
        self._has_warned = level <= self.warns_at
        self.body.fill_gauge(self._gauge, charge, self._limit(level))

    def drain(self, joules: float) -> None:
        """Use some charge at once, such as for a message."""
        self.body.drain_gauge(self._gauge, not_negative(joules, "what is drained"))

    def sample(self) -> None:
        """Warn if the level has fallen since."""
        if not self._has_warned and self.level <= self.warns_at:
            self._warn()

    def _limit(self, level: float) -> float:
        """Return the charge at which it warns by itself; -inf where it does not."""
        return -inf if self.period is not None or level <= self.warns_at else self.warns_at * self.capacity

    def _keep_level(self) -> None:
        self._last = self.level

    def _warn(self) -> None:
        self._has_warned = True
        if not self.body.is_gone:
            self.report(Low(self.world.now, self.level))
