"""`kumi log`: a run as text, one line an event."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.show import RunPath
from kumi.recording.textlog import write_log

if TYPE_CHECKING:
    from kumi.recording.runfile import RunFile


@click.command()
@click.argument("run", type=RunPath())
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File to write.  [default: the terminal]"
)
def log(run: RunFile, output: Path | None) -> None:
    """Print what happened in a run, one line an event.

    A line tells time, robot, position, destination, angle, degrees to turn, distance to go, turn speed, move
    speed and condition; angles are in degrees. docs/recording.md has the grammar.

    \b
    Try:
      kumi log run.kumi | grep CollisionEvent
      kumi log run.kumi -o run.log
    """
    if output is None:
        write_log(run, sys.stdout)
        return
    with output.open("w", encoding="utf-8") as out:
        write_log(run, out)
    click.echo(f"log: {output}")
