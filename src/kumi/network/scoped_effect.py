"""An effect on some links only, or for some time only.

`Where(Constant(0.5), links=[(0, 1)])` makes one link slow, in one direction; `Where(Loss(0.9), start=10, end=20)`
is a time of bad weather.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from math import inf

from kumi.contract.messages import Address
from kumi.network.checks import as_link, check_window
from kumi.network.errors import NetworkError
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import Effect, SimulatedNetwork


class Where:
    """Applies an effect to messages on these links, pairs of sender and receiver, sent in this time.

    Without `links` it applies to all of them.
    """

    def __init__(
        self,
        effect: Effect,
        *,
        links: Iterable[tuple[Address, Address]] | None = None,
        start: float = 0.0,
        end: float = inf,
    ) -> None:
        check_window(start, end, "the time of an effect")
        self.effect = effect
        self.links = None if links is None else frozenset(map(as_link, links))
        self.start = start
        self.end = end
        self.is_reliable = effect.is_reliable
        self.is_in_order = effect.is_in_order and start == 0.0 and end == inf

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        before = (network.gates, network.reach)
        inside = self.effect.join(network, onward)
        if (network.gates, network.reach) != before:
            raise NetworkError(
                f"{type(self.effect).__name__} judges arrivals or reach, too, and says itself where and when; "
                "put it beside Where, not into it"
            )
        if self.links is None:
            return _Within(self.start, self.end, inside, onward)
        table = onward if isinstance(onward, _ByLink) else _ByLink(onward)
        return table.before(self.links, _Within(self.start, self.end, inside, onward))


class _Within:
    """Hands on what was sent in a time to an effect, and the rest past it."""

    __slots__ = ("_end", "_inside", "_onward", "_start")

    def __init__(self, start: float, end: float, inside: Onward, onward: Onward) -> None:
        self._start, self._end = start, end
        self._inside, self._onward = inside, onward

    def __call__(self, flight: Flight, time: float) -> None:
        """Hand a flight on."""
        (self._inside if self._start <= flight.sent < self._end else self._onward)(flight, time)


class _ByLink:
    """Effects of links, one behind the other, as a table: a flight meets those of its own link alone.

    Networks join the last effect first. So the table of one effect is that of the effects behind it, with one entry
    more for each of its links, and `count` says which entries of the lists that all share are behind this place.
    """

    __slots__ = ("_count", "_entries", "_rest")

    def __init__(
        self,
        rest: Onward,
        count: int = 0,
        entries: dict[tuple[Address, Address], list[tuple[int, Onward]]] | None = None,
    ) -> None:
        self._rest = rest
        self._count = count
        self._entries = {} if entries is None else entries

    def before(self, links: Iterable[tuple[Address, Address]], onward: Onward) -> _ByLink:
        """Return the table with one more effect, in front of the others."""
        for link in links:
            self._entries.setdefault(link, []).append((self._count, onward))
        return _ByLink(self._rest, self._count + 1, self._entries)

    def __call__(self, flight: Flight, time: float) -> None:
        """Hand a flight to the first effect of its link from here on."""
        entries = self._entries.get((flight.sender, flight.to))
        behind = 0 if entries is None else bisect_right(entries, self._count - 1, key=_number)
        if entries is None or behind == 0:
            self._rest(flight, time)
        else:
            entries[behind - 1][1](flight, time)


def _number(entry: tuple[int, Onward]) -> int:
    return entry[0]
