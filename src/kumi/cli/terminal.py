"""What a person sees on a terminal: tables, bars that move, a picture that is drawn over itself.

Where nobody watches, as in a pipe or a file, tables are the same and nothing moves.
"""

from __future__ import annotations

import math
import os
import sys
import time
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Self, TextIO
from unicodedata import combining, east_asian_width

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

EVERY = 0.1
"""Seconds from one drawing of a bar to the next."""
BAR_WIDTH = 30
LINES = "┌┬┐├┼┤└┴┘─│"
SIMPLE_LINES = "+++++++++-|"
OVER = "\r\x1b[K"
"""What brings the cursor to the begin of its line, and empties the line."""


def is_watched(stream: TextIO) -> bool:
    """Whether what is written can be drawn over: a person looks at it on a terminal that knows how."""
    return stream.isatty() and os.environ.get("TERM", "") not in {"", "dumb", "unknown"}


def width() -> int:
    """Return how many letters a line takes; 80 where there is no terminal."""
    return get_terminal_size().columns


def letters(text: str) -> int:
    """Return how many places a text takes on a terminal; some signs take two, and accents none."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def cut(text: str, most: int) -> str:
    """Return as much of a text as a line takes."""
    if letters(text) <= most:
        return text
    while text and letters(text) >= most:
        text = text[:-1]
    return f"{text}…" if most > 0 else ""


# Tables.


def table(
    rows: Iterable[Sequence[str]],
    *,
    heads: Sequence[str] = (),
    right: Collection[int] = (),
    title: str = "",
    is_ruled: bool = False,
    is_plain: bool = False,
    most: int | None = None,
) -> str:
    """Write a table that is at most as wide as the terminal, or as `most`; long cells have several lines.

    The columns in `right` are set to the right. A table that is ruled has a line between its rows, one that is plain
    has none at all.
    """
    cells = [list(row) for row in rows]
    between, around = (2, 0) if is_plain else (3, 4)
    columns = list(zip_longest(*([list(heads)] if heads else []), *cells, fillvalue=""))
    wanted = [max(letters(line) for cell in column for line in cell.split("\n")) for column in columns]
    room = (most or width()) - around - between * (len(wanted) - 1)
    widths = squeezed(wanted, room)
    signs = drawn_with()
    written = [row_of(row, widths, right, signs, is_plain=is_plain) for row in cells]
    top = row_of(heads, widths, right, signs, is_plain=is_plain, is_bold=True) if heads else []
    if is_plain:
        body = [*top, *(line for lines in written for line in lines)]
    else:
        upper, middle, lower = (rule(signs[at : at + 3], signs[9], widths) for at in (0, 3, 6))
        body = [upper, *top, *([middle] if top and written else [])]
        for number, lines in enumerate(written):
            body += [middle, *lines] if is_ruled and number else lines
        body.append(lower)
    full = sum(widths) + between * (len(widths) - 1) + around
    told = [line.center(full).rstrip() for line in folds(title, max(full, 20))] if title else []
    return "\n".join([*told, *body])


def squeezed(wanted: list[int], room: int) -> list[int]:
    """Return how wide columns are that fit into a line: the widest give way, down to a few letters."""
    widths = list(wanted)
    while sum(widths) > room and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths


def drawn_with() -> str:
    """Return the signs that lines are made of; plain ones where the output knows no others."""
    return LINES if (sys.stdout.encoding or "").lower().startswith("utf") else SIMPLE_LINES


def rule(ends: str, line: str, widths: Sequence[int]) -> str:
    """Return a line across a table."""
    return ends[0] + ends[1].join(line * (one + 2) for one in widths) + ends[2]


def row_of(
    row: Sequence[str],
    widths: Sequence[int],
    right: Collection[int],
    signs: str,
    *,
    is_plain: bool,
    is_bold: bool = False,
) -> list[str]:
    """Return the lines of a row."""
    folded = [folds(cell, one) for cell, one in zip_longest(row, widths, fillvalue="")]  # type: ignore[arg-type]
    found = []
    for parts in zip_longest(*folded, fillvalue=""):
        filled = []
        for at, (part, one) in enumerate(zip(parts, widths, strict=True)):
            room = " " * (one - letters(part))
            text = click.style(part, bold=True) if is_bold and part else part
            filled.append(room + text if at in right else text + room)
        bar = signs[10]
        found.append("  ".join(filled).rstrip() if is_plain else f"{bar} {f' {bar} '.join(filled)} {bar}")
    return found


def folds(cell: str, most: int) -> list[str]:
    """Return the lines of a cell; one that is too long is broken, between words where that is possible."""
    return [part for line in cell.split("\n") for part in folded(line, most)]


def folded(line: str, most: int) -> list[str]:
    """Break a line into parts that are at most so wide; no sign is wider than two letters."""
    if letters(line) <= most:
        return [line]
    parts = [""]
    for word in line.split():
        if letters(parts[-1]) + 1 + letters(word) <= most and parts[-1]:
            parts[-1] += f" {word}"
            continue
        parts.append("")
        for sign in word:
            if letters(parts[-1] + sign) > most:
                parts.append("")
            parts[-1] += sign
    return list(filter(None, parts))


# What moves.


class RunBar:
    """Shows how far something is, in one line that is drawn over itself and is gone in the end. Use it in a `with` block.

    Where nobody watches, nothing is drawn. A total of None is one that nobody knows.
    """

    def __init__(self, total: float | None, *, is_quiet: bool = False) -> None:
        self.total = total
        self.is_shown = not is_quiet and is_watched(sys.stderr)
        self._line = ""
        self._due = 0.0

    def show(self, done: float, title: str = "", said: str = "") -> None:
        """Show how much of the total is done: a title, the bar, and what there is to say."""
        if not self.is_shown:
            return
        self._line = " ".join(filter(None, (title, self._bar(done), said)))
        if time.monotonic() >= self._due:
            self._draw()

    def say(self, line: str) -> None:
        """Write a line that stays, above the bar."""
        click.echo((OVER if self.is_shown else "") + line, err=True)
        if self._line:
            self._draw()

    def _bar(self, done: float) -> str:
        if self.total is None or not math.isfinite(self.total):
            return ""
        share = min(1.0, max(0.0, done / self.total)) if self.total > 0 else 1.0
        full = round(share * BAR_WIDTH)
        return f"[{'=' * full}{' ' * (BAR_WIDTH - full)}] {share:4.0%}"

    def _draw(self) -> None:
        self._due = time.monotonic() + EVERY
        sys.stderr.write(OVER + cut(self._line, width() - 1))
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._line:
            self._line = ""
            sys.stderr.write(OVER)
            sys.stderr.flush()


class TerminalDrawing:
    """Lines on a terminal that are drawn over those before them; the last ones stay."""

    def __init__(self) -> None:
        self._count = 0
        self._due = 0.0

    def draw(self, text: str, *, is_urgent: bool) -> None:
        """Draw lines, unless that is not urgent and was done just before."""
        if not is_urgent and time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        lines = text.split("\n")[: get_terminal_size().lines - 1]
        up = f"\x1b[{self._count}A" if self._count else ""
        click.echo(f"\r{up}\x1b[J" + "\n".join(lines))
        self._count = len(lines)
