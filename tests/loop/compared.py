"""Comparisons in simulated time, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kumi.loop.comparing.judging import Comparison, Finding, judge
from kumi.loop.comparing.kinds import EstimateKind
from kumi.loop.comparing.many import PlantedExperiment, run_all
from kumi.loop.comparing.planting import Planted
from kumi.loop.comparing.subject import subject_of

RANDOM = "random-movement-in-the-loop"
CONVOY = "convoy-in-the-loop"


def compared(
    folder: Path,
    scenario: str = RANDOM,
    planted: Planted | None = None,
    *,
    seeds: Sequence[int] = (0,),
    changes: Sequence[str] = ("until=40",),
    real: Sequence[str] = (),
) -> Comparison:
    """Run a scenario with planted errors, and judge it."""
    subject = subject_of(scenario, changes, real, folder)
    return judge(run_all(PlantedExperiment(subject, planted or Planted()), seeds))


def wrong(comparison: Comparison) -> set[tuple[str, str]]:
    """Return robots and devices in which the model is called wrong."""
    return {(one.robot, one.kind.device) for one in comparison.those("wrong")}


def of_kind(comparison: Comparison, kind: EstimateKind) -> list[Finding]:
    """Return the findings of a kind."""
    return [one for one in comparison.findings if one.kind == kind]
