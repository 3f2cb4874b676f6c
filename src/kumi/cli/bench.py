"""How fast is kumi on this machine, and does it count right?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from kumi.cli.options import AtLeast
from kumi.cli.terminal import table
from kumi.testing.devstone import WiringKind, measure

if TYPE_CHECKING:
    from kumi.testing.devstone import DevstoneMeasurement

DEVSTONE = """Run a DEVStone model and compare its counts with the closed forms.

DEVStone models are levels of small components inside one another. One message into each input sets
off a cascade whose numbers of transitions and messages are known from arithmetic, so the run proves
the kernel right while it measures it. A confluent transition counts once as internal and once as
external; `events` are the messages that reached atomic models.

\b
Try:
  kumi bench devstone
  kumi bench devstone --kind HI --width 300 --depth 300
  kumi bench devstone --kind HOmod --width 5 --depth 6 --seeds 2 --json

The exit code is 1 when a count differs from its closed form.
"""


def known_kind(_context: click.Context, _option: click.Parameter, text: str) -> WiringKind:
    """Turn the name of a kind, in any case, into the kind."""
    try:
        return WiringKind(text)
    except ValueError as unknown:
        raise click.BadParameter(f"{unknown}.") from unknown


@click.group(no_args_is_help=True)
def bench() -> None:
    """Measure how fast kumi is on this machine.

    Each command runs a model whose result is known, checks the result, and tells the time it took.
    """


@bench.command(help=DEVSTONE)
@click.option(
    "--kind",
    metavar="[LI|HI|HO|HOmod]",
    callback=known_kind,
    default="HO",
    show_default=True,
    help="How the atomics of a level are wired: LI, each on its own; HI, in a chain; HO, in a chain with "
    "more ports; HOmod, in a triangle where messages multiply.",
)
@click.option("--width", type=AtLeast(1), default=50, show_default=True, help="Components of a level.")
@click.option("--depth", type=AtLeast(1), default=50, show_default=True, help="Levels inside one another.")
@click.option(
    "--seeds",
    type=AtLeast(1),
    default=1,
    show_default=True,
    help="How many times the model is set off, at the times 0, 1, 2 and so on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
def devstone(kind: WiringKind, width: int, depth: int, seeds: int, as_json: bool) -> None:
    """Measure, show what was counted, and fail where it is wrong."""
    measurement = measure(kind, width, depth, seeds)
    if as_json:
        click.echo(json.dumps(record(measurement)))
    else:
        show(measurement)
    wrong = measurement.disagreements()
    if wrong:
        raise click.ClickException(" ".join(wrong))


def record(measurement: DevstoneMeasurement) -> dict[str, str | int | float]:
    """Return what `--json` prints."""
    counts = measurement.counts
    return {
        "kind": measurement.kind.value,
        "width": measurement.width,
        "depth": measurement.depth,
        "atomics": counts.atomics,
        "couplings": counts.couplings,
        "internal": counts.internal,
        "external": counts.external,
        "events": counts.events,
        "build_seconds": measurement.build_seconds,
        "run_seconds": measurement.run_seconds,
    }


def show(measurement: DevstoneMeasurement) -> None:
    """Print a table of what was counted beside what the closed forms give."""
    counts, expected = measurement.counts, measurement.expected
    seeds = "1 seed" if measurement.seeds == 1 else f"{measurement.seeds} seeds"
    rows = (
        ("atomic models", counts.atomics, expected.atomics),
        ("couplings", counts.couplings, expected.couplings),
        ("internal transitions", counts.internal, expected.internal),
        ("external transitions", counts.external, expected.external),
        ("of both, confluent", counts.confluent, expected.confluent),
        ("messages to atomics", counts.events, expected.events),
    )
    told = [(label, f"{counted:,}", f"{right:,}") for label, counted, right in rows]
    title = f"DEVStone {measurement.kind} ({measurement.width}, {measurement.depth}), {seeds}"
    click.echo(table(told, heads=("", "counted", "closed form"), right={1, 2}, title=title))
    click.echo(
        f"Built in {measurement.build_seconds:.3f} s, ran in {measurement.run_seconds:.3f} s: "
        f"{measurement.transitions_per_second / 1e6:.2f} million transitions per second."
    )
    if not measurement.disagreements():
        click.echo("All counts equal the closed forms.")
