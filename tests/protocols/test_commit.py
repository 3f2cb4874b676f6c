"""Atomic commit: all end alike, and for a reason."""

from __future__ import annotations

from functools import partial

import pytest

from kumi.checking.talking import Oracle
from kumi.protocols import Acknowledged
from kumi.protocols.atomic_commit import ConsensusCommit, TwoPhaseCommit
from kumi.protocols.chandra_toueg import ChandraToueg
from tests.protocols.company import Company


def by_consensus() -> Company:
    return Company(lambda: (ConsensusCommit(), ChandraToueg(), Oracle(), Acknowledged()))


def in_two_phases() -> Company:
    return Company(lambda: (TwoPhaseCommit(),))


def votes(company: Company, time: float, *yes: bool | None) -> None:
    for address, vote in enumerate(yes):
        if vote is not None:
            company.at(time, partial(company.top(address).vote, "pay 1", vote))


def ends(company: Company) -> list[tuple[int, bool]]:
    return sorted((address, committed) for _, address, _, committed in company.told)


@pytest.mark.parametrize("make", [by_consensus, in_two_phases])
def test_it_is_committed_when_all_vote_yes(make: type) -> None:
    company = make()
    votes(company, 1.0, True, True, True)
    company.run()

    assert ends(company) == [(0, True), (1, True), (2, True)]


@pytest.mark.parametrize("make", [by_consensus, in_two_phases])
def test_one_no_aborts_it_for_all(make: type) -> None:
    company = make()
    votes(company, 1.0, True, False, True)
    company.run()

    assert ends(company) == [(0, False), (1, False), (2, False)]


@pytest.mark.parametrize("make", [by_consensus, in_two_phases])
def test_it_is_not_ended_while_a_vote_may_still_come(make: type) -> None:
    company = make()
    votes(company, 1.0, True, True, None)
    company.run(until=20.0)
    assert company.told == []

    votes(company, 21.0, None, None, True)
    company.run(until=40.0)
    assert ends(company) == [(0, True), (1, True), (2, True)]


def test_a_crash_before_the_vote_aborts_it() -> None:
    company = by_consensus()
    company.at(0.5, company.nodes[2].crash)
    votes(company, 1.0, True, True, None)
    company.run()

    assert ends(company) == [(0, False), (1, False)]


def test_a_crash_after_the_vote_blocks_nobody() -> None:
    company = by_consensus()
    votes(company, 1.0, True, True, True)
    company.at(1.005, company.nodes[0].crash)
    company.run()

    assert ends(company) == [(1, True), (2, True)]


def test_in_two_phases_all_wait_for_ever_when_the_coordinator_crashes() -> None:
    """They have voted yes and cannot know what the coordinator decided."""
    company = in_two_phases()
    votes(company, 1.0, True, True, True)
    company.at(1.005, company.nodes[0].crash)
    company.run(until=1000.0)

    assert company.told == []


def test_of_transactions_that_have_ended_little_is_kept() -> None:
    company = by_consensus()
    for number in range(20):
        for address in range(3):
            company.at(1.0 + number, partial(company.top(address).vote, f"pay {number}", True))
    company.run()

    commit = company.top(1)
    assert len(company.told) == 60
    assert (commit._votes, commit._proposed, commit._ended.size) == ({}, set(), 1)


def test_a_vote_after_the_end_changes_nothing() -> None:
    company = by_consensus()
    votes(company, 1.0, True, False, True)
    votes(company, 5.0, True, True, True)
    company.run()

    assert len(company.told) == 3
