"""How is what programs publish laid out as bytes, and how does it read in words?

A record tells whose it is, under which name, of which kind, and all that stands under that name from now on. The cells of
a map are written as runs of equal ones: most of a map is floor, and most of that is not seen yet.
"""

from __future__ import annotations

import re
import struct
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from kumi.contract.published import ShownMap, ShownMarks, ShownPath
from kumi.geometry import Point
from kumi.recording.layout import INSTANT, LONGEST_WORD, NOBODY, NOTED, PLACE, PUBLISHED, JournalError
from kumi.recording.records import Published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.contract.published import Shown

NOTHING, NUMBER, TEXT, CLAIM, MAP, PATH, MARKS = range(7)
NAMED = struct.Struct("<H")  # bytes of the name
GRID = struct.Struct("<3d2I")  # the lower left corner, the side of a cell; rows, columns
RUN = struct.Struct("<BH")  # what cells say, how many of them in a row
ALIKE = re.compile(rb"(.)\1{0,65534}", re.DOTALL)
BROKEN = "what robot {} shows in a journal is cut short"


def published_record(body: int | None, name: str, value: Shown) -> bytes:
    """Write the record of what stands under a name of a body, or of the run, from now on."""
    words = name.encode(errors="replace")[:LONGEST_WORD]
    inside = NAMED.pack(len(words)) + words + laid_out(value)
    return bytes([PUBLISHED]) + NOTED.pack(NOBODY if body is None else body, len(inside)) + inside


def laid_out(value: Shown) -> bytes:
    """Write the kind of a value, and the value."""
    match value:
        case None:
            return bytes([NOTHING])
        case bool():
            return bytes([CLAIM, value])
        case str():
            return bytes([TEXT]) + value.encode(errors="replace")
        case ShownMap():
            runs = b"".join(RUN.pack(found[0][0], len(found[0])) for found in ALIKE.finditer(value.cells))
            return bytes([MAP]) + GRID.pack(*value.corner, value.cell, value.rows, value.columns) + runs
        case ShownPath():
            return bytes([PATH]) + _places(value.places)
        case ShownMarks():
            return bytes([MARKS]) + _places(value.places)
    return bytes([NUMBER]) + INSTANT.pack(value)


def _places(places: Sequence[Point]) -> bytes:
    return b"".join(PLACE.pack(place.x, place.y) for place in places)


def read_published(data: bytes, at: int, time: float) -> Published:
    """Read what follows the tag `P`."""
    body, length = NOTED.unpack_from(data, at)
    inside = data[at + NOTED.size : at + NOTED.size + length]
    try:
        (size,) = NAMED.unpack_from(inside)
        name = inside[NAMED.size : NAMED.size + size].decode(errors="replace")
        kind = inside[NAMED.size + size]
        value = _value(kind, inside[NAMED.size + size + 1 :])
    except (IndexError, struct.error):
        raise JournalError(BROKEN.format(body)) from None
    return Published(time, None if body == NOBODY else body, name, value)


def name_in(record: bytes) -> bytes:
    """Return the name in a whole record, as it is written."""
    begin = 1 + NOTED.size + NAMED.size
    (size,) = NAMED.unpack_from(record, 1 + NOTED.size)
    return record[begin : begin + size]


def takes_away(record: bytes) -> bool:
    """Tell whether a whole record says that nothing stands under its name any more."""
    return record[1 + NOTED.size + NAMED.size + len(name_in(record))] == NOTHING


def _value(kind: int, data: bytes) -> Shown:
    match kind:
        case 0:
            return None
        case 1:
            number: float = INSTANT.unpack(data)[0]
            return number
        case 2:
            return data.decode(errors="replace")
        case 3:
            return data[0] != 0
        case 4:
            return _map(data)
        case 5:
            return ShownPath(tuple(Point(x, y) for x, y in PLACE.iter_unpack(data)))
        case 6:
            return ShownMarks(tuple(Point(x, y) for x, y in PLACE.iter_unpack(data)))
    raise JournalError(f"a journal shows something of kind {kind}, which this kumi does not know")


def _map(data: bytes) -> ShownMap:
    x, y, cell, rows, columns = GRID.unpack_from(data)
    cells = b"".join(bytes([value]) * count for value, count in RUN.iter_unpack(data[GRID.size :]))
    if len(cells) != rows * columns:
        raise JournalError(f"a map of {rows} times {columns} cells in a journal has {len(cells)} of them")
    return ShownMap(Point(x, y), cell, rows, columns, cells)


def in_words(value: Shown) -> str:
    """Say what stands under a name, for a person."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case ShownMap():
            return f"{value.area:.4g} m² seen"
        case ShownPath():
            return f"{counted(len(value.places), 'place')}, {_length(value.places):.4g} m"
        case ShownMarks():
            return ", ".join(f"({place.x:.4g}, {place.y:.4g})" for place in value.places)
    return number_in_words(value)


def number_in_words(value: float) -> str:
    """Write a number with as many digits as a person reads."""
    return f"{value:.4g}" if not isfinite(value) or value != round(value) else f"{value:.0f}"


def counted(number: int, thing: str) -> str:
    """Say how many of a thing there are."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _length(places: Sequence[Point]) -> float:
    return sum(one.distance_to(other) for one, other in pairwise(places))
