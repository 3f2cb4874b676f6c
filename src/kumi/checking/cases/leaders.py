"""Leader election: by trust, by succession, on a ring, and by consensus: cases, and the monitors that judge them."""

from __future__ import annotations

from typing import Any

from kumi.checking.case import Case, all_but_one, nobody
from kumi.checking.cases.consensus import UniformAgreement
from kumi.checking.cases.detectors import StrongAccuracy
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.agreed_leader import QUESTION, AgreedLeader
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.eventual_leader import LowestTrusted, Monarchical
from kumi.protocols.guarantees import (
    AMNESIA,
    BAD_NETWORK,
    CRASHES,
    RECOVERY,
    WITH_CRASHES,
    EventualLeader,
    EventuallyPerfect,
    PerfectLeader,
)
from kumi.protocols.heartbeat import Heartbeat, TimedOut
from kumi.protocols.ring_election import Candidate, OneLeader, RingElection
from kumi.protocols.suspicion import Mistaken


class Bystander(Layer[()]):
    """Looks on."""

    leadership: EventualLeader


class Elector(Layer[()]):
    """Asks for an election at a random instant, or does not, but for the first node."""

    election: OneLeader

    def begin(self) -> None:
        """Plan to ask."""
        if self.node.address == self.node.group[0] or self.node.chance.happens(0.6):
            self.node.after(self.node.chance.uniform(0.0, 2.0), self.election.elect)


class KeepsFirst(LowestTrusted):
    """Looks for another leader only when somebody is suspected, never when one is cleared."""

    def _changed(self, _address: Address, is_suspected: bool) -> None:
        if is_suspected:
            self._elect()


class TrustsNext(LowestTrusted):
    """Goes to the address after the leader that is suspected, instead of the lowest that is not."""

    def choose(self) -> Address:
        """Return the leader, or the next after it."""
        leader = 0 if self._leader is None else self._leader
        return (leader + (leader in self.detector.suspected)) % len(self.node.group)


class ImpatientLeader(Monarchical):
    """Takes a detector that errs for a perfect one."""

    detector: EventuallyPerfect  # type: ignore[assignment]  # that is the bug


class BlindHeir(Monarchical):
    """Elects the next address, without asking whether that one has crashed before."""

    def choose(self) -> Address:
        """Return the leader, or the next after it."""
        leader = 0 if self._leader is None else self._leader
        return leader + 1 if leader in self.detector.suspected else leader


class SwallowsNothing(RingElection):
    """Passes on every candidate, so each comes home."""

    def _weigh(self, address: Address) -> None:
        if address == self.node.address:
            self._learn(address)
        else:
            self.elect()
            self.links.send(Candidate(address), self._next)


class SwallowsWhileStanding(RingElection):
    """Does not pass on a higher candidate once it stands itself."""

    def _weigh(self, address: Address) -> None:
        if not (self._stands and address > self.node.address):
            super()._weigh(address)


class KeepsItToItself(RingElection):
    """Does not send word of its election."""

    def _learn(self, leader: Address) -> None:
        if self._leader is None:
            self._leader = leader
            self.tell(leader)


class IgnoresAnswer(AgreedLeader):
    """Begins a term when it is decided, but with the leader of its own choice."""

    def _answered(self, question: str, answer: object) -> None:
        super()._answered(question, self.choose())


class ProposesOnce(AgreedLeader):
    """Proposes when a leader becomes suspected, not when a term begins with one who is."""

    def _changed(self, address: Address, is_suspected: bool) -> None:
        if is_suspected and address == self._leader:
            self.consensus.propose(f"{QUESTION}{self.term + 1}", self.choose())

    def _propose(self) -> None:
        pass


def trust(kind: type[LowestTrusted] = LowestTrusted) -> Stack:
    """Return a stack with this Ω."""
    return Stack(Bystander(), kind(), Mistaken(), Heartbeat(period=0.2))


def succession(kind: type[Monarchical] = Monarchical) -> Stack:
    """Return a stack with this succession."""
    return Stack(Bystander(), kind(), TimedOut(bound=0.5, period=0.2))


def ring(kind: type[RingElection] = RingElection) -> Stack:
    """Return a stack with this ring."""
    return Stack(Elector(), kind(), Acknowledged(longest_pause=2.0))


def agreed(kind: type[AgreedLeader] = AgreedLeader) -> Stack:
    """Return a stack with this election by consensus."""
    return Stack(
        Bystander(),
        kind(),
        ChandraToueg(),
        Mistaken(),
        Heartbeat(period=0.2, timeout=1.0),
        Acknowledged(longest_pause=2.0),
    )


CASES: tuple[Case, ...] = (
    Case(
        name="eventual-leader",
        promise="In the end all correct nodes trust the same correct node (Ω).",
        stack=trust,
        monitors=lambda: [SameLeader()],
        faults=WITH_CRASHES | RECOVERY | AMNESIA,
        mutants={"keeps-first": lambda: trust(KeepsFirst), "trusts-next": lambda: trust(TrustsNext)},
        crashes=all_but_one,
        settling=20.0,
    ),
    Case(
        name="perfect-leader",
        promise="A new leader is elected only when the one before has crashed, and all learn of it.",
        stack=succession,
        monitors=lambda: [StrongAccuracy(), OneReign(), SameLeader()],
        faults=CRASHES,
        mutants={
            "impatient": lambda: Stack(
                Bystander(),
                ImpatientLeader(),
                Heartbeat(period=0.02, timeout=0.02),
                TimedOut(bound=0.5, period=0.2),
            ),
            "blind-heir": lambda: succession(BlindHeir),
        },
        crashes=all_but_one,
        settling=10.0,
    ),
    Case(
        name="ring-election",
        promise="Exactly one leader is elected, and all know it.",
        stack=ring,
        monitors=lambda: [AtMostOne(), KnownToAll()],
        faults=BAD_NETWORK,
        mutants={
            "swallows-nothing": lambda: ring(SwallowsNothing),
            "swallows-while-standing": lambda: ring(SwallowsWhileStanding),
            "keeps-it-to-itself": lambda: ring(KeepsItToItself),
        },
        crashes=nobody,
        settling=20.0,
    ),
    Case(
        name="agreed-leader",
        promise="All nodes follow the same leaders in the same order, and in the end a correct one.",
        stack=agreed,
        monitors=lambda: [SameTerms(), UniformAgreement(), SameLeader()],
        faults=WITH_CRASHES,
        mutants={
            "ignores-answer": lambda: agreed(IgnoresAnswer),
            "proposes-once": lambda: agreed(ProposesOnce),
        },
        settling=30.0,
    ),
)


LAST_CRASH_SHARE = 0.75
"""From this share of a run on, the leader must stay."""


class SameLeader(Monitor):
    """In the end all correct nodes trust the same correct node, for ever."""

    watches = EventualLeader

    def __init__(self) -> None:
        self.leaders: dict[Address, tuple[float, Address]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep whom a node trusts."""
        self.leaders[address] = time, event[0]

    def crashed(self, time: float, address: Address) -> None:
        """Forget whom a crashed node trusted."""
        self.leaders.pop(address, None)

    def finish(self, ending: RunEnding) -> None:
        """Compare."""
        trusted: dict[Address, list[Address]] = {}
        for node in sorted(ending.up):
            if node not in self.leaders:
                raise broken("eventual leadership", f"node {node} trusts nobody at {ending.time:g} s")
            since, leader = self.leaders[node]
            trusted.setdefault(leader, []).append(node)
            if leader not in ending.up:
                raise broken("eventual leadership", f"node {node} trusts node {leader}, which has crashed")
            if since > LAST_CRASH_SHARE * ending.time:
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep who knows."""
        self.knowing.add(address)

    def finish(self, ending: RunEnding) -> None:
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
