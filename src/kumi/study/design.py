"""Which runs make up a study?

Every combination of the values that vary, or those combinations that are listed, each with every seed. Combinations
are counted with the last parameter going fastest; rows go through all combinations with the first seed, then with the
second, so a study that is cut short has looked at everything alike, and more seeds come after the rows that are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol, Self, runtime_checkable

from kumi.scenario.complaints import listed, shown
from kumi.study.errors import StudyError


@runtime_checkable
class Drawn(Protocol):
    """Combinations that were drawn by a method: a design of `kumi.study.statistics.sensitivity`."""

    @property
    def rows(self) -> list[dict[str, float]]:
        """The combinations, in order; some may occur twice."""

    @property
    def record(self) -> dict[str, Any]:
        """What they were drawn from."""


@dataclass(frozen=True)
class Row:
    """One run of a study: its number, its combination of varied values, and its seed."""

    number: int
    point: int
    parameters: dict[str, Any]
    seed: int


@dataclass(frozen=True)
class Design:
    """The values of each parameter that varies, and the seeds; with `combinations`, only these are run."""

    vary: dict[str, list[Any]]
    seeds: tuple[int, ...]
    combinations: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        check_vary(self.vary)
        if not self.seeds:
            raise StudyError("a study takes at least one seed")
        for seed in self.seeds:
            if isinstance(seed, bool) or not isinstance(seed, int):
                raise StudyError(f"a seed is a whole number, not {seed!r}")
        if len(set(self.seeds)) < len(self.seeds):
            raise StudyError(f"each seed is given once, but they are {list(self.seeds)}")

    @classmethod
    def of_rows(cls, combinations: Iterable[Mapping[str, Any]], seeds: tuple[int, ...]) -> Self:
        """Return the design that runs some combinations, each of them once with every seed."""
        rows = [dict(one) for one in _tables(combinations)]
        names = list(rows[0]) if rows else []
        if not names:
            raise StudyError("rows is a list of combinations, each with a value for one parameter or more")
        for number, row in enumerate(rows):
            if set(row) != set(names):
                given = listed(row) if row else "nothing"
                raise StudyError(
                    f"each of the rows has the same parameters: the first has {listed(names)}, row {number} {given}"
                )
        different = list({_text(row): {name: row[name] for name in names} for row in rows}.values())
        values = {name: list({_text(row[name]): row[name] for row in different}.values()) for name in names}
        return cls(values, seeds, different)

    @property
    def points(self) -> list[dict[str, Any]]:
        """All combinations that are run, in order."""
        if self.combinations is not None:
            return self.combinations
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
        texts = [_text(value) for value in values]
        if len(set(texts)) < len(texts):
            raise StudyError(f"vary.{name} has a value twice: {shown(list(values))}")


def _text(value: Any) -> str:
    """Return a text by which a value is the same as another."""
    return json.dumps(value, sort_keys=True, default=repr)


def _tables(combinations: object) -> list[Mapping[str, Any]]:
    if isinstance(combinations, str | Mapping) or not isinstance(combinations, Iterable):
        raise StudyError(f"rows is {shown(combinations)}; it takes a list of combinations")
    found = list(combinations)
    for one in found:
        if not isinstance(one, Mapping):
            raise StudyError(f"one of the rows is {shown(one)}; it takes a value for each parameter, by name")
    return found


def as_seeds(seeds: object) -> tuple[int, ...]:
    """Return the seeds that are meant: a number n stands for 0 to n - 1."""
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if seeds < 1:
            raise StudyError(f"seeds is {seeds}; it takes a number of seeds from 1 on, or a list of seeds")
        return tuple(range(seeds))
    if isinstance(seeds, str) or not isinstance(seeds, Sequence | range):
        raise StudyError(f"seeds is {shown(seeds)}; it takes a number of seeds from 1 on, or a list of seeds")
    return tuple(seeds)
