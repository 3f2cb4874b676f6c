"""What was asked, what came of it, and how can it be done again? The beginning and the end of a report."""

from __future__ import annotations

from math import prod
from typing import Any

import polars as pl

from kumi.scenario.complaints import listed
from kumi.study.statistics.intervals import LEVEL
from kumi.study.statistics.report import words
from kumi.study.statistics.report.contents import ReportSection, ReportTable
from kumi.study.statistics.report.stored import StoredStudy
from kumi.study.statistics.tables import FINISHED, finished, has_numbers, present, times_of

SHOWN_FAILURES = 50


def asked(results: StoredStudy) -> ReportSection:
    """Tell what was varied, what was kept, and what was measured."""
    study, table = results.study, results.table
    ended = len(finished(table))
    failed = f", {len(table) - ended:,} failed" if ended < len(table) else ""
    are = f"{words.plural(len(table), 'run')} {'is' if len(table) == 1 else 'are'}"
    runs = f"{are} in the results: {ended:,} finished{failed}."
    planned = _planned(study)
    if planned is not None and planned > len(table) and not study.get("stop"):
        runs += f" The study asks for {planned:,}; the others have not been run."
    scenario = study["configuration"].get("file")
    what = f"the scenario `{scenario}`" if scenario else f"`{study.get('experiment', 'unnamed')}`"
    experiment = f"The experiment is {what}."
    return ReportSection(
        "What was asked",
        paragraphs=(experiment, _design(results), *_stop(study), runs),
        sheets=tuple(sheet for sheet in (_measured(results), _kept(study)) if sheet.rows),
        code=str(study["configuration"].get("scenario", "")),
    )


def _design(results: StoredStudy) -> str:
    vary, seeds = results.study["vary"], results.study.get("seeds") or []
    each = words.plural(len(seeds), "seed") if seeds else "Some seeds"
    if not vary:
        return f"{each} of one combination; nothing was varied."
    lists = "; ".join(f"`{name}` = {words.values(many)}" for name, many in vary.items())
    combinations = _combinations(results.study)
    if results.study.get("sensitivity"):
        return f"{each} for each of {words.plural(combinations, 'combination')} that were drawn of {listed(vary)}."
    if results.study.get("rows"):
        return f"{each} for each of {words.plural(combinations, 'combination')} that were listed, of {lists}."
    return f"{each} for each of {words.plural(combinations, 'combination')} of {lists}."


def _stop(study: dict[str, Any]) -> tuple[str, ...]:
    """Say by which rule seeds were added, if there was one, and what that does to intervals."""
    stop = study.get("stop")
    if not stop:
        return ()
    relative, absolute = stop.get("relative"), stop.get("absolute")
    wanted = [f"{words.percent(relative)} of its mean"] if relative else []
    wanted += [f"{absolute:g}"] if absolute else []
    level = words.percent(stop.get("level", LEVEL))
    said = (
        f"Seeds were added to each combination until the half width of the {level} interval of "
        f"`{stop.get('metric')}` was at most {' or '.join(wanted)}, or all seeds were used. Stopping there "
        f"has somewhat fewer than {level} of such intervals around the true mean."
    )
    return (said,)


def _planned(study: dict[str, Any]) -> int | None:
    seeds = study.get("seeds")
    if not isinstance(seeds, list):
        return None
    return len(seeds) * _combinations(study)


def _combinations(study: dict[str, Any]) -> int:
    rows = study.get("rows")
    return len(rows) if rows else prod(len(many) for many in study["vary"].values())


def _measured(results: StoredStudy) -> ReportTable:
    rows = tuple((name, results.unit(name) or "–", results.about(name)) for name in results.metrics)
    return ReportTable(("metric", "unit", "what it is"), rows)


def _kept(study: dict[str, Any]) -> ReportTable:
    base = study["configuration"]
    base = base.get("set", {}) if "scenario" in base else base
    rows = tuple((name, words.value(one)[:200]) for name, one in base.items() if name not in study["vary"])
    return ReportTable(("parameter", "value"), rows, title="Parameters that were not varied", is_folded=True)


def missing(results: StoredStudy) -> ReportSection | None:
    """List the runs that failed and the metrics without a value, or give nothing where all is there."""
    table = results.table
    failed = table.filter(pl.col("outcome") != FINISHED) if "outcome" in table.columns else table.clear()
    said = tuple(_lacking(results))
    if not len(failed) and not said:
        return None
    columns = [name for name in ("row", *results.varied, "seed", "outcome") if name in table.columns]
    rows = tuple(
        tuple(words.value(one) for one in row)
        for row in failed.head(SHOWN_FAILURES).select(columns).iter_rows()
    )
    more = len(failed) - len(rows)
    sheet = ReportTable(tuple(columns), rows, title="Failed runs", note=f"And {more:,} more." if more else "")
    return ReportSection("What is missing", paragraphs=said, sheets=(sheet,) if rows else ())


def _lacking(results: StoredStudy) -> list[str]:
    counted, said = finished(results.table), []
    for metric in results.metrics:
        if f"series_{metric}" in results.series and metric not in counted.columns:
            continue
        if metric in results.up_to:
            known = [time for time in times_of(counted, metric) if time is not None]
            lacking = len(counted) - len(known)
            said += (
                [f"`{metric}` is missing in {lacking:,} of {words.plural(len(counted), 'finished run')}."]
                if lacking
                else []
            )
        elif metric not in counted.columns or counted[metric].null_count() == len(counted):
            said.append(f"`{metric}` has no value in any finished run.")
        elif not has_numbers(counted, metric):
            said.append(
                f"`{metric}` is not a number, such as {counted[metric].drop_nulls()[0]!r}; it has no mean."
            )
        elif len(present(counted[metric])) < len(counted):
            lacking = len(counted) - len(present(counted[metric]))
            said.append(
                f"`{metric}` is missing in {lacking:,} of {words.plural(len(counted), 'finished run')}; "
                "means are over the others."
            )
    return said


def made(results: StoredStudy) -> ReportSection:
    """Tell with which versions the runs were made, on what, and how to do one again."""
    study, table = results.study, results.table
    machine = study.get("machine")
    rows = [(name, str(one)) for name, one in study["versions"].items()]
    rows += [("machine", _listed(machine))] if machine else []
    if "wall_seconds" in table.columns and table["wall_seconds"].dtype.is_numeric():
        rows.append(("time of all runs", f"{table['wall_seconds'].fill_null(0).sum():,.1f} s"))
    return ReportSection(
        "How it was made, and how to do it again",
        paragraphs=(again(results),),
        sheets=(ReportTable(("what", "version"), tuple(rows)),) if rows else (),
    )


def _listed(machine: Any) -> str:
    """Write what is known of a machine."""
    if isinstance(machine, dict):
        return ", ".join(f"{name}: {one}" for name, one in machine.items())
    return str(machine)


def again(results: StoredStudy) -> str:
    """Say how a single row is run again, with an example."""
    table = results.table
    said = "Each row of `runs.jsonl` holds the parameters and the seed of its run, and the hash of its trace."
    if not len(table) or "row" not in table.columns:
        return said
    hash_ = table["trace_hash"][0] if "trace_hash" in table.columns else None
    expects = f" It must give the trace hash `{hash_}`." if hash_ else ""
    row = table["row"][0]
    return f"{said} To run row {row} again: `kumi study {results.folder.name} --row {row}`.{expects}"
