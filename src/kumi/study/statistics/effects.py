"""What does it change to turn one parameter, with all chance kept the same?

Runs of a sweep share their seeds. For each varied parameter its first value is the base; each other value is
compared with it pair by pair, seed by seed, after the mean over all combinations of the other parameters. So
an effect is that of the parameter on the whole, and its number of pairs is the number of seeds, which are
independent; runs of one seed are not.

Of a time that may not come the restricted means are compared, and p is that of the log-rank test.

The p of all rows together are corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from kumi.study.statistics.equality import holm
from kumi.study.statistics.intervals import LEVEL
from kumi.study.statistics.log_rank import log_rank_in_pairs
from kumi.study.statistics.paired import Paired, paired
from kumi.study.statistics.survival import EventTime
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


@dataclass(frozen=True)
class Effect:
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
) -> tuple[Effect, ...]:
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
    return tuple(Effect(*one, p, up_to.get(one[3])) for one, p in zip(found, fair, strict=True))


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
