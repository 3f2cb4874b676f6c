"""How does a drawn map look?

White is free, black occupied, grey what nobody saw. Ways of robots are drawn over it, each in a colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from kumi._core import Point
from kumi.geometry import Pose
from kumi.mapping.occupancy import OccupancyMap

WHITE, GREY, BLACK = 255, 190, 30
COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd")


def draw_map(
    drawn: OccupancyMap, path: str | Path, ways: Sequence[Sequence[Pose]] = (), *, scale: int = 6
) -> None:
    """Write a picture of a map, with `scale` pixels for a cell and the ways of robots on it."""
    light = np.full(drawn.shape, GREY, dtype=np.uint8)
    light[drawn.free] = WHITE
    light[drawn.occupied] = BLACK
    image = Image.fromarray(light[::-1]).convert("RGB")
    image = image.resize((drawn.shape[1] * scale, drawn.shape[0] * scale), Image.Resampling.NEAREST)
    pen = ImageDraw.Draw(image)
    for number, way in enumerate(ways):
        places = [_pixel(drawn, pose.position, scale) for pose in way]
        if len(places) > 1:
            pen.line(places, fill=COLOURS[number % len(COLOURS)], width=max(1, scale // 4))
    image.save(path)


def _pixel(drawn: OccupancyMap, place: Point, scale: int) -> tuple[float, float]:
    return (
        (place.x / drawn.cell - drawn.column) * scale,
        (drawn.shape[0] - place.y / drawn.cell + drawn.row) * scale,
    )
