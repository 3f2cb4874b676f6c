"""What does the page need to know of the results of a study?

Every run with its parameters, seed and metrics, and for each combination of values the mean of each metric with its
interval, as `kumi study` prints them. A bound that does not exist, such as that of a single run, is null. A time that
may not come has a restricted mean, and words on how often it came; a run in which it did not tells when it ended.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from kumi.study.summary import summary

if TYPE_CHECKING:
    from kumi.study.results import Results

LEVEL = 0.95


def described_study(results: Results) -> dict[str, Any]:
    """Return the results of a study, for the page."""
    study, combinations = results.study, summary(results, LEVEL)
    up_to = {name: until for one in combinations for name, until in one.up_to.items()}
    return {
        "name": study["name"],
        "varied": results.varied,
        "levels": {name: [shown(value) for value in values] for name, values in study["vary"].items()},
        "metrics": {
            name: {"unit": one["unit"], "about": one["about"], "upTo": up_to.get(name)}
            for name, one in study["metrics"].items()
        },
        "level": LEVEL,
        "runs": [
            {
                "row": run["row"],
                "seed": run["seed"],
                "parameters": {name: shown(value) for name, value in run["parameters"].items()},
                "metrics": {name: number(run["metrics"].get(name)) for name in results.metrics},
                "censored": run.get("censored", {}),
                "outcome": run["outcome"],
                "hash": run["trace_hash"],
                "took": number(run.get("wall_seconds")),
            }
            for run in results.runs
        ],
        "points": [
            {
                "parameters": {name: shown(value) for name, value in one.parameters.items()},
                "runs": one.runs,
                "failed": one.failed,
                "means": {
                    name: {
                        "mean": number(mean.mean),
                        "low": number(mean.low),
                        "high": number(mean.high),
                        "count": mean.count,
                        "came": str(one.times[name]) if name in one.times else None,
                    }
                    for name, mean in one.means.items()
                },
            }
            for one in combinations
        ],
    }


def shown(value: Any) -> Any:
    """Return the value of a parameter as a number or a text."""
    return (
        value if isinstance(value, str | int | float) and not isinstance(value, bool) else json.dumps(value)
    )


def number(value: Any) -> Any:
    """Return what a metric came to; what is no finite number is None, and a text stays."""
    return None if isinstance(value, float) and not isfinite(value) else value
