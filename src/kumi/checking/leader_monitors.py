"""Judging leader election: who is elected, when, and does everyone know?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address
from kumi.protocols.agreed_leader import AgreedLeader
from kumi.protocols.guarantees import EventualLeader, PerfectLeader
from kumi.protocols.ring_election import OneLeader

LAST = 0.75
"""From this share of a run on, the leader must stay."""


class SameLeader(Monitor):
    """In the end all correct nodes trust the same correct node, for ever."""

    watches = EventualLeader

    def __init__(self) -> None:
        self.leaders: dict[Address, tuple[float, Address]] = {}

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep whom a node trusts."""
        self.leaders[address] = time, event[0]

    def crashed(self, time: float, address: Address) -> None:
        """Forget whom a crashed node trusted."""
        self.leaders.pop(address, None)

    def finish(self, ending: Ending) -> None:
        """Compare."""
        trusted: dict[Address, list[Address]] = {}
        for node in sorted(ending.up):
            if node not in self.leaders:
                raise broken("eventual leadership", f"node {node} trusts nobody at {ending.time:g} s")
            since, leader = self.leaders[node]
            trusted.setdefault(leader, []).append(node)
            if leader not in ending.up:
                raise broken("eventual leadership", f"node {node} trusts node {leader}, which has crashed")
            if since > LAST * ending.time:
                raise broken(
                    "eventual leadership", f"node {node} changed its leader as late as {since:.3f} s"
                )
        if len(trusted) > 1:
            sides = (f"{names(nodes)} trust node {leader}" for leader, nodes in sorted(trusted.items()))
            raise broken("eventual leadership", *sides)


class OneReign(Monitor):
    """A new leader is elected only when all who were elected before have crashed."""

    watches = PerfectLeader

    def __init__(self) -> None:
        self.elected: dict[Address, tuple[float, Address]] = {}
        self.crashes: set[Address] = set()

    def crashed(self, time: float, address: Address) -> None:
        """Keep who has crashed."""
        self.crashes.add(address)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge the first election of a leader."""
        leader = event[0]
        if leader in self.elected:
            return
        for other, (when, by) in self.elected.items():
            if other not in self.crashes:
                raise broken(
                    "one leader at a time",
                    f"node {address} elects node {leader} at {time:.3f} s",
                    f"node {other}, elected by node {by} at {when:.3f} s, is up",
                )
        self.elected[leader] = time, address


class AtMostOne(Monitor):
    """No two leaders are ever elected, and nobody is told twice."""

    watches = OneLeader

    def __init__(self) -> None:
        self.known: dict[Address, tuple[float, Address]] = {}

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare with what others were told."""
        leader = event[0]
        for other, (when, named) in self.known.items():
            if named != leader or other == address:
                raise broken(
                    "at most one leader",
                    f"node {address} learns at {time:.3f} s that node {leader} is elected",
                    f"node {other} learnt at {when:.3f} s that node {named} is",
                )
        self.known[address] = time, leader


class KnownToAll(Monitor):
    """If somebody asks for an election, somebody is elected, and all correct nodes know who."""

    watches = OneLeader

    def __init__(self) -> None:
        self.asked = False
        self.knowing: set[Address] = set()

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep that somebody asked."""
        self.asked = True

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep who knows."""
        self.knowing.add(address)

    def finish(self, ending: Ending) -> None:
        """Look for one who does not know."""
        ignorant = ending.correct - self.knowing
        if self.asked and ignorant:
            raise broken(
                "a leader known to all", f"at {ending.time:g} s nobody is elected for {names(ignorant)}"
            )


class SameTerms(Monitor):
    """All name the same leader for a term, and each goes through the terms one by one."""

    watches = AgreedLeader

    def __init__(self) -> None:
        self.reigns: dict[int, tuple[Address, Address]] = {}
        self.terms: dict[Address, int] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Judge a new term."""
        term, leader = event
        named, first = self.reigns.setdefault(term, (leader, address))
        if named != leader:
            raise broken(
                "one leader a term",
                f"in term {term} node {address} follows node {leader} from {time:.3f} s",
                f"node {first} follows node {named} in that term",
            )
        before = self.terms.get(address, -1)
        if term != before + 1:
            raise broken(
                "terms in order", f"node {address} goes from term {before} to {term} at {time:.3f} s"
            )
        self.terms[address] = term
