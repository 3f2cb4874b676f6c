"""Who waits where it holds up another that cannot give way, and must let that one pass?

Of two robots that want to where the other is, one gets its way and waits at last for the place where the other stands; the way of
the other is refused meanwhile, since it would lead through the one that waits. A robot that finds ways by itself then steps aside.
One that goes straight on cannot. So a robot that has waited in this way for some seconds, while the way of another was refused
again and again because of it, is refused its own; and until the other got its way, or some time is over, it gets only ways whose
ends are clear of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kumi.reserving import Way

DUE = 3.0
"""Seconds that a robot may hold up another."""
LATELY = 2.0
"""Seconds within which a way that is still wanted is asked for again."""
LONGEST = 15.0
"""Seconds for which a robot lets another pass."""


@dataclass
class _Wish:
    """The newest way that is refused because somebody waits there, whose it is, and when; `since` when any was, again and again."""

    robot: str
    way: Way
    since: float
    lately: float


class Yielding:
    """Ways that robots wish for in vain, by those who are in their way."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wishes: dict[str, _Wish] = {}
        self._yields: dict[str, _Wish] = {}

    def refuse(self, robot: str, way: Way, against: Iterable[str]) -> None:
        """The way of a robot was refused because of others, who wait."""
        now = self._clock()
        for other in against:
            known = self._wishes.get(other)
            since = now if known is None or now - known.lately > LATELY else known.since
            self._wishes[other] = _Wish(robot, way, since, now)

    def grant(self, robot: str) -> None:
        """A robot goes on: it is in nobody's way for now, and wishes for nothing."""
        self._wishes.pop(robot, None)
        for known in (self._wishes, self._yields):
            for other in [other for other, wish in known.items() if wish.robot == robot]:
                del known[other]

    def leave(self, robot: str) -> None:
        """A robot is not there any more."""
        self.grant(robot)
        self._yields.pop(robot, None)

    def is_due(self, robot: str) -> bool:
        """Tell whether a robot that waits has to let another pass; from now on it does."""
        wish, now = self._wishes.get(robot), self._clock()
        if wish is None or now - wish.since < DUE or now - wish.lately > LATELY:
            return False
        del self._wishes[robot]
        wish.since = now
        self._yields[robot] = wish
        return True

    def allows(self, robot: str, way: Way) -> bool:
        """Tell whether a way does not end where a robot has to let another pass."""
        wish = self._yields.get(robot)
        if wish is None:
            return True
        if self._clock() - wish.since > LONGEST:
            del self._yields[robot]
            return True
        return not any(zone.overlaps(way.zones[-1].end) for zone in wish.way.zones)
