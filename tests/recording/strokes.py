"""A painter that remembers what it is told, so that tests can look at the layout of a picture."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from PIL import ImageSequence

from kumi.recording.painting import words_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image

    from kumi.recording.painting import Anchor, Dot

Box = tuple[float, float, float, float]


class Strokes:
    """Lines by colour, and the box of each text."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, list[Dot]]] = []
        self.discs: list[tuple[str, float]] = []
        self.texts: list[tuple[str, Box]] = []

    def disc(self, x: float, y: float, radius: float, fill: str, edge: str = "", width: float = 0.0) -> None:
        self.discs.append((fill, radius))

    def polygon(self, corners: Sequence[Dot], fill: str, edge: str = "", width: float = 0.0) -> None:
        """Nothing is asked of polygons."""

    def line(self, dots: Sequence[Dot], colour: str, width: float) -> None:
        self.lines.append((colour, list(dots)))

    def words(
        self, x: float, y: float, text: str, size: float, colour: str, anchor: Anchor = "start"
    ) -> None:
        wide = words_width(text, size)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        self.texts.append((text, (left, y - size / 2, left + wide, y + size / 2)))

    def said(self) -> list[str]:
        """Return all texts."""
        return [text for text, _ in self.texts]

    def overlaps(self) -> list[tuple[str, str]]:
        """Return the pairs of texts of which one lies over the other."""
        return [
            (one, other)
            for (one, a), (other, b) in combinations(self.texts, 2)
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        ]

    def outside(self, size: tuple[int, int]) -> list[str]:
        """Return the texts that do not lie wholly in a picture of a size."""
        return [
            text
            for text, (left, top, right, bottom) in self.texts
            if left < 0.0 or top < 0.0 or right > size[0] or bottom > size[1]
        ]


def count_of_frames(loop: Image.Image) -> int:
    """Return how many pictures a file has that moves."""
    return sum(1 for _ in ImageSequence.Iterator(loop))
