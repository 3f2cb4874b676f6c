"""What does a person, or a machine, learn of a run that is over?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import sentence
from kumi.cli.lateness import lateness_of, lateness_text
from kumi.cli.real_robots import losses_of, record_of, words_of
from kumi.cli.terminal import table

if TYPE_CHECKING:
    from kumi.scenario.output import RunOutput
    from kumi.scenario.real_side import RealSide
    from kumi.scenario.scenario import Scenario
    from kumi.scenario.staging import Staging
    from kumi.stage import Outcome, Progress
    from kumi.stage.outcome import Messages

SHOWN_ERRORS = 10
SHOWN_REASONS = 3
STANDSTILL = 0.1
"""Share of a run without any motion at its end that is worth telling."""
OURS = Path(__file__).parent.parent


def tell(staging: Staging, outcome: Outcome, real: RealSide | None = None, *, as_json: bool) -> None:
    """Print what came out, as a table or as one JSON object; also of its real robots."""
    if as_json:
        click.echo(json.dumps(record(staging, outcome, real)))
    else:
        show(staging, outcome, real)


def tell_errors(outcome: Outcome) -> None:
    """Print on stderr which programs failed."""
    for one in outcome.errors[:SHOWN_ERRORS]:
        click.echo(f"The program of {one.robot} failed at t = {one.time:g} s: {reason(one.error)}", err=True)
    if len(outcome.errors) > SHOWN_ERRORS:
        click.echo(f"So did {len(outcome.errors) - SHOWN_ERRORS:,} more; a log has them all.", err=True)


def reason(error: Exception) -> str:
    """Say why a program ended, and on which line of it."""
    places = [
        place for place in extract_tb(error.__traceback__) if not Path(place.filename).is_relative_to(OURS)
    ]
    where = f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
    return f"{sentence(error).removesuffix('.')}{where}."


def record(staging: Staging, outcome: Outcome, real: RealSide | None = None) -> dict[str, Any]:
    """Return what `--json` prints."""
    found = {
        "scenario": staging.scenario.name,
        "seed": staging.scenario.settings.seed,
        "simulated_seconds": outcome.simulated_seconds,
        "wall_seconds": outcome.wall_seconds,
        "events": outcome.events,
        "contacts": outcome.contacts,
        "robots": staging.count,
        "robot_radius": staging.radius,
        "trace_hash": outcome.trace_hash,
    }
    if staging.models is not None:
        found["models"] = dict(staging.models.measured(outcome))
    if outcome.messages is not None:
        found["messages"] = {
            "sent": outcome.messages.sent,
            "arrived": outcome.messages.arrived,
            "dropped": outcome.messages.dropped,
        }
    if outcome.lateness is not None:
        found["lateness"] = lateness_of(outcome.lateness)
    if real is not None:
        found |= {"end": outcome.end, "interrupted": outcome.is_interrupted}
        found |= {"real": [record_of(one) for one in real.outcomes], "losses": losses_of(real.losses)}
    elif standstill(outcome):
        found["still_since"] = outcome.still_since
    if outcome.errors:
        found["errors"] = [
            {"robot": one.robot, "time": one.time, "error": reason(one.error)} for one in outcome.errors
        ]
    return found


def messages(messages: Messages) -> str:
    """Say what became of messages."""
    said = f"{messages.sent:,} sent, {messages.arrived:,} arrivals"
    most = sorted(messages.dropped.items(), key=lambda one: -one[1])
    reasons = [f"{count:,} dropped: {reason}" for reason, count in most[:SHOWN_REASONS]]
    others = sum(count for _, count in most[SHOWN_REASONS:])
    return "\n".join([said, *reasons, *([f"{others:,} dropped for other reasons"] if others else [])])


def real_words(real: RealSide, outcome: Outcome) -> list[tuple[str, str]]:
    """Say how a run with real robots ended, and what it showed of them."""
    return [("ended", outcome.end), *((one.name, "\n".join(words_of(one))) for one in real.outcomes)]


def show(staging: Staging, outcome: Outcome, real: RealSide | None = None) -> None:
    """Print a table."""
    settings = staging.scenario.settings
    wall = max(outcome.wall_seconds, 1e-9)
    failed, lost = len(outcome.errors), len(outcome.lost)
    less = [f"{count:,} {what}" for count, what in ((lost, "lost"), (failed, "failed")) if count]
    ended = ", ended by Ctrl-C" if outcome.is_interrupted else ""
    rows = (
        ("robots", f"{staging.count_here:,}" + (f" ({', '.join(less)})" if less else "")),
        ("simulated", f"{outcome.simulated_seconds:,.10g} s{ended}"),
        ("took", f"{wall:.3f} s, {factor(outcome.simulated_seconds / wall)} times real time"),
        ("events", f"{outcome.events:,}, {outcome.events / wall:,.0f} a second"),
        ("contacts", f"{outcome.contacts:,}"),
        ("nobody moved", standstill(outcome) if real is None else ""),
        *(() if staging.models is None else staging.models.rows(outcome)),
        *(() if real is None else real_words(real, outcome)),
        ("messages", "" if outcome.messages is None else messages(outcome.messages)),
        ("lateness", "" if outcome.lateness is None else lateness_text(outcome.lateness)),
        ("changed by", changes(staging.scenario)),
        ("seed", str(settings.seed)),
        ("trace hash", outcome.trace_hash),
    )
    title = settings.title or staging.scenario.name
    click.echo(table([row for row in rows if row[1]], right={1}, title=title))


def changes(scenario: Scenario) -> str:
    """Say what makes the run another one than the scenario's title tells of."""
    said = dict.fromkeys(scenario.document.overridden.values())
    return "\n".join(one for one in said if one.startswith("--set"))


def standstill(outcome: Outcome) -> str:
    """Say from when on all robots stood, where that was long before the end."""
    since, end = outcome.still_since, outcome.simulated_seconds
    return "" if since is None or since > (1.0 - STANDSTILL) * end else f"from {since:,.4g} s on"


def factor(number: float) -> str:
    """Write a factor with three digits or more, and without an exponent where that is possible."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def reached(progress: Progress, until: float) -> str:
    """Say how far a run has got: 12 of 60 s, 35,000 events/s, 120 times real time."""
    wall = max(progress.wall_seconds, 1e-9)
    end = f" of {until:g}" if math.isfinite(until) else ""
    return (
        f"{progress.simulated_seconds:.1f}{end} s, {progress.events / wall:,.0f} events/s, "
        f"{factor(progress.simulated_seconds / wall)} times real time"
    )


def tell_files(output: RunOutput) -> None:
    """Print where the files of the run are."""
    for what, path in (("log", output.log), ("run file", output.record), ("film", output.film)):
        if path is not None and path.exists():
            click.echo(f"{what}: {path}")
