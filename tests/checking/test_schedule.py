"""Schedules are drawn from the seed, keep to what a protocol can bear, and differ from run to run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumi.checking.case import a_minority, nobody
from kumi.checking.faults import KINDS, Amnesia, Crash, Lossy
from kumi.checking.schedule import Schedule, UnknownFault, draw_schedule
from tests.checking.sample import CASE

ANY = replace(CASE, faults=frozenset(KINDS), crashes=a_minority)
SEEDS = range(300)


def test_the_same_seed_draws_the_same_schedule_and_another_another() -> None:
    drawn = [draw_schedule(ANY, seed=seed) for seed in SEEDS]

    assert drawn == [draw_schedule(ANY, seed=seed) for seed in SEEDS]
    assert len({schedule.digest for schedule in drawn if len(schedule)}) == sum(map(bool, map(len, drawn)))


def test_all_faults_are_over_when_the_time_for_faults_is() -> None:
    for seed in SEEDS:
        assert all(0.0 <= fault.time <= fault.end <= ANY.duration for fault in draw_schedule(ANY, seed=seed))


def test_each_kind_is_drawn_in_about_half_of_the_runs() -> None:
    """A hundred and fifty of three hundred, within five standard deviations."""
    drawn = [draw_schedule(replace(ANY, crashes=lambda nodes: nodes), seed=seed) for seed in SEEDS]
    for kind in set(KINDS) - {"crash-mid-send", "amnesia", "suspicion"}:
        assert 107 <= sum(any(fault.kind == kind for fault in schedule) for schedule in drawn) <= 193, kind
    assert {fault.kind for schedule in drawn for fault in schedule} == set(KINDS)


@pytest.mark.parametrize("nodes", [1, 2, 3, 5, 8])
def test_no_more_nodes_go_for_good_than_the_case_allows(nodes: int) -> None:
    for seed in SEEDS:
        schedule = draw_schedule(ANY, nodes=nodes, seed=seed)
        gone = {fault.node for fault in schedule if isinstance(fault, Crash | Amnesia)}
        assert len(gone) <= a_minority(nodes)


def test_who_crashes_for_good_does_not_come_back() -> None:
    for seed in SEEDS:
        schedule = draw_schedule(ANY, seed=seed)
        gone = {fault.node for fault in schedule if isinstance(fault, Crash)}
        assert not any(
            fault.kind in {"recovery", "amnesia"} and fault.involved[0] in gone for fault in schedule
        )


def test_beyond_the_bound_exactly_one_more_crashes() -> None:
    for seed in SEEDS:
        schedule = draw_schedule(ANY, seed=seed, beyond=True)
        assert schedule.beyond
        assert len({fault.node for fault in schedule if isinstance(fault, Crash)}) == 3
    assert len(draw_schedule(replace(ANY, crashes=nobody, faults=frozenset()), beyond=True)) == 1


def test_only_what_is_asked_for_is_drawn() -> None:
    drawn = {fault.kind for seed in SEEDS for fault in draw_schedule(ANY, seed=seed, kinds=["crash", "loss"])}

    assert drawn == {"crash", "loss"}


def test_all_nodes_and_both_ends_of_links_are_within_the_group() -> None:
    for nodes in (1, 2, 4):
        for seed in SEEDS:
            for fault in draw_schedule(ANY, nodes=nodes, seed=seed):
                assert all(0 <= address < nodes for address in fault.involved)


def test_a_fault_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownFault, match="there is no fault 'lass'; there are loss, duplication"):
        draw_schedule(ANY, kinds=["lass"])


def test_a_fault_that_the_protocol_cannot_bear_is_refused() -> None:
    with pytest.raises(UnknownFault, match="sample promises nothing under amnesia; it allows loss, dup"):
        draw_schedule(CASE, kinds=["amnesia", "loss"])


def test_a_schedule_prints_one_line_a_fault() -> None:
    schedule = Schedule((Crash(1.0, 2), Lossy(1.5, 2.0, probability=1.0)))

    assert str(schedule) == "1.000 s: node 2 crashes\n1.500 to 2.000 s: all messages are lost"
    assert str(Schedule()) == "no faults"
