"""What does it change to turn one parameter, with all chance kept the same, and when do things then happen?

Runs of a sweep share their seeds. For each varied parameter its first value is the base; each other value is
compared with it pair by pair, seed by seed, after the mean over all combinations of the other parameters. So
an effect is that of the parameter on the whole, and its number of pairs is the number of seeds, which are
independent; runs of one seed are not.

Of a time that may not come the restricted means are compared, and p is that of the log-rank test.

The p of all rows together are corrected by Holm's method.

The log-rank test asks at each time at which it happens in some run: of all that are still watched, how many of one side
would have it then, if both sides were alike? Over all times, what was seen less what was expected is near zero if they
are. With several strata, such as combinations of other parameters, only runs of one stratum are compared with each other.

Runs with the same seed share their chance. `log_rank_in_pairs` keeps them together: each run has a score, one less what
was expected of it by its end, and the difference of the scores of a seed, over all strata, may as well have had the
other sign if both sides are alike. With one stratum p is that of the log-rank test, which sharing makes too large
rather than too small; with several, where the runs of a seed are alike, too, the spread is that of the seeds.

Sources: Mantel, Cancer Chemotherapy Reports 50 (1966); Peto and Peto, J. R. Statist. Soc. A 135 (1972).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, fsum, sqrt
from typing import Any

import numpy as np
import polars as pl

from kumi.study.statistics.equality import holm
from kumi.study.statistics.intervals import LEVEL
from kumi.study.statistics.paired import Paired, flips, paired, signs
from kumi.study.statistics.survival import Censored, EventTime, counted, event_times, watched
from kumi.study.statistics.tables import (
    by_seed,
    finished,
    groups,
    has_numbers,
    horizon_of,
    is_event_time,
    restricted,
    times_of,
)
from kumi.study.statistics.values import StatisticsError


@dataclass(frozen=True)
class ParameterEffect:
    """A metric at a value of a parameter, less that at its base; `p` is corrected for all effects.

    `up_to` is the horizon of a restricted mean, None where the mean is plain.
    """

    parameter: str
    base: Any
    value: Any
    metric: str
    paired: Paired
    p: float
    up_to: float | None = None


def effects(
    table: pl.DataFrame, varied: Sequence[str], metrics: Sequence[str], level: float = LEVEL
) -> tuple[ParameterEffect, ...]:
    """Compare each value of each varied parameter with the first one; none where no two seeds are shared."""
    whole, counted = finished(table), restricted(table, varied)
    up_to = {name: horizon_of(whole, varied, name) for name in metrics if is_event_time(whole, name)}
    found = [
        (parameter, base, value, metric, _by_rank(whole, parameter, varied, metric, (base, value), one))
        for parameter in varied
        for metric in metrics
        if has_numbers(counted, metric)
        for base, value, one in _along(counted, parameter, varied, metric, level)
    ]
    fair = holm([one.p for *_, one in found])
    return tuple(ParameterEffect(*one, p, up_to.get(one[3])) for one, p in zip(found, fair, strict=True))


def _by_rank(
    table: pl.DataFrame,
    parameter: str,
    varied: Sequence[str],
    metric: str,
    sides: tuple[Any, Any],
    found: Paired,
) -> Paired:
    """Return a comparison with the p of the log-rank test, if the metric is a time that may not come."""
    if not is_event_time(table, metric):
        return found
    others = [name for name in varied if name != parameter]
    at: dict[Any, dict[Any, dict[Any, EventTime]]] = {}
    for (value, *rest), part in groups(table, [parameter, *others]).items():
        pairs = zip(part["seed"].to_list(), times_of(part, metric), strict=True)
        at.setdefault(value, {})[tuple(rest)] = {seed: time for seed, time in pairs if time is not None}
    one, other = (at[side] for side in sides)
    strata = list(dict.fromkeys([*one, *other]))
    everywhere = [many.get(key, {}) for many in (one, other) for key in strata]
    shared = [seed for seed in everywhere[0] if all(seed in many for many in everywhere)]
    ranked = log_rank_in_pairs(
        [
            ({seed: one[key][seed] for seed in shared}, {seed: other[key][seed] for seed in shared})
            for key in strata
        ]
    )
    return replace(found, p=ranked.p, p_flips=ranked.p_flips, p_signs=ranked.p_signs)


def _along(
    table: pl.DataFrame, parameter: str, varied: Sequence[str], metric: str, level: float
) -> list[tuple[Any, Any, Paired]]:
    others = [name for name in varied if name != parameter]
    at: dict[Any, dict[Any, float]] = {value: {} for value in table[parameter].to_list()}
    for value, seed, mean in by_seed(table, [parameter], others, metric).iter_rows():
        at[value][seed] = mean
    (base, first), *rest = at.items()
    pairs = []
    for value, there in rest:
        shared = [seed for seed in first if seed in there]
        if len(shared) > 1:
            sides = [first[seed] for seed in shared], [there[seed] for seed in shared]
            pairs.append((base, value, paired(*sides, level)))
    return pairs


@dataclass(frozen=True)
class LogRank:
    """In how many runs of one side it happened, how many were expected, the statistic χ² with one degree, and its p."""

    observed: int
    expected: float
    statistic: float
    p: float


@dataclass(frozen=True)
class PairedLogRank:
    """The test of runs in pairs: `p` of the log-rank test, and by flipping and by counting signs of the seeds."""

    p: float
    p_flips: float
    p_signs: float


def log_rank(one: Iterable[Any], other: Iterable[Any]) -> LogRank:
    """Test whether two independent sets of times, of which some may be `Censored`, have the same distribution."""
    return stratified_log_rank([(one, other)])


def stratified_log_rank(strata: Iterable[tuple[Iterable[Any], Iterable[Any]]]) -> LogRank:
    """Do the same with several pairs of sets, of which only the two of a pair are compared."""
    observed, expected, variances = 0, [], []
    for one, other in strata:
        sides = event_times(one), event_times(other)
        at_risk_of_one = np.sort([watched(time) for time in sides[0]])
        observed += sum(not isinstance(time, Censored) for time in sides[0])
        for time, at_risk, events in counted([*sides[0], *sides[1]]):
            own = len(sides[0]) - int(np.searchsorted(at_risk_of_one, time, side="left"))
            expected.append(events * own / at_risk)
            if at_risk > 1:
                left = (at_risk - events) / (at_risk - 1)
                variances.append(events * left * own * (at_risk - own) / at_risk**2)
    away, variance = observed - fsum(expected), fsum(variances)
    statistic = away**2 / variance if variance else 0.0
    return LogRank(observed, fsum(expected), statistic, erfc(sqrt(statistic / 2)))


Seeds = Mapping[Any, EventTime]


def log_rank_in_pairs(strata: Sequence[tuple[Seeds, Seeds]], *, seed: int = 0) -> PairedLogRank:
    """Test two sides whose runs are paired by their seeds, in each of several strata."""
    away: dict[Any, list[float]] = {}
    for one, other in strata:
        if one.keys() != other.keys():
            raise StatisticsError("runs in pairs need the same seeds on both sides.")
        names = list(one)
        scores = _scores([*one.values(), *(other[name] for name in names)])
        for place, name in enumerate(names):
            away.setdefault(name, []).append(scores[len(names) + place] - scores[place])
    found = np.array([fsum(many) for many in away.values()])
    if len(strata) == 1:
        p = log_rank(strata[0][0].values(), strata[0][1].values()).p
    else:
        spread = sqrt(fsum((found * found).tolist()))
        p = erfc(abs(fsum(found.tolist())) / spread / sqrt(2)) if spread else 1.0
    return PairedLogRank(p, flips(found, seed), signs(found))


def _scores(times: Sequence[EventTime]) -> list[float]:
    """Return for each run whether it happened, less the hazard that all runs together had by its end."""
    steps = counted(times)
    hazard = np.concatenate([[0.0], np.cumsum([events / at_risk for _, at_risk, events in steps])])
    at = np.array([time for time, _, _ in steps])
    until = [watched(time) for time in times]
    passed = hazard[np.searchsorted(at, until, side="right")].tolist()
    return [
        (0.0 if isinstance(time, Censored) else 1.0) - gone for time, gone in zip(times, passed, strict=True)
    ]
