"""Which waiting robot must give way to another that cannot find a way around it?

Two robots want to swap places. One of them is granted its way and ends up waiting for the place where the other stands; the way
of the other is refused meanwhile, since it leads through the waiting robot. A robot that plans its own ways then steps aside; one
that only drives straight cannot. So if a robot has waited for some seconds, while the way of another was refused again and again
because of it, its own way is refused. Until the other robot is granted its way, or a time limit is over, the first one gets only
ways that end clear of the refused way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kumi.reserving import Way

DUE = 3.0
"""Seconds for which a waiting robot may hold up another."""
LATELY = 2.0
"""Seconds within which a robot repeats the request for a way that it still wants."""
YIELD_TIMEOUT = 15.0
"""Seconds after which a robot need not give way any longer."""


@dataclass
class _Wish:
    """The latest refused way: its robot, the instant of the first refusal in a row (`since`) and of the last (`lately`)."""

    robot: str
    way: Way
    since: float
    lately: float


class Yielding:
    """Refused ways, by the waiting robot that is in the way."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wishes: dict[str, _Wish] = {}
        self._yields: dict[str, _Wish] = {}

    def refuse(self, robot: str, way: Way, against: Iterable[str]) -> None:
        """Note that the way of a robot was refused because of other robots, which wait."""
        now = self._clock()
        for other in against:
            known = self._wishes.get(other)
            since = now if known is None or now - known.lately > LATELY else known.since
            self._wishes[other] = _Wish(robot, way, since, now)

    def grant(self, robot: str) -> None:
        """Note that a robot drives on: it blocks nobody for now, and wants no refused way."""
        self._wishes.pop(robot, None)
        for known in (self._wishes, self._yields):
            for other in [other for other, wish in known.items() if wish.robot == robot]:
                del known[other]

    def leave(self, robot: str) -> None:
        """Forget a robot."""
        self.grant(robot)
        self._yields.pop(robot, None)

    def is_due(self, robot: str) -> bool:
        """Tell whether a waiting robot has to give way; if so, it gives way from now on."""
        wish, now = self._wishes.get(robot), self._clock()
        if wish is None or now - wish.since < DUE or now - wish.lately > LATELY:
            return False
        del self._wishes[robot]
        wish.since = now
        self._yields[robot] = wish
        return True

    def allows(self, robot: str, way: Way) -> bool:
        """Tell whether a way ends clear of the robot to which its own robot has to give way."""
        wish = self._yields.get(robot)
        if wish is None:
            return True
        if self._clock() - wish.since > YIELD_TIMEOUT:
            del self._yields[robot]
            return True
        return not any(zone.overlaps(way.zones[-1].end) for zone in wish.way.zones)
