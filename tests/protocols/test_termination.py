"""Termination detection: the end is announced when it is there, and only then."""

from __future__ import annotations

import pytest

from kumi.protocols.termination import Safra
from tests.protocols.company import Company
from tests.protocols.groups import Word


def workers(size: int = 3) -> tuple[Company, list[tuple[float, int]]]:
    company = Company(lambda: (Safra(pause=0.2),), size=size)
    over: list[tuple[float, int]] = []
    for address in range(size):
        company.top(address).when_over(lambda at=address: over.append((round(company.simulation.now, 9), at)))
    return company, over


def test_the_end_is_announced_at_all_nodes_after_a_round() -> None:
    """All rest at 1 s; the first token goes out 0.2 s later, takes 3 hops, and the news one more."""
    company, over = workers()
    for address in range(3):
        company.at(1.0, company.top(address).rest)
    company.run()

    assert over == [(1.24, 0), (1.24, 1), (1.24, 2)]


def test_while_one_works_nothing_is_announced() -> None:
    company, over = workers()
    for address in (0, 2):
        company.at(1.0, company.top(address).rest)
    company.run(until=50.0)

    assert over == []


def test_a_message_under_way_is_work() -> None:
    """Node 1 sends and rests; node 2 gets it and works on until 5 s."""
    company, over = workers()
    company.at(0.5, company.top(2).rest)
    company.at(0.9, company.top(0).rest)
    company.at(1.0, lambda: company.top(1).send(Word("work"), 2))
    company.at(1.0, company.top(1).rest)
    company.at(5.0, company.top(2).rest)
    company.run()

    assert len(over) == 3
    assert min(over)[0] > 5.0


def test_work_makes_a_resting_node_work() -> None:
    company, _ = workers()
    company.top(2).rest()
    company.top(1).send(Word("work"), 2)
    company.run(until=1.0)

    assert company.top(2).is_working
    assert company.told == [(0.01, 2, Word("work"), 1)]


def test_only_who_works_sends() -> None:
    company, _ = workers()
    company.top(1).rest()

    with pytest.raises(RuntimeError, match="node 1 rests; only who works sends"):
        company.top(1).send(Word("work"), 2)


def test_a_node_alone_notices_its_own_end() -> None:
    company, over = workers(size=1)
    company.at(1.0, company.top(0).rest)
    company.run()

    assert len(over) == 1


def test_when_all_is_over_the_token_stops() -> None:
    company, _ = workers()
    for address in range(3):
        company.at(1.0, company.top(address).rest)
    company.run(until=2.0)
    sent = company.network.sent
    company.run(until=100.0)

    assert company.network.sent == sent


def test_a_pause_is_needed_between_rounds() -> None:
    with pytest.raises(ValueError, match="not 0"):
        Safra(pause=0.0)
