"""`kumi show`: what a run file holds, and a picture of it at an instant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kumi.cli.errors import BadInput, refusing
from kumi.cli.terminal import table
from kumi.recording.looping import telling_instant, write_loop
from kumi.recording.picture import LAYERS, write_picture
from kumi.recording.published import counted
from kumi.recording.runfile import RunFile
from kumi.scenario import shipped_scenarios
from kumi.teaching import near_or_all

LEAST_PIXELS, MOST_PIXELS = 64, 8192
AUTO, NONE, MOVES = "auto", "none", ".webp"


class RunPath(click.ParamType["RunFile"]):
    """A run file, opened."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RunFile:
        """Open the run, and say if its writing was cut off."""
        if not Path(value).exists():
            raise BadInput(f"{value}: there is no such file{how_to_make(value)}.")
        with refusing():
            run = RunFile(Path(value))
        if not run.is_whole:
            click.echo(f"{run.path} was cut off while it was written; it goes up to {run.end:g}.", err=True)
        return run


def how_to_make(name: str) -> str:
    """Say how a run file of a scenario that ships is made, if the name is that of one."""
    if name not in shipped_scenarios():
        return ""
    return f"; it is a scenario, and `kumi run {name} --record {name}.kumi` makes a run file of it"


class SizeType(click.ParamType[tuple[int, int]]):
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
        if not (LEAST_PIXELS <= min(size) and max(size) <= MOST_PIXELS):
            self.fail(
                f"{value!r} is not within {LEAST_PIXELS} and {MOST_PIXELS} pixels each way.", param, ctx
            )
        return size


class Instant(click.ParamType["float | None"]):
    """An instant of a run, or the one that tells most."""

    name = "auto|SECONDS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        """Read the number; None stands for the instant that tells most."""
        if value is None or value == AUTO:
            return None
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number of seconds nor {AUTO}.", param, ctx)


class Layers(click.ParamType[tuple[str, ...]]):
    """The layers of a picture, as words with commas between them."""

    name = "LAYER,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Read the words, or say which there are."""
        if isinstance(value, tuple):
            return value
        layers = () if value == NONE else tuple(value.split(","))
        unknown = [layer for layer in layers if layer not in LAYERS]
        if unknown:
            self.fail(
                f"there is no layer {unknown[0]!r}; {near_or_all(unknown[0], LAYERS, '--layers')}", param, ctx
            )
        return layers


@click.command()
@click.argument("run", type=RunPath())
@click.option(
    "--at",
    "instant",
    type=Instant(),
    default=AUTO,
    show_default=True,
    help="Time to show, in seconds; auto chooses the instant that tells most.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Picture to write: .png or .svg, or .webp, which moves.",
)
@click.option("--size", type=SizeType(), default="1280x720", show_default=True, help="Size in pixels.")
@click.option(
    "--layers",
    type=Layers(),
    default="trails,map,messages,reserved",
    show_default=True,
    help="What is drawn besides robots; sensors, too, or none.",
)
def show(
    run: RunFile,
    instant: float | None,
    output: Path | None,
    size: tuple[int, int],
    layers: tuple[str, ...],
) -> None:
    """Tell what a run file holds, or draw it at an instant.

    Robots that move are blue, those that rest orange, each drawn at its size with a mark where it looks; small ones are
    drawn larger, so that they are seen. Behind them is where they have been. A .webp is a loop of a few seconds around the
    instant, with the usual layers, of 300 kB at most.

    \b
    Try:
      kumi show run.kumi
      kumi show run.kumi -o picture.png
      kumi show run.kumi -o loop.webp --size 400x300
      kumi show run.kumi --at 12.5 --layers map,sensors -o picture.svg
    """
    if output is None:
        tell(run, run.end if instant is None else instant)
        return

    if output.suffix.lower() == MOVES:
        write_loop(run, output, size, instant)
    else:
        write_picture(run, telling_instant(run) if instant is None else instant, output, size, layers)
    click.echo(f"picture: {output}")


def tell(run: RunFile, instant: float) -> None:
    """Print what is known of a run, and of its robots at an instant."""
    states = run.state_at(instant)
    moving = sum(state.is_moving for state in states)
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
            "contacts": f"{run.summary.contacts:,}",
            "trace hash": run.summary.trace_hash,
        }
    click.echo(table(rows.items(), is_plain=True))
