"""A map that spreads by gossip: cases, and the monitors that judge them."""

from __future__ import annotations

from typing import Any

from kumi.checking.case import Case, all_but_one
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.contract.messages import Address
from kumi.protocols import Layer, Stack
from kumi.protocols.gossip import Digest, Gossip, GossipEntry, SharedMap, Stamp
from kumi.protocols.guarantees import AMNESIA, BAD_NETWORK, CRASHES, RECOVERY


class KeyWriter(Layer[()]):
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

    def _take(self, entry: GossipEntry) -> None:
        self._entries.pop(entry.key, None)
        super()._take(entry)


class FirstKeys(Gossip):
    """Talks about the first keys only."""

    def _digest(self) -> Digest:
        self._low = None
        return super()._digest()


class NeverAsks(Gossip):
    """Answers nobody who has something newer."""

    def _send(self, entries: list[GossipEntry], wanted: list[str], to: Address) -> None:
        super()._send(entries if wanted else [], [], to)


def stack_with(kind: type[Gossip]) -> Stack:
    """Gossip over the bare network, three keys at a time."""
    return Stack(KeyWriter(), kind(period=0.5, most=3))


CASES: tuple[Case, ...] = (
    Case(
        name="gossip",
        promise="the map becomes the same at all who are up; no later value gives way to an earlier one",
        stack=lambda: stack_with(Gossip),
        monitors=lambda: [Converges(), NeverBack()],
        faults=BAD_NETWORK | CRASHES | RECOVERY | AMNESIA,
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


class Converges(Monitor):
    """In the end all who are up have the same map, with every key that a correct node wrote."""

    watches = SharedMap

    def __init__(self) -> None:
        self._written: dict[str, dict[object, Address]] = {}
        self._maps: dict[Address, dict[str, object]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember what was written."""
        key, value = event
        self._written.setdefault(key, {})[value] = address

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep the map of each node."""
        key, value = event
        if value not in self._written.get(key, {}):
            raise broken(
                "no creation", f"node {address} has {key} = {value} at {time:.3f} s", "nobody wrote that"
            )
        self._maps.setdefault(address, {})[key] = value

    def restarted(self, time: float, address: Address) -> None:
        """Begin with an empty map."""
        self._maps.pop(address, None)

    def finish(self, ending: RunEnding) -> None:
        """Compare the maps, key by key."""
        for key in sorted(self._written):
            values = {address: self._maps.get(address, {}).get(key) for address in sorted(ending.up)}
            if len(set(values.values())) > 1:
                each = ", ".join(f"{value} at node {address}" for address, value in values.items())
                raise broken("convergence", f"'{key}' is {each} at {ending.time:g} s")
            writers = [writer for writer in self._written[key].values() if writer in ending.correct]
            if writers and None in values.values():
                raise broken("nothing lost", f"node {writers[0]} wrote '{key}'", "nobody has it in the end")


class NeverBack(Monitor):
    """If one life of a node goes from a value to another, none goes from that to this."""

    watches = SharedMap

    def __init__(self) -> None:
        self._now: dict[tuple[Address, str], object] = {}
        self._steps: dict[tuple[str, object, object], tuple[Address, float]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Look for a step the other way."""
        key, value = event
        before = self._now.get((address, key))
        self._now[address, key] = value
        if before == value:
            return
        self._steps.setdefault((key, before, value), (address, time))
        if (key, value, before) in self._steps:
            other, earlier = self._steps[key, value, before]
            raise broken(
                "never back",
                f"node {address} went from {key} = {before} to {value} at {time:.3f} s",
                f"node {other} went the other way at {earlier:.3f} s",
            )

    def crashed(self, time: float, address: Address) -> None:
        """Forget a map that is lost."""
        for place in [place for place in self._now if place[0] == address]:
            del self._now[place]
