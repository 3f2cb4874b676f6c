"""Does what hops from neighbour to neighbour arrive, once, and without going in circles?"""

from __future__ import annotations

from typing import Any

from kumi.checking.earshot import steps_apart
from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols.flood import FloodedBroadcast
from kumi.protocols.routing import Routing


class FloodReaches(Monitor):
    """All within `hops` hops over correct nodes deliver; nothing comes twice or from nowhere.

    Nodes stand on a ring and hear those up to `reach` places away. Messages of a run differ.
    """

    watches = FloodedBroadcast

    def __init__(self, hops: int, reach: int) -> None:
        self.hops = hops
        self.reach = reach
        self._sent: dict[Message, tuple[float, Address]] = {}
        self._delivered: dict[tuple[Message, Address], float] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember who sent what."""
        self._sent[event[0]] = (time, address)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Refuse copies, and what nobody sent."""
        message, sender = event
        if message not in self._sent or self._sent[message][1] != sender:
            raise broken(
                "no creation",
                f"node {address} delivered {message} from node {sender} at {time:.3f} s",
                f"node {sender} never broadcast it",
            )
        before = self._delivered.get((message, address))
        if before is not None:
            raise broken(
                "no duplication",
                f"node {address} delivered {message} at {before:.3f} s and again at {time:.3f} s",
            )
        self._delivered[message, address] = time

    def finish(self, ending: Ending) -> None:
        """All whom correct nodes connect to a correct sender have delivered."""
        for message, (time, sender) in self._sent.items():
            if sender not in ending.correct:
                continue
            missing = [
                address
                for address in around(sender, ending, self.hops, self.reach)
                if (message, address) not in self._delivered
            ]
            if missing:
                raise broken(
                    "reach",
                    f"node {sender} broadcast {message} at {time:.3f} s",
                    f"within {self.hops} hops over nodes that never crashed, {names(missing)} did not deliver it",
                )


def around(start: Address, ending: Ending, hops: int, reach: int) -> list[Address]:
    """Return who can be reached over correct nodes on a ring."""
    found = [start]
    edge = found
    for _ in range(hops):
        edge = [
            other
            for other in sorted(ending.correct - frozenset(found))
            if any(steps_apart(one, other, len(ending.group)) <= reach for one in edge)
        ]
        found = found + edge
    return found


class NoCircles(Monitor):
    """Whoever follows the routes to a node, from neighbour to neighbour, never comes to a node twice."""

    watches = Routing

    def __init__(self) -> None:
        self._next: dict[tuple[Address, Address], Address | None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Follow a route that is new."""
        if what != "route":
            return
        to, via = event
        self._next[address, to] = via
        way = [address]
        while via is not None and via != to:
            way.append(via)
            if via in way[:-1]:
                raise broken(
                    "no circles",
                    f"at {time:.3f} s node {address} takes {way[1]} as the next on the way to {to}",
                    f"the routes to {to} lead from {' to '.join(map(str, way))}",
                )
            via = self._next.get((via, to))

    def crashed(self, time: float, address: Address) -> None:
        """Forget the routes of a node that is down."""
        for key in [key for key in self._next if key[0] == address]:
            del self._next[key]
