"""Which links are cut, and when?

A cut lets nothing pass. It is judged when a message is sent and again when it would arrive: what is sent
during a cut never arrives, and nothing arrives during one. A message that is under way while a link is cut
and healed again arrives.

Cuts are on a schedule, made by hand during a run, or both. Nobody is cut off from himself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, isinf
from typing import TypeAlias

from kumi.contract.messages import Address
from kumi.network.checks import as_addresses, as_link, as_positive, check_window
from kumi.network.errors import NetworkError
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork

CUT = "cut"
"""Why a message on a link that is cut is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """From `start` until just before `end`; with `down` and `up`, it flaps: down for so long, then up, again and again."""

    start: float = 0.0
    end: float = inf
    down: float = inf
    up: float = 0.0

    def __post_init__(self) -> None:
        check_window(self.start, self.end, "a cut")
        if not isinf(self.down):
            as_positive(self.down, "how long a flapping link is down, in seconds,")
            as_positive(self.up, "how long a flapping link is up, in seconds,")
        elif self.up != 0.0:
            raise ValueError(
                f"a link that is up for {self.up!r} s in between needs `down`, how long it is down"
            )

    def holds(self, time: float) -> bool:
        """Whether it is cut at a time."""
        if not self.start <= time < self.end:
            return False
        # Which is always, if it is down without end.
        return (time - self.start) % (self.down + self.up) < self.down


@dataclass(frozen=True, slots=True)
class LinkCut:
    """Nothing passes from one node to another; nor back, unless it is `one_way`."""

    sender: Address
    to: Address
    when: When = field(default_factory=When)
    one_way: bool = False

    def __post_init__(self) -> None:
        as_link((self.sender, self.to))

    def blocks(self, sender: Address, to: Address) -> bool:
        """Whether it cuts a link while it holds."""
        return (sender, to) == (self.sender, self.to) or (
            not self.one_way and (to, sender) == (self.sender, self.to)
        )


@dataclass(frozen=True, slots=True, init=False)
class NetworkPartition:
    """Nothing passes between groups of nodes; all who are in none of them are one more group.

    If it is `one_way`, nothing passes out of the groups that are named to those outside.
    """

    groups: tuple[frozenset[Address], ...]
    when: When
    one_way: bool

    def __init__(self, *groups: Iterable[Address], when: When | None = None, one_way: bool = False) -> None:
        named = tuple(as_addresses(group, "the nodes of a partition's group") for group in groups)
        if not named or not all(named):
            raise ValueError(
                f"a partition names at least one group of nodes, and none is empty, not {groups!r}"
            )
        if len(frozenset().union(*named)) < sum(map(len, named)):
            raise ValueError(f"each node is in one group of a partition, but some are in two of {groups!r}")
        object.__setattr__(self, "groups", named)
        object.__setattr__(self, "when", When() if when is None else when)
        object.__setattr__(self, "one_way", one_way)

    def blocks(self, sender: Address, to: Address) -> bool:
        """Whether it cuts a link while it holds."""
        here, there = self._group_of(sender), self._group_of(to)
        return here != there and not (self.one_way and here == len(self.groups))

    def _group_of(self, address: Address) -> int:
        for number, group in enumerate(self.groups):
            if address in group:
                return number
        return len(self.groups)


Cut: TypeAlias = LinkCut | NetworkPartition


class _CutTable:
    """Cuts, each once, by the link that they are about: the cost of a look does not grow with the cuts of other links."""

    def __init__(self, cuts: Iterable[Cut]) -> None:
        self._links: dict[tuple[Address, Address], dict[LinkCut, None]] = {}
        self._partitions: dict[NetworkPartition, None] = {}
        for cut in cuts:
            self.add(cut)

    def about(self, sender: Address, to: Address) -> Iterable[Cut]:
        """Return the cuts that may block a link; none but these can."""
        pair = (sender, to) if sender < to else (to, sender)
        cuts = self._links.get(pair)
        if cuts is None:
            return self._partitions
        return (*cuts, *self._partitions) if self._partitions else cuts

    def add(self, cut: Cut) -> None:
        """Take one more."""
        if isinstance(cut, LinkCut):
            self._links.setdefault(_pair_of(cut), {})[cut] = None
        else:
            self._partitions[cut] = None

    def remove(self, cut: Cut) -> bool:
        """Take one out; return whether it was there."""
        if isinstance(cut, NetworkPartition):
            return self._partitions.pop(cut, cut) is None
        pair = _pair_of(cut)
        cuts = self._links.get(pair, {})
        if cut not in cuts:
            return False
        del cuts[cut]
        if not cuts:
            del self._links[pair]
        return True

    def clear(self) -> None:
        """Take out all."""
        self._links.clear()
        self._partitions.clear()


def _pair_of(cut: LinkCut) -> tuple[Address, Address]:
    return (cut.sender, cut.to) if cut.sender < cut.to else (cut.to, cut.sender)


class Cuts:
    """Cuts on a schedule, and by hand: `cut` and `heal` act from the present instant on."""

    is_reliable = False
    is_in_order = True

    def __init__(self, *schedule: Cut) -> None:
        for cut in schedule:
            if not isinstance(cut, LinkCut | NetworkPartition):
                raise TypeError(f"a cut on a schedule is a LinkCut or a Partition, not {cut!r}")
        self.schedule = schedule
        self._scheduled = _CutTable(schedule)
        self._by_hand = _CutTable(())

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        network.add_gate(lambda flight: CUT if self.cuts(flight.sender, flight.to, network.now) else None)

        def carry(flight: Flight, time: float) -> None:
            if self.cuts(flight.sender, flight.to, flight.sent):
                network.drop(flight, CUT)
            else:
                onward(flight, time)

        return carry

    def cuts(self, sender: Address, to: Address, time: float) -> bool:
        """Whether nothing passes from one node to another at a time; of cuts by hand, those of now count."""
        if sender == to:
            return False
        return any(cut.blocks(sender, to) for cut in self._by_hand.about(sender, to)) or any(
            cut.when.holds(time) and cut.blocks(sender, to) for cut in self._scheduled.about(sender, to)
        )

    def cut(self, cut: Cut) -> None:
        """Cut by hand, until it is healed; its `when` does not count."""
        self._by_hand.add(cut)

    def heal(self, cut: Cut | None = None) -> None:
        """Undo a cut by hand, or all of them; the schedule goes on."""
        if cut is None:
            self._by_hand.clear()
        elif not self._by_hand.remove(cut):
            raise NetworkError(f"{cut!r} cannot be healed: it was not cut by hand, or was healed already")
