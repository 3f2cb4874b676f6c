"""How does a person see a control session while it goes on?

On a terminal: a table with a row for each robot, and below it what was told last. Elsewhere, and where commands are
typed: a line for each thing told, with the values of a robot once a second. For a machine: everything, one JSON
object a line.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from kumi.cli.terminal import TerminalDrawing, cut, is_watched, table, width
from kumi.control.telling import RobotValues, Telling, Trouble, Warned, json_of, line_of

LINES = 12
"""How many things told last are shown below the table."""
EVERY = 1.0
"""Seconds from one line of values of a robot to the next."""
COLUMNS = (
    "robot",
    "place",
    "heading",
    "speed",
    "wheel",
    "way",
    "front",
    "front l",
    "back l",
    "back",
    "back r",
    "front r",
)


@contextmanager
def screen(*, as_json: bool, is_typed: bool) -> Iterator[Callable[[Telling], object]]:
    """Give what takes all that is told and shows it."""
    if as_json:
        yield lambda told: click.echo(json_of(told))
    elif is_typed or not is_watched(sys.stdout):
        yield PlainLines().take
    else:
        picture, drawing = RobotTable(), TerminalDrawing()

        def take(told: Telling) -> None:
            picture.take(told)
            drawing.draw(picture.draw(), is_urgent=not isinstance(told, RobotValues))

        drawing.draw(picture.draw(), is_urgent=True)
        try:
            yield take
        finally:
            drawing.draw(picture.draw(), is_urgent=True)


class PlainLines:
    """Prints a line for each thing told, and the values of a robot now and then."""

    def __init__(self) -> None:
        self._shown: dict[str, float] = {}

    def take(self, told: Telling) -> None:
        """Print what was told."""
        if isinstance(told, RobotValues):
            if told.time - self._shown.get(told.robot, -EVERY) < EVERY:
                return
            self._shown[told.robot] = told.time
        click.echo(line_of(told))


class RobotTable:
    """A table of all robots, and what was told last."""

    def __init__(self) -> None:
        self._values: dict[str, RobotValues] = {}
        self._told: deque[Telling] = deque(maxlen=LINES)

    def take(self, told: Telling) -> None:
        """Take note of what was told."""
        if isinstance(told, RobotValues):
            self._values[told.robot] = told
        else:
            self._told.append(told)

    def draw(self) -> str:
        """Return what is to be seen now."""
        rows = [row_of(values) for _, values in sorted(self._values.items())]
        lines = [(cut(line_of(told), width() - 1), isinstance(told, Warned | Trouble)) for told in self._told]
        said = [click.style(line, bold=True, fg="red") if is_bad else line for line, is_bad in lines]
        return "\n".join([table(rows, heads=COLUMNS), *said])


def row_of(values: RobotValues) -> list[str]:
    """Return the cells of a robot's row, in centimetres and degrees."""
    return [
        values.robot,
        f"{values.x:.3f}, {values.y:.3f} m",
        f"{values.heading:.1f}°",
        f"{100 * values.speed:.1f} cm/s",
        f"{values.steering:.1f}°",
        f"{100 * values.way:.1f} cm",
        *("-" if one is None else f"{100 * one:.0f}" for one in values.ranges),
    ]
