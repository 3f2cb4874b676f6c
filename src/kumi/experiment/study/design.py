"""Which runs make up a study?

Every combination of the values that vary, each with every seed. Combinations are counted with the last parameter
going fastest; rows go through all combinations with the first seed, then with the second, so a study that is cut
short has looked at everything alike, and more seeds come after the rows that are there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from kumi.experiment.complaints import shown
from kumi.experiment.study.errors import StudyError


@dataclass(frozen=True)
class Row:
    """One run of a study: its number, its combination of varied values, and its seed."""

    number: int
    point: int
    parameters: dict[str, Any]
    seed: int


@dataclass(frozen=True)
class Design:
    """The values of each parameter that varies, and the seeds."""

    vary: dict[str, list[Any]]
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        check_vary(self.vary)
        if not self.seeds:
            raise StudyError("a study takes at least one seed")
        for seed in self.seeds:
            if isinstance(seed, bool) or not isinstance(seed, int):
                raise StudyError(f"a seed is a whole number, not {seed!r}")
        if len(set(self.seeds)) < len(self.seeds):
            raise StudyError(f"each seed is given once, but they are {list(self.seeds)}")

    @property
    def points(self) -> list[dict[str, Any]]:
        """All combinations of the values that vary, in order."""
        return [dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values())]

    @property
    def rows(self) -> list[Row]:
        """All runs, in order."""
        points = self.points
        return [
            Row(turn * len(points) + number, number, point, seed)
            for turn, seed in enumerate(self.seeds)
            for number, point in enumerate(points)
        ]


def check_vary(vary: Mapping[str, Any]) -> None:
    """Refuse what is no list of different values."""
    for name, values in vary.items():
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise StudyError(f"vary.{name} is {shown(values)}; it takes a list of values")
        if not values:
            raise StudyError(f"vary.{name} is an empty list; it takes at least one value")
        texts = [json.dumps(value, sort_keys=True, default=repr) for value in values]
        if len(set(texts)) < len(texts):
            raise StudyError(f"vary.{name} has a value twice: {shown(list(values))}")


def as_seeds(seeds: object) -> tuple[int, ...]:
    """Return the seeds that are meant: a number n stands for 0 to n - 1."""
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if seeds < 1:
            raise StudyError(f"seeds is {seeds}; it takes a number of seeds from 1 on, or a list of seeds")
        return tuple(range(seeds))
    if isinstance(seeds, str) or not isinstance(seeds, Sequence | range):
        raise StudyError(f"seeds is {shown(seeds)}; it takes a number of seeds from 1 on, or a list of seeds")
    return tuple(seeds)
