"""How are means with intervals, and bands in time, drawn?

Charts are Altair's, so they also show in a notebook, and are turned into pictures by vl-convert without a
network or a browser. Colours are those of Okabe and Ito, which people with any colour vision tell apart;
those of a parameter of numbers run from dark to light. Bars and bands are intervals.
"""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import polars as pl
import vl_convert

WIDTH, HEIGHT = 380, 240
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
INK, GREY, LINE = "#222222", "#666666", "#e6e6e6"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
MANY_PLACES = 16
"""Places along a parameter from which on intervals are drawn as a band."""
FEW_PLACES = 9
"""Places along a parameter up to which each is written at the axis."""
APART = 0.008
"""How far lines are set apart, as a share of the axis."""
LOG_FROM = 20
"""Ratio of the largest to the smallest value of a parameter from which on its axis is logarithmic."""
STEEP_FROM = 50
"""The same for a metric, where the parameter's axis is logarithmic, too: a power law is then a line."""


def against_parameter(
    table: pl.DataFrame, title: str, parameter: str, group: str | None = None
) -> alt.TopLevelMixin:
    """Draw means (columns `mean`, `low`, `high`) against a parameter (`x`), in one line for each `group`.

    `parameter` and `group` are the words at the axis and at the legend. Lines are set apart a little, so that
    no interval hides another. A parameter of texts gets no line.
    """
    is_numeric, fixed, hue = table["x"].dtype.is_numeric(), _fixed(group), _hue(table, group)
    is_log = is_numeric and _spans(table["x"], LOG_FROM)
    has_band = is_numeric and table["x"].n_unique() > MANY_PLACES
    if is_numeric:
        values = table["x"].unique().sort().to_list()
        axis = alt.Axis(values=values) if len(values) <= FEW_PLACES else alt.Axis(tickCount=8)
        x: Any = alt.X("place:Q", title=parameter, scale=_scale("log" if is_log else "linear", 12), axis=axis)
        table = _set_apart(table, None if has_band else group, is_log=is_log)
    else:
        x = alt.X("x:N", title=parameter, sort=None, axis=alt.Axis(labelAngle=0))
        hue |= {"xOffset": alt.XOffset("group:N", sort=None)} if group else {}
    base = alt.Chart(_data(table)).encode(x=x, **hue)
    is_steep = is_log and _spans(table["mean"], STEEP_FROM) and _spans(table["low"], STEEP_FROM)
    steps = alt.Axis(tickCount=4) if is_steep else alt.Axis()
    y = alt.Y("mean:Q", title=title, scale=_scale("log" if is_steep else "linear", 8), axis=steps)
    bounds = {"y": alt.Y("low:Q", title=title), "y2": alt.Y2("high:Q")}
    layers: list[Any] = [base.mark_line(strokeWidth=1.4, **fixed).encode(y=y)] if is_numeric else []
    if has_band:
        layers.insert(0, base.mark_area(opacity=0.18, **fixed).encode(**bounds))
    else:
        bars = base.mark_errorbar(
            ticks={"size": 6, "opacity": 1}, rule={"opacity": 1}, thickness=1.3, **fixed
        )
        layers.append(bars.encode(**bounds))
    layers.append(base.mark_point(filled=True, size=42, opacity=1, **fixed).encode(y=y))
    return _styled(alt.layer(*layers))


def in_time(table: pl.DataFrame, title: str, group: str | None = None) -> alt.TopLevelMixin:
    """Draw means (columns `mean`, `low`, `high`) in `time`, one line and band for each `group`."""
    x = alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False))
    base = alt.Chart(_data(table)).encode(x=x, **_hue(table, group))
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    band = base.mark_area(opacity=0.18, **_fixed(group)).encode(
        y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q")
    )
    line = base.mark_line(strokeWidth=1.6, **_fixed(group)).encode(y=y)
    return _styled(alt.layer(band, line), width=2 * WIDTH + 60)


def svg(chart: alt.TopLevelMixin) -> str:
    """Return a chart as an SVG picture."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[]))


def png(chart: alt.TopLevelMixin) -> bytes:
    """Return a chart as a PNG picture, at twice the size for fine screens and paper."""
    return bytes(vl_convert.vegalite_to_png(chart.to_dict(), scale=2, allowed_base_urls=[]))


def _data(table: pl.DataFrame) -> Any:
    inside: Any = alt.InlineData
    return inside(values=table.to_dicts())


def _spans(column: pl.Series, ratio: float) -> bool:
    """Tell whether all values are above zero, and the largest is so many times the smallest."""
    there = column.drop_nulls()
    low, high = there.min(), there.max()
    return isinstance(low, int | float) and isinstance(high, int | float) and 0 < low * ratio <= high


def _scale(kind: Literal["linear", "log"], padding: int) -> alt.Scale:
    return alt.Scale(type=kind, zero=False, nice=False, padding=padding)


def _set_apart(table: pl.DataFrame, group: str | None, *, is_log: bool) -> pl.DataFrame:
    """Give each mean its `place`: that of its parameter, moved by a hundredth of the axis for each group."""
    x = table["x"].cast(pl.Float64)
    if group is None:
        return table.with_columns(x.alias("place"))
    order = {
        value: number for number, value in enumerate(table["group"].unique(maintain_order=True).to_list())
    }
    steps = pl.Series([order[value] - (len(order) - 1) / 2 for value in table["group"].to_list()])
    places = x.to_list()
    low, high = min(places), max(places)
    moved = x * (high / low) ** (APART * steps) if is_log else x + APART * (high - low) * steps
    return table.with_columns(moved.alias("place"))


def _fixed(group: str | None) -> dict[str, Any]:
    return {} if group is not None else {"color": COLOURS[0]}


def _hue(table: pl.DataFrame, group: str | None) -> dict[str, Any]:
    """Return the colour of each group: steps of one scale for numbers, different ones for texts."""
    if group is None:
        return {}
    values = table["group"].unique(maintain_order=True).to_list()
    is_scale = table["group"].dtype.is_numeric() or len(values) > len(COLOURS)
    colours = _steps(len(values)) if is_scale else COLOURS[: len(values)]
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2)
    return {
        "color": alt.Color(
            "group:N", title=group, sort=None, legend=legend, scale=alt.Scale(domain=values, range=colours)
        )
    }


def _steps(count: int) -> list[str]:
    """Return so many colours from dark to light: points of the map `viridis`, without its pale end."""
    stops = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (197, 209, 38)]
    found = []
    for step in range(count):
        place = step / max(count - 1, 1) * (len(stops) - 1)
        left = min(int(place), len(stops) - 2)
        mixed = [a + (b - a) * (place - left) for a, b in zip(stops[left], stops[left + 1], strict=True)]
        found.append("#" + "".join(f"{round(part):02x}" for part in mixed))
    return found


def _styled(chart: Any, *, width: int = WIDTH) -> alt.TopLevelMixin:
    quiet = {"labelFont": FONT, "titleFont": FONT, "labelColor": GREY, "titleColor": INK}
    styled: alt.TopLevelMixin = (
        chart.properties(width=width, height=HEIGHT, background="white", padding=8)
        .configure_view(stroke=None)
        .configure_axis(
            **quiet,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            titlePadding=8,
            gridColor=LINE,
            domainColor="#999999",
            tickColor="#999999",
        )
        .configure_axisX(grid=False)
        .configure_axisY(domain=False, ticks=False)
        .configure_legend(
            **quiet,
            orient="top",
            titleOrient="left",
            titlePadding=10,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            symbolType="circle",
        )
    )
    return styled
