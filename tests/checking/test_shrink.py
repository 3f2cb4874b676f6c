"""A run that fails is made small, and still fails in the same way."""

from __future__ import annotations

import pytest

from kumi.checking.faults import Lossy, Partition
from kumi.checking.schedule import Schedule
from kumi.checking.search import SearchQuestion, search
from kumi.checking.shrink import pieces, shrink
from kumi.checking.trial import Trial
from tests.checking.sample import CASE


@pytest.mark.parametrize("mutant", list(CASE.mutants))
def test_the_smallest_run_fails_and_needs_every_fault_that_is_left(mutant: str) -> None:
    question = SearchQuestion(CASE, 5, mutant=mutant)
    seed = search(question, runs=50).failed
    assert seed is not None
    rule = question.trial(seed).run().violation.rule  # type: ignore[union-attr]

    smallest = shrink(question, seed)

    assert smallest.verdict.violation is not None
    assert smallest.verdict.violation.rule == rule
    assert len(smallest.schedule) == 1
    assert smallest.nodes < 5
    faultless = question.trial(seed, Schedule(), smallest.nodes).run()
    assert faultless.violation is None


def test_one_lost_message_is_all_that_a_link_without_retries_needs() -> None:
    """Within the window left, something is lost; it is as short as windows get, or a quarter more does not fail."""
    question = SearchQuestion(CASE, 5, kinds=("loss", "partition", "crash"), mutant="no-retransmission")
    seed = search(question, runs=50).failed
    assert seed is not None
    (fault,) = shrink(question, seed).schedule

    assert isinstance(fault, Lossy | Partition)
    assert fault.until - fault.time < 0.2


def test_the_smallest_run_replays() -> None:
    question = SearchQuestion(CASE, 5, mutant="no-memory")
    smallest = shrink(question, search(question, runs=50).failed or 0)

    assert smallest.trial().run().trace_hash == smallest.verdict.trace_hash != ""
    by_hand = Trial(
        CASE,
        nodes=smallest.nodes,
        seed=smallest.verdict.seed,
        stack=CASE.mutants["no-memory"],
        schedule=smallest.schedule,
    )
    assert by_hand.run().trace_hash == smallest.verdict.trace_hash


def test_shrinking_gives_up_in_time() -> None:
    question = SearchQuestion(CASE, 5, mutant="no-memory")
    seed = search(question, runs=50).failed or 0

    assert shrink(question, seed, patience=3).tries == 3


def test_pieces_are_all_of_a_list() -> None:
    faults = question = tuple(SearchQuestion(CASE, 5).schedule(3))

    assert [sum(pieces(faults, parts), ()) for parts in (1, 2, 3, len(faults))] == [question] * 4
