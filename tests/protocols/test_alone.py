"""One node, word for word: what it answers, tells and keeps when words come late, twice or from the wrong one."""

from __future__ import annotations

from math import inf

import pytest

from kumi.contract.messages import Message
from kumi.geometry import Point
from kumi.network import Clock
from kumi.protocols import Acknowledged
from kumi.protocols.aodv import Aodv
from kumi.protocols.atomic_commit import CommitVote, ConsensusCommit, TransactionOutcome, TwoPhaseCommit
from kumi.protocols.causal import Caused, CausesFirst
from kumi.protocols.chandra_toueg import CalledOff, ChandraToueg, Decision, Proposal, Reply, RoundEstimate
from kumi.protocols.clock_sync import Cristian, TimeIs
from kumi.protocols.flood import Flood, Flooded
from kumi.protocols.gossip import Digest, Gossip, Update
from kumi.protocols.guarantees import Consensus, EventuallyPerfect, TotalOrderBroadcast
from kumi.protocols.hops import Hops
from kumi.protocols.membership import Cast, Flush, Join, KnownDeliveries, Membership, MemberView, NextView
from kumi.protocols.names import Names
from kumi.protocols.numbering import SeenNumbers
from kumi.protocols.perfect_links import Acknowledgement, Numbered
from kumi.protocols.ping import AreYouThere, Ping, PingAnswer
from kumi.protocols.reservation import ReserveInOrder, Withdraw, ZoneRequest
from kumi.protocols.ricart_agrawala import MayI, RicartAgrawala, YouMay
from kumi.protocols.routing import RouteReply, RouteRequest
from kumi.protocols.sequencers import FixedSequencer, Submitted
from kumi.protocols.stack import InChannel
from kumi.protocols.suspicion import Suspicions
from kumi.protocols.termination import Probe, Safra, Work, WorkOver
from kumi.protocols.token_ring import Token, TokenRing, Want
from kumi.reserving import Zone
from tests.protocols.alone import Alone
from tests.protocols.groups import Word


class Blamed(Suspicions, EventuallyPerfect):
    """Suspects whom a test says."""

    def blame(self, address: int) -> None:
        self._suspect(address)


class Proposed(Consensus):
    """Keeps what is proposed; a test decides."""

    def __init__(self) -> None:
        self.proposals: list[tuple[str, object]] = []

    def propose(self, question: str, value: object) -> None:
        self.proposals.append((question, value))


class Said(TotalOrderBroadcast):
    """Keeps what is broadcast; a test delivers."""

    def __init__(self) -> None:
        self.words: list[Message] = []

    def broadcast(self, message: Message) -> None:
        self.words.append(message)


# Consensus.


def debating() -> Alone:
    """Node 0 of three has proposed x; nodes 1 and 2 lead rounds 1 and 2, and node 0 itself round 3."""
    alone = Alone(lambda: (ChandraToueg(), Blamed()))
    alone.top.propose("q", "x")
    assert alone.sent == [(1, RoundEstimate("q", 1, "x", 0))]
    return alone


def test_a_round_that_is_called_off_is_left() -> None:
    assert debating().hear(CalledOff("q", 1), 1) == [
        (1, Reply("q", 1, yes=False)),
        (2, RoundEstimate("q", 2, "x", 0)),
    ]


def test_a_proposal_that_comes_twice_is_adopted_once() -> None:
    alone = debating()

    assert alone.hear(Proposal("q", 1, "y"), 1) == [(1, Reply("q", 1, yes=True))]
    assert alone.hear(Proposal("q", 1, "y"), 1) == []


def test_a_node_waits_in_its_own_round_even_if_it_is_told_to_suspect_itself() -> None:
    alone = debating()
    alone.company.layer(0, Blamed).blame(0)

    assert alone.hear(CalledOff("q", 2), 2)[-1] == (0, RoundEstimate("q", 3, "x", 0))


# Mutual exclusion.


def asked() -> Alone:
    """Node 1 of three has asked to come in, at time 1 of its clock."""
    alone = Alone(lambda: (RicartAgrawala(),), address=1)
    alone.top.enter()
    return alone


def test_who_comes_in_tells_so_once() -> None:
    alone = asked()
    for sender in (0, 2, 2):
        alone.hear(YouMay(2), sender)
    alone.run(1.0)

    assert alone.told() == [(1 * 3 + 1,)]


def test_who_is_inside_lets_nobody_in_who_has_lost_its_clock() -> None:
    """Node 0 comes back after a crash and asks at time 1 again, which by its number would come first."""
    alone = asked()
    for sender in (0, 2):
        alone.hear(YouMay(2), sender)

    assert alone.hear(MayI(1), 0) == []
    alone.sent.clear()
    alone.top.leave()
    assert [to for to, _ in alone.sent] == [0]


def ring(address: int = 0) -> tuple[Alone, Said]:
    """A node of three on a ring, of which node 0 has the token, and what it says to all."""
    alone = Alone(lambda: (TokenRing(), Blamed(), Said()), address=address)
    return alone, alone.company.layer(address, Said)


def test_who_is_inside_cannot_ask_again() -> None:
    alone, _ = ring()
    alone.top.enter()
    alone.hear(Want(1), 0, "cast")
    assert alone.told() == [(1,)]

    with pytest.raises(RuntimeError, match="node 0 has asked already"):
        alone.top.enter()


@pytest.mark.parametrize("token", [Token(1, 0, 77, (0, 0, 0)), Token(1, 0, 1, (0, 0))])
def test_a_token_of_a_stranger_or_of_another_group_is_refused(token: Token) -> None:
    alone, said = ring()
    alone.hear(token, 1, "cast")
    alone.hear(Want(1), 1, "cast")

    assert alone.refused == 1
    assert said.words == [Token(0, 1, 1, (0, 0, 0))]  # the one that it has goes on


def test_a_token_goes_to_the_next_who_wants_it_and_is_not_suspected() -> None:
    alone, said = ring()
    alone.top.enter()
    for sender in (0, 1, 2):
        alone.hear(Want(1), sender, "cast")
    alone.company.layer(0, Blamed).blame(1)
    alone.top.leave()

    assert said.words == [Want(1), Token(0, 2, 2, (1, 0, 0))]


def test_a_token_whose_holder_is_not_suspected_is_not_replaced() -> None:
    """Node 0 is the lowest, and knows that node 1 has the token; only when it suspects that one, it makes another."""
    alone, said = ring()
    alone.hear(Token(0, 1, 1, (0, 0, 0)), 0, "cast")
    alone.run(5.0)
    assert said.words == []

    alone.company.layer(0, Blamed).blame(1)
    alone.run(10.0)
    assert said.words == [Token(3, 0, 0, (0, 0, 0))]


# Termination.


def resting() -> Alone:
    """Node 0 of three, the lowest, which rests; its first token has just gone out, and is white."""
    alone = Alone(lambda: (Safra(pause=0.2),))
    alone.top.rest()
    assert alone.run(0.3) == [(1, Probe(0, is_black=False))]
    return alone


OVER = [(0, WorkOver()), (1, WorkOver()), (2, WorkOver())]


def test_a_token_that_is_white_and_sums_up_to_nothing_is_the_end() -> None:
    assert resting().hear(Probe(0, is_black=False), 2) == OVER


def test_a_message_that_nobody_has_got_is_no_end() -> None:
    alone = resting()

    assert alone.hear(Probe(1, is_black=False), 2) == []
    assert alone.run(1.0) == [(1, Probe(0, is_black=False))]


def test_a_black_token_is_no_end() -> None:
    assert resting().hear(Probe(0, is_black=True), 2) == []


def test_who_got_work_since_its_token_went_out_announces_no_end() -> None:
    """The sums are even, since one sent what the other got; but who got it may have sent on."""
    alone = resting()
    alone.hear(Work(Word("work")), 2)
    alone.top.rest()

    assert alone.hear(Probe(1, is_black=False), 2) == []


def test_a_token_is_black_from_who_got_work_and_stays_so() -> None:
    alone = Alone(lambda: (Safra(),), address=1)
    alone.hear(Work(Word("work")), 0)
    alone.top.rest()

    assert alone.hear(Probe(1, is_black=False), 0) == [(2, Probe(0, is_black=True))]
    assert alone.hear(Probe(1, is_black=False), 0) == [(2, Probe(0, is_black=False))]
    assert alone.hear(Probe(1, is_black=True), 0) == [(2, Probe(0, is_black=True))]


# Atomic commit.


def test_one_no_ends_a_transaction_once_whoever_votes_after_it() -> None:
    alone = Alone(lambda: (TwoPhaseCommit(),))
    assert alone.hear(CommitVote("pay 1", yes=True), 0) == []
    ended = [(address, TransactionOutcome("pay 1", committed=False)) for address in range(3)]

    assert alone.hear(CommitVote("pay 1", yes=False), 1) == ended
    assert alone.hear(CommitVote("pay 1", yes=False), 2) == []


def test_a_strangers_vote_is_refused() -> None:
    alone = Alone(lambda: (ConsensusCommit(), Proposed(), Blamed()))
    alone.hear(CommitVote("pay 1", yes=False), 77)

    assert alone.refused == 1
    assert alone.company.layer(0, Proposed).proposals == []


def test_an_end_is_told_once() -> None:
    alone = Alone(lambda: (ConsensusCommit(), Proposed(), Blamed()))
    for _ in range(2):
        alone.company.layer(0, Proposed).tell("commit pay 1", True)

    assert alone.told() == [("pay 1", True)]


# Orders and maps.


def test_who_is_not_the_sequencer_gives_no_places() -> None:
    alone = Alone(lambda: (FixedSequencer(),), address=1)

    assert alone.hear(Submitted(Word("a")), 2) == []
    assert alone.refused == 1


def test_causes_of_another_group_are_refused() -> None:
    alone = Alone(lambda: (CausesFirst(), Said()))
    alone.hear(Caused((0, 0), Word("a")), 1, "spread")

    assert (alone.told(), alone.refused) == ([], 1)


def test_the_same_number_of_two_origins_names_two_floods() -> None:
    alone = Alone(lambda: (Flood(), Said()))
    alone.hear(Flooded(1, 5, 0, Word("a")), 1, "air")
    alone.hear(Flooded(2, 5, 0, Word("b")), 1, "air")

    assert alone.told() == [(Word("a"), 1), (Word("b"), 2)]


def test_a_digest_speaks_of_keys_above_its_low_end_up_to_its_high_end() -> None:
    alone = Alone(lambda: (Gossip(),))
    for key in "abcde":
        alone.top.put(key, 1)
    ((to, update),) = alone.hear(Digest("b", "d", ()), 2)

    assert to == 2
    assert isinstance(update, Update)
    assert ([entry.key for entry in update.entries], update.wanted) == (["c", "d"], ())


def test_what_was_seen_above_the_oldest_is_not_forgotten() -> None:
    seen = SeenNumbers()
    assert [seen.add(number) for number in (5, 1)] == [True, True]

    assert seen.add(3, oldest=2)
    assert [seen.add(number) for number in (0, 1, 2, 3, 5)] == [False, False, True, False, False]


def test_numbers_that_follow_on_each_other_are_one_span_however_they_came() -> None:
    names = Names()
    for number in (1, 3, 2, 5):
        names.add(f"order {number}")

    assert names.size == 2  # 1 to 3, and 5
    assert [f"order {number}" in names for number in range(7)] == [
        False, True, True, True, False, True, False,
    ]  # fmt: skip


# Detectors.


def test_only_a_new_answer_of_this_life_counts() -> None:
    """It has asked four times by 0.7 s. A late answer takes nothing back, and one of another life is none."""
    alone = Alone(lambda: (Ping(period=0.2, timeout=0.65),))
    asked = alone.run(0.7)[-1][1]
    assert isinstance(asked, AreYouThere)
    assert asked.number == 4
    alone.hear(PingAnswer(asked.life, 4), 1)
    alone.hear(PingAnswer(asked.life, 1), 1)
    alone.hear(PingAnswer(asked.life + 1, 99), 2)
    alone.run(1.1)

    assert alone.told() == [(2, True)]


# Reservations.


def reserving() -> tuple[Alone, Said]:
    """Node 0 of three among robots, and what it says to all."""
    alone = Alone(lambda: (ReserveInOrder(), Blamed(), Said()))
    return alone, alone.company.layer(0, Said)


HERE, THERE = Zone((Point(0, 0),), 0.5), Zone((Point(9, 0),), 0.5)


def test_a_zone_of_another_robot_with_the_same_number_is_not_ones_own() -> None:
    alone, said = reserving()
    alone.top.request(HERE)
    (request,) = said.words
    assert isinstance(request, ZoneRequest)
    alone.hear(ZoneRequest(request.number, THERE), 1, "order")
    assert alone.told() == []

    alone.hear(request, 0, "order")
    assert alone.told() == [(HERE, True)]
    assert alone.top.held == (HERE,)


def test_nobody_releases_what_another_asked_for() -> None:
    alone, said = reserving()
    alone.hear(ZoneRequest(7, THERE), 1, "order")

    assert said.words == []


def test_a_robot_that_has_asked_again_since_is_not_given_up() -> None:
    """Node 2 suspected node 1 before its request 8 was in the list; so node 0 waits for that one, and is not refused."""
    alone, said = reserving()
    alone.hear(ZoneRequest(7, THERE), 1, "order")
    alone.hear(ZoneRequest(8, HERE), 1, "order")
    alone.hear(Withdraw(1, 7), 2, "order")
    alone.top.request(HERE)
    alone.hear(said.words[-1], 0, "order")
    assert alone.told() == []

    alone.hear(Withdraw(1, 8), 2, "order")
    assert alone.told() == [(HERE, False)]


# Views.


def member() -> tuple[Alone, Proposed]:
    """Node 0 of three in the first view, and what it proposes."""
    alone = Alone(lambda: (Membership(), Proposed(), Blamed()))
    return alone, alone.company.layer(0, Proposed)


def begin(consensus: Proposed, number: int, *members: int) -> None:
    consensus.tell(f"view {number}", NextView(MemberView(number, members), ()))


def words(alone: Alone) -> list[Message]:
    return [message for message, _ in alone.told() if isinstance(message, Word)]


def test_what_is_said_outside_of_a_view_waits_for_one() -> None:
    alone, consensus = member()
    begin(consensus, 1, 1, 2)
    alone.sent.clear()
    alone.top.broadcast(Word("a"))
    assert alone.sent == []

    begin(consensus, 2, 0, 1, 2)
    assert [(to, message) for to, message in alone.sent if isinstance(message, Cast)] == [
        (1, Cast(2, 0, 0, Word("a"))),
        (2, Cast(2, 0, 0, Word("a"))),
    ]


def test_only_messages_of_members_in_this_view_are_delivered() -> None:
    alone, consensus = member()
    begin(consensus, 1, 0, 1)
    alone.hear(Cast(0, 1, 0, Word("of the view before")), 1)
    alone.hear(Cast(1, 2, 0, Word("of no member")), 2)
    alone.hear(Cast(1, 1, 0, Word("of this view")), 1)

    assert words(alone) == [Word("of this view")]


def test_nothing_is_delivered_while_the_view_changes() -> None:
    """What came after the flush is delivered only if the decision says so, with all the others."""
    alone, consensus = member()
    assert alone.hear(Flush(0, ()), 1) == [(to, Flush(0, ())) for to in range(3)]
    alone.hear(Cast(0, 1, 0, Word("late")), 1)
    assert words(alone) == []

    consensus.tell("view 1", NextView(MemberView(1, (0, 1)), (Cast(0, 1, 0, Word("late")),)))
    assert words(alone) == [Word("late")]


def test_a_flush_of_a_view_that_is_over_changes_nothing() -> None:
    alone, consensus = member()
    begin(consensus, 1, 0, 1, 2)

    assert alone.hear(Flush(0, ()), 1) == []
    assert not alone.top.is_changing


def test_who_is_no_member_does_not_flush() -> None:
    alone, consensus = member()
    begin(consensus, 1, 1, 2)
    alone.hear(Flush(1, ()), 1)

    assert alone.hear(Flush(1, ()), 2) == []
    assert consensus.proposals == []


def test_a_view_is_proposed_once_and_without_those_who_are_suspected() -> None:
    """Node 2 left, wants to come back, and is suspected again: 0 and 1 go on alone."""
    alone, consensus = member()
    begin(consensus, 1, 0, 1)
    alone.company.layer(0, Blamed).blame(2)
    alone.hear(Join(), 2)
    for sender in (0, 1, 0):
        alone.hear(Flush(1, ()), sender)

    assert consensus.proposals == [("view 2", NextView(MemberView(2, (0, 1)), ()))]


def test_what_is_known_of_another_view_is_not_counted() -> None:
    """Cast 0 was delivered here; that all have it is said of the view before, so it is flushed with this one."""
    alone, consensus = member()
    begin(consensus, 1, 0, 1)
    alone.hear(Cast(1, 1, 0, Word("a")), 1)
    for sender in (0, 1):
        alone.hear(KnownDeliveries(0, (9, 9)), sender)

    assert alone.hear(Flush(1, ()), 1)[0] == (0, Flush(1, (Cast(1, 1, 0, Word("a")),)))


# Routes.


class Passed(Hops):
    """Keeps what is sent to neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[tuple[int, Message]] = []

    def send(self, message: Message, to: int) -> None:
        self.passed.append((to, message))


def between() -> tuple[Alone, Said, list[tuple[int, Message]]]:
    """Node 1 between 0 and 2, which knows a way to 2 of freshness 3; what it says to all, and what it passes on."""
    alone = Alone(lambda: (Aodv(), Passed(), Said()), address=1)
    alone.hear(RouteReply(2, 3, 0, 1), 2, "hops")
    return alone, alone.company.layer(1, Said), alone.company.layer(1, Passed).passed


def test_a_way_that_is_not_fresh_enough_is_no_answer() -> None:
    alone, said, passed = between()
    alone.hear(RouteRequest(0, 1, 1, 2, 4, 0), 0, "air")
    assert (passed, said.words) == ([], [RouteRequest(0, 1, 1, 2, 4, 1)])

    alone.hear(RouteRequest(0, 2, 2, 2, 3, 0), 0, "air")
    assert passed == [(0, RouteReply(2, 3, 1, 0))]


def test_an_answer_that_tells_nothing_new_is_not_passed_on() -> None:
    alone, _, passed = between()
    alone.hear(RouteRequest(0, 1, 1, 2, 4, 0), 0, "air")
    for _ in range(2):
        alone.hear(RouteReply(2, 4, 0, 0), 2, "hops")

    assert passed == [(0, RouteReply(2, 4, 1, 0))]


def test_a_way_that_is_used_does_not_get_old() -> None:
    """It is forgotten 10 s after its last use, which was at 6 s."""
    alone, _, _ = between()
    alone.run(6.0)
    alone.top.routes.use(2)
    alone.run(15.0)
    assert alone.top.routes.find(2) is not None

    alone.run(17.0)
    assert alone.top.routes.find(2) is None


# Clocks and channels.


def test_where_a_clock_was_put_back_its_error_has_no_bound() -> None:
    alone = Alone(lambda: (Cristian(drift=0.1),), address=1)
    alone.run(5.0)
    alone.hear(TimeIs(5.0, 5.0), 0)
    assert alone.top.error == 0.0

    alone.company.nodes[1].clock = Clock(offset=-3.0)
    assert alone.top.error == inf


def test_a_channel_below_the_first_is_none() -> None:
    """A stack in which two layers share the links, so that each has a channel; the last is that of the consensus."""
    alone = Alone(lambda: (ConsensusCommit(), ChandraToueg(), Blamed(), Acknowledged()))
    decision = Decision("commit pay 1", True)
    alone.company.layer(0, Acknowledged).tell(InChannel(-1, decision), 1)
    assert (alone.told(), alone.refused) == ([], 1)

    alone.company.layer(0, Acknowledged).tell(InChannel(1, decision), 1)
    assert alone.told() == [("pay 1", True)]


def test_a_node_that_is_down_asks_for_floor_in_vain_and_without_an_error() -> None:
    alone, said = reserving()
    alone.company.nodes[0].crash()
    alone.top.request(HERE)

    assert alone.top.held == ()
    assert [type(word) for word in said.words] == [ZoneRequest]


# Perfect links.


def test_programs_go_on_when_less_than_half_of_a_crowd_waits() -> None:
    """With a limit of 8, four are a crowd: the fifth message takes up the room until one alone waits."""
    alone = Alone(lambda: (Acknowledged(limit=8),))
    room = alone.company.nodes[0].room
    for number in range(5):
        assert room.is_there
        alone.top.send(Word(str(number)), 1)
    life = next(message.life for _, message in alone.sent if isinstance(message, Numbered))
    is_there = []
    for number in range(4):
        alone.hear(Acknowledgement(life, number), 1)
        is_there.append(room.is_there)

    assert is_there == [False, False, False, True]


def test_one_that_was_given_up_and_has_left_need_not_be_told() -> None:
    alone = Alone(lambda: (Acknowledged(retry_after=0.5, longest_pause=0.5, limit=2),))
    for number in range(3):
        alone.top.send(Word(str(number)), 1)
    assert alone.top.given_up == (1,)

    alone.company.network.leave(1)
    alone.run(5.0)
    assert alone.top.given_up == ()
