"""Every protocol that ships keeps its promise under its faults, and every planted bug is found.

KUMI_SEEDS says how many seeds each protocol is tried with by the slow tests.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from kumi.checking import cases
from kumi.checking.cases import shipped_cases
from kumi.checking.faults import KINDS
from kumi.checking.monitors import Monitor
from kumi.checking.search import Found, SearchQuestion, search
from kumi.checking.shrink import shrink
from tests.waiting import PATIENCE

SEEDS = int(os.environ.get("KUMI_SEEDS", "40"))
FEW = 8
CASES = shipped_cases()
FOUND_LATE = {("consensus", "ignores-lock"): 274, ("raft-unrest", "commits-old-terms"): 858}
"""Where bugs that show in few runs are known to show: looked at first, which saves minutes."""
NAMES = list(CASES)
MUTANTS = [(name, mutant) for name, case in CASES.items() for mutant in case.mutants]
MONITORS: dict[type[Monitor], list[str]] = {}
for _name, _case in CASES.items():
    for _monitor in _case.monitors():
        MONITORS.setdefault(type(_monitor), []).append(_name)

HASHES = """
from kumi.checking.cases import shipped_cases
from kumi.checking.search import SearchQuestion

for name, case in shipped_cases().items():
    print(name, *(SearchQuestion(name, max(case.fewest, 3)).trial(seed, hashed=True).run().trace_hash for seed in (1, 2)))
"""


def story(found: Found) -> str:
    """Tell what a search found, with all that is needed to see it again."""
    if found.failed is None:
        return "nothing was found"
    smallest = shrink(found.question, found.failed)
    faults = "".join(f"\n  {fault}" for fault in smallest.schedule)
    return (
        f"{found.question} breaks {smallest.verdict.violation}\nseed {found.failed}, "
        f"{smallest.nodes} nodes, faults:{faults or ' none'}"
    )


def test_every_module_of_cases_is_listed_and_every_name_is_used_once() -> None:
    modules = {path.stem for path in Path(cases.__file__).parent.glob("[a-z]*.py")}
    there = {name for name in modules if not name.endswith("_monitors")}

    assert sorted(cases.TOPICS) == sorted(there)
    names = [case.name for topic in cases.TOPICS for case in import_module(f"{cases.__name__}.{topic}").CASES]
    assert sorted(names) == sorted(CASES)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_well_formed(name: str) -> None:
    case = CASES[name]

    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert len(case.promise) > 20
    assert case.faults <= set(KINDS)
    assert len(case.mutants) >= 2
    assert set(case.within) <= set(case.mutants)


@pytest.mark.some_of(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_protocol_keeps_its_promise_in_a_few_runs(name: str) -> None:
    found = search(SearchQuestion(name, CASES[name].nodes), runs=FEW)

    assert found.failed is None, story(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_protocol_keeps_its_promise_under_its_faults(name: str) -> None:
    """And all of its faults do happen."""
    found = search(SearchQuestion(name, CASES[name].nodes), runs=SEEDS)

    assert found.failed is None, story(found)
    assert [kind for kind, count in found.faults_injected.items() if count == 0] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_protocol_keeps_its_promise_with_few_nodes(name: str) -> None:
    found = search(SearchQuestion(name, CASES[name].fewest), runs=FEW, seed=1000)

    assert found.failed is None, story(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "crash" in CASES[name].faults])
def test_safety_holds_when_more_crash_than_a_protocol_can_bear(name: str) -> None:
    found = search(SearchQuestion(name, CASES[name].nodes, beyond=True), runs=FEW, seed=2000)

    assert found.failed is None, story(found)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutant"), MUTANTS, ids=["-".join(pair) for pair in MUTANTS])
def test_a_planted_bug_is_found_within_the_stated_number_of_runs(name: str, mutant: str) -> None:
    """By a monitor, which names the rule that was broken, or because it floods the network."""
    runs = CASES[name].runs_to_find(mutant)
    question = SearchQuestion(name, CASES[name].nodes, mutant=mutant)
    known = FOUND_LATE.get((name, mutant))
    failed = None if known is None else search(question, runs=1, seed=known).failed
    if failed is None:
        failed = search(question, runs=runs).failed

    assert failed is not None, f"{mutant} survived {runs} runs"
    verdict = question.trial(failed).run()
    assert verdict.violation is not None
    assert verdict.caught_by is not None or verdict.violation.rule == "no flood", str(verdict.violation)
    assert verdict.violation.rule
    assert verdict.violation.story


@pytest.mark.slow
@pytest.mark.parametrize("monitor", list(MONITORS), ids=lambda monitor: monitor.__name__)
def test_a_monitor_finds_a_planted_bug(monitor: type[Monitor]) -> None:
    """Of all the mutants it watches, it is the one who finds some, in some run."""
    names = sorted(MONITORS[monitor], key=lambda name: len(CASES[name].monitors()))
    pairs = [(name, mutant) for name in names for mutant in CASES[name].mutants]
    for seeds in (range(2), range(2, FEW), range(FEW, 10 * FEW)):
        for name, mutant in pairs:
            question = SearchQuestion(name, CASES[name].nodes, mutant=mutant)
            if any(question.trial(seed).run().caught_by is monitor for seed in seeds):
                return
    pytest.fail(f"{monitor.__name__} finds none of {pairs}")


def hashes(value: str) -> str:
    """Return the hashes of runs of all protocols in a process with that PYTHONHASHSEED."""
    environment = {**os.environ, "PYTHONHASHSEED": value}
    command = [sys.executable, "-c", HASHES]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=PATIENCE, env=environment
    ).stdout


@pytest.mark.slow
def test_every_run_has_the_same_trace_whatever_python_hashes_by() -> None:
    first, second, third = hashes("0"), hashes("1"), hashes("4242")

    assert first == second == third
    assert len(first.split()) == 3 * len(CASES)
