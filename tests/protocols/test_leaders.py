"""Leader election: who leads, who knows, and at what cost."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.agreed_leader import AgreedLeader
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import ConsensusOrder
from kumi.protocols.eventual_leader import LowestTrusted, Monarchical
from kumi.protocols.guarantees import Consensus
from kumi.protocols.heartbeat import Heartbeat, TimedOut
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.ring_election import RingElection
from kumi.protocols.suspicion import Mistaken
from tests.protocols.company import Company
from tests.protocols.groups import Word


def test_the_lowest_trusted_node_leads() -> None:
    company = Company(lambda: (LowestTrusted(), Heartbeat()))
    company.at(1.0, company.nodes[0].crash)
    company.at(5.0, company.nodes[0].restart)
    company.run(10.0)

    assert company.events(1) == [(0,), (1,), (0,)]
    assert company.events(2) == [(0,), (1,), (0,)]
    assert [company.top(node).leader for node in range(3)] == [0, 0, 0]


def test_leaders_by_trust_may_differ_for_a_while() -> None:
    company = Company(lambda: (LowestTrusted(), Mistaken(), Heartbeat()))
    company.at(1.0, lambda: company.layer(2, Mistaken).suspect_wrongly(0, 1.0))
    company.run(1.5)
    assert [company.top(node).leader for node in range(3)] == [0, 0, 1]

    company.run(3.0)
    assert [company.top(node).leader for node in range(3)] == [0, 0, 0]


def test_a_successor_follows_when_the_leader_has_crashed() -> None:
    """Node 1 crashes first and is passed over when node 0 does."""
    company = Company(lambda: (Monarchical(), TimedOut(bound=0.1)), size=4)
    company.at(1.0, company.nodes[1].crash)
    company.at(3.0, company.nodes[0].crash)
    company.run(10.0)

    assert company.events(2) == [(0,), (2,)]
    assert company.events(3) == [(0,), (2,)]
    assert next(time for time, node, leader in company.told if node == 3 and leader == 2) > 3.0


@pytest.mark.parametrize(
    ("ring", "candidates"),
    [([0, 1, 2, 3, 4], 2 * 5 - 1), ([4, 3, 2, 1, 0], 5 * 6 // 2)],
)
def test_a_ring_costs_what_chang_and_roberts_say(ring: list[int], candidates: int) -> None:
    """All stand at once; then word goes round once, 5 messages. The links are perfect, nothing is repeated."""
    company = Company(lambda: (RingElection(ring),), size=5)
    for node in range(5):
        company.at(1.0, company.top(node).elect)
    company.run(10.0)

    assert sorted((node, leader) for _, node, leader in company.told) == [(node, 4) for node in range(5)]
    assert company.network.sent == candidates + 5


def test_one_node_asking_is_enough_on_a_ring() -> None:
    company = Company(lambda: (RingElection(),), size=4)
    company.at(1.0, company.top(2).elect)
    company.run(10.0)

    assert sorted(company.told) == [(1.05, 3, 3), (1.06, 0, 3), (1.07, 1, 3), (1.08, 2, 3)]


def test_a_ring_passes_every_node_once() -> None:
    with pytest.raises(
        ValueError, match=r"a ring passes each node of the group \(0, 1, 2\) once, not \[0, 1\]"
    ):
        Company(lambda: (RingElection([0, 1]),))


def agreed() -> tuple[AgreedLeader, ChandraToueg, Mistaken, Heartbeat, Acknowledged]:
    return AgreedLeader(), ChandraToueg(), Mistaken(), Heartbeat(), Acknowledged()


def test_all_agree_on_the_leader_of_each_term() -> None:
    company = Company(agreed, size=5)
    company.at(1.0, company.nodes[0].crash)
    company.at(4.0, company.nodes[1].crash)
    company.run(20.0)

    for node in (2, 3, 4):
        assert company.events(node) == [(0,), (1,), (2,)]
        assert (company.top(node).term, company.top(node).leader) == (2, 2)


def test_one_wrong_suspicion_deposes_nobody() -> None:
    """Node 2 alone proposes another leader, and a majority must take part in a decision."""
    company = Company(agreed, size=5)
    company.at(1.0, lambda: company.layer(2, Mistaken).suspect_wrongly(0, 1.0))
    company.run(20.0)

    assert company.told == [(0.0, node, 0) for node in range(5)]


def test_a_consensus_is_shared_with_others() -> None:
    """Another user asks other questions, and neither sees the other's answers as its own."""
    company = Company(agreed)
    answers: list[tuple[int, str, object]] = []

    def heard(node: int, question: str, answer: object) -> None:
        answers.append((node, question, answer))

    for node in range(3):
        consensus = company.layer(node, Consensus)
        consensus.listen(partial(heard, node))
        company.at(2.0, partial(consensus.propose, "order 1", "left"))
    company.at(1.0, company.nodes[0].crash)
    company.run(10.0)

    assert sorted(answers) == [
        (1, "leader 1", 1),
        (1, "order 1", "left"),
        (2, "leader 1", 1),
        (2, "order 1", "left"),
    ]
    assert company.events(2) == [(0,), (1,)]


def test_total_order_and_leader_election_share_one_consensus() -> None:
    """While node 0 crashes and is replaced as leader, messages go on being ordered, through the same layer."""

    def layers() -> tuple[Any, ...]:
        return (
            ConsensusOrder(),
            EagerRelay(),
            ToEach(),
            AgreedLeader(),
            ChandraToueg(),
            Mistaken(),
            Heartbeat(),
            Acknowledged(),
        )

    company = Company(layers)
    for number in range(6):
        company.ask(0.5 + 0.5 * number, 1 + number % 2, "broadcast", Word(str(number)))
    company.at(1.2, company.nodes[0].crash)
    company.run(30.0)

    ordered = [message.text for message, _ in company.events(1)]
    assert sorted(ordered) == list("012345")
    assert [message.text for message, _ in company.events(2)] == ordered
    assert [company.layer(node, AgreedLeader).leader for node in (1, 2)] == [1, 1]
    assert company.layer(1, Consensus) is company.top(1).consensus is company.layer(1, AgreedLeader).consensus
