"""Metrics are exact in time: they change at events, and what they come to follows by arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Atomic, Coupled, OutPort
from kumi.study import (
    Counter,
    Experiment,
    ExperimentStage,
    FirstTime,
    Frame,
    FrameError,
    Generator,
    Histogram,
    Latest,
    Maximum,
    Mean,
    Metric,
    Minimum,
    Series,
    TimeMean,
    Total,
)
from kumi.study.statistics import Censored


class Repeater(Atomic):
    """Sends on what it gets, at the same instant."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.heard = self.add_input("heard", float)
        self.said = self.add_output("said", float)
        self._values: list[float] = []

    def external(self) -> None:
        self._values.extend(self.heard)
        self.hold(0.0)

    def output(self) -> None:
        for value in self._values:
            self.said.send(value)

    def internal(self) -> None:
        self._values.clear()


class Box(Coupled):
    """A repeater two levels down, with no ports outside."""

    def __init__(self) -> None:
        super().__init__("box")
        inner = self.add(Coupled("inner"))
        self.repeater = inner.add(Repeater("repeater"))


@dataclass(frozen=True, kw_only=True)
class Fed(Experiment):
    """Values that come at instants, heard by whatever metrics are to be tried."""

    deadline: float = 10.0
    values: tuple[tuple[float, float], ...] = ()
    metrics: Callable[[OutPort[float]], Any] = field(default=lambda said: Counter("count", of=said))
    ends: Callable[[Any], bool] = field(default=lambda _: False)

    def stage(self, stage: ExperimentStage) -> None:
        stage.add_model(Box())

    def stimuli(self, stage: ExperimentStage) -> list[Generator]:
        return [Generator("source", self.values, into=self.box(stage).repeater.heard)]

    def watch(self, stage: ExperimentStage) -> Any:
        return self.metrics(self.box(stage).repeater.said)

    def over(self, metrics: Any) -> bool:
        return self.ends(metrics)

    def box(self, stage: ExperimentStage) -> Box:
        box = stage.model("box")
        assert isinstance(box, Box)
        return box


def measured(
    values: list[tuple[float, float]], make: Callable[[OutPort[float]], Any], until: float = 10.0
) -> dict[str, Any]:
    return dict(Fed(values=tuple(values), metrics=make, deadline=until).run(0).metrics)


STEPS = [(1.0, 4.0), (3.0, 0.0), (5.0, 2.0)]


def test_a_mean_over_time_weighs_values_by_how_long_they_stand() -> None:
    """0 for 1 s, 4 for 2 s, 0 for 2 s, 2 for 5 s: 18 of 10 s. Without a start, 18 of 9 s."""
    assert measured(STEPS, lambda said: TimeMean("x", of=said, start=0.0)) == {"x": 1.8}
    assert measured(STEPS, lambda said: TimeMean("x", of=said)) == {"x": 2.0}


def test_a_mean_over_time_may_leave_a_beginning_out() -> None:
    """From 2 s on: 4 for 1 s, 0 for 2 s, 2 for 5 s: 14 of 8 s."""
    assert measured(STEPS, lambda said: TimeMean("x", of=said, start=0.0, since=2.0)) == {"x": 1.75}


def test_a_mean_over_no_time_is_the_value_that_stands() -> None:
    assert measured([(10.0, 3.0)], lambda said: TimeMean("x", of=said)) == {"x": 3.0}


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(-50, 50)), min_size=1, max_size=12),
    st.integers(0, 40),
)
def test_a_mean_over_time_is_that_of_an_exact_sum(steps: list[tuple[int, int]], since: int) -> None:
    """Against sums of fractions; times are tenths, so the two agree to the last digits."""
    steps = sorted(steps, key=lambda one: one[0])
    values = [(time / 10, float(value)) for time, value in steps]
    exact, length = Fraction(0), Fraction(0)
    for (time, value), (end, _) in pairwise([*steps, (100, 0)]):
        stood = max(0, end - max(time, since))
        exact += value * stood
        length += stood
    wanted = float(exact / length) if length else float(steps[-1][1])

    found = measured(values, lambda said: TimeMean("x", of=said, since=since / 10))["x"]

    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_what_happens_is_counted_added_and_compared() -> None:
    found = measured(
        STEPS,
        lambda said: (
            Counter("count", of=said),
            Counter("positive", of=said, value=lambda value: value > 0.0),
            Total("total", of=said),
            Mean("mean", of=said),
            Maximum("most", of=said),
            Minimum("least", of=said),
            Latest("latest", of=said),
            FirstTime("first", of=said),
            FirstTime("zero", of=said, value=lambda value: value == 0.0),
            FirstTime("never", of=said, value=lambda value: value > 9.0),
        ),
    )

    assert found == {
        "count": 3,
        "positive": 2,
        "total": 6.0,
        "mean": 2.0,
        "most": 4.0,
        "least": 0.0,
        "latest": 2.0,
        "first": 1.0,
        "zero": 3.0,
        "never": Censored(10.0),
    }


def test_an_extreme_keeps_its_first_instant() -> None:
    frame = Frame(Fed(values=((1.0, 4.0), (2.0, 4.0)), metrics=lambda said: Maximum("x", of=said)), 0)
    frame.run()

    assert isinstance(frame.watched, Maximum)
    assert frame.watched.at == 1.0


def test_without_data_there_is_none() -> None:
    kinds = (TimeMean, Mean, Maximum, Minimum, Latest)

    found = measured([], lambda said: [kind(kind.__name__, of=said) for kind in kinds])

    assert found == dict.fromkeys([kind.__name__ for kind in kinds])
    assert measured([], lambda said: [Counter("count", of=said), Total("sum", of=said)]) == {
        "count": 0,
        "sum": 0,
    }


def test_a_histogram_counts_values_or_seconds() -> None:
    """4, 0 and 2 with edges 1 and 3: one below, one between, one above. They stand 2, 2 and 5 s."""
    counted = measured(STEPS, lambda said: Histogram("x", of=said, edges=[1.0, 3.0]))
    timed = measured(STEPS, lambda said: Histogram("x", of=said, edges=[1.0, 3.0], by_time=True))

    assert counted == {"x below 1": 1, "x 1 to 3": 1, "x 3 or more": 1}
    assert timed == {"x below 1": 2.0, "x 1 to 3": 5.0, "x 3 or more": 2.0}


@pytest.mark.parametrize("edges", [[], [2.0, 1.0], [1.0, 1.0], [0.0, float("inf")]])
def test_edges_of_a_histogram_rise(edges: list[float]) -> None:
    with pytest.raises(ValueError, match="are finite and rise"):
        measured([], lambda said: Histogram("x", of=said, edges=edges))


def test_a_series_keeps_every_value_with_its_instant() -> None:
    ran = Fed(values=tuple(STEPS), metrics=lambda said: [Series("x", of=said), Counter("n", of=said)]).run(0)

    assert ran.series == {"x": STEPS}
    assert ran.metrics == {"n": 3}


def test_a_run_is_over_at_the_instant_at_which_a_metric_says_so() -> None:
    """The second value comes at 3 s, and the run ends then; what was planned for 5 s does not happen."""
    experiment = Fed(
        values=tuple(STEPS),
        metrics=lambda said: [Counter("n", of=said), Latest("when", of=said)],
        ends=lambda metrics: metrics[0].count == 2,
    )
    frame = Frame(experiment, 0)

    assert frame.run().metrics == {"n": 2, "when": 0.0}
    assert frame.acceptor.accepted_at == 3.0


def test_two_values_at_one_instant_both_count_and_the_end_is_asked_once_they_are_in() -> None:
    asked: list[float] = []

    def ask(metric: Total) -> bool:
        asked.append(metric.total)
        return False

    experiment = Fed(
        values=((1.0, 1.0), (1.0, 2.0)),
        metrics=lambda said: Total("sum", of=said),
        ends=ask,
    )

    assert experiment.run(0).metrics == {"sum": 3.0}
    assert asked[-1] == 3.0


def test_an_analysis_of_your_own_gives_the_columns() -> None:
    class Ratio(Fed):
        def analysis(self, metrics: Any) -> dict[str, float]:
            return {"ratio": metrics[0].count / metrics[1].total}

    ran = Ratio(values=tuple(STEPS), metrics=lambda said: [Counter("n", of=said), Total("sum", of=said)]).run(
        0
    )

    assert ran.metrics == {"ratio": 0.5}


def test_a_metric_of_your_own_takes_values_and_has_a_result() -> None:
    class Spread(Metric):
        least = most = 0.0

        def take(self, value: float) -> None:
            self.least, self.most = min(self.least, value), max(self.most, value)

        @property
        def result(self) -> float:
            return self.most - self.least

    assert measured([*STEPS, (6.0, -1.0)], lambda said: Spread("spread", of=said)) == {"spread": 5.0}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: [], "watch of Fed returns no metric, so there is nothing to study"),
        (lambda _: 3, "watch of Fed returns a Metric or several, not 3"),
        (lambda _: Counter("x", of=[]), "metric 'x' is coupled to nothing, so it would never get data"),
        (
            lambda _: Counter("x", of="contacts"),  # type: ignore[arg-type]
            "'x' is coupled to an output port of a model or to a source",
        ),
        (lambda _: Counter("x", of=Repeater("r").said), "belongs to no model of the stage"),
    ],
)
def test_a_frame_that_cannot_be_is_refused(make: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(FrameError, match=said):
        measured([], make)


def test_a_generator_does_not_go_back_in_time() -> None:
    with pytest.raises(FrameError, match="has an instant of 1 s after one of 2 s"):
        measured([(2.0, 0.0), (1.0, 0.0)], lambda said: Counter("n", of=said))


def test_a_generator_has_one_target() -> None:
    with pytest.raises(FrameError, match=r"takes a port \(into\) or a function \(does\)"):
        Generator("source", [])
