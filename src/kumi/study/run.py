"""How is one run of an experiment made, and what comes out of it?

The frame stands around the system under test, as models coupled to it: generators bring stimuli, metrics are the
transducers, and the acceptor ends the run. It is asked whether the run is over whenever a metric has changed, at that
instant, and never in between. A deadline ends the run, too.

Staging is a function of its own, so that the same frame goes around simulated robots and around real ones.

Metrics with more to tell than one number: a histogram has a column for each class, a series every value with its instant.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from kumi.devs import Atomic
from kumi.stage.outcome import Outcome
from kumi.stage.seen import Publisher
from kumi.study.metrics import Measured, Metric
from kumi.study.sources import FrameError, Origin, lead, lowered
from kumi.study.stage import ExperimentStage
from kumi.study.statistics import Censored
from kumi.study.stimuli import Generator
from kumi.world import Map, World

Staging = Callable[[ExperimentStage], None]
Told = Callable[[float], None]
Watched = Metric | Sequence[Metric] | Mapping[str, Metric]


@dataclass(frozen=True)
class MetricColumn:
    """What a column of results means; one that may be missing has None where there was nothing to measure.

    One that is the time of an event is a number of seconds, or `Censored` where it had not come when the run ended.
    """

    unit: str = ""
    about: str = ""
    may_be_missing: bool = False
    is_event_time: bool = False


@dataclass(frozen=True)
class Ran:
    """What one run came to: its metrics, the hash of its trace, and series of (instant, value) for pictures."""

    metrics: Mapping[str, Measured]
    trace_hash: str
    series: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    measures: dict[str, MetricColumn] = field(default_factory=dict)


class Framed(Protocol):
    """What a frame asks of an experiment."""

    @property
    def deadline(self) -> float:
        """Simulated seconds after which the run is over in any case."""

    @property
    def says_over(self) -> bool:
        """Whether `over` may ever say yes."""

    def world(self) -> Map | World | None:
        """Return an empty world, or its map."""

    def stage(self, stage: Any) -> None:
        """Put the robots on it."""

    def stimuli(self, stage: Any) -> Iterable[Generator]:
        """Return what is brought to the system."""

    def watch(self, stage: Any) -> Watched:
        """Return the metrics, coupled to what they measure."""

    def over(self, metrics: Any) -> bool:
        """Tell whether the run is over."""

    def analysis(self, metrics: Any) -> Mapping[str, Measured]:
        """Return the columns of the result."""


class Acceptor(Atomic):
    """Asks whether the run is over, at each instant at which a metric changed, and ends it."""

    def __init__(self, is_over: Callable[[], bool], end: Callable[[], object]) -> None:
        super().__init__("acceptor")
        self.changed = self.add_input("changed", str)
        self.accepted_at: float | None = None
        self._is_over = is_over
        self._end = end

    def external(self) -> None:
        """Ask."""
        if self.accepted_at is None and self._is_over():
            self.accepted_at = self.now
            self._end()


class Frame:
    """One run of an experiment, ready to run; `stage.simulation` may be traced before.

    `staging` stands in for the experiment's own `stage`, where others than simulated robots are to be staged, and a `pace` lets
    the run follow the wall clock. `record` names a run file to write.
    """

    def __init__(
        self,
        experiment: Framed,
        seed: int,
        *,
        staging: Staging | None = None,
        pace: float | None = None,
        record: Path | None = None,
    ) -> None:
        self.experiment = experiment
        world = experiment.world()
        if world is not None and not isinstance(world, Map | World):
            raise FrameError(f"world() of {kind(experiment)} returns a Map or a World, not {world!r}")
        self.stage = stage = ExperimentStage(world, seed=seed, pace=pace, record=record)
        try:
            (staging or experiment.stage)(stage)
            for generator in experiment.stimuli(stage):
                self._add_generator(generator)
            self.watched = experiment.watch(stage)
            self.metrics = metrics_of(self.watched, kind(experiment))
            self.acceptor = Acceptor(self._is_over, lambda: stage.end("the experiment is over"))
            self._add_metrics()
        except BaseException:
            self.close()
            raise

    def _add_generator(self, generator: Generator) -> None:
        root = self.stage.root
        root.add(generator)
        if generator.into is not None:
            root.couple(generator.values, lowered(generator.into, root))

    def _add_metrics(self) -> None:
        root = self.stage.root
        root.add(self.acceptor)
        shown = Publisher(self.stage.world)
        for metric in self.metrics:
            metric.shows = shown.show if self.stage.is_recorded else None
            metric.is_awaited = self.experiment.says_over
            root.add(metric)
            root.couple(metric.changed, self.acceptor.changed)
            for origin in metric.origins:
                lead(origin, metric.values, root)

    def _is_over(self) -> bool:
        return self.experiment.over(self.watched)

    def run(self, told: Told | None = None) -> Ran:
        """Run until it is over, and return what was measured; Ctrl-C raises KeyboardInterrupt.

        `told` hears how far the run has got, in simulated seconds.
        """
        try:
            outcome = self.stage.run(
                self.experiment.deadline,
                on_progress=None if told is None else lambda progress: told(progress.simulated_seconds),
            )
            if outcome.is_interrupted:
                raise KeyboardInterrupt
            return self._ran(outcome)
        finally:
            self.close()

    def _ran(self, outcome: Outcome) -> Ran:
        found = dict(self.experiment.analysis(self.watched))
        series = {one.name: one.points for one in self.metrics if isinstance(one, Series)}
        measures = {
            name: MetricColumn(metric.unit, metric.about, metric.may_be_missing, metric.is_event_time)
            for metric in self.metrics
            for name in metric.results
        }
        for name, value in found.items():
            if value is None and name in measures and measures[name].is_event_time:
                found[name] = Censored(outcome.simulated_seconds)
        return Ran(found, outcome.trace_hash, series, measures)

    def close(self) -> None:
        """Let the run go."""
        self.stage.close()


def metrics_of(watched: object, who: str) -> list[Metric]:
    """Return the metrics that `watch` returned, by themselves, in a row or by name."""
    rows = watched.values() if isinstance(watched, Mapping) else watched
    metrics: list[Any] = list(rows) if isinstance(rows, Iterable) else [rows]
    for metric in metrics:
        if not isinstance(metric, Metric):
            raise FrameError(f"watch of {who} returns a Metric or several, not {metric!r}")
    if not metrics:
        raise FrameError(f"watch of {who} returns no metric, so there is nothing to study")
    return metrics


def plain_results(watched: object) -> dict[str, Measured]:
    """Return what metrics came to, each by its own name."""
    return {name: value for metric in metrics_of(watched, "it") for name, value in metric.results.items()}


def kind(thing: object) -> str:
    """Return the name of a thing's class."""
    return type(thing).__name__


class Histogram(Metric):
    """How many values lie between edges, or, with `by_time`, for how many seconds the value did.

    There is a column for each class, from an edge to just below the next, and one for below and above all.
    """

    def __init__(
        self,
        name: str,
        of: Origin | Sequence[Origin],
        *,
        edges: Sequence[float],
        by_time: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(name, of, **others)
        if not edges or any(b <= a for a, b in pairwise(edges)) or not all(map(math.isfinite, edges)):
            raise ValueError(
                f"the edges of histogram {name!r} are finite and rise, but they are {list(edges)}"
            )
        self.edges = tuple(edges)
        self.by_time = by_time
        self.counts: list[float] = [0] * (len(edges) + 1)
        self._place: int | None = None
        self._at = 0.0

    def take(self, value: float) -> None:
        """Count it in its class."""
        self._count_time()
        self._place = bisect_right(self.edges, value)
        if not self.by_time:
            self.counts[self._place] += 1

    def _count_time(self) -> None:
        if self.by_time and self._place is not None:
            self.counts[self._place] += self.now - self._at
        self._at = self.now

    @property
    def result(self) -> float | None:
        """How many values came, or how many seconds they stood."""
        self._count_time()
        return None if self._place is None else sum(self.counts)

    @property
    def results(self) -> dict[str, Measured]:
        """A column for each class."""
        is_empty = self.result is None
        names = [f"below {self.edges[0]:g}"]
        names += [f"{low:g} to {high:g}" for low, high in pairwise(self.edges)]
        names.append(f"{self.edges[-1]:g} or more")
        return {
            f"{self.name} {label}": None if is_empty else count
            for label, count in zip(names, self.counts, strict=True)
        }


class Series(Metric):
    """Every value with its instant, for pictures of one run; what is measured is how many there are."""

    def __init__(self, name: str, of: Origin | Sequence[Origin], **others: Any) -> None:
        super().__init__(name, of, **others)
        self.points: list[tuple[float, float]] = []

    def take(self, value: float) -> None:
        """Write it down."""
        self.points.append((self.now, value))

    @property
    def result(self) -> int | None:
        """How many values came."""
        return len(self.points) or None

    @property
    def results(self) -> dict[str, Measured]:
        """No column of its own: the points go to the column of the series."""
        return {}
