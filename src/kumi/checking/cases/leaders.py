"""Leader election: by trust, by succession, on a ring, and by consensus."""

from __future__ import annotations

from kumi.checking.case import Case, all_but_one, nobody
from kumi.checking.consensus_monitors import UniformAgreement
from kumi.checking.detector_monitors import StrongAccuracy
from kumi.checking.leader_monitors import AtMostOne, KnownToAll, OneReign, SameLeader, SameTerms
from kumi.contract.messages import Address
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.agreed_leader import QUESTION, AgreedLeader
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.eventual_leader import LowestTrusted
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.guarantees import EventualLeader, EventuallyPerfect
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.monarchical import Monarchical
from kumi.protocols.ring_election import Candidate, OneLeader, RingElection
from kumi.protocols.timed_out import TimedOut

TIMING = frozenset(
    {
        "loss",
        "duplication",
        "reordering",
        "slow-links",
        "partition",
        "crash",
        "crash-mid-send",
        "pause",
        "suspicion",
        "skew",
    }
)


class Follower(Layer[()]):
    """Looks on."""

    leadership: EventualLeader


class Voter(Layer[()]):
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


class Impatient(Monarchical):
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
    return Stack(Follower(), kind(), Mistaken(), Heartbeat(period=0.2))


def succession(kind: type[Monarchical] = Monarchical) -> Stack:
    """Return a stack with this succession."""
    return Stack(Follower(), kind(), TimedOut(bound=0.5, period=0.2))


def ring(kind: type[RingElection] = RingElection) -> Stack:
    """Return a stack with this ring."""
    return Stack(Voter(), kind(), Acknowledged(longest_pause=2.0))


def agreed(kind: type[AgreedLeader] = AgreedLeader) -> Stack:
    """Return a stack with this election by consensus."""
    return Stack(
        Follower(),
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
        faults=TIMING | {"recovery", "amnesia"},
        mutants={"keeps-first": lambda: trust(KeepsFirst), "trusts-next": lambda: trust(TrustsNext)},
        crashes=all_but_one,
        settling=20.0,
    ),
    Case(
        name="perfect-leader",
        promise="A new leader is elected only when the one before has crashed, and all learn of it.",
        stack=succession,
        monitors=lambda: [StrongAccuracy(), OneReign(), SameLeader()],
        faults=frozenset({"crash", "crash-mid-send"}),
        mutants={
            "impatient": lambda: Stack(
                Follower(), Impatient(), Heartbeat(period=0.02, timeout=0.02), TimedOut(bound=0.5, period=0.2)
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
        faults=frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"}),
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
        faults=TIMING,
        mutants={
            "ignores-answer": lambda: agreed(IgnoresAnswer),
            "proposes-once": lambda: agreed(ProposesOnce),
        },
        settling=30.0,
    ),
)
