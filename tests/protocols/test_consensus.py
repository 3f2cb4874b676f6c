"""Consensus: one of the proposed values, the same for all, whatever the detector says."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kumi.protocols import Acknowledged
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.names import Names
from kumi.protocols.suspicion import Mistaken
from tests.protocols.company import Company
from tests.protocols.groups import Word


def layers() -> tuple[Any, ...]:
    return ChandraToueg(), Mistaken(), Heartbeat(), Acknowledged()


def propose(company: Company, time: float, question: str, values: dict[int, object]) -> None:
    for node, value in values.items():
        company.ask(time, node, "propose", question, value)


def test_without_faults_the_first_round_decides() -> None:
    """Estimate, proposal, reply, decision: four messages of 0.01 s for all but the coordinator, node 1."""
    company = Company(layers)
    propose(company, 1.0, "where", {0: "left", 1: "right", 2: "up"})
    company.run(10.0)

    assert sorted(company.told) == [
        (1.03, 1, "where", "left"),
        (1.04, 0, "where", "left"),
        (1.04, 2, "where", "left"),
    ]


def test_messages_can_be_proposed_and_none_too() -> None:
    company = Company(layers)
    propose(company, 1.0, "what", dict.fromkeys(range(3), Word("hello")))
    propose(company, 1.0, "nothing", dict.fromkeys(range(3), None))
    company.run(10.0)

    assert sorted(company.events(2), key=str) == [("nothing", None), ("what", Word("hello"))]


def test_a_crashed_coordinator_is_passed_over() -> None:
    company = Company(layers, size=5)
    company.at(0.5, company.nodes[1].crash)
    propose(company, 1.0, "where", {node: f"way {node}" for node in (0, 2, 3, 4)})
    company.run(20.0)

    assert {node for _, node, *_ in company.told} == {0, 2, 3, 4}
    assert {answer for *_, answer in company.told} == {"way 0"}


def test_nothing_is_decided_without_a_majority() -> None:
    company = Company(layers, size=5)
    for node in (2, 3, 4):
        company.at(0.5, company.nodes[node].crash)
    propose(company, 1.0, "where", {0: "left", 1: "right"})
    company.run(60.0)

    assert company.told == []


def test_a_late_proposer_learns_the_decision() -> None:
    """Nodes 0 and 1 are a majority of three; node 2 is told before it proposes, and not again."""
    company = Company(layers)
    propose(company, 1.0, "where", {0: "left", 1: "right"})
    propose(company, 5.0, "where", {2: "up"})
    company.run(20.0)

    assert company.events(2) == [("where", "left")]


def test_the_first_proposal_of_a_node_counts() -> None:
    company = Company(layers, size=1)
    propose(company, 1.0, "where", {0: "left"})
    propose(company, 1.005, "where", {0: "right"})
    company.run(5.0)

    assert company.events(0) == [("where", "left")]


def test_a_wrongly_suspected_coordinator_costs_rounds_and_no_agreement() -> None:
    company = Company(layers, size=5)
    for node in (0, 2, 3, 4):
        company.at(0.9, partial(company.layer(node, Mistaken).suspect_wrongly, 1, 3.0))
    propose(company, 1.0, "where", {node: f"way {node}" for node in range(5)})
    company.run(20.0)

    assert len(company.told) == 5
    assert len({answer for *_, answer in company.told}) == 1
    assert all(
        time < 1.2 for time, *_ in company.told
    )  # the next round decides, long before the mistake ends


def test_decided_questions_take_no_room() -> None:
    company = Company(layers)
    for number in range(200):
        propose(company, 0.1 * number, f"order {number}", dict.fromkeys(range(3), number))
    company.run(60.0)

    assert company.events(0) == [(f"order {number}", number) for number in range(200)]
    for node in range(3):
        assert company.top(node)._closed.size == 1
        assert company.top(node)._open == {}


@given(st.lists(st.one_of(st.text("a0 19", max_size=4), st.integers(0, 30).map(lambda n: f"q{n}"))))
def test_names_are_a_set(added: list[str]) -> None:
    names, plain = Names(), set[str]()
    for name in added:
        names.add(name)
        plain.add(name)

    assert all(name in names for name in plain)
    assert all((name in names) == (name in plain) for name in ["", "a", "0", "00", "a1", "a01", "q3", "q"])
    assert names.size <= len(plain)


@given(st.permutations(range(20)))
def test_numbers_that_follow_on_each_other_become_one_span(order: list[int]) -> None:
    names = Names()
    for number in order:
        names.add(f"x {number + 5}")

    assert names.size == 1
    assert "x 4" not in names
    assert "x 25" not in names
