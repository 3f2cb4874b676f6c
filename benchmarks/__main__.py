"""`python -m benchmarks`: measure, show, and write down."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import click

from benchmarks.cliffs_rows import ROWS as CLIFFS
from benchmarks.convoy_rows import ROWS as STUDIES
from benchmarks.distributed_rows import ROWS as DISTRIBUTED
from benchmarks.grid_rows import ROWS as GRID
from benchmarks.loops_rows import ROWS as SENSING_LOOPS
from benchmarks.machine import machine, versions
from benchmarks.mapf_rows import ROWS as MANY
from benchmarks.mapping_rows import ROWS as MAPPING
from benchmarks.measuring import is_failure, measure, total
from benchmarks.network_rows import ROWS as NETWORK
from benchmarks.plan_rows import ROWS as PLANS
from benchmarks.report import HEADERS, Line, as_json, as_markdown, cells, lines, stored
from benchmarks.rows import ROWS as KERNEL
from benchmarks.start_rows import ROWS as START
from benchmarks.station_rows import ROWS as STATION
from benchmarks.steering_rows import ROWS as STEERING
from benchmarks.view_rows import ROWS as VIEW
from benchmarks.world_rows import ROWS as WORLD
from kumi.cli.terminal import RunBar, table

HERE = Path(__file__).parent
ROWS = (
    *KERNEL,
    *WORLD,
    *STEERING,
    *SENSING_LOOPS,
    *NETWORK,
    *GRID,
    *PLANS,
    *MANY,
    *MAPPING,
    *STUDIES,
    *DISTRIBUTED,
    *STATION,
    *VIEW,
    *START,
    *CLIFFS,
)
PARTS = tuple(dict.fromkeys(row.part for row in ROWS))
RESULTS = HERE / "results.json"


@click.command()
@click.option("--quick", is_flag=True, help="Measure less and once; takes less than a minute.")
@click.option("--only", metavar="NAME", help="Measure only the rows whose name contains NAME.")
@click.option(
    "--part",
    "parts",
    type=click.Choice(PARTS, case_sensitive=False),
    multiple=True,
    help="Measure only this part of the table, and write it into the results beside the others.",
)
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write what was measured to this file.",
)
def main(quick: bool, only: str | None, parts: tuple[str, ...], file: Path | None) -> None:
    """Measure kumi next to its peers.

    A whole run takes about half an hour and writes results.json and RESULTS.md into this folder; so do whole
    parts. The exit code is 1 when some engine failed or counted wrong.
    """
    chosen = [row for row in ROWS if not parts or row.part in parts]
    rows = [row for row in chosen if only is None or only.lower() in row.name.lower()]
    if not rows:
        raise click.UsageError(f"No row is named {only!r}; there are: {', '.join(row.name for row in ROWS)}.")
    samples, count = itertools.count(1), total(rows, quick=quick)
    with RunBar(count) as bar:

        def tell(text: str) -> None:
            taken = next(samples)  # told before each sample: the bar counts the one that is being taken
            bar.show(taken, said=f"{taken} of {count}: {text}")

        outcomes = measure(rows, quick=quick, tell=tell)
    measured = lines(rows, outcomes, quick=quick)
    show(measured)
    if only is None and not quick:
        measured = [*measured, *others(parts)] if parts else measured
        measured.sort(key=lambda line: ROWS.index(line.row))
    write(measured, quick=quick, whole=only is None, file=file)
    failed = [
        f"{line.row.title}: {engine}: {problem}"
        for line in measured
        for engine, problem in line.problems.items()
        if is_failure(problem)
    ]
    if failed:
        raise click.ClickException("; ".join(failed))


def others(parts: tuple[str, ...]) -> list[Line]:
    """Return what the results hold of the other parts, if they are of this machine."""
    if not RESULTS.exists():
        return []
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    mine = {key: value for key, value in machine().items() if key != "date"}
    theirs = {key: value for key, value in found["machine"].items() if key != "date"}
    if mine != theirs:
        raise click.ClickException(
            f"{RESULTS.name} is of another machine ({theirs}), so it is not mixed with this one; measure all parts."
        )
    return [line for line in stored(found["rows"], ROWS) if line.row.part not in parts]


def show(measured: list[Line]) -> None:
    """Print the table on the screen."""
    rows = [[cell.replace("**", "").replace("; ", "\n") for cell in cells(line)] for line in measured]
    click.echo(table(rows, heads=HEADERS, most=None if sys.stdout.isatty() else 160))


def write(measured: list[Line], *, quick: bool, whole: bool, file: Path | None) -> None:
    """Write the files: those of this folder only after a whole run."""
    result = as_json(measured, machine(), versions(), quick=quick)
    text = json.dumps(result, indent=2) + "\n"
    if file is not None:
        file.write_text(text, encoding="utf-8")
    if whole and not quick:
        RESULTS.write_text(text, encoding="utf-8")
        (HERE / "RESULTS.md").write_text(as_markdown(measured, machine(), versions()), encoding="utf-8")


if __name__ == "__main__":
    main()
