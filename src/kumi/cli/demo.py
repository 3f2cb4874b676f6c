"""`kumi demo`: the shipped simulations, with a table and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from time import perf_counter

import click

from kumi.cli.lazy import Entry, LazyGroup
from kumi.cli.options import AtLeast, Folder

OTHERS = {
    "link": Entry("kumi.cli.demo_link:link", "Three emulated packet robots map a place over their links."),
}


@click.group(cls=LazyGroup, entries=OTHERS, invoke_without_command=True)
@click.option(
    "--out",
    type=Folder(),
    default="kumi-demo",
    show_default=True,
    help="Folder for the pictures; made when it is missing.",
)
@click.option(
    "--days",
    type=AtLeast(1),
    default=25,
    show_default=True,
    help="How many days to simulate for each number of docks.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="First seed; each day takes the next one."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@click.pass_context
def demo(ctx: click.Context, out: Path, days: int, seed: int, as_json: bool) -> None:
    """Run the shipped simulations: tables, pictures, and it ends by itself.

    Robots move at random, gather, and follow a wall: each scenario is run, recorded and drawn. Then twelve
    rovers share charging docks for eight hours: how many docks are enough?

    \b
    Try:
      kumi demo
      kumi demo link         three robots, each a process of its own, on their links
    """
    if ctx.invoked_subcommand is None:
        run_all(out, days, seed, as_json)


def run_all(out: Path, days: int, seed: int, as_json: bool) -> None:
    """Run the shipped simulations and print what came out."""
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from kumi.cli.worlds import show_all
    from kumi.programs.charging import HOUR, Day, day
    from kumi.recording.timeline import Bar, timeline

    colours = {"working": "#3b7dd8", "waiting": "#f2a33a", "charging": "#4fae62"}
    console = Console()
    worlds = list(show_all(out))
    results: dict[int, list[Day]] = {docks: [] for docks in (2, 3, 4, 5)}
    begin = perf_counter()
    with Progress(console=console, transient=True, disable=as_json) as progress:
        bar = progress.add_task("simulating days", total=days * len(results))
        for docks, rows in results.items():
            for number in range(days):
                rows.append(day(docks=docks, seed=seed + number))
                progress.advance(bar)
    seconds = perf_counter() - begin

    pictures = []
    for docks, rows in results.items():
        picture = out / f"charging-{docks}-docks.svg"
        bars = [Bar(s.rover, s.doing, s.begin, s.end) for s in rows[0].stretches if s.end > s.begin]
        title = f"Twelve rovers, {docks} docks, one day (seed {seed}): {rows[0].share('waiting'):.0%} of it is waiting"
        picture.write_text(
            timeline(bars, title=title, colours=colours, unit=HOUR, unit_name="hours"), encoding="utf-8"
        )
        pictures.append(picture)

    shares = {
        docks: {kind: fmean(row.share(kind) for row in rows) for kind in ("working", "waiting", "charging")}
        for docks, rows in results.items()
    }
    transitions = sum(row.transitions for rows in results.values() for row in rows)
    if as_json:
        report = {
            "simulation": "charging",
            "days": days,
            "seed": seed,
            "rows": [
                {"docks": docks, **shares[docks], "trace_hash": rows[0].trace_hash}
                for docks, rows in results.items()
            ],
            "transitions": transitions,
            "seconds": seconds,
            "pictures": [str(picture) for picture in pictures],
            "worlds": [
                {
                    "scenario": shown.name,
                    "simulated_seconds": shown.outcome.simulated_seconds,
                    "collisions": shown.outcome.collisions,
                    "trace_hash": shown.outcome.trace_hash,
                    "picture": str(shown.picture),
                    "run_file": str(shown.run_file),
                }
                for shown in worlds
            ],
        }
        click.echo(json.dumps(report))
        return
    table = Table(title="Robots in a world: exact motion, exact contacts")
    for heading in ("scenario", "robots", "simulated", "took", "contacts", "trace hash"):
        table.add_column(heading, justify="right")
    for shown in worlds:
        outcome = shown.outcome
        times = f"{outcome.simulated_seconds:g} s", f"{outcome.wall_seconds:.2f} s"
        table.add_row(
            shown.name, str(outcome.robots), *times, f"{outcome.collisions:,}", outcome.trace_hash[:16]
        )
    console.print(table)
    mean = "one day" if days == 1 else f"mean of {days} days"
    table = Table(title=f"Twelve rovers, eight hours, {mean} for each number of docks")
    for heading in ("docks", "working", "waiting", "charging", "trace hash of the first day"):
        table.add_column(heading, justify="right")
    for docks, rows in results.items():
        share = shares[docks]
        numbers = (f"{share[kind]:.1%}" for kind in ("working", "waiting", "charging"))
        table.add_row(str(docks), *numbers, rows[0].trace_hash)
    console.print(table)
    console.print(
        f"{days * len(results)} days, {transitions:,} transitions in {seconds:.1f} s. "
        "The same seed gives the same hash."
    )
    for picture in [*(shown.picture for shown in worlds), *pictures]:
        click.echo(f"picture: {picture}")
    click.echo(f"film of a run: kumi video {worlds[0].run_file} -o film.mp4")
    click.echo(f"in a browser: kumi view {worlds[0].run_file}, or kumi view for a simulation that runs")
