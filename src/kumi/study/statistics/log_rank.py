"""Do two sets of runs have something happen at the same times, when in some runs it does not happen at all?

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
from dataclasses import dataclass
from math import erfc, fsum, sqrt
from typing import Any

import numpy as np

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.paired import flips, signs
from kumi.study.statistics.survival import Censored, EventTime, counted, event_times, watched


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
