"""Gossip: a map that all can write, and that becomes the same everywhere.

Now and then each node tells a random other one how new its entries are, for a part of the keys. The other
answers with what it has newer and asks for what it has older (anti-entropy by push and pull, Demers and
others, 1987). Of two values of a key the later one stays, by a clock that counts as Lamport's does; equal
times are ordered by the writer. So all end with the same values, whatever was lost on the way, as long as
those who are up can reach each other, over others if need be.

A digest covers at most `most` keys, and the next one the keys after those: messages stay small however many
keys there are. Keys are kept for ever; one that is removed keeps None. What a node had written and told
nobody goes with it when it crashes.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import EVERYTHING, FairLossLinks
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import refuse

Stamp: TypeAlias = tuple[int, Address, int]
"""When something was written: the count, the writer, and the mark of its life."""


class SharedMap(Layer[str, object]):
    """A map that becomes the same at all nodes that stay up, when nobody writes any more.

    Tells a key and its new value; at each node, a later value is never replaced by an earlier one.
    """

    requests: ClassVar[tuple[str, ...]] = ("put",)

    def put(self, key: str, value: object) -> None:
        """Write a value; None stands for no value."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class GossipEntry(Message):
    """A value with its key and its stamp."""

    key: str
    stamp: Stamp
    value: object


@dataclass(frozen=True, slots=True)
class Digest(Message):
    """The stamps of all keys after `low` up to `high`; None stands for the first and the last there is."""

    low: str | None
    high: str | None
    stamps: tuple[tuple[str, Stamp], ...]


@dataclass(frozen=True, slots=True)
class Update(Message):
    """Entries that are newer at the sender, and keys for which it wants those of the receiver."""

    entries: tuple[GossipEntry, ...]
    wanted: tuple[str, ...]


class Gossip(SharedMap):
    """Compares a part of its map with that of a random node about every `period` seconds."""

    bears = EVERYTHING

    links: FairLossLinks

    def __init__(self, period: float = 1.0, most: int = 100) -> None:
        if not period > 0.0:
            raise ValueError(f"period is a positive number of seconds, not {period!r}")
        if most < 1:
            raise ValueError(f"most is a number of keys from 1 on, not {most!r}")
        self.period = period
        self.most = most
        self._entries: dict[str, GossipEntry] = {}
        self._low: str | None = None
        self._time = 0
        self._life = 0

    def begin(self) -> None:
        """Listen, and mark this life: after a crash the count begins anew."""
        self._life = self.node.chance.integer(0, 2**52)
        self.links.listen(self._receive)

    async def run(self) -> None:
        """Talk to one node after the other."""
        chance = self.node.chance
        while self.node.others:
            await self.node.sleep(self.period * chance.uniform(0.5, 1.5))
            self.links.send(self._digest(), chance.choice(self.node.others))

    def put(self, key: str, value: object) -> None:
        """Write a value."""
        self._take(GossipEntry(key, (self._time + 1, self.node.address, self._life), value))

    def get(self, key: str) -> object:
        """Return the value of a key here and now; None where there is none."""
        entry = self._entries.get(key)
        return None if entry is None else entry.value

    @property
    def keys(self) -> list[str]:
        """All keys that were ever written, in order."""
        return sorted(self._entries)

    def _digest(self) -> Digest:
        """Return the stamps of the next keys in order; after the last, begin again."""
        keys = self.keys
        start = 0 if self._low is None else bisect_right(keys, self._low)
        chosen = keys[start : start + self.most]
        is_last = start + self.most >= len(keys)
        low, self._low = self._low, None if is_last else chosen[-1]
        return Digest(low, self._low, tuple((key, self._entries[key].stamp) for key in chosen))

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Digest(low, high, stamps):
                self._compare(low, high, dict(stamps), sender)
            case Update(entries, wanted):
                for entry in entries:
                    self._take(entry)
                self._send([self._entries[key] for key in wanted if key in self._entries], [], sender)
            case _:
                refuse(self.node)

    def _compare(self, low: str | None, high: str | None, theirs: dict[str, Stamp], peer: Address) -> None:
        here = [key for key in self.keys if (low is None or key > low) and (high is None or key <= high)]
        newer = [
            self._entries[key] for key in here if key not in theirs or self._entries[key].stamp > theirs[key]
        ]
        wanted = [key for key, stamp in theirs.items() if self._is_older(key, stamp)]
        self._send(newer[: self.most], wanted, peer)

    def _is_older(self, key: str, stamp: Stamp) -> bool:
        return key not in self._entries or self._entries[key].stamp < stamp

    def _send(self, entries: list[GossipEntry], wanted: list[str], to: Address) -> None:
        if entries or wanted:
            self.links.send(Update(tuple(entries), tuple(wanted)), to)

    def _take(self, entry: GossipEntry) -> None:
        self._time = max(self._time, entry.stamp[0])
        if self._is_older(entry.key, entry.stamp):
            self._entries[entry.key] = entry
            self.tell(entry.key, entry.value)
