"""The planted bugs of detectors, leaders, consensus and logs break the rules they are meant to break.

Each bug is found within 300 runs from seed 0 on. To be quick, the search begins at a seed known to find it.
"""

from __future__ import annotations

import pytest

from kumi.checking.case import Case
from kumi.checking.cases import consensus, detectors, leaders, log
from kumi.checking.schedule import draw_schedule
from kumi.checking.trial import Trial, Verdict

CASES = {case.name: case for topic in (detectors, leaders, consensus, log) for case in topic.CASES}

RUNS = 300

FOUND: dict[tuple[str, str], tuple[str, int]] = {
    # case, planted bug: the rule it breaks, and the seed at which the search begins.
    ("heartbeat", "never-learns"): ("eventual strong accuracy", 2),
    ("heartbeat", "never-forgives"): ("eventual strong accuracy", 0),
    ("heartbeat", "looks-away-after-mistake"): ("strong completeness", 0),
    ("ping", "never-learns"): ("eventual strong accuracy", 0),
    ("ping", "asks-once"): ("eventual strong accuracy", 1),
    ("phi-accrual", "never-learns"): ("eventual strong accuracy", 2),
    ("phi-accrual", "without-tail"): ("strong completeness", 0),
    ("mistaken", "errs-for-ever"): ("eventual strong accuracy", 0),
    ("mistaken", "never-repents"): ("eventual strong accuracy", 2),
    ("mistaken", "forgets-below"): ("strong completeness", 0),
    ("timed-out", "takes-usual-for-bound"): ("strong accuracy", 0),
    ("timed-out", "stops-at-first"): ("strong completeness", 0),
    ("eventual-leader", "keeps-first"): ("eventual leadership", 0),
    ("eventual-leader", "trusts-next"): ("eventual leadership", 0),
    ("perfect-leader", "impatient"): ("one leader at a time", 7),
    ("perfect-leader", "blind-heir"): ("eventual leadership", 0),
    ("ring-election", "swallows-nothing"): ("at most one leader", 0),
    ("ring-election", "swallows-while-standing"): ("a leader known to all", 0),
    ("ring-election", "keeps-it-to-itself"): ("a leader known to all", 0),
    ("agreed-leader", "ignores-answer"): ("one leader a term", 0),
    ("agreed-leader", "proposes-once"): ("eventual leadership", 12),
    ("consensus", "ignores-lock"): ("uniform agreement", 274),
    ("consensus", "any-for-majority"): ("uniform agreement", 6),
    ("consensus", "decides-own-estimate"): ("uniform agreement", 9),
    ("consensus", "passes-nothing-on"): ("termination", 7),
    ("consensus", "forgets-decisions"): ("integrity", 0),
    ("consensus", "joins-empty"): ("validity", 2),
    ("raft", "votes-for-anyone"): ("same log", 4),
    ("raft", "any-for-majority"): ("same log", 1),
    ("raft-unrest", "keeps-log-in-memory"): ("same log", 8),
    ("raft", "loses-refusals"): ("all catch up", 0),
    ("raft", "loses-forwarded"): ("progress", 0),
    ("raft", "tells-blanks"): ("no creation", 0),
    ("raft-unrest", "forgets-vote"): ("one leader a term", 25),
    ("raft-unrest", "forgets-term"): ("one leader a term", 1),
    ("raft-unrest", "votes-again"): ("one leader a term", 0),
    ("raft-unrest", "commits-old-terms"): ("same log", 858),
    ("registers", "applies-twice"): ("linearizability", 27),
    ("registers", "reads-locally"): ("linearizability", 0),
    ("registers", "swaps-always"): ("linearizability", 0),
}


def run(case: Case, seed: int, mutant: str | None = None) -> Verdict:
    stack = None if mutant is None else case.mutants[mutant]
    schedule = draw_schedule(case, seed=seed)
    return Trial(case, seed=seed, stack=stack, schedule=schedule, hashed=False).run()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutant"), FOUND)
def test_a_planted_bug_is_found(name: str, mutant: str) -> None:
    rule, first = FOUND[name, mutant]
    seen: set[str] = set()
    for seed in range(first, max(RUNS, first + 50)):
        violation = run(CASES[name], seed, mutant).violation
        if violation is not None:
            seen.add(violation.rule)
            if violation.rule == rule:
                return
    pytest.fail(f"{mutant} of {name} broke no {rule} in runs {first} to {RUNS}; it broke {seen}")


def test_every_planted_bug_has_its_test() -> None:
    assert set(FOUND) == {(case.name, mutant) for case in CASES.values() for mutant in case.mutants}
