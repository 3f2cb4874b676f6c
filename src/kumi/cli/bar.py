"""How far is a run, and how fast does it go?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn

from kumi.cli.report import factor

if TYPE_CHECKING:
    from rich.console import Console

    from kumi.stage import Progress as Reached


class Bar:
    """A bar on a terminal with the simulated time, the events a second and the real-time factor."""

    def __init__(self, console: Console, until: float) -> None:
        self._until = until
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(
            "simulating", total=until if math.isfinite(until) else None, said=""
        )

    def show(self, reached: Reached) -> None:
        """Draw how far the run has got."""
        self._progress.update(
            self._task, completed=reached.simulated_seconds, said=words(reached, self._until)
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._progress.stop()


def words(reached: Reached, until: float) -> str:
    """Say how far a run has got: 12 of 60 s, 35,000 events/s, 120 times real time."""
    wall = max(reached.wall_seconds, 1e-9)
    end = f" of {until:g}" if math.isfinite(until) else ""
    return (
        f"{reached.simulated_seconds:.1f}{end} s, {reached.events / wall:,.0f} events/s, "
        f"{factor(reached.simulated_seconds / wall)} times real time"
    )
