"""`kumi demo`: the shipped simulations, which end in one page of pictures that move."""

from __future__ import annotations

import json
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import click

from kumi.cli.gallery import took, write_gallery
from kumi.cli.lazy import CommandEntry, LazyGroup
from kumi.cli.options import AtLeast, Folder
from kumi.cli.showing import has_desktop
from kumi.cli.terminal import RunBar, table
from kumi.cli.worlds import show_all
from kumi.programs.charging import HOUR, day
from kumi.recording.timeline import TimelineBar, timeline
from kumi.scenario import shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.cli.gallery import Shown
    from kumi.programs.charging import Day, Doing

OTHERS = {
    "link": CommandEntry(
        "kumi.cli.demo_link:link", "Three emulated packet robots map a place over their links."
    ),
}
KINDS: tuple[Doing, ...] = ("working", "waiting", "charging")
COLOURS = {"working": "#3b7dd8", "waiting": "#f2a33a", "charging": "#4fae62"}
DOCKS = (2, 3, 4, 5)
HASH_LETTERS = 12
"""Letters of a trace hash that are printed, so that the table fits into 80 columns."""


@click.group(cls=LazyGroup, entries=OTHERS, invoke_without_command=True)
@click.option(
    "--out",
    type=Folder(),
    default="kumi-demo",
    show_default=True,
    help="Folder for the page and its pictures; made when it is missing.",
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
    """Run the shipped simulations, and leave a page of pictures that move.

    Each scenario is run, recorded and drawn: a loop of a few seconds, and behind it the whole run. Then twelve rovers
    share charging docks for eight hours: how many docks are enough? All is in the page index.html of the folder, which
    needs no server. Where there is a screen, it offers to open it.

    \b
    Try:
      kumi demo
      kumi demo link         three robots, each a process of its own, on their links
    """
    if ctx.invoked_subcommand is None:
        run_all(out, days, seed, as_json)


def run_all(out: Path, days: int, seed: int, as_json: bool) -> None:
    """Run the shipped simulations, write the page, and print what came out."""
    with DemoSteps(len(shipped_scenarios()) + 1, is_quiet=as_json) as steps:
        worlds = show_all(out, steps.tell)
        steps.tell(["charging"], len(worlds))
        charging = charge(days, seed)
    page = out / "index.html"
    figures = charging.draw(out)
    write_gallery(page, worlds, figures, own_command())
    if as_json:
        click.echo(json.dumps(reported(page, worlds, charging, figures)))
        return
    print_tables(worlds, charging)
    click.echo(f"a live run:      {own_command()} view")
    click.echo(f"all as one page: {page}")
    offer(page)


class DemoSteps:
    """How far the demo is: a bar on a terminal, a line for each step elsewhere."""

    def __init__(self, count: int, *, is_quiet: bool) -> None:
        self._bar = RunBar(count, is_quiet=is_quiet)
        self._is_plain = not (is_quiet or self._bar.is_shown)
        self._begun: set[str] = set()

    def tell(self, making: Sequence[str], done: int) -> None:
        """Take what is being made, and how many steps are done."""
        for name in making:
            if self._is_plain and name not in self._begun:
                click.echo(f"making {name}", err=True)
        self._begun.update(making)
        self._bar.show(done, ", ".join(making))

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)


@dataclass(frozen=True)
class Charging:
    """Days of twelve rovers by the number of docks, and how long it took to simulate them."""

    days: int
    seed: int
    results: dict[int, list[Day]]
    seconds: float

    @property
    def transitions(self) -> int:
        """How many transitions all days had."""
        return sum(row.transitions for rows in self.results.values() for row in rows)

    def shares(self, docks: int) -> dict[str, float]:
        """Return how much of a day the rovers spend with what, in the mean."""
        return {kind: fmean(row.share(kind) for row in self.results[docks]) for kind in KINDS}

    def draw(self, out: Path) -> list[tuple[Path, str]]:
        """Draw the first day for each number of docks; return the pictures with what they show."""
        drawn = []
        for docks, rows in self.results.items():
            picture = out / f"charging-{docks}-docks.svg"
            bars = [
                TimelineBar(s.rover, s.doing, s.begin, s.end) for s in rows[0].stretches if s.end > s.begin
            ]
            waiting = rows[0].share("waiting")
            title = (
                f"Twelve rovers, {docks} docks, one day (seed {self.seed}): {waiting:.0%} of it is waiting"
            )
            text = timeline(bars, title=title, colours=COLOURS, unit=HOUR, unit_name="hours")
            picture.write_text(text, encoding="utf-8")
            drawn.append((picture, title))
        return drawn


def charge(days: int, seed: int) -> Charging:
    """Simulate days of rovers that share docks."""
    begin = perf_counter()
    results = {docks: [day(docks=docks, seed=seed + one) for one in range(days)] for docks in DOCKS}
    return Charging(days, seed, results, perf_counter() - begin)


def reported(
    page: Path, worlds: Sequence[Shown], charging: Charging, figures: Sequence[tuple[Path, str]]
) -> dict[str, Any]:
    """Return what came out, for a machine to read."""
    return {
        "simulation": "charging",
        "days": charging.days,
        "seed": charging.seed,
        "rows": [
            {"docks": docks, **charging.shares(docks), "trace_hash": rows[0].trace_hash}
            for docks, rows in charging.results.items()
        ],
        "transitions": charging.transitions,
        "seconds": charging.seconds,
        "page": str(page),
        "pictures": [str(picture) for picture, _ in figures],
        "worlds": [
            {
                "scenario": shown.name,
                "simulated_seconds": shown.outcome.simulated_seconds,
                "contacts": shown.outcome.contacts,
                "trace_hash": shown.outcome.trace_hash,
                "picture": str(shown.picture),
                "player": None if shown.player is None else str(shown.player),
            }
            for shown in worlds
        ],
    }


def print_tables(worlds: Sequence[Shown], charging: Charging) -> None:
    """Print what came out, for a person to read."""
    rows = [
        (
            shown.name,
            str(shown.outcome.robots),
            f"{shown.outcome.simulated_seconds:g} s",
            took(shown.outcome.wall_seconds),
            f"{shown.outcome.contacts:,}",
            shown.outcome.trace_hash[:HASH_LETTERS],
        )
        for shown in worlds
    ]
    heads = ("scenario", "robots", "simulated", "took", "contacts", "trace hash")
    title = "Robots in a world: exact motion, exact contacts"
    click.echo(table(rows, heads=heads, right=range(len(heads)), title=title))
    days = charging.days
    mean = "one day" if days == 1 else f"mean of {days} days"
    shares = [
        (str(docks), *(f"{share:.1%}" for share in charging.shares(docks).values()), first[0].trace_hash)
        for docks, first in charging.results.items()
    ]
    columns = ("docks", *KINDS, "trace hash of the first day")
    title = f"Twelve rovers, eight hours, {mean} for each number of docks"
    click.echo(table(shares, heads=columns, right=range(len(columns)), title=title))
    click.echo(
        f"{days * len(DOCKS)} days, {charging.transitions:,} transitions in {charging.seconds:.1f} s. "
        "The same seed gives the same hash."
    )


def own_command() -> str:
    """Return how kumi is called from here: by its name, or by its path where no folder of the system has it."""
    known, called = which("kumi"), Path(sys.argv[0])
    return str(called) if known is None and called.name == "kumi" else "kumi"


def offer(page: Path) -> None:
    """Say how the page is opened, and open it where there is a screen and a person who wants it."""
    address = page.resolve().as_uri()
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    click.echo(f"to open it:      {opener} {page}")
    if (
        has_desktop()
        and sys.stdin.isatty()
        and sys.stdout.isatty()
        and click.confirm("Open it now?", default=True)
    ):
        webbrowser.open(address)
