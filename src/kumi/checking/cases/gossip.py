"""A map that spreads by gossip."""

from __future__ import annotations

from kumi.checking.case import Case, all_but_one
from kumi.checking.gossip_monitors import Converges, NeverBack
from kumi.contract.messages import Address
from kumi.protocols import Layer, Stack
from kumi.protocols.gossip import Digest, Entry, Gossip, SharedMap, Stamp


class Writer(Layer[()]):
    """Writes to random keys."""

    map: SharedMap

    def __init__(self, writes: int = 6, keys: int = 8, within: float = 9.0) -> None:
        self.writes = writes
        self.keys = keys
        self.within = within

    def begin(self) -> None:
        """Plan what to write."""
        for _ in range(self.writes):
            self.node.after(self.node.chance.uniform(0.0, self.within), self._write)

    def _write(self) -> None:
        chance = self.node.chance
        value = f"{chance.integer(0, 2**40)} by {self.node.address}"
        self.map.put(f"key {chance.integer(1, self.keys)}", value)


class TiesStay(Gossip):
    """Compares counts alone, so of two values of the same count each stays where it is."""

    def _is_newer(self, key: str, stamp: Stamp) -> bool:
        return key in self._entries and self._entries[key].stamp[0] > stamp[0]

    def _is_older(self, key: str, stamp: Stamp) -> bool:
        return key not in self._entries or self._entries[key].stamp[0] < stamp[0]


class LastToCome(Gossip):
    """Takes whatever comes last."""

    def _take(self, entry: Entry) -> None:
        self._entries.pop(entry.key, None)
        super()._take(entry)


class FirstKeys(Gossip):
    """Talks about the first keys only."""

    def _digest(self) -> Digest:
        self._low = None
        return super()._digest()


class NeverAsks(Gossip):
    """Answers nobody who has something newer."""

    def _send(self, entries: list[Entry], wanted: list[str], to: Address) -> None:
        super()._send(entries if wanted else [], [], to)


def stack_with(kind: type[Gossip]) -> Stack:
    """Gossip over the bare network, three keys at a time."""
    return Stack(Writer(), kind(period=0.5, most=3))


CASES: tuple[Case, ...] = (
    Case(
        name="gossip",
        promise="the map becomes the same at all who are up; no later value gives way to an earlier one",
        stack=lambda: stack_with(Gossip),
        monitors=lambda: [Converges(), NeverBack()],
        faults=frozenset(
            {
                "loss",
                "duplication",
                "reordering",
                "slow-links",
                "partition",
                "crash",
                "crash-mid-send",
                "recovery",
                "amnesia",
                "pause",
                "skew",
            }
        ),
        mutants={
            "ties-stay": lambda: stack_with(TiesStay),
            "last-to-come": lambda: stack_with(LastToCome),
            "first-keys": lambda: stack_with(FirstKeys),
            "never-asks": lambda: stack_with(NeverAsks),
        },
        crashes=all_but_one,
        settling=40.0,
    ),
)
