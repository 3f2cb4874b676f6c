"""Is the model wrong, and where?

All that was estimated of all robots is judged together. The model is called wrong where a difference is beyond its
margin, with the p of all of them corrected by Holm's method: where every device is right up to its margin, any of them
is called wrong in at most 1 - level of all comparisons. It is called right where the interval lies within the margin, and
the rest is left open: more runs would tell.

What the computer was late is no part of what is judged (see `drives`). But a run that missed its deadlines let its robots
go on unwatched: where that happened in too many drives, nothing is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kumi.devs.errors import KumiError
from kumi.loop.comparing.evidence import RunEvidence, pooled
from kumi.loop.comparing.findings import EstimatedDifference, Unjudged, estimates
from kumi.loop.comparing.kinds import EstimateKind
from kumi.study.statistics import Interval, holm
from kumi.study.statistics.intervals import LEVEL

MOST_MISSED = 0.1
"""The share of all drives in which deadlines may be missed; those drives do not count."""

Verdict = Literal["wrong", "right", "open"]


class CannotJudge(KumiError):
    """Nothing can be judged by these runs, and why."""


@dataclass(frozen=True)
class Finding:
    """What is off with a device, and whether that is more than matters."""

    robot: str
    kind: EstimateKind
    off: Interval
    p: float
    """Of the test whether it is beyond the margin, corrected for all that is judged."""

    @property
    def verdict(self) -> Verdict:
        """Whether the model is wrong in this, or right, or whether that is not known."""
        if self.p <= 1.0 - self.off.level:
            return "wrong"
        margin = self.kind.margin
        return "right" if -margin <= self.off.low and self.off.high <= margin else "open"


@dataclass(frozen=True)
class Late:
    """How late the computer was in all runs: seconds of wall time, and shares of drives and of their time."""

    instants: int
    missed: int
    latest: float
    drives_missed: float
    stood_still: float


@dataclass(frozen=True)
class Comparison:
    """Runs, and what they say of the model."""

    runs: tuple[RunEvidence, ...]
    findings: tuple[Finding, ...]
    unjudged: tuple[Unjudged, ...]
    late: Late

    def those(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Return the findings of a verdict."""
        return tuple(one for one in self.findings if one.verdict == verdict)


def judge(runs: Sequence[RunEvidence], level: float = LEVEL) -> Comparison:
    """Hold what runs showed of real robots against the model; raises Refused."""
    late = lateness_of(runs)
    if late.drives_missed > MOST_MISSED:
        raise CannotJudge(
            f"nothing is judged: in {100.0 * late.drives_missed:.0f} % of all drives the computer missed a deadline, and at "
            f"most {100.0 * MOST_MISSED:.0f} % may be so; run it on a machine that is less busy, with a lower --pace, or "
            "without --paced where all robots are emulated"
        )
    found = [one for robot, of in pooled(runs).items() for one in estimates(robot, of, level)]
    estimated = [one for one in found if isinstance(one, EstimatedDifference)]
    if not any(drive for run in runs for one in run.robots for drive in one.drives):
        notes = [note for run in runs for note in run.notes]
        why = f": {notes[0]}" if notes else "; let the runs go on for longer, with --until"
        raise CannotJudge(f"nothing is judged: no real robot drove{why}")
    ps = holm([one.p for one in estimated])
    findings = tuple(Finding(one.robot, one.kind, one.off, p) for one, p in zip(estimated, ps, strict=True))
    unjudged = tuple(one for one in found if isinstance(one, Unjudged))
    return Comparison(tuple(runs), findings, unjudged, late)


def lateness_of(runs: Sequence[RunEvidence]) -> Late:
    """Sum up how late the computer was."""
    drives = [drive for run in runs for one in run.robots for drive in one.drives]
    seconds = sum(one.seconds for one in drives)
    return Late(
        sum(run.instants for run in runs),
        sum(run.missed for run in runs),
        max((run.latest for run in runs), default=0.0),
        sum(one.why == "missed" for one in drives) / max(1, len(drives)),
        sum(one.late for one in drives) / seconds if seconds else 0.0,
    )
