"""Which warnings are new, which still hold, and which are over?

A pair is one warning, whoever of the two is said to hit the other. It is told when its contact comes within the horizon,
and again with each second less. It is over, and told to be, when the plans lead to no contact of the two however far one
looks. A contact that has come is not taken back: the robots tell it themselves. What is due now, or seems to have come
although no robot has told so, stays as it is until the robots are clear of each other or tell of it: places are believed,
and may be some centimetres off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from kumi.control.warnings import Danger

DUE = 1.0
"""Seconds around the instant of a contact in which it may come: some centimetres at the speed of a robot."""


@dataclass
class Standing:
    """A warning that holds: as it was told last, and when the contact is due."""

    told: Danger
    due: float


class Watch:
    """Tells pairs that will touch within a horizon, once each, and when they no longer will."""

    def __init__(self, horizon: float) -> None:
        self._horizon = horizon
        self._standing: dict[frozenset[str], Standing] = {}

    def take(
        self,
        now: float,
        dangers: Iterable[Danger],
        touching: Collection[str],
        is_touching: Callable[[Danger], bool],
    ) -> tuple[list[Danger], list[Danger]]:
        """Take the contacts to come, as far as one can look; return what to warn of, and what will no longer happen.

        `touching` are robots that feel something, and `is_touching` tells of a pair whether it is in contact by where
        its two are believed to be.
        """
        found = {
            pair: self._named(pair, one) for one in dangers if (pair := frozenset((one.robot, one.other)))
        }
        warned = [one for pair, one in found.items() if self._is_news(pair, one)]
        for pair, one in found.items():
            if one in warned:
                self._standing[pair] = Standing(one, now + one.seconds)
            elif pair in self._standing:
                self._standing[pair].due = now + one.seconds
        cleared = []
        for pair in [pair for pair in self._standing if pair not in found]:
            standing = self._standing[pair]
            is_due = abs(standing.due - now) <= DUE
            if is_due and not pair.isdisjoint(touching):
                del self._standing[pair]  # it has come
            elif not is_due and not is_touching(standing.told):
                cleared.append(self._standing.pop(pair).told)
        return warned, cleared

    def _named(self, pair: frozenset[str], danger: Danger) -> Danger:
        """Return a contact with its two named as they were in the warning before."""
        before = self._standing.get(pair)
        return danger if before is None else replace(danger, robot=before.told.robot, other=before.told.other)

    def _is_news(self, pair: frozenset[str], danger: Danger) -> bool:
        """Tell whether a contact is to be told: for the first time, or with a second less."""
        before = self._standing.get(pair)
        if before is None:
            return danger.seconds <= self._horizon
        return int(danger.seconds) < int(before.told.seconds)
