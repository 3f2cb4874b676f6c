"""Which words stand above and below the plane, so that none covers another?

There are two strips, each filled from both ends: what comes first gets its room, and what finds none is shortened or
left out. So a picture of any size can be read, and a small one says less. What colours mean stands below, and above where
there is no room below: it goes before the title.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kumi.recording.painting import words_width
from kumi.recording.palette import LIGHT
from kumi.recording.view import LARGE_LETTERS, LETTERS, SIDE, STRIP, length, scale_step

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kumi.recording.painting import Painter
    from kumi.recording.view import Viewport

INK = LIGHT["text"]
GAP = 14.0
"""Pixels between two things of a strip, in a picture of usual size."""
SHORTEST = 8
"""Letters below which a shortened title says nothing."""


class LegendEntry(msgspec.Struct, frozen=True):
    """What a colour means: a disc of that colour, or a line, and a word."""

    colour: str
    text: str
    edge: str = ""
    is_line: bool = False


class Strip:
    """The room above or below a plane, which is given away from both ends."""

    def __init__(self, view: Viewport, y: float) -> None:
        self.unit, self.y = view.unit, y
        self._left, self._right = SIDE * view.unit, view.size[0] - SIDE * view.unit

    @property
    def room(self) -> float:
        """How many pixels are left."""
        return self._right - self._left

    def take_left(self, width: float) -> float | None:
        """Take room at the left end; return where it begins, or None where there is too little."""
        if width > self.room:
            return None
        begin = self._left
        self._left += width + GAP * self.unit
        return begin

    def take_right(self, width: float) -> float | None:
        """Take room at the right end; return where it ends, or None where there is too little."""
        if width > self.room:
            return None
        end = self._right
        self._right -= width + GAP * self.unit
        return end


class Strips:
    """Both strips of a picture, which are painted from the most important to what may be left out."""

    def __init__(self, painter: Painter, view: Viewport) -> None:
        self._painter, self._view, self._unit = painter, view, view.unit
        self.above = Strip(view, STRIP * view.unit / 2)
        self.below = Strip(view, view.size[1] - STRIP * view.unit / 2)
        self._put_off: list[LegendEntry] = []  # what found no room below

    def paint_time(self, time: float) -> None:
        """Say which instant is shown, at the upper left."""
        size, text = LARGE_LETTERS * self._unit, f"t = {time:.3f} s"
        begin = self.above.take_left(words_width(text, size))
        if begin is not None:
            self._painter.words(begin, self.above.y, text, size, INK)

    def paint_title(self, title: str) -> None:
        """Say what is shown, at the upper right; shorter where there is little room."""
        size = LETTERS * self._unit
        text = shortened(title, size, self.above.room - self._all_wide(self._put_off))
        end = self.above.take_right(words_width(text, size)) if text else None
        if end is not None:
            self._painter.words(end, self.above.y, text, size, INK, "end")

    def paint_scale(self) -> None:
        """Paint a bar of a round length, at the lower left."""
        step, unit, size = scale_step(self._view), self._unit, LETTERS * self._unit
        bar, text = step * self._view.scale, length(step)
        x = self.below.take_left(bar + 10 * unit + words_width(text, size))
        if x is None:
            return
        y, tick = self.below.y, 5 * unit
        self._painter.line([(x, y - tick), (x, y), (x + bar, y), (x + bar, y - tick)], INK, 2.0 * unit)
        self._painter.words(x + bar + 10 * unit, y - tick / 2, text, size, INK)

    def paint_legend(self, entries: Sequence[LegendEntry]) -> None:
        """Say what colours mean, at the lower right, the first entry at the end; those without room are left out."""
        self._paint_from_right(self.below, entries)

    def paint_floor_legend(self, entries: Sequence[LegendEntry]) -> None:
        """Say below what colours of floor mean, or put it off until `paint_rest` where there is no room for all of it."""
        if self._all_wide(entries) <= self.below.room:
            self._paint_from_right(self.below, entries)
        else:
            self._put_off = [*entries, *self._put_off]

    def paint_rest(self) -> None:
        """Say above what was put off, beside the time, while there is room."""
        self._paint_from_left(self.above, self._put_off)

    def paint_talk(self, entries: Sequence[LegendEntry], count: int, seen: Collection[str]) -> None:
        """Say how many messages there are, and which types; where there is no room for the names, these are put off.

        Then those come first whose colours are `seen`.
        """
        text, size = f"{count:,} message{'' if count == 1 else 's'}", LETTERS * self._unit
        wide = words_width(text, size)
        if wide + self._all_wide(entries) <= self.below.room:
            begin = self.below.take_left(wide)
            assert begin is not None
            self._painter.words(begin, self.below.y, text, size, INK)
            self._paint_from_left(self.below, entries)
            return
        self._put_off += sorted(entries, key=lambda entry: entry.colour not in seen)
        begin = self.below.take_left(34 * self._unit + wide)
        if begin is None:
            return
        piece = 26 * self._unit / len(entries)
        for number, entry in enumerate(entries):
            first = begin + number * piece
            self._painter.line(
                [(first, self.below.y), (first + piece, self.below.y)], entry.colour, 2.0 * self._unit
            )
        self._painter.words(begin + 34 * self._unit, self.below.y, text, size, INK)

    def _width(self, entry: LegendEntry) -> float:
        return 22 * self._unit + words_width(entry.text, LETTERS * self._unit)

    def _all_wide(self, entries: Sequence[LegendEntry]) -> float:
        """Return how wide entries are, each with the gap beside it."""
        return sum(GAP * self._unit + self._width(entry) for entry in entries)

    def _paint_from_left(self, strip: Strip, entries: Sequence[LegendEntry]) -> None:
        """Paint entries from the left of a strip, the first that finds no room and those after it not."""
        for entry in entries:
            begin = strip.take_left(self._width(entry))
            if begin is None:
                return
            self._paint_entry(entry, begin, strip.y)

    def _paint_from_right(self, strip: Strip, entries: Sequence[LegendEntry]) -> None:
        """Paint entries from the right of a strip, the first that finds no room and those after it not."""
        for entry in entries:
            end = strip.take_right(self._width(entry))
            if end is None:
                return
            self._paint_entry(entry, end - self._width(entry), strip.y)

    def _paint_entry(self, entry: LegendEntry, x: float, y: float) -> None:
        unit = self._unit
        if entry.is_line:
            self._painter.line([(x, y), (x + 14 * unit, y)], entry.colour, 3.0 * unit)
        else:
            self._painter.disc(x + 7 * unit, y, 6.5 * unit, entry.colour, entry.edge, 1.2)
        self._painter.words(x + 22 * unit, y, entry.text, LETTERS * unit, INK)


def shortened(text: str, size: float, room: float) -> str:
    """Return a text that fits, with dots for what was left out, or an empty one."""
    if words_width(text, size) <= room:
        return text
    while len(text) >= SHORTEST:
        text = text[:-1]
        if words_width(f"{text}…", size) <= room:
            return f"{text}…"
    return ""
