"""Folders of results as a study leaves them, made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

OWN = ("row", "seed", "trace_hash", "wall_seconds", "outcome")
METRICS = {
    "error": {"unit": "cm", "about": "Mean error of the team."},
    "broke_up": {"unit": "", "about": "Whether the team broke up."},
}


def row_of(number: int, **values: Any) -> dict[str, Any]:
    """Return a finished run."""
    return {
        "row": number,
        "outcome": "finished",
        "trace_hash": f"{number:016x}",
        "wall_seconds": 0.25,
        **values,
    }


def rows_of(robots: Iterable[int] = (10, 20, 40), seeds: int = 4) -> list[dict[str, Any]]:
    """Return runs whose error is half the robots and the seed: 5, 6, 7, 8 for ten robots."""
    return [
        row_of(number, robots=many, seed=seed, error=many / 2 + seed, broke_up=seed == 0 and many > 10)
        for number, (many, seed) in enumerate(product(robots, range(seeds)))
    ]


def study_of(
    vary: Mapping[str, list[Any]], seeds: int, metrics: Mapping[str, Any] = METRICS, **others: Any
) -> dict[str, Any]:
    """Return what a study asks."""
    return {
        "format": 1,
        "name": "team",
        "experiment": "my_module:Team",
        "configuration": {"robots": 10, "spacing": 0.5},
        "vary": dict(vary),
        "seeds": list(range(seeds)),
        "metrics": dict(metrics),
        "versions": {"kumi": "0.1.0", "python": "3.11.7"},
        "machine": "a machine",
        **others,
    }


def write_results(
    folder: Path, rows: Iterable[Mapping[str, Any]], study: Mapping[str, Any] | None = None
) -> Path:
    """Write a folder of results and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = study_of({"robots": [10, 20, 40]}, 4) if study is None else study
    (folder / "study.json").write_text(json.dumps(asked))
    lines = [json.dumps(as_line(row, asked["metrics"])) + "\n" for row in rows]
    (folder / "runs.jsonl").write_text("".join(lines))
    return folder


def as_line(row: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table as the study writes it: parameters, metrics and series apart."""
    parts: dict[str, dict[str, Any]] = {"parameters": {}, "metrics": {}, "series": {}}
    line: dict[str, Any] = {}
    for name, value in row.items():
        if name.startswith("series_"):
            parts["series"][name.removeprefix("series_")] = value
        elif name in OWN:
            line[name] = value
        else:
            parts["metrics" if name in metrics else "parameters"][name] = value
    return {**line, **parts}
