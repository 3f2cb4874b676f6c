"""What does it change to turn one parameter, with all chance kept the same?

Runs of a sweep share their seeds. For each varied parameter its first value is the base; each other value is
compared with it pair by pair, seed by seed, after the mean over all combinations of the other parameters. So
an effect is that of the parameter on the whole, and its number of pairs is the number of seeds, which are
independent; runs of one seed are not.

The p of all rows together are corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from kumi.experiment.statistics.equality import holm
from kumi.experiment.statistics.intervals import LEVEL
from kumi.experiment.statistics.paired import Paired, paired
from kumi.experiment.statistics.tables import by_seed, finished, has_numbers


@dataclass(frozen=True)
class Effect:
    """A metric at a value of a parameter, less that at its base; `p` is corrected for all effects."""

    parameter: str
    base: Any
    value: Any
    metric: str
    paired: Paired
    p: float


def effects(
    table: pl.DataFrame, varied: Sequence[str], metrics: Sequence[str], level: float = LEVEL
) -> tuple[Effect, ...]:
    """Compare each value of each varied parameter with the first one; none where no two seeds are shared."""
    counted = finished(table)
    found = [
        (parameter, base, value, metric, one)
        for parameter in varied
        for metric in metrics
        if has_numbers(counted, metric)
        for base, value, one in _along(counted, parameter, varied, metric, level)
    ]
    fair = holm([one.p for *_, one in found])
    return tuple(Effect(*one, p) for one, p in zip(found, fair, strict=True))


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
