"""How are the maps, paths and marks drawn that programs show?

A map lies on the true one: cells that robots hold for free are tinted floor, on which stands what truly is there; those
they hold for taken are squares upon it. Of several maps those are drawn that have the first name, so that a map of all robots goes before
those of single ones.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kumi.contract.published import TAKEN, UNSEEN, ShownMap, ShownMarks, ShownPath
from kumi.recording.painted_bodies import Box, is_within, meet
from kumi.recording.painted_scenery import paint_thing
from kumi.recording.painting import words_width
from kumi.recording.palette import LIGHT
from kumi.recording.scenery import OBSTACLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.recording.painting import Painter
    from kumi.recording.records import Published
    from kumi.recording.scenery import Cornered, Ridge, Round
    from kumi.recording.view import Viewport

BELIEVED_FREE, BELIEVED_TAKEN = LIGHT["believed-free"], LIGHT["believed-taken"]
PATH, MARK = LIGHT["path"], LIGHT["mark"]
INSIDE = 0.7
"""The share of a cell that a taken one fills, where cells are large enough."""
LEAST_CELL_PIXELS = 4.0
"""Pixels of a cell from which on that is so."""


def maps_to_draw(published: Sequence[Published]) -> list[ShownMap]:
    """Return the maps of the first name: the shortest, and of those the first by letters."""
    names = [one.name for one in published if isinstance(one.value, ShownMap)]
    first = min(names, key=lambda name: (len(name), name), default="")
    return [one.value for one in published if one.name == first and isinstance(one.value, ShownMap)]


def paint_maps(
    painter: Painter, view: Viewport, maps: Sequence[ShownMap], things: Sequence[Ridge | Round | Cornered]
) -> None:
    """Paint what robots believe: free cells of all maps first, then what truly stands there, and taken cells upon it."""
    for believed in maps:
        for row, first, last, value in runs(believed):
            if value < TAKEN / 2:
                _paint_cells(painter, view, believed, (row, first, last), BELIEVED_FREE, 1.0)
    for thing in things if maps else ():
        if thing.kind in OBSTACLES:
            paint_thing(painter, view, thing)
    for believed in maps:
        share = INSIDE if believed.cell * view.scale >= LEAST_CELL_PIXELS else 1.0
        for row, first, last, value in runs(believed):
            if TAKEN / 2 <= value < UNSEEN:
                singles = range(first, last) if share < 1.0 else [first]
                for column in singles:
                    end = column + 1 if share < 1.0 else last
                    _paint_cells(painter, view, believed, (row, column, end), BELIEVED_TAKEN, share)


def runs(believed: ShownMap) -> list[tuple[int, int, int, int]]:
    """Return the runs of equal cells that were seen: row, first column, column after the last, value."""
    found: list[tuple[int, int, int, int]] = []
    for row in range(believed.rows):
        cells = believed.cells[row * believed.columns : (row + 1) * believed.columns]
        column = 0
        for value, alike in groupby(cells):
            count = len(list(alike))
            if value != UNSEEN:
                found.append((row, column, column + count, value))
            column += count
    return found


def _paint_cells(
    painter: Painter,
    view: Viewport,
    believed: ShownMap,
    place: tuple[int, int, int],
    colour: str,
    share: float,
) -> None:
    row, first, last = place
    cell, rim = believed.cell, believed.cell * (1.0 - share) / 2
    left, right = believed.corner.x + first * cell + rim, believed.corner.x + last * cell - rim
    bottom = believed.corner.y + row * cell + rim
    top = believed.corner.y + (row + 1) * cell - rim
    painter.polygon(
        [view.dot(*corner) for corner in ((left, bottom), (right, bottom), (right, top), (left, top))], colour
    )


def paint_paths(painter: Painter, view: Viewport, published: Sequence[Published]) -> None:
    """Paint the paths that programs show."""
    for one in published:
        if isinstance(one.value, ShownPath) and len(one.value.places) > 1:
            painter.line([view.dot(*place) for place in one.value.places], PATH, 2.0 * view.unit)


def paint_marks(painter: Painter, view: Viewport, published: Sequence[Published]) -> list[Box]:
    """Paint the marked places: a diamond each, with the name once for each robot and name, where it covers no other.

    Returns where the names stand.
    """
    taken: list[Box] = []
    size, letters = 6.0 * view.unit, 12.0 * view.unit
    for one in published:
        if not isinstance(one.value, ShownMarks):
            continue
        for place in one.value.places:
            x, y = view.dot(*place)
            painter.polygon(
                [(x, y - size), (x + size, y), (x, y + size), (x - size, y)], MARK, "#ffffff", 1.0
            )
        x, y = view.dot(*one.value.places[-1])
        wide = words_width(one.name, letters)
        is_right = x + 2.0 * size + wide < view.dot(view.window.right, 0.0)[0]
        left = x + 1.5 * size if is_right else x - 1.5 * size - wide
        box = (left, y - letters / 2, left + wide, y + letters / 2)
        if is_within(box, view) and not any(meet(box, other) for other in taken):
            painter.words(left, y, one.name, letters, MARK)
            taken.append(box)
    return taken
