"""`python -m benchmarks`: measure, show, and write down."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.grid_rows import ROWS as GRID
from benchmarks.machine import machine, versions
from benchmarks.measuring import is_failure, measure, total
from benchmarks.network_rows import ROWS as NETWORK
from benchmarks.plan_rows import ROWS as PLANS
from benchmarks.report import HEADERS, Line, as_json, as_markdown, cells, lines
from benchmarks.rows import ROWS as KERNEL
from benchmarks.world_rows import ROWS as WORLD

HERE = Path(__file__).parent
ROWS = (*KERNEL, *WORLD, *NETWORK, *GRID, *PLANS)


@click.command()
@click.option("--quick", is_flag=True, help="Measure less and once; takes less than a minute.")
@click.option("--only", metavar="NAME", help="Measure only the rows whose name contains NAME.")
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write what was measured to this file.",
)
def main(quick: bool, only: str | None, file: Path | None) -> None:
    """Measure kumi next to its peers.

    A whole run takes about a quarter of an hour and writes results.json and RESULTS.md into this folder. The exit
    code is 1 when some engine failed or counted wrong.
    """
    rows = [row for row in ROWS if only is None or only.lower() in row.name.lower()]
    if not rows:
        raise click.UsageError(f"No row is named {only!r}; there are: {', '.join(row.name for row in ROWS)}.")
    console = Console()
    if not console.is_terminal:
        console.width = 160
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=total(rows, quick=quick))
        # Told before each sample: the bar counts the one that is being taken.
        outcomes = measure(
            rows, quick=quick, tell=lambda text: progress.update(bar, description=text, advance=1)
        )
    table = lines(rows, outcomes, quick=quick)
    show(console, table)
    write(table, quick=quick, whole=only is None, file=file)
    failed = [
        f"{line.row.title}: {engine}: {problem}"
        for line in table
        for engine, problem in line.problems.items()
        if is_failure(problem)
    ]
    if failed:
        raise click.ClickException("; ".join(failed))


def show(console: Console, table: list[Line]) -> None:
    """Print the table on the screen."""
    screen = Table(*HEADERS)
    for line in table:
        screen.add_row(*(cell.replace("**", "").replace("; ", "\n") for cell in cells(line)))
    console.print(screen)


def write(table: list[Line], *, quick: bool, whole: bool, file: Path | None) -> None:
    """Write the files: those of this folder only after a whole run."""
    result = as_json(table, machine(), versions(), quick=quick)
    text = json.dumps(result, indent=2) + "\n"
    if file is not None:
        file.write_text(text, encoding="utf-8")
    if whole and not quick:
        (HERE / "results.json").write_text(text, encoding="utf-8")
        (HERE / "RESULTS.md").write_text(as_markdown(table, machine(), versions()), encoding="utf-8")


if __name__ == "__main__":
    main()
