"""How large is a picture, so that it goes into a paper as it is?

A picture is as wide as one or two columns of a page, 3.5 or 7.16 inches, and all its texts are 8 points: one unit of a
chart is a point. Texts are in Liberation Sans, which has the widths of Arial and Helvetica and is embedded in a PDF; an
SVG names those as well. As SVG and PDF a picture is made of lines and letters, and of no pixels.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
POINTS = 8
"""Size of all texts."""
INCH = 72
WIDTHS = {1: 3.5, 2: 7.16}
"""Inches that a picture over so many columns is wide."""
HEIGHTS = {1: 2.3, 2: 3.0}
DOTS = 300
"""Dots an inch of a picture of pixels."""
LETTER = 0.56 * POINTS
"""Points that a letter or digit is wide, but for a few wide ones."""
INK, LINE = "#222222", "#e2e2e2"


@dataclass(frozen=True)
class Paper:
    """Over how many columns pictures go."""

    columns: int = 1

    @property
    def width(self) -> float:
        """Points that a picture is wide, with all that is around it."""
        return WIDTHS[self.columns] * INCH

    @property
    def height(self) -> float:
        """Points that a picture is high unless it needs more."""
        return HEIGHTS[self.columns] * INCH

    def styled(self, chart: Any, *, needed: float = 0.0, key: Key | None = None) -> alt.TopLevelMixin:
        """Return a chart in this size, with its letters and lines; higher if it needs more, or has a legend of many lines."""
        height = max(self.height, needed) + (0 if key is None else key.rows * (POINTS + 3))
        fit: Any = {"type": "fit", "contains": "padding"}
        return self.beside(chart.properties(width=self.width, height=height, autosize=fit))

    def beside(self, chart: Any) -> alt.TopLevelMixin:
        """Return a chart, or several side by side, in the size that it has, with letters and lines for a paper."""
        texts: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "labelColor": INK, "titleColor": INK}
        texts |= {"labelFontSize": POINTS, "titleFontSize": POINTS, "titleFontWeight": "normal"}
        styled: alt.TopLevelMixin = (
            chart.properties(background="white", padding=3)
            .configure_view(stroke=None)
            .configure_axis(
                **texts,
                titlePadding=4,
                labelLimit=0,
                gridColor=LINE,
                gridWidth=0.5,
                domainColor=INK,
                domainWidth=0.6,
                tickColor=INK,
                tickWidth=0.6,
                tickSize=3,
            )
            .configure_axisX(grid=False)
            .configure_title(font=FONT, fontSize=POINTS, fontWeight="normal", color=INK)
            .configure_legend(
                **texts,
                orient="top",
                titleOrient="top",
                titlePadding=2,
                labelLimit=0,
                titleLimit=0,
                offset=4,
                columnPadding=8,
                rowPadding=1,
                symbolSize=30,
            )
        )
        return styled


@dataclass(frozen=True)
class Key:
    """The labels of a legend, in as many columns as fit into so many points."""

    labels: tuple[str, ...]
    room: float

    @property
    def columns(self) -> int:
        """How many labels stand side by side."""
        return max(1, int(self.room / (max(map(width_of, self.labels)) + 24)))

    @property
    def rows(self) -> int:
        """How many lines of labels there are."""
        return -(-len(self.labels) // self.columns)


def lines(title: str, room: float) -> list[str]:
    """Return a title in as many lines as it takes for a room of so many points."""
    found = [""]
    for word in title.split(" "):
        longer = f"{found[-1]} {word}".strip()
        if len(longer) * LETTER <= room or not found[-1]:
            found[-1] = longer
        else:
            found.append(word)
    return found


def width_of(text: str) -> float:
    """Return about how many points a text is wide."""
    return len(text) * LETTER


def svg(chart: alt.TopLevelMixin) -> str:
    """Return a chart as an SVG picture, whose size is in points."""
    made = str(vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[]))
    return re.sub(r'width="([\d.]+)" height="([\d.]+)"', r'width="\1pt" height="\2pt"', made, count=1)


def pdf(chart: alt.TopLevelMixin) -> bytes:
    """Return a chart as a PDF of one page, of lines and of letters from embedded fonts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return bytes(vl_convert.vegalite_to_pdf(chart.to_dict(), allowed_base_urls=[]))


def png(chart: alt.TopLevelMixin) -> bytes:
    """Return a chart as a picture of pixels, 300 an inch."""
    return bytes(
        vl_convert.vegalite_to_png(chart.to_dict(), scale=DOTS / INCH, ppi=INCH, allowed_base_urls=[])
    )
