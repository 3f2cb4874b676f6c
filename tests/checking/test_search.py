"""The search finds the lowest seed that fails, however many processes share the work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kumi.checking.lookup import NoSuchCase, find_case
from kumi.checking.search import SearchQuestion, search
from kumi.checking.trial import CheckingError, Trial
from kumi.protocols import Stack, StackError, ToEach
from tests.checking.sample import CASE, Delivered, Stubborn, Talk

NAME = "tests.checking.sample:CASE"


def test_a_sound_protocol_survives_and_coverage_is_told() -> None:
    found = search(SearchQuestion(CASE, 3), runs=60)

    assert found.failed is None
    assert found.violations == 0
    assert found.coverage.runs == len(found.coverage.digests) == 60
    assert set(found.faults_injected) == CASE.faults
    assert all(count > 0 for count in found.faults_injected.values())


@pytest.mark.parametrize("mutant", list(CASE.mutants))
def test_the_lowest_seed_that_fails_is_found(mutant: str) -> None:
    """It is the one that fails when each is tried by hand."""
    question = SearchQuestion(CASE, 5, mutant=mutant)
    first = next(seed for seed in range(3, 100) if question.trial(seed).run().violation)

    found = search(question, runs=100, seed=3)

    assert found.failed == first
    assert found.coverage.runs == first - 2


def test_the_answer_does_not_depend_on_how_many_work() -> None:
    question = SearchQuestion(NAME, 5, kinds=("duplication",), mutant="no-memory")
    alone, together = (search(question, runs=40, jobs=jobs) for jobs in (1, 2))

    assert alone.failed == together.failed is not None
    assert alone.coverage == together.coverage


def test_processes_together_count_all_runs() -> None:
    told: list[int] = []
    found = search(SearchQuestion(NAME, 3), runs=30, jobs=2, on_progress=lambda done, _: told.append(done))

    assert found.failed is None
    assert found.coverage.runs == told[-1] == 30
    assert told == sorted(told)


def test_only_faults_that_were_asked_for_happen() -> None:
    found = search(SearchQuestion(CASE, 3, kinds=("crash", "pause")), runs=20)

    assert set(found.faults_injected) == {"crash", "pause"}


def test_safety_holds_beyond_the_bound() -> None:
    """All five crash; nobody delivers twice for that, and nobody is asked to deliver."""
    found = search(SearchQuestion(CASE, 5, beyond=True), runs=20)

    assert found.failed is None
    assert found.faults_injected["crash"] == 100


@pytest.mark.parametrize(
    ("question", "runs", "words"),
    [
        (SearchQuestion(CASE, 1), 10, "sample needs at least 2 nodes, not 1"),
        (SearchQuestion(CASE, 3), 0, "at least 1 run, not 0"),
        (
            SearchQuestion(CASE, 3, mutant="fast"),
            10,
            "no mutant 'fast'; there are no-retransmission, no-memory",
        ),
        (SearchQuestion(CASE, 3, kinds=("fire",)), 10, "there is no fault 'fire'"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(question: SearchQuestion, runs: int, words: str) -> None:
    with pytest.raises((CheckingError, NoSuchCase, ValueError), match=words):
        search(question, runs=runs)


def test_layers_that_do_not_fit_together_are_no_violation_but_an_error() -> None:
    case = replace(CASE, stack=lambda: Stack(Talk(), ToEach()))
    with pytest.raises(StackError, match=r"ToEach needs PerfectLinks \('links'\) below it"):
        search(SearchQuestion(case, 3), runs=1)
    with pytest.raises(StackError):
        Trial(case).run()


def test_a_guarantee_that_is_watched_must_be_in_the_stack() -> None:
    case = replace(CASE, stack=lambda: Stack(Stubborn()))
    with pytest.raises(StackError, match=r"there is no BestEffortBroadcast in Stack\(Stubborn\)"):
        search(SearchQuestion(case, 3), runs=1)


def test_monitors_that_would_carry_over_from_run_to_run_are_refused() -> None:
    one = Delivered()
    with pytest.raises(CheckingError, match="gives the same monitors twice"):
        search(SearchQuestion(replace(CASE, monitors=lambda: [one]), 3), runs=1)


def test_a_case_is_found_in_a_module_and_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from tests.checking.sample import CASE as MINE\n")

    assert find_case(NAME) is find_case(f"{path}:MINE") is CASE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("best-efort-broadcast", "there is no protocol 'best-efort-broadcast' to check"),
        ("nowhere:CASE", "'nowhere:CASE' cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("nowhere.py:CASE", "there is no file 'nowhere.py'"),
        ("tests.checking.sample:CAGE", "'CAGE' is not there"),
        ("tests.checking.sample:Talk", "'Talk' is of class type"),
        (":CASE", "cannot be imported"),
    ],
)
def test_a_case_that_there_is_not_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(NoSuchCase, match=words):
        find_case(text)
