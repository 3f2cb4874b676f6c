"""`kumi video`: a run as a film."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.show import RunPath, SizeType
from kumi.cli.terminal import RunBar
from kumi.recording.video import Film, write_video

if TYPE_CHECKING:
    from kumi.recording.runfile import RunFile


FILM_SECONDS = 30.0
"""Seconds of a film whose speed nobody chose."""
STANDSTILL = 2.0
"""Seconds of a film after which nobody moved any more."""


class Above0(click.ParamType[float]):
    """A number above 0."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number, or say what is allowed."""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0.0 < number < float("inf"):
            self.fail(f"{value!r} is not a number above 0.", param, ctx)
        return number


@click.command()
@click.argument("run", type=RunPath())
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Film: .mp4 or .gif.")
@click.option("--fps", type=Above0(), default=30, show_default=True, help="Frames a second.")
@click.option(
    "--speed",
    type=Above0(),
    help="Simulated seconds a second.  [default: 1, or so many that the film lasts 30 s]",
)
@click.option("--size", type=SizeType(), default="1280x720", show_default=True, help="Size in pixels.")
@click.option("--from", "start", type=float, help="Time at which to begin.  [default: that of the run]")
@click.option(
    "--to",
    "end",
    type=float,
    help="Time at which to end.  [default: that of the run, or 2 s after which nobody moved]",
)
def video(
    run: RunFile,
    output: Path,
    fps: float,
    speed: float | None,
    size: tuple[int, int],
    start: float | None,
    end: float | None,
) -> None:
    """Make a film of a run.

    The film appears when it is complete; after Ctrl-C there is none.

    \b
    Try:
      kumi video run.kumi -o run.mp4
      kumi video run.kumi -o run.gif --speed 10 --size 640x360 --to 60
    """
    begin = run.start if start is None else start
    finish = last_of(run, begin) if end is None else end
    pace = max(1.0, (finish - begin) / FILM_SECONDS) if speed is None else speed
    film = Film(start=begin, end=finish, fps=fps, speed=pace, size=size)
    if end is None and finish < run.end:
        click.echo(f"Nobody moves after {finish - STANDSTILL:g} s: the film ends soon after.", err=True)
    if speed is None and pace > 1.0:
        click.echo(
            f"There are {finish - begin:g} s to show: the film shows them {pace:.3g} times as fast.", err=True
        )
    with RunBar(1.0) as bar, closing(write_video(run, output, film)) as work:
        for share in work:
            bar.show(share, "drawing")
    click.echo(f"film: {output}")


def last_of(run: RunFile, begin: float) -> float:
    """Return when a film of a run ends: with it, or a little after nobody moved any more."""
    since = None if run.summary is None else run.summary.still_since
    return run.end if since is None else min(run.end, max(since, begin) + STANDSTILL)
