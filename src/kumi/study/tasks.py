"""What crosses to whoever does a run, and what comes back?

A task goes out with the subject and the values of one row; a plain table comes back, which is a line of the journal.
What an experiment raises is no reason to end a study: it becomes the outcome of that run, in one sentence.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from kumi.devs.errors import KumiError
from kumi.study.design import Row
from kumi.study.record import code_of_kumi
from kumi.study.run import MetricColumn, Ran
from kumi.study.sources import FrameError
from kumi.study.statistics import Censored
from kumi.study.subjects import Subject

FINISHED = "finished"
MOST_CHARACTERS = 400
"""Characters of an error that are kept."""


class OtherCode(KumiError):
    """A worker has another version of kumi than the one who asked."""


Running = Callable[[Mapping[str, Any], int], Ran]


def do(subject: Subject, row: Row, code: str, run: Running | None = None) -> dict[str, Any]:
    """Do one run, wherever this is called; `code` is that of the kumi that asks. `run` stands in for the subject's own."""
    if code_of_kumi() != code:
        raise OtherCode(f"the worker on {platform.node()} has another version of kumi than this one")
    begun = time.perf_counter()
    done: dict[str, Any] = {"row": row.number, "seed": row.seed, "parameters": row.parameters}
    try:
        ran = (run or subject.run)(row.parameters, row.seed)
        metrics = {name: plain(name, value) for name, value in ran.metrics.items()}
        censored = {name: one.at for name, one in ran.metrics.items() if isinstance(one, Censored)}
    except Exception as error:  # noqa: BLE001  # kept as the outcome of the run
        outcome = f"{type(error).__name__}: {error}".strip(": ").replace("\n", " ")[:MOST_CHARACTERS]
        return {**done, "metrics": {}, "trace_hash": None, **ending(begun, outcome)}
    found = {**done, "metrics": metrics, "trace_hash": ran.trace_hash, **ending(begun, FINISHED)}
    if ran.series:
        found["series"] = ran.series
    if censored:
        found["censored"] = censored
    measures = {**{name: MetricColumn() for name in censored}, **ran.measures}
    found["measures"] = {
        name: asdict(replace(one, is_event_time=True) if name in censored else one)
        for name, one in measures.items()
    }
    return found


def do_rows(subject: Subject, rows: Sequence[Row], code: str) -> list[dict[str, Any]]:
    """Do some runs one after the other."""
    return [do(subject, row, code) for row in rows]


def plain(name: str, value: Any) -> Any:
    """Return what a metric came to as Python's own number or text; one of numpy's numbers is made one.

    A time that did not come is None; when it was censored is kept apart.
    """
    if isinstance(value, Censored):
        return None
    found = value.item() if hasattr(value, "item") else value
    if not isinstance(found, bool | int | float | str | None):
        raise FrameError(f"metric {name!r} is a number, a text, Censored or None, not {value!r}")
    return found


def failed(row: Row, outcome: str) -> dict[str, Any]:
    """Return what is kept of a run that nobody could finish."""
    return {
        "row": row.number,
        "seed": row.seed,
        "parameters": row.parameters,
        "metrics": {},
        "trace_hash": None,
        "wall_seconds": 0.0,
        "outcome": outcome,
    }


def ending(begun: float, outcome: str) -> dict[str, Any]:
    """Return how a run ended, and how many seconds it took."""
    return {"wall_seconds": round(time.perf_counter() - begun, 6), "outcome": outcome}
