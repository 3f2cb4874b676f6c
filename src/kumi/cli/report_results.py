"""`kumi report`: a report on a study, from its results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.options import Folder
from kumi.devs.extras import need
from kumi.study.statistics.values import StatisticsError


class ConfidenceType(click.ParamType[float]):
    """A level of confidence."""

    name = "level"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number, or say what is allowed."""
        try:
            level = float(value)
        except ValueError:
            level = 0.0
        if not 0 < level < 1:
            self.fail(f"{value!r} is not a level between 0 and 1, such as 0.95.", param, ctx)
        return level


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=Folder(), help="Folder to write to.  [default: RESULTS/report]")
@click.option(
    "--level", type=ConfidenceType(), default=0.95, show_default=True, help="Level of the intervals."
)
@click.option(
    "--columns",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="Columns of a paper that pictures are wide: 3.5 or 7.16 in.",
)
def report(results: Path, output: Path | None, level: float, columns: str) -> None:
    """Write a report on a study: report.html, in one file, and report.md with pictures beside it.

    Each picture is there as PDF and SVG, which go into a paper as they are, and as PNG.

    RESULTS is a folder that `kumi study` has made. Nothing is run: all is read from there. A study that is
    still running, or was killed, is reported as far as it came.

    \b
    Try:
      kumi report convoy.results
      kumi report convoy.results -o somewhere --level 0.99
      kumi report convoy.results --columns 2
    """
    need("study", "polars", "altair", "vl_convert", "SALib")
    if not results.is_dir():
        raise BadInput(f"'{results}' is not a folder; give the folder of results that `kumi study` has made.")
    from kumi.study.statistics.report import write_report

    try:
        written = write_report(results, output, level, int(columns))
    except StatisticsError as error:
        raise BadInput(str(error)) from error
    click.echo(f"report: {written.html}\nas text: {written.markdown}")
