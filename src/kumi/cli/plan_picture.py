"""How do ways over a grid look?

Blocked cells are grey, ways blue from an orange disc to a green one. A cell is a square of whole pixels, of one at
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
WAY, START, GOAL = "#0072b2", "#e69f00", "#009e73"


def write_plan(blocked: NDArray[np.bool_], paths: Sequence[GridPath], output: Path) -> None:
    """Draw a map with ways over it into a file."""
    if output.suffix.lower() != ".png":
        raise GridError(f"the name of a picture of a plan ends in .png, unlike {str(output)!r}")
    side = max(1, WIDTH // max(blocked.shape))
    cells = np.where(blocked, np.uint8(WALL), np.uint8(GROUND))
    picture = Image.fromarray(cells).resize(
        (cells.shape[1] * side, cells.shape[0] * side), Image.Resampling.NEAREST
    )
    picture = picture.convert("RGB")
    draw = ImageDraw.Draw(picture)
    for path in paths:
        dots = [((column + 0.5) * side, (row + 0.5) * side) for row, column in path.cells.tolist()]
        if len(dots) > 1:
            draw.line(dots, WAY, max(2, side // 3), joint="curve")
    for path in paths:
        for (row, column), colour in ((path.cells[0], START), (path.cells[-1], GOAL)):
            x, y, radius = (float(column) + 0.5) * side, (float(row) + 0.5) * side, max(3.0, 0.4 * side)
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), colour)
    picture.save(output)
