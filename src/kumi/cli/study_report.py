"""What does a person, or a machine, learn of a study?"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from math import floor, isfinite
from typing import TYPE_CHECKING, Any

import click

from kumi.maths import log10
from kumi.study.statistics import StatisticsError
from kumi.study.summary import summary

if TYPE_CHECKING:
    from kumi.study.rerun import Again
    from kumi.study.results import Results
    from kumi.study.statistics import Interval
    from kumi.study.statistics.sensitivity import MorrisIndex, SobolIndex
    from kumi.study.study import StudySession
    from kumi.study.summary import Combination

SAID = {"first": "alone", "total": "with others"}
"""How parts of an index are named to a person."""
SHOWN_COMBINATIONS = 60
"""Combinations that are shown; the table in the folder has them all."""


def show(results: Results, session: StudySession) -> None:
    """Print the means with their intervals, one line a combination, in as many tables as there is need for."""
    from kumi.cli.terminal import table, width

    if results.study.get("sensitivity") and session.is_complete:
        show_indices(results)
        tell_end(session)
        return
    found = summary(results)
    metrics = [name for name in results.metrics if any(name in one.means for one in found)]
    units = {name: results.study["metrics"][name]["unit"] for name in metrics}
    heads = [
        *results.varied,
        "runs",
        *(f"{name}, {units[name]}" if units[name] else name for name in metrics),
    ]
    rows = [
        [
            *(plain(one.parameters[name]) for name in results.varied),
            f"{one.runs - one.failed}" + (f" (+{one.failed} failed)" if one.failed else ""),
            *(cell(one, name) for name in metrics),
        ]
        for one in found[:SHOWN_COMBINATIONS]
    ]
    if results.runs:
        click.echo(f"{results.study['name']}: means with 95 % intervals")
    for columns in in_pages(heads, rows, width(), len(heads) - len(metrics)) if results.runs else ():
        shown = [[row[one] for one in columns] for row in rows]
        click.echo(table(shown, heads=[heads[one] for one in columns], right=range(len(columns))))
    if results.runs and (times := [name for name in metrics if any(name in one.times for one in found)]):
        click.echo(f"{', '.join(times)}: in how many runs it happened, and the median by Kaplan and Meier")
    if len(found) > SHOWN_COMBINATIONS:
        click.echo(f"and {len(found) - SHOWN_COMBINATIONS:,} more combinations")
    tell_end(session)


def show_indices(results: Results) -> None:
    """Print the indices of each metric, one line a parameter."""
    for metric, found in indices(results).items():
        click.echo(f"{results.study['name']}: {metric}, indices with 95 % intervals")
        for one in found:
            parts = {key: part for key, part in one.items() if key != "parameter"}
            said = ", ".join(f"{SAID.get(key, key)} {_bounded(part)}" for key, part in parts.items())
            click.echo(f"  {one['parameter']}: {said}")


def _bounded(part: Any) -> str:
    return (
        f"{part['mean']:.3g} [{part['low']:.3g}, {part['high']:.3g}]"
        if isinstance(part, dict)
        else f"{part:.3g}"
    )


def indices(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the indices of each metric that has them, as `--json` prints them."""
    from kumi.study.statistics.sensitivity import design_from
    from kumi.study.statistics.tables import has_numbers, present, restricted

    design = design_from(results.study["sensitivity"])
    done = restricted(results.table, results.varied)
    found = {}
    for metric in results.metrics:
        if not has_numbers(done, metric) or len(set(present(done[metric]))) < 2:
            continue
        with suppress(StatisticsError):  # a metric that is missing in some runs has none; the report says so
            found[metric] = [plain_index(one) for one in design.indices(results.table, metric)]
    return found


def plain_index(one: MorrisIndex | SobolIndex) -> dict[str, Any]:
    """Return an index as a table: its intervals by mean, low and high."""
    return {
        name: {"mean": part["mean"], "low": part["low"], "high": part["high"]}
        if isinstance(part, dict)
        else part
        for name, part in asdict(one).items()
    }


def in_pages(heads: list[str], rows: list[list[str]], width: int, fixed: int) -> list[list[int]]:
    """Return which columns go into each of as few tables as lines of so many letters take.

    The first columns, so many as are fixed, are in every table; each has at least one of the others.
    """
    wide = [3 + max(len(head), *(len(row[at]) for row in rows), 0) for at, head in enumerate(heads)]
    pages = [list(range(fixed))]
    for at in range(fixed, len(heads)):
        if len(pages[-1]) > fixed and 1 + sum(wide[one] for one in pages[-1]) + wide[at] > width:
            pages.append(list(range(fixed)))
        pages[-1].append(at)
    return pages


def tell_end(session: StudySession) -> None:
    """Say how it ended, and where the results are."""
    done, planned = session.plan.done, session.plan.planned
    if session.is_complete:
        click.echo(f"{done:,} runs in {session.folder}")
    else:
        click.echo(
            f"Ended with {done:,} of {planned:,} runs, which are kept in {session.folder}; the same command goes on.",
            err=True,
        )


def record(results: Results, session: StudySession) -> dict[str, Any]:
    """Return what `--json` prints: the table of means with their intervals."""
    units = {name: about["unit"] for name, about in results.study["metrics"].items()}
    sensitivity = {"sensitivity": indices(results)} if results.study.get("sensitivity") else {}
    return {
        **sensitivity,
        "study": results.study["name"],
        "folder": str(results.folder),
        "is_complete": session.is_complete,
        "runs": len(results.runs),
        "planned": session.plan.planned,
        "level": 0.95,
        "table": [
            {
                "parameters": one.parameters,
                "runs": one.runs,
                "failed": one.failed,
                "metrics": {
                    name: {**bounded(mean), "count": mean.count, "unit": units[name]}
                    for name, mean in one.means.items()
                    if name not in one.times
                },
                "times": {
                    name: {
                        "happened": time.happened,
                        "count": time.count,
                        "share": bounded(time.share),
                        "median": asdict(time.median),
                        "restricted_mean": {**bounded(one.means[name]), "up_to": one.up_to[name]},
                        "unit": units[name],
                    }
                    for name, time in one.times.items()
                },
            }
            for one in summary(results)
        ],
    }


def bounded(mean: Interval) -> dict[str, float | None]:
    """Return a mean and its bounds, as `--json` prints them."""
    return {"mean": mean.mean, "low": finite(mean.low), "high": finite(mean.high)}


def finite(number: float) -> float | None:
    """Return a bound, or None where there is none."""
    return number if isfinite(number) else None


def plain(value: Any) -> str:
    """Write a value of a parameter."""
    return (
        f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)
    )


def cell(one: Combination, metric: str) -> str:
    """Write what a metric came to: a mean, with the number of runs that have one unless all do, or when it happened."""
    if metric in one.times:
        return str(one.times[metric])
    mean, finished = one.means.get(metric), one.runs - one.failed
    if mean is None:
        return f"0 of {finished}" if finished else "–"
    return words(mean) + (f" ({mean.count} of {finished})" if mean.count < finished else "")


def words(mean: Interval) -> str:
    """Write a mean with half the width of its interval, with two digits of the latter: 35.7 ± 1.2.

    Where the mean is not in its middle, as that of a share, the bounds: 0.00 [0.00, 0.28].
    """
    half = mean.half_width
    if not isfinite(half) or half == 0.0:
        return f"{mean.mean:.6g}" + (" ± 0" if half == 0.0 else "")
    digits = 1 - floor(log10(half))
    if not -6 < digits < 7:
        return f"{mean.mean:.4g} ± {half:.2g}"
    middle, low, high, width = (f"{n:,.{max(0, digits)}f}" for n in (mean.mean, mean.low, mean.high, half))
    return f"{middle} ± {width}" if mean.is_centred else f"{middle} [{low}, {high}]"


def tell_again(again: Again, *, as_json: bool) -> None:
    """Say whether a run came out the same."""
    before, now = again.before, again.now
    if as_json:
        changed = {name: list(pair) for name, pair in again.changed.items()}
        now.pop("measures", None)
        click.echo(json.dumps({"is_same": again.is_same, "before": before, "now": now, "changed": changed}))
        return
    given = ", ".join(f"{name} = {plain(value)}" for name, value in before["parameters"].items())
    click.echo(f"row {before['row']}: {given}{', ' if given else ''}seed = {before['seed']}")
    for name, value in before["metrics"].items():
        other = now["metrics"].get(name)
        click.echo(f"  {name} = {value}" + ("" if other == value else f", and {other} now"))
    click.echo(f"  trace hash {before['trace_hash']}")
    if again.is_same:
        click.echo("The same again.")
        return
    if before["trace_hash"] != now["trace_hash"]:
        click.echo(f"  trace hash {now['trace_hash']} now")
    if before["outcome"] != now["outcome"]:
        click.echo(f"  outcome {before['outcome']!r}, and {now['outcome']!r} now")
    versions = ", ".join(
        f"{name} {old} then and {new} now" for name, (old, new) in sorted(again.changed.items())
    )
    click.echo(
        f"Not the same: {versions}." if versions else "Not the same, and by the same versions.", err=True
    )
