"""Which runs are due, and when are there enough?

Without a rule, all rows of the design. With one, seeds are added to each combination by itself until the interval of
a metric is as narrow as a `Precision` asks; of a time that may not come, it is that of the restricted mean. That says when to look, by the values in their order alone, so the same runs
are made on however many cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from kumi.study.design import Design, Row
from kumi.study.statistics import Censored, EventTime, Precision
from kumi.study.statistics.survival import event_times, horizon, restricted_values
from kumi.study.tasks import FINISHED


@dataclass(frozen=True, kw_only=True)
class StopRule(Precision):
    """Add seeds until the interval of a metric is narrow enough."""

    metric: str
    at_most: int = 1000


class RowPlan:
    """The rows that are due, as results come in."""

    def __init__(self, design: Design, stop: StopRule | None = None) -> None:
        self.design = design
        self.stop = stop
        self._points = design.points
        self._done: dict[int, dict[int, EventTime | None]] = {
            number: {} for number in range(len(self._points))
        }
        self._targets = [len(design.seeds) if stop is None else min(stop.at_least, len(design.seeds))] * len(
            self._points
        )

    @property
    def most(self) -> int:
        """How many runs there are at most."""
        return len(self.design.seeds) * len(self._points)

    @property
    def planned(self) -> int:
        """How many runs there are as far as is known."""
        return sum(self._targets)

    @property
    def done(self) -> int:
        """How many of those are done."""
        return self.planned - sum(self.left)

    @property
    def left(self) -> list[int]:
        """How many runs of each combination are still to be done, as far as is known."""
        return [
            target - sum(turn < target for turn in self._done[point])
            for point, target in enumerate(self._targets)
        ]

    def begin(self, done: Mapping[int, dict[str, Any]]) -> list[Row]:
        """Take over the runs that are done already, and return those that are due."""
        for run in done.values():
            self._note(run)
        for point in range(len(self._points)):
            while self._look(point):
                continue
        return [row for row in self.design.rows if self._is_due(row) and row.number not in done]

    def take(self, run: Mapping[str, Any]) -> list[Row]:
        """Take a run, and return those that have become due by it."""
        point = self._note(run)
        before = self._targets[point]
        if not self._look(point):
            return []
        return [self._row(turn, point) for turn in range(before, self._targets[point])]

    def _is_due(self, row: Row) -> bool:
        return row.number // len(self._points) < self._targets[row.point]

    def _row(self, turn: int, point: int) -> Row:
        number = turn * len(self._points) + point
        return Row(number, point, self._points[point], self.design.seeds[turn])

    def _note(self, run: Mapping[str, Any]) -> int:
        row: int = run["row"]
        turn, point = divmod(row, len(self._points))
        self._done[point][turn] = self._value(run)
        return point

    def _value(self, run: Mapping[str, Any]) -> EventTime | None:
        """Return what the metric of the rule came to; a time that did not come is censored."""
        if self.stop is None or run["outcome"] != FINISHED:
            return None
        at = run.get("censored", {}).get(self.stop.metric)
        found: EventTime | None = run["metrics"].get(self.stop.metric) if at is None else Censored(at)
        return found

    def _look(self, point: int) -> bool:
        """Look whether a combination has runs enough; if it has all that were due and they are not, add more."""
        target, most = self._targets[point], len(self.design.seeds)
        if (
            self.stop is None
            or target >= most
            or any(turn not in self._done[point] for turn in range(target))
        ):
            return False
        values = numbers(self._done[point][turn] for turn in range(target))
        if len(values) < self.stop.at_least:
            more = self.stop.at_least - len(values)
        else:
            verdict = self.stop.judge(values)
            if verdict.is_enough:
                return False
            more = verdict.look_at - len(values)
        self._targets[point] = min(most, target + max(more, 1))
        return True


def numbers(values: Iterable[Any]) -> list[float]:
    """Return the finite numbers among some values; of times that may not come, those of the restricted mean."""
    found = [
        one for one in values if isinstance(one, Censored) or (isinstance(one, int | float) and isfinite(one))
    ]
    plain = [float(one) for one in found if not isinstance(one, Censored)]
    if len(plain) == len(found) or not plain:
        return plain  # that it never happened is no mean without spread
    times = event_times(found)
    return restricted_values(times, horizon([times]))
