"""How does one vary an experiment from Python?

    table = vary(Coverage(), loss=[0.0, 0.1, 0.3], seeds=range(20)).table
    table = vary(Coverage(), rows=[{"loss": 0.0, "robots": 3}, {"loss": 0.3, "robots": 9}]).table

The same machinery as `kumi study`: all cores or a cluster, the same runs, the same results. With a folder the study can
be ended at any moment, and goes on when it is called again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kumi.scenario.complaints import listed
from kumi.study.design import Design, Drawn
from kumi.study.errors import StudyError
from kumi.study.executors import workers_on
from kumi.study.experiment import Experiment
from kumi.study.results import Results
from kumi.study.stopping import StopRule
from kumi.study.study import Study, StudySession, conduct
from kumi.study.subjects import subject_of


def vary(
    experiment: Experiment,
    values: Mapping[str, Sequence[Any]] | None = None,
    /,
    *,
    seeds: Iterable[int] = range(1),
    folder: str | Path | None = None,
    on: str = "local",
    workers: int | None = None,
    stop: StopRule | None = None,
    rows: Iterable[Mapping[str, Any]] | Drawn | None = None,
    **lists: Sequence[Any],
) -> Results:
    """Run an experiment for every combination of values, or for those in `rows`, and every seed; return what came out.

    Each keyword names a parameter and gives its values. Those whose names are no keywords, such as a parameter of a
    dataclass inside, come by name in `values`: `{"rules.learning": [0.0, 0.3]}`. `rows` are combinations, each a value
    for each parameter by name, in place of lists; a design of `statistics.sensitivity` is that, and its report has the
    indices. `stop` adds seeds, from those given on, until an interval is narrow enough.
    Ctrl-C raises KeyboardInterrupt; what is in the folder then is kept.
    """
    subject = subject_of(experiment)
    numbers = tuple(seeds)
    if stop is not None:
        numbers = tuple(range(stop.at_most))
    named = {name: list(given) for name, given in {**(values or {}), **lists}.items()}
    if rows is None:
        design, drawn = Design(named, numbers), None
    elif named:
        raise StudyError(f"a study has rows or lists of values, not both: rows, and {listed(named)}")
    else:
        drawn = rows.record if isinstance(rows, Drawn) else None
        design = Design.of_rows(rows.rows if isinstance(rows, Drawn) else rows, numbers)
    name = type(experiment).__name__
    study = Study(name, subject, design, stop, drawn, experiment.parameter_units)
    session = StudySession(study, None if folder is None else Path(folder))
    results = conduct(session, partial(workers_on, on, workers))
    if not session.is_complete:
        raise KeyboardInterrupt
    return results
