"""How do ways over a grid look?

Blocked cells are grey, ways blue from a green disc to an orange one. Ways of many robots have colours, and lie beside
each other where they share cells: each goes from a ring to a disc. A cell is a square of whole pixels, of one at
least, so that a map of many cells gives a large picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kumi.planning.grid import GridPath

WIDTH = 1000
GROUND, WALL = 255, 105
WAY, START, GOAL = "#0072b2", "#009e73", "#d55e00"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5fc9", "#8c564b")
LANES = 5
"""How many ways through one cell lie beside each other."""


def write_plan(blocked: NDArray[np.bool_], paths: Sequence[GridPath], output: Path) -> None:
    """Draw a map with ways over it into a file."""
    picture, draw, side = begun(blocked, output)
    for path in paths:
        draw_way(draw, places(path, side), WAY, max(2, side // 3))
    for path in paths:
        for (row, column), colour in ((path.cells[0], START), (path.cells[-1], GOAL)):
            x, y, radius = (float(column) + 0.5) * side, (float(row) + 0.5) * side, max(3.0, 0.4 * side)
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), colour)
    picture.save(output)


def write_ways(blocked: NDArray[np.bool_], paths: Sequence[GridPath], output: Path) -> None:
    """Draw a map with the ways of many robots into a file."""
    picture, draw, side = begun(blocked, output)
    width, radius = max(1, side // 10), max(2.0, 0.3 * side)
    for number, path in enumerate(paths):
        lane = (number % LANES - LANES // 2) * side / (LANES + 1)
        colour = COLOURS[number % len(COLOURS)]
        dots = places(path, side, lane)
        draw_way(draw, dots, colour, width)
        for (x, y), fill in ((dots[0], "#ffffff"), (dots[-1], colour)):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill, colour, max(1, width))
    picture.save(output)


def begun(blocked: NDArray[np.bool_], output: Path) -> tuple[Image.Image, ImageDraw.ImageDraw, int]:
    """Return the picture of a map, what draws on it, and the pixels to a side of a cell."""
    if output.suffix.lower() != ".png":
        raise GridError(f"the name of a picture of a plan ends in .png, unlike {str(output)!r}")
    side = max(1, WIDTH // max(blocked.shape))
    cells = np.where(blocked, np.uint8(WALL), np.uint8(GROUND))
    picture = Image.fromarray(cells).resize(
        (cells.shape[1] * side, cells.shape[0] * side), Image.Resampling.NEAREST
    )
    picture = picture.convert("RGB")
    return picture, ImageDraw.Draw(picture), side


def places(path: GridPath, side: int, lane: float = 0.0) -> list[tuple[float, float]]:
    """Return the pixels of a way, aside of the middles of its cells by a lane."""
    return [((column + 0.5) * side + lane, (row + 0.5) * side + lane) for row, column in path.cells.tolist()]


def draw_way(draw: ImageDraw.ImageDraw, dots: list[tuple[float, float]], colour: str, width: int) -> None:
    """Draw a line through pixels, if there are at least two."""
    if len(dots) > 1:
        draw.line(dots, colour, width, joint="curve")
