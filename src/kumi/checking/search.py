"""Is there a schedule of faults under which a protocol breaks its promise? Try thousands, on all cores.

Each run has a seed of its own, one after the other, so the answer does not depend on how many processes
share the work: what counts is the lowest seed that fails, and all runs up to it. A process is told the name
of the case, not the case, and gives back numbers: a run that failed is run again by whoever asks.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context

from kumi.checking.case import Case
from kumi.checking.lookup import find_case, find_stack
from kumi.checking.schedule import Schedule, allowed_kinds, draw_schedule
from kumi.checking.trial import CheckingError, Trial, Verdict

LARGEST_SHARE = 25
"""Runs that a process does before it says how far it is."""


@dataclass(frozen=True)
class SearchQuestion:
    """What is tried: a protocol, with so many nodes, these kinds of fault, perhaps a planted bug.

    A protocol goes by its name, see `find_case`; a case itself can be tried in one process only.
    """

    protocol: str | Case
    nodes: int
    kinds: tuple[str, ...] | None = None
    mutant: str | None = None
    beyond: bool = False

    @property
    def case(self) -> Case:
        """The case that is tried."""
        return self.protocol if isinstance(self.protocol, Case) else found_case(self.protocol)

    def schedule(self, seed: int) -> Schedule:
        """Draw the faults of a run."""
        return draw_schedule(
            self.case,
            nodes=self.nodes,
            seed=seed,
            kinds=self.kinds,
            beyond=self.beyond,
        )

    def trial(
        self, seed: int, schedule: Schedule | None = None, nodes: int | None = None, *, hashed: bool = False
    ) -> Trial:
        """Set up a run."""
        return Trial(
            self.case,
            nodes=self.nodes if nodes is None else nodes,
            seed=seed,
            stack=find_stack(self.case, self.mutant),
            schedule=self.schedule(seed) if schedule is None else schedule,
            hashed=hashed,
        )


@lru_cache(8)
def found_case(protocol: str) -> Case:
    """Return the case of that name; each process looks it up once."""
    return find_case(protocol)


@dataclass
class Coverage:
    """How much was tried: runs, messages, faults that did happen by kind, and schedules that differ.

    `seen` is what was asked of the layers that monitors watch, and told by them: where it is nothing, nothing
    was tried.
    """

    runs: int = 0
    messages: int = 0
    seen: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    digests: set[bytes] = field(default_factory=set)

    def add(self, verdict: Verdict) -> None:
        """Count a run."""
        self.runs += 1
        self.messages += verdict.messages
        self.seen += verdict.seen
        self.injected.update(verdict.injected)
        self.digests.add(verdict.schedule.digest)

    def merge(self, other: Coverage) -> None:
        """Count what somebody else tried."""
        self.runs += other.runs
        self.messages += other.messages
        self.seen += other.seen
        self.injected.update(other.injected)
        self.digests |= other.digests


@dataclass(frozen=True)
class Found:
    """What a search found: the lowest seed that fails, if there is one, and how much was tried up to it."""

    question: SearchQuestion
    failed: int | None
    coverage: Coverage
    seconds: float

    @property
    def violations(self) -> int:
        """How many runs failed: the search ends with the first."""
        return 0 if self.failed is None else 1

    @property
    def faults_injected(self) -> Mapping[str, int]:
        """How many faults did happen, for each kind that could."""
        kinds = allowed_kinds(self.question.case, self.question.kinds)
        return {kind: self.coverage.injected[kind] for kind in kinds}


Progress = Callable[[int, float], object]
"""Told now and then how many runs are done, and how many seconds they took."""


def search(
    question: SearchQuestion, *, runs: int, seed: int = 0, jobs: int = 1, on_progress: Progress | None = None
) -> Found:
    """Try `runs` seeds from `seed` on, in `jobs` processes, and end with the lowest that fails."""
    begun = time.perf_counter()
    check_question(question, runs)
    share = max(1, min(LARGEST_SHARE, runs // (4 * jobs)))
    shares = [(first, min(share, seed + runs - first)) for first in range(seed, seed + runs, share)]
    jobs = 1 if isinstance(question.protocol, Case) else min(jobs, len(shares))
    coverage, failed, done = Coverage(), None, 0
    with closing((_here if jobs == 1 else _elsewhere)(question, shares, jobs)) as parts:
        for part, broken in parts:
            coverage.merge(part)
            done += part.runs
            if on_progress is not None:
                on_progress(done, time.perf_counter() - begun)
            if broken is not None:
                failed = broken
                break
    return Found(question, failed, coverage, time.perf_counter() - begun)


def check_question(question: SearchQuestion, runs: int) -> None:
    """Say what is wrong with a question."""
    case = question.case
    if question.nodes < case.fewest:
        raise CheckingError(f"{case.name} needs at least {case.fewest} nodes, not {question.nodes}")
    if runs < 1:
        raise CheckingError(f"a search is made of at least 1 run, not {runs}")
    find_stack(case, question.mutant)
    allowed_kinds(case, question.kinds)
    monitors = case.monitors()
    if any(one is other for one, other in zip(monitors, case.monitors(), strict=True)):
        raise CheckingError(f"{case.name} gives the same monitors twice; each run needs new ones")
    question.trial(0, Schedule()).compose()


def try_seeds(question: SearchQuestion, first: int, count: int) -> tuple[Coverage, int | None]:
    """Try some seeds, up to the first that fails."""
    coverage = Coverage()
    for seed in range(first, first + count):
        verdict = question.trial(seed).run()
        coverage.add(verdict)
        if verdict.violation is not None:
            return coverage, seed
    return coverage, None


def _here(
    question: SearchQuestion, shares: list[tuple[int, int]], _jobs: int
) -> Generator[tuple[Coverage, int | None]]:
    for share in shares:
        yield try_seeds(question, *share)


def _elsewhere(
    question: SearchQuestion, shares: list[tuple[int, int]], jobs: int
) -> Generator[tuple[Coverage, int | None]]:
    """Give the parts in the order of their seeds, whoever is ready first."""
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_ctrl_c)
    waiting: list[Future[tuple[Coverage, int | None]]] = []
    try:
        for share in shares:
            waiting.append(pool.submit(try_seeds, question, *share))
            if len(waiting) >= 3 * jobs:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    except BrokenProcessPool as error:
        raise CheckingError(
            "a process of the search was ended from outside; was there too little memory?"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c() -> None:
    """Leave Ctrl-C to the process that was started by a person; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
