"""With which strokes is a picture made?

A painter knows four: discs, polygons, lines and words, in pixels from the upper left corner. One paints
dots, for files such as PNG and for videos; the other writes SVG.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from collections.abc import Sequence

Dot: TypeAlias = tuple[float, float]
Anchor: TypeAlias = Literal["start", "middle", "end"]

# Dots of the enlarged picture that is made smaller in the end, to smooth its edges.
MOST_DOTS = 40_000_000


class Painter(Protocol):
    """What a picture is made with. Widths and sizes are in pixels."""

    def disc(self, x: float, y: float, radius: float, fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a disc, with an edge of its own colour if one is given."""

    def polygon(self, corners: Sequence[Dot], fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a polygon."""

    def line(self, dots: Sequence[Dot], colour: str, width: float) -> None:
        """Paint a line through dots."""

    def words(
        self, x: float, y: float, text: str, size: float, colour: str, anchor: Anchor = "start"
    ) -> None:
        """Write words at half their height, which begin, are centred or end at x."""


class DotPainter:
    """Paints on an enlarged picture, which `picture` makes smaller; words are written on the small one."""

    def __init__(self, size: tuple[int, int], colour: str, *, smooth: int = 3) -> None:
        self._size = size
        while smooth > 1 and size[0] * size[1] * smooth * smooth > MOST_DOTS:
            smooth -= 1
        self._smooth = smooth
        self._large = Image.new("RGB", (size[0] * smooth, size[1] * smooth), colour)
        self._draw = ImageDraw.Draw(self._large)
        self._words: list[tuple[Dot, str, int, str, str]] = []

    def copy(self) -> DotPainter:
        """Return another painter that goes on from here."""
        other = DotPainter.__new__(DotPainter)
        other._size, other._smooth = self._size, self._smooth
        other._large = self._large.copy()
        other._draw = ImageDraw.Draw(other._large)
        other._words = list(self._words)
        return other

    def disc(self, x: float, y: float, radius: float, fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a disc."""
        k = self._smooth
        # The corner that is given last belongs to the disc.
        box = ((x - radius) * k, (y - radius) * k, (x + radius) * k - 1, (y + radius) * k - 1)
        if box[2] > box[0] and box[3] > box[1]:
            self._draw.ellipse(box, fill, edge or None, max(round(width * k), 1) if edge else 0)

    def polygon(self, corners: Sequence[Dot], fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a polygon."""
        k = self._smooth
        large = [(x * k, y * k) for x, y in corners]
        self._draw.polygon(large, fill)
        if edge:
            self._draw.line([*large, large[0], large[1]], edge, max(round(width * k), 1), joint="curve")

    def line(self, dots: Sequence[Dot], colour: str, width: float) -> None:
        """Paint a line."""
        k = self._smooth
        large = [(x * k, y * k) for x, y in dots]
        self._draw.line(large, colour, max(round(width * k), 1), joint="curve")

    def words(
        self, x: float, y: float, text: str, size: float, colour: str, anchor: Anchor = "start"
    ) -> None:
        """Write words."""
        self._words.append(((x, y), text, round(size), colour, anchor[0].replace("s", "l").replace("e", "r")))

    def picture(self) -> Image.Image:
        """Return what was painted."""
        small = self._large.reduce(self._smooth) if self._smooth > 1 else self._large.copy()
        draw = ImageDraw.Draw(small)
        for place, text, size, colour, side in self._words:
            draw.text(place, text, colour, font(size), anchor=f"{side}m")
        return small


@cache
def font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """Return the letters of a size."""
    return ImageFont.load_default(max(size, 1))


def words_width(text: str, size: float) -> float:
    """Return how wide words are."""
    return font(round(size)).getlength(text)


class SvgPainter:
    """Writes strokes as SVG; `picture` returns the text."""

    def __init__(self, size: tuple[int, int], colour: str) -> None:
        width, height = size
        self._parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"',
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
            f'<rect width="{width}" height="{height}" fill="{colour}"/>',
        ]

    def disc(self, x: float, y: float, radius: float, fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a disc."""
        r = max(radius - width / 2, 0.0) if edge else radius
        self._add(f'circle cx="{x:.2f}" cy="{y:.2f}" r="{r:.2f}"', fill, edge, width)

    def polygon(self, corners: Sequence[Dot], fill: str, edge: str = "", width: float = 0.0) -> None:
        """Paint a polygon."""
        self._add(f'polygon points="{_dots(corners)}" stroke-linejoin="round"', fill, edge, width)

    def line(self, dots: Sequence[Dot], colour: str, width: float) -> None:
        """Paint a line."""
        self._add(f'polyline points="{_dots(dots)}" stroke-linejoin="round"', "none", colour, width)

    def words(
        self, x: float, y: float, text: str, size: float, colour: str, anchor: Anchor = "start"
    ) -> None:
        """Write words."""
        self._parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill={quoteattr(colour)} '
            f'text-anchor="{anchor}" dominant-baseline="central">{escape(text)}</text>'
        )

    def picture(self) -> str:
        """Return what was painted."""
        return "\n".join([*self._parts, "</svg>"]) + "\n"

    def _add(self, shape: str, fill: str, edge: str, width: float) -> None:
        stroke = f' stroke="{edge}" stroke-width="{width:.2f}"' if edge else ""
        self._parts.append(f'<{shape} fill="{fill}"{stroke}/>')


def _dots(dots: Sequence[Dot]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in dots)
