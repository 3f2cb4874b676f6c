"""What is in each cell of a map of the Moving AI benchmarks?

Such a file has four lines of header and then one character for each cell. The first row is the uppermost, as
one reads it. `.` and `G` are ground, `S` is swamp, `@`, `O`, `T` and `W` are blocked. The header says `type octile`;
maps that were written as `type tile` have the same cells.

The world makes obstacles and slow ground of the cells, planning a grid; both read them here.
Source: Sturtevant, Benchmarks for grid-based pathfinding, 2012.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUND, BLOCKED, SWAMP, UNKNOWN = range(4)
SIGNS = {GROUND: b".G", BLOCKED: b"@OTW", SWAMP: b"S"}
HEADER = 4


class CellsError(ValueError):
    """A file that holds no cells: why, and at which line, 0 for the whole of it."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason, line)
        self.reason = reason
        self.line = line


def cells_of(contents: bytes, most: int) -> NDArray[np.uint8]:
    """Return what each cell of a `.map` file is, the uppermost row first, of at most so many cells."""
    lines = [line.rstrip(b"\r") for line in contents.split(b"\n")]
    height, width = _header(lines)
    if not 0 < height * width <= most:
        raise CellsError(f"{width:,} by {height:,} cells; a map has from 1 to {most:,}")
    rows = lines[HEADER:]
    while rows and not rows[-1].strip():
        rows.pop()
    if len(rows) != height:
        raise CellsError(f"{len(rows)} rows follow the header, which says height {height}")
    for line, row in enumerate(rows, HEADER + 1):
        if len(row) != width:
            raise CellsError(f"the row has {len(row)} cells, but the header says width {width}", line)
    kinds = _kind_of_sign()[np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(height, width)]
    if (kinds == UNKNOWN).any():
        row, column = np.argwhere(kinds == UNKNOWN)[0]
        sign = chr(rows[row][column])
        known = " ".join(chr(sign) for signs in SIGNS.values() for sign in signs)
        raise CellsError(f"column {column + 1} is {sign!r}; a cell is one of {known}", HEADER + 1 + int(row))
    return kinds


def _header(lines: list[bytes]) -> tuple[int, int]:
    """Return height and width."""
    words = [line.decode("latin-1").split() for line in [*lines[:HEADER], *[b""] * HEADER]]
    if words[0] not in (["type", "octile"], ["type", "tile"]):
        raise CellsError(f"it is {_quoted(words[0])}, but a map begins with 'type octile' or 'type tile'", 1)
    sizes = {}
    for line in (2, 3):
        key, value = [*words[line - 1], "", ""][:2]
        if (
            key not in {"height", "width"}
            or key in sizes
            or not value.isdecimal()
            or len(words[line - 1]) != 2
        ):
            rule = "here stand height and width, each with a whole number greater than 0"
            raise CellsError(f"it is {_quoted(words[line - 1])}, but {rule}", line)
        sizes[key] = int(value)
    if words[3] != ["map"]:
        raise CellsError(f"it is {_quoted(words[3])}, but the header ends with 'map'", 4)
    return sizes["height"], sizes["width"]


def _quoted(words: list[str]) -> str:
    text = " ".join(words)
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _kind_of_sign() -> NDArray[np.uint8]:
    kinds = np.full(256, UNKNOWN, dtype=np.uint8)
    for kind, signs in SIGNS.items():
        kinds[list(signs)] = kind
    return kinds
