"""What is the smallest schedule under which a run still breaks the same rule?

Faults are left out by delta debugging (Zeller and Hildebrandt, 2002): halves, quarters and so on, down to
single ones. Then comes a run with fewer nodes, then each fault made simpler: a shorter window, everything
lost rather than some, fewer nodes involved. A change is kept if the run still breaks the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kumi.checking.faults import Amnesia, Crash, Fault
from kumi.checking.schedule import Schedule
from kumi.checking.search import SearchQuestion
from kumi.checking.trial import Trial, Verdict

SHRINKING_RUNS = 500
"""Runs that shrinking may take."""


@dataclass(frozen=True)
class Smallest:
    """The smallest run found that fails: its nodes and its verdict, and how many runs it took to find."""

    question: SearchQuestion
    nodes: int
    verdict: Verdict
    tries: int

    @property
    def schedule(self) -> Schedule:
        """The faults that are left."""
        return self.verdict.schedule

    def trial(self) -> Trial:
        """Set the run up once more."""
        return self.question.trial(self.verdict.seed, self.schedule, self.nodes, hashed=True)


def shrink(question: SearchQuestion, seed: int, *, patience: int = SHRINKING_RUNS) -> Smallest:
    """Make a run that fails as small as it can be."""
    verdict = question.trial(seed).run()
    assert verdict.violation is not None, f"the run of seed {seed} does not fail"
    shrinking = Shrinking(question, verdict, patience)
    has_changed = True
    while has_changed:
        shrinking.leave_out_faults()
        shrinking.leave_out_nodes()
        has_changed = shrinking.simplify()
    nodes = shrinking.nodes
    again = question.trial(seed, shrinking.schedule, nodes, hashed=True).run()
    return Smallest(question, nodes, again, shrinking.tries)


class Shrinking:
    """The smallest run so far."""

    def __init__(self, question: SearchQuestion, verdict: Verdict, patience: int) -> None:
        assert verdict.violation is not None
        self.question = question
        self.case = question.case
        self.seed = verdict.seed
        self.rule = verdict.violation.rule
        self.schedule = verdict.schedule
        self.nodes = question.nodes
        self.tries = 0
        self._patience = patience

    def keep(self, faults: tuple[Fault, ...], nodes: int | None = None) -> bool:
        """Go on with other faults, and perhaps other nodes, if the run still breaks the rule."""
        nodes = self.nodes if nodes is None else nodes
        if self.tries >= self._patience:
            return False
        self.tries += 1
        schedule = replace(self.schedule, faults=faults)
        violation = self.question.trial(self.seed, schedule, nodes).run().violation
        if violation is None or violation.rule != self.rule:
            return False
        self.schedule, self.nodes = schedule, nodes
        return True

    def leave_out_faults(self) -> None:
        """Leave out as many faults as possible."""
        if self.keep(()):
            return
        parts = 2
        while len(self.schedule) > 1 and parts <= len(self.schedule):
            for part in pieces(self.schedule.faults, parts):
                if self.keep(tuple(fault for fault in self.schedule if fault not in part)):
                    parts = max(parts - 1, 2)
                    break
            else:
                if parts == len(self.schedule):
                    return
                parts = min(2 * parts, len(self.schedule))

    def leave_out_nodes(self) -> None:
        """Take the fewest nodes with which the run still fails."""
        involved = sorted({address for fault in self.schedule for address in fault.involved})
        names = {address: number for number, address in enumerate(involved)}
        renamed = tuple(fault.renamed(names) for fault in self.schedule)
        for nodes in range(max(self.case.fewest, len(involved)), self.nodes):
            fits = not involved or involved[-1] < nodes
            if self._may_crash(nodes) and self.keep(self.schedule.faults if fits else renamed, nodes):
                return

    def _may_crash(self, nodes: int) -> bool:
        gone = {fault.node for fault in self.schedule if isinstance(fault, Crash | Amnesia)}
        return self.schedule.beyond or len(gone) <= self.case.crashes(nodes)

    def simplify(self) -> bool:
        """Make each fault as simple as possible; False if nothing has changed."""
        has_changed = False
        for place in range(len(self.schedule)):
            while any(self._put(place, simpler) for simpler in self.schedule.faults[place].simpler()):
                has_changed = True
        return has_changed

    def _put(self, place: int, fault: Fault) -> bool:
        faults = list(self.schedule.faults)
        faults[place] = fault
        return self.keep(tuple(faults))


def pieces(faults: tuple[Fault, ...], parts: int) -> Iterator[tuple[Fault, ...]]:
    """Cut a list into so many parts of about the same length."""
    for part in range(parts):
        yield faults[len(faults) * part // parts : len(faults) * (part + 1) // parts]
