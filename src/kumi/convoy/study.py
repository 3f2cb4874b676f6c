"""The paper's study of the convoy, and what lies beyond it, as an experiment.

Its parameters are those of a setup, so each can be varied and set by its own name; `case` changes some of them at once.
Runs are done by the compiled twin, or, with `twin = false`, by the robots' programs; both give the same numbers.

A convoy that breaks up ends its run, and its error counts up to then: `error` is of all runs, `error_held` of those
that held to the end. Each break-up counts under one cause. Growth is the slope of a straight line through E(t) in the second half of the run, times the time
of that half: by how many centimetres the error grew. It is told of runs that held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from pathlib import Path
from struct import iter_unpack

import numpy as np

from kumi.convoy.cases import case_named
from kumi.convoy.causes import Cause, metric_of
from kumi.convoy.frame import Measured
from kumi.convoy.running import ConvoyRun
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.convoy.twin import run_with_history
from kumi.maths import interp
from kumi.study import Experiment, MetricColumn, Ran, Results
from kumi.study.metrics import Measured as Value
from kumi.study.run import Told
from kumi.study.statistics import Censored

WINDOWS = 200
"""Into so many windows of equal length E(t) is divided, to tell its growth and to draw it."""
DRAWN_SEED = 0
"""Of the runs with this seed E(t) is kept."""

MEASURES = {
    "error": MetricColumn(
        "cm", "mean of E(t) after the leader's first N steps, in all runs", may_be_missing=True
    ),
    "error_held": MetricColumn("cm", "the same, in runs that did not break up", may_be_missing=True),
    "growth": MetricColumn(
        "cm", "by how much E grew in the second half of runs that did not break up", may_be_missing=True
    ),
    "broke_up": MetricColumn("", "whether the convoy broke up"),
    "broke_up_at": MetricColumn("s", "when it did", is_event_time=True),
    **{metric_of(cause): MetricColumn("", f"whether it did, and the cause was: {cause}") for cause in Cause},
    "why": MetricColumn("", "by which robot, where, when and how", may_be_missing=True),
    "steps": MetricColumn("", "steps of the leader"),
    "speed": MetricColumn("cm/s", "way of the leader over time"),
    "adjustments": MetricColumn("", "of a follower in a step"),
    "lost": MetricColumn("", "times that a scan found nobody"),
    "avoided": MetricColumn("", "times that somebody went back from something"),
}


@dataclass(frozen=True, kw_only=True)
class ConvoyStudy(Experiment, Setup):
    """One convoy; `case` names one of the study, and changes what it is about."""

    case: str = ""
    twin: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.setup

    @cached_property
    def setup(self) -> Setup:
        """The setup with what the case changes."""
        changes = dict(case_named(self.case).changes) if self.case else {}
        rules = {name.removeprefix("rules."): changes.pop(name) for name in list(changes) if "." in name}
        plain = {name: getattr(self, name) for name in Setup.__dataclass_fields__}
        return Setup(**{**plain, "rules": replace(self.rules, **rules), **changes})

    def run(self, seed: int) -> Ran:
        """Run once, and return what it showed, with E(t) of the first seed."""
        return self._ran(seed, *self._measured(seed))

    def record(self, seed: int, path: Path, told: Told | None = None) -> Ran:
        """Run once, and write a run file; what is seen are the programs, of which the compiled twin does not tell."""
        ran = self.run(seed)
        seen = ConvoyRun(self.setup, seed, record=path).run(told)
        why = None if seen.break_up is None else str(seen.break_up)
        assert (seen.steps, seen.avoided, why) == tuple(
            ran.metrics[one] for one in ("steps", "avoided", "why")
        )
        return ran

    def _ran(self, seed: int, measured: Measured, history: list[tuple[float, float]]) -> Ran:
        windows = in_windows(history, measured.time)
        why = measured.break_up
        held = why is None
        metrics: dict[str, Value] = {
            "error": measured.error,
            "error_held": measured.error if held else None,
            "growth": growth(windows[WINDOWS // 2 :]) if held and measured.error is not None else None,
            "broke_up": not held,
            "broke_up_at": Censored(measured.time) if measured.broke_up_at is None else measured.broke_up_at,
            **{metric_of(cause): why is not None and why.cause is cause for cause in Cause},
            "why": None if why is None else str(why),
            "steps": measured.steps,
            "speed": CENTIMETRES * measured.speed,
            "adjustments": measured.adjustments,
            "lost": measured.times_lost,
            "avoided": measured.avoided,
        }
        series = {"error": windows} if seed == DRAWN_SEED else {}
        return Ran(metrics, measured.trace_hash, series, MEASURES)

    def _measured(self, seed: int) -> tuple[Measured, list[tuple[float, float]]]:
        if self.twin:
            return run_with_history(self.setup, seed)
        run = ConvoyRun(self.setup, seed)
        run.errors.keeps_history = True
        measured = run.run()
        return measured, [
            (time, CENTIMETRES * error) for time, error in iter_unpack("=2d", run.errors.history)
        ]

    def pictures(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw figures like those of the paper, and the effects beyond it."""
        from kumi.convoy.pictures import draw

        return draw(results, self.setup, folder)


def in_windows(
    history: Sequence[tuple[float, float]], end: float, count: int = WINDOWS
) -> list[tuple[float, float]]:
    """Return the mean in each of so many windows of equal length, with its middle; between changes a value stands."""
    times, values = np.array([(0.0, 0.0), *history, (end, 0.0)]).T
    integral = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
    borders = np.linspace(0.0, end, count + 1)
    means = np.diff(interp(borders, times, integral)) * (count / end)
    return list(zip(((borders[:-1] + borders[1:]) / 2).tolist(), means.tolist(), strict=True))


def growth(points: Sequence[tuple[float, float]]) -> float | None:
    """Return by how much a straight line through points rises from the first to the last; None for less than 3."""
    if len(points) < 3:
        return None
    times, values = zip(*points, strict=True)
    middle, mean = fsum(times) / len(times), fsum(values) / len(values)
    slope = fsum((t - middle) * (v - mean) for t, v in points) / fsum(
        (t - middle) * (t - middle) for t in times
    )
    rise: float = slope * (times[-1] - times[0])
    return rise
