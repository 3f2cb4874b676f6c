"""`kumi show`: what a run file holds, and a picture of it at an instant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput, refusing

if TYPE_CHECKING:
    from kumi.recording.runfile import RunFile

SMALLEST, LARGEST = 64, 8192


class RunPath(click.ParamType["RunFile"]):
    """A run file, opened."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RunFile:
        """Open the run, and say if its writing was cut off."""
        from kumi.recording.runfile import RunFile

        if not Path(value).exists():
            raise BadInput(f"{value}: there is no such file.")
        with refusing():
            run = RunFile(Path(value))
        if not run.is_whole:
            click.echo(f"{run.path} was cut off while it was written; it goes up to {run.end:g}.", err=True)
        return run


class Size(click.ParamType[tuple[int, int]]):
    """The width and height of a picture in pixels."""

    name = "WIDTHxHEIGHT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read two numbers, or say what is allowed."""
        if isinstance(value, tuple):
            return value
        width, _, height = str(value).partition("x")
        if not (width.isdecimal() and height.isdecimal()):
            self.fail(f"{value!r} is not a size such as 1280x720.", param, ctx)
        size = int(width), int(height)
        if not (SMALLEST <= min(size) and max(size) <= LARGEST):
            self.fail(f"{value!r} is not within {SMALLEST} and {LARGEST} pixels each way.", param, ctx)
        return size


@click.command()
@click.argument("run", type=RunPath())
@click.option("--at", "instant", type=float, help="Time to show, in seconds.  [default: the end of the run]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Picture to write: .png or .svg.")
@click.option("--size", type=Size(), default="1280x720", show_default=True, help="Size in pixels.")
def show(run: RunFile, instant: float | None, output: Path | None, size: tuple[int, int]) -> None:
    """Tell what a run file holds, or draw it at an instant.

    Robots that move are blue, those that rest orange, each drawn at its size with a mark where it looks.

    \b
    Try:
      kumi show run.kumi
      kumi show run.kumi --at 12.5 -o picture.png
    """
    instant = run.end if instant is None else instant
    if output is None:
        tell(run, instant)
        return
    from kumi.recording.picture import write_picture

    write_picture(run, instant, output, size)
    click.echo(f"picture: {output}")


def tell(run: RunFile, instant: float) -> None:
    """Print what is known of a run, and of its robots at an instant."""
    from rich.console import Console
    from rich.table import Table

    from kumi.recording.published import counted

    states = run.state_at(instant)
    moving = sum(state.is_moving for state in states)
    table = Table(show_header=False, box=None)
    rows = {
        "run": str(run.path),
        "time": f"{run.start:g} to {run.end:g} s",
        "seed": str(run.meta.seed),
        "kumi": run.meta.version,
        f"at {instant:g}": f"{counted(len(states), 'robot')}, {moving:,} of them moving",
    }
    if run.summary:
        rows |= {
            "events": f"{run.summary.events:,}",
            "collisions": f"{run.summary.collisions:,}",
            "trace hash": run.summary.trace_hash,
        }
    for name, value in rows.items():
        table.add_row(name, value)
    Console().print(table)
