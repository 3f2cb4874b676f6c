"""What does a person see of robots that map a place, and what is left in the end?

While they map: how much of the floor they can reach is on their map, where each of them is, and how long it has taken;
a bar on a terminal, a line every five seconds elsewhere. In the end: the map as a picture with their ways and as files
of map_server, the last picture of the run, and how good the map is against the true one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click
import msgspec

from kumi.cli.lateness import SHOWN_MISSES, lateness_of
from kumi.cli.terminal import RunBar
from kumi.mapping import Truth, draw_map, save_map
from kumi.recording import RunFile
from kumi.recording.picture import write_picture
from kumi.scenario.spaces import space_of

if TYPE_CHECKING:
    from kumi.cli.demo_mapping import ShownExploration
    from kumi.geometry import Point
    from kumi.mapping import Exploration
    from kumi.world import Map

EVERY = 5.0
"""Seconds from one line to the next where there is no terminal."""


class ShownExploring:
    """Shows how an exploration goes. Use it in a `with` block."""

    def __init__(self, map_: Map, start: Point, until: float, *, is_quiet: bool) -> None:
        self.truth = Truth(space_of(map_), start)
        self._until = until
        self._is_quiet = is_quiet
        self._bar = RunBar(1.0, is_quiet=is_quiet)
        self._line_due = 0.0

    def show(self, now: float, exploration: Exploration) -> None:
        """Show how far they are."""
        if self._is_quiet or not exploration.team.members:
            return
        if not self._bar.is_shown and now < self._line_due:
            return
        known = self.truth.coverage(exploration.team.map)
        places = (exploration.team.pose(name).position for name in sorted(exploration.team.members))
        at = " ".join(f"({place.x:.1f}, {place.y:.1f})" for place in places)
        said = f"{known:.0%} of the floor after {now:.0f} of at most {self._until:.0f} s, robots at {at}"
        if self._bar.is_shown:
            self._bar.show(known, "mapping", said)
        else:
            self._line_due = now + EVERY
            click.echo(said)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)


class DemoResult(msgspec.Struct, frozen=True):
    """What came of a demo: shares from 0 to 1, and the files it left."""

    seconds: float
    is_done: bool
    is_interrupted: bool
    robots: int
    lost: list[str]
    coverage: float
    precision: float
    recall: float
    files: list[str]
    lateness: dict[str, Any]


def leave(explored: ShownExploration, truth: Truth, out: Path) -> DemoResult:
    """Write map, pictures and files, and judge the map."""
    record, picture = out / "mapping.kumi", out / "run.png"
    write_picture(RunFile(record), explored.seconds, picture, size=(800, 600))
    files = [out / "control.kumi", record, picture]
    coverage = precision = recall = 0.0
    exploration = explored.exploration
    members = {} if exploration is None else exploration.team.members
    if exploration is not None and members:
        drawn = exploration.team.map
        draw_map(drawn, out / "map.png", [members[name].poses for name in sorted(members)])
        save_map(drawn, out / "map.yaml")
        score = truth.score(drawn)
        coverage, precision, recall = score.coverage, score.precision, score.recall
        files = [out / "map.png", out / "map.yaml", out / "map.pgm", *files]
    return DemoResult(
        seconds=round(explored.seconds, 3),
        is_done=exploration is not None and exploration.is_done,
        is_interrupted=explored.is_interrupted,
        robots=len(members),
        lost=explored.lost,
        coverage=round(coverage, 4),
        precision=round(precision, 4),
        recall=round(recall, 4),
        files=[str(file) for file in files],
        lateness=lateness_of(explored.lateness),
    )


def report(result: DemoResult, *, as_json: bool) -> None:
    """Print what came of a demo."""
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(result)))
        return
    if result.is_interrupted:
        why = "interrupted"
    else:
        why = "nothing is left to see" if result.is_done else "the time is over"
    click.echo(
        f"{why} after {result.seconds:.0f} s: {result.coverage:.0%} of the floor is known; of what is drawn as occupied "
        f"{result.precision:.0%} is, and {result.recall:.0%} of all surfaces are drawn"
    )
    late = result.lateness
    click.echo(
        f"instants were {1000 * late['p50']:.1f} ms late on the median and {1000 * late['max']:.1f} ms at most; "
        f"{late['missed']} deadlines were missed"
    )
    for miss in late["misses"][-SHOWN_MISSES:]:
        click.echo(f"  t = {miss['time']:.3f} s came {miss['late']:.3f} s late: {miss['cause']}")
    if result.lost:
        click.echo(f"lost on the way: {', '.join(result.lost)}")
    for file in result.files:
        click.echo(f"{'picture' if file.endswith('.png') else 'file'}: {file}")
