"""Which parameters matter, and which only together with others?

A design says which combinations to run; its analysis reads the finished runs from a table of results, joined
by the values of the parameters, so the order of the runs does not matter. Both come from SALib.

- `morris_design`: a few steps through the ranges, one parameter at a time. Cheap: trajectories · (parameters
  + 1) runs. `effect` is the mean size of the change of a metric over a parameter's whole range, `spread` how
  much that depends on the others or on where one stands.
- `sobol_design`: shares of the variance of a metric. samples · (parameters + 2) runs. `first` is what a
  parameter explains alone, `total` together with others; what is between them comes from acting together.

A range of two whole numbers is of whole numbers. With several seeds for a combination, the mean is analysed:
chance that remains in it counts as acting together, so `total` is too large by about its share. Draws are
SALib's, from the seed.

Sources: Morris, Technometrics 33 (1991); Campolongo et al. (2007); Saltelli et al., Comp. Phys. Comm. 181
(2010).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, isfinite
from statistics import NormalDist
from typing import Any, ClassVar, TypeAlias

import numpy as np
import polars as pl
from SALib.analyze import morris as morris_analysis  # type: ignore[import-untyped]  # SALib ships no types
from SALib.analyze import sobol as sobol_analysis
from SALib.sample import morris as morris_sampling  # type: ignore[import-untyped]  # SALib ships no types
from SALib.sample import sobol as sobol_sampling

from kumi.devs.chance import stream
from kumi.study.statistics.intervals import LEVEL, Interval
from kumi.study.statistics.tables import has_numbers, need_columns, present, restricted
from kumi.study.statistics.values import Numbers, StatisticsError, level_of

Ranges: TypeAlias = Mapping[str, tuple[float, float]]
LEVELS = 4
TRAJECTORIES, SAMPLES = 10, 64


@dataclass(frozen=True)
class MorrisIndex:
    """How much a metric changes over the whole range of a parameter, and how unevenly.

    `direction` is the mean change with its sign: near `effect` in size, the change is always in one
    direction.
    """

    parameter: str
    effect: Interval
    direction: float
    spread: float


@dataclass(frozen=True)
class SobolIndex:
    """Which share of the variance of a metric comes from a parameter: alone, and together with others."""

    parameter: str
    first: Interval
    total: Interval


@dataclass(frozen=True)
class SamplingDesign(ABC):
    """Combinations of parameters to run; `points` are the same within 0 and 1."""

    method: ClassVar[str]
    counted: ClassVar[str]
    """What is given by its number: trajectories, or samples; a parameter and `extra` more take a run each."""
    extra: ClassVar[int]

    ranges: Ranges
    points: Numbers
    seed: int

    @property
    def rows(self) -> list[dict[str, float]]:
        """The combinations to run, in order; some may occur twice, and need to be run once."""
        return [
            {
                name: _within(*bounds, share)
                for (name, bounds), share in zip(self.ranges.items(), point, strict=True)
            }
            for point in self.points.tolist()
        ]

    def responses(self, table: pl.DataFrame, metric: str) -> Numbers:
        """Return the metric for each row of the design, as the mean over seeds; of times the restricted mean."""
        names = list(self.ranges)
        need_columns(table, [*names, metric])
        counted = restricted(table, names)
        if not has_numbers(counted, metric):
            raise StatisticsError(f"the metric {metric!r} has no numbers in the table.")
        means: dict[tuple[Any, ...], float] = {}
        for part in counted.partition_by(names, maintain_order=True):
            found = present(part[metric])
            if found:
                means[part.select(names).row(0)] = float(np.mean(found))
        wanted = [tuple(row.values()) for row in self.rows]
        missing = [row for row in wanted if row not in means]
        if missing:
            said = ", ".join(f"{name} = {value:g}" for name, value in zip(names, missing[0], strict=True))
            raise StatisticsError(
                f"{len(missing)} of {len(wanted)} rows of the design have no {metric!r} in the table, "
                f"such as {said}."
            )
        return np.array([means[row] for row in wanted])

    @property
    def record(self) -> dict[str, Any]:
        """All that the design is made from, by `design_from`."""
        count = len(self.points) // (len(self.ranges) + self.extra)
        ranges = {name: list(bounds) for name, bounds in self.ranges.items()}
        return {"method": self.method, self.counted: count, "seed": self.seed, "ranges": ranges}

    @property
    def _problem(self) -> dict[str, Any]:
        return _problem(self.ranges)

    @abstractmethod
    def indices(self, table: pl.DataFrame, metric: str, level: float = LEVEL) -> tuple[Any, ...]:
        """Return the indices of each parameter, from a table in which all rows of the design were run."""


class MorrisDesign(SamplingDesign):
    """A screening: see `morris_design`."""

    method, counted, extra = "morris", "trajectories", 1

    def indices(self, table: pl.DataFrame, metric: str, level: float = LEVEL) -> tuple[MorrisIndex, ...]:
        """Return how much each parameter changes a metric, the strongest first."""
        found = morris_analysis.analyze(
            self._problem,
            self.points,
            self.responses(table, metric),
            num_levels=LEVELS,
            conf_level=level_of(level),
            seed=_seed(self.seed),
        )
        count = self.record[self.counted]
        columns = zip(
            self.ranges, found["mu_star"], found["mu_star_conf"], found["mu"], found["sigma"], strict=True
        )
        rows = [
            MorrisIndex(name, _index(size, half, level, count), float(mean), float(spread))
            for name, size, half, mean, spread in columns
        ]
        return tuple(sorted(rows, key=lambda row: -row.effect.mean))


class SobolDesign(SamplingDesign):
    """Shares of variance: see `sobol_design`."""

    method, counted, extra = "sobol", "samples", 2

    def indices(self, table: pl.DataFrame, metric: str, level: float = LEVEL) -> tuple[SobolIndex, ...]:
        """Return the share of each parameter in the variance of a metric, the strongest first."""
        responses = self.responses(table, metric)
        if responses.min() == responses.max():
            raise StatisticsError(
                f"{metric!r} is {responses[0]:g} in every run: no variance, no shares of it."
            )
        found = sobol_analysis.analyze(
            self._problem,
            responses,
            calc_second_order=False,
            conf_level=level_of(level),
            seed=_seed(self.seed),
        )
        count = self.record[self.counted]
        columns = zip(self.ranges, found["S1"], found["S1_conf"], found["ST"], found["ST_conf"], strict=True)
        rows = [
            SobolIndex(name, _index(one, one_half, level, count), _index(all_, all_half, level, count))
            for name, one, one_half, all_, all_half in columns
        ]
        return tuple(sorted(rows, key=lambda row: -row.total.mean))


def morris_design(ranges: Ranges, trajectories: int = TRAJECTORIES, *, seed: int = 0) -> MorrisDesign:
    """Return a design that takes each parameter through its range, `trajectories` times."""
    _check(ranges)
    if trajectories < 2:
        raise StatisticsError(f"{trajectories} trajectories have no spread; take at least 2, better 10.")
    points = morris_sampling.sample(_problem(ranges), trajectories, num_levels=LEVELS, seed=_seed(seed))
    return MorrisDesign(dict(ranges), points, seed)


def sobol_design(ranges: Ranges, samples: int = SAMPLES, *, seed: int = 0) -> SobolDesign:
    """Return a design for shares of variance; the number of samples is a power of two."""
    _check(ranges)
    if samples < 2 or samples & (samples - 1):
        raise StatisticsError(f"{samples} samples are no power of two, such as 64, which the sequence needs.")
    points = sobol_sampling.sample(_problem(ranges), samples, calc_second_order=False, seed=_seed(seed))
    return SobolDesign(dict(ranges), points, seed)


def design_from(record: Mapping[str, Any]) -> MorrisDesign | SobolDesign:
    """Return the design that a table describes, as a study file and study.json have it."""
    method = record.get("method")
    kinds = {kind.method: kind for kind in (MorrisDesign, SobolDesign)}
    if method not in kinds:
        raise StatisticsError(f"method is {method!r}; it takes 'morris' or 'sobol'.")
    counted = kinds[method].counted
    known = ("method", counted, "seed", "ranges")
    unknown = [key for key in record if key not in known]
    if unknown:
        raise StatisticsError(f"{unknown[0]!r} is unknown; {method} takes {', '.join(known)}.")
    ranges = record.get("ranges")
    if not isinstance(ranges, Mapping):
        raise StatisticsError(
            f"ranges is {ranges!r}; it takes the least and the largest value of each parameter."
        )
    numbers = {key: record[key] for key in (counted, "seed") if key in record}
    for key, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise StatisticsError(f"{key} is {value!r}; it takes a whole number.")
    bounds = {name: _bounds(name, one) for name, one in ranges.items()}
    if method == "morris":
        return morris_design(bounds, numbers.get(counted, TRAJECTORIES), seed=numbers.get("seed", 0))
    return sobol_design(bounds, numbers.get(counted, SAMPLES), seed=numbers.get("seed", 0))


def _bounds(name: str, given: Any) -> tuple[float, float]:
    is_pair = isinstance(given, list | tuple) and len(given) == 2
    if not is_pair or any(isinstance(one, bool) or not isinstance(one, int | float) for one in given):
        raise StatisticsError(
            f"the range of {name!r} is {given!r}; it takes two numbers, such as [0.0, 0.2]."
        )
    return given[0], given[1]


def _check(ranges: Ranges) -> None:
    if len(ranges) < 2:
        raise StatisticsError(f"{len(ranges)} parameters make no design; at least 2 are needed.")
    for name, (low, high) in ranges.items():
        if not (isfinite(low) and isfinite(high) and low < high):
            raise StatisticsError(f"the range of {name!r}, {low!r} to {high!r}, is empty or not finite.")


def _problem(ranges: Ranges) -> dict[str, Any]:
    return {"num_vars": len(ranges), "names": list(ranges), "bounds": [[0.0, 1.0]] * len(ranges)}


def _within(low: float, high: float, share: float) -> float:
    """Return the place in a range at a share of it; whole between whole numbers, each as likely."""
    if isinstance(low, int) and isinstance(high, int):
        return min(high, low + floor(share * (high - low + 1)))
    return low + share * (high - low)


def _seed(seed: int) -> int:
    """Return a seed for SALib, to which 0 means none."""
    return stream(seed, "sensitivity").integer(1, 2**31 - 1)


def _index(value: float, half: float, level: float, count: int) -> Interval:
    """Return an index with the bounds found by drawing again from what was found."""
    value, half = float(value), float(half)
    return Interval(
        value, value - half, value + half, level, count, half / NormalDist().inv_cdf((1 + level) / 2)
    )
