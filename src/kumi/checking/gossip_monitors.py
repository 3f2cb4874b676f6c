"""Does a shared map become the same everywhere?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken
from kumi.contract.messages import Address
from kumi.protocols.gossip import SharedMap


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

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def finish(self, ending: Ending) -> None:
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

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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
