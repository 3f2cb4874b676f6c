"""How are means with intervals, maps over two parameters, bands in time, and curves of times that may not come drawn?

Charts are Altair's, so they also show in a notebook, and are turned into pictures by vl-convert without a
network or a browser. Colours are those of Okabe and Ito, which people with any colour vision tell apart;
those of a parameter of numbers run from dark to light. Bars and bands are intervals.

An axis and a legend have every level that was asked for, in the order in which it was, also one without a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import polars as pl

from kumi.study.statistics.report.paper import FONT, INK, POINTS, Key, Paper, lines, width_of

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MANY_PLACES = 16
"""Places along a parameter from which on intervals are drawn as a band."""
LINE_SHIFT = 0.012
"""How far lines are set apart, as a share of the axis."""
LOG_FROM = 20
"""Ratio of the largest to the smallest value of a parameter from which on its axis is logarithmic."""
CELL = 34
"""Points that a cell of a map is wide at most."""
GUTTER = 20
"""Points between maps that stand side by side."""
PANELS = 4
"""Maps up to which two stand side by side on two columns; beyond, three."""
LIGHT_FROM = 0.6
"""From where on of a scale colours are so light that words on them are dark."""
STEEP_FROM = 50
"""The same for a metric, where the parameter's axis is logarithmic, too: a power law is then a line."""
FEW_BANDS = 3
"""Bands up to which they can lie over each other and be told apart; more are fainter."""
PLAIN_NUMBER = "format(datum.value, '~r')"
"""How levels are written: a logarithmic axis would leave some of them without a word."""
FRAME = 60
"""Points of a picture's width that axis and words at its side take, about."""


def against_parameter(
    table: pl.DataFrame,
    title: str,
    parameter: str,
    group: str | None = None,
    *,
    levels: Sequence[Any],
    groups: Sequence[Any] = (),
    paper: Paper,
) -> alt.TopLevelMixin:
    """Draw means (columns `mean`, `low`, `high`) against a parameter (`x`), in one line for each `group`.

    `parameter` and `group` are the words at the axis and at the legend, `levels` and `groups` the values asked for.
    Lines are set apart a little, so that no interval hides another. A parameter of texts gets no line, and lies along
    the other axis where its texts do not fit side by side.
    """
    if not all(isinstance(one, int | float) for one in levels):
        return _against_words(table, title, parameter, group, levels, groups, paper)
    places = sorted(levels)
    is_log, has_band = _spans(pl.Series(places), LOG_FROM), len(places) > MANY_PLACES
    axis = alt.Axis(
        values=places, labelExpr=PLAIN_NUMBER, labelOverlap="greedy", titleLimit=0, labelFlush=False
    )
    scale = _scale("log" if is_log else "linear", 12, [places[0], places[-1]] if len(places) > 1 else None)
    x = alt.X("place:Q", title=parameter, scale=scale, axis=axis)
    table = _set_apart(table, None if has_band else group, groups, places, is_log=is_log)
    is_steep = is_log and _spans(table["mean"], STEEP_FROM) and _spans(table["low"], STEEP_FROM)
    y: dict[str, Any] = {
        "title": lines(title, 0.75 * paper.height),
        "scale": _scale("log" if is_steep else "linear", 8),
        "axis": alt.Axis(tickCount=4) if is_steep else alt.Axis(tickCount=5),
    }
    fixed = _fixed(group)
    key = _key(group, groups, paper.width - FRAME)
    base = alt.Chart(_data(table)).encode(x=x, **_hue(group, groups, key))
    mean, low, high = alt.Y("mean:Q", **y), alt.Y("low:Q", **y), alt.Y("high:Q", **y)
    layers: list[Any] = [base.mark_line(strokeWidth=1.2, **fixed).encode(y=mean)]
    if has_band:
        layers.insert(0, base.mark_area(opacity=0.18, **fixed).encode(y=low, y2="high:Q"))
    else:
        layers.append(base.mark_rule(strokeWidth=1, **fixed).encode(y=low, y2="high:Q"))
        ends = base.mark_tick(size=5, thickness=1, opacity=1, orient="horizontal", **fixed)
        layers += [ends.encode(y=low), ends.encode(y=high)]
    layers.append(base.mark_point(filled=True, size=24, opacity=1, **fixed).encode(y=mean))
    return paper.styled(alt.layer(*layers), key=key)


def _against_words(
    table: pl.DataFrame,
    title: str,
    parameter: str,
    group: str | None,
    levels: Sequence[Any],
    groups: Sequence[Any],
    paper: Paper,
) -> alt.TopLevelMixin:
    names, order = [str(one) for one in levels], list(groups)
    is_flat = max(map(width_of, names)) + 6 <= (paper.width - FRAME) / len(names)
    sides: list[Any] = [("x", alt.X, alt.XOffset), ("y", alt.Y, alt.YOffset)]
    (place, at, offset), (reach, value, _) = sides if is_flat else reversed(sides)
    key = _key(group, groups, paper.width - FRAME - (0 if is_flat else max(map(width_of, names))))
    hue = _hue(group, groups, key)
    if group:
        hue[f"{place}Offset"] = offset("group:N", sort=order, scale=alt.Scale(domain=order))
    axis = alt.Axis(labelAngle=0, grid=not is_flat)
    hue[place] = at("x:N", title=parameter, axis=axis, sort=names, scale=alt.Scale(domain=names))
    base, fixed = alt.Chart(_data(table)).encode(**hue), _fixed(group)
    said = lines(title, 0.75 * paper.height if is_flat else paper.width - FRAME - max(map(width_of, names)))

    def of(column: str) -> dict[str, Any]:
        return {
            reach: value(f"{column}:Q", title=said, scale=_scale("linear", 8), axis=alt.Axis(tickCount=5))
        }

    ends = base.mark_tick(
        size=5, thickness=1, opacity=1, orient="horizontal" if is_flat else "vertical", **fixed
    )
    chart = alt.layer(
        base.mark_rule(strokeWidth=1, **fixed).encode(**of("low"), **{f"{reach}2": "high:Q"}),
        ends.encode(**of("low")),
        ends.encode(**of("high")),
        base.mark_point(filled=True, size=24, opacity=1, **fixed).encode(**of("mean")),
    )
    needed = 0.0 if is_flat else len(names) * max(POINTS + 4, 6 * len(order)) + 1.5 * FRAME
    return paper.styled(chart, needed=needed, key=key)


def heat_map(
    table: pl.DataFrame, title: str, x: str, y: str, *, is_share: bool = False, paper: Paper
) -> alt.TopLevelMixin:
    """Draw means (`mean`) as colours of cells over two parameters (`x`, `y`), with the numbers in cells that have room.

    `title`, `x` and `y` are the words at the scale and at the axes. Shares have one scale, from 0 to 1. With a column
    `panel` there is one map for each of its values, side by side as far as columns of the paper go.
    """
    columns, rows = (table[name].n_unique() for name in ("x", "y"))
    panels = table["panel"].n_unique() if "panel" in table.columns else 1
    beside = paper.columns + (paper.columns > 1 and panels > PANELS) if panels > 1 else 1
    wide = min(CELL, ((paper.width - FRAME) / beside - GUTTER) / columns)
    across = alt.X("x:O", title=x, axis=alt.Axis(labelAngle=0, grid=False))
    cells = alt.Chart().encode(x=across, y=alt.Y("y:O", title=y, sort="descending"))
    scale = alt.Scale(scheme="viridis", domain=[0.0, 1.0] if is_share else _ends(table["mean"]))
    colour = alt.Color("mean:Q", title=title, scale=scale, legend=alt.Legend(gradientLength=120))
    layers = [cells.mark_rect().encode(color=colour)]
    if wide >= width_of("0.00"):
        text = alt.Text("mean:Q", format=".2f" if is_share else ".3~g")
        ink = alt.condition("datum.is_light", alt.value("black"), alt.value("white"))
        layers.append(cells.mark_text(fontSize=POINTS, font=FONT).encode(text=text, color=ink))
    chart = alt.layer(*layers).properties(width=wide * columns, height=2.2 * POINTS * rows)
    drawn = _data(table.with_columns(_is_light(table["mean"], is_share=is_share)))
    if panels == 1:
        return paper.beside(chart.properties(data=drawn))
    header = alt.Header(title=None, labelFont=FONT, labelFontSize=POINTS, labelColor=INK)
    by = alt.Facet("panel:N", sort=None, header=header)
    return paper.beside(chart.facet(by, data=drawn, columns=beside))


def _ends(column: pl.Series) -> list[float]:
    """Return the least and the largest value; a scale without any width gets one."""
    found = [float(one) for one in column.drop_nulls().to_list()]
    low, high = min(found), max(found)
    return [low, high if high > low else low + 1.0]


def _is_light(column: pl.Series, *, is_share: bool) -> pl.Series:
    """Tell which cells are so light that their numbers are better dark."""
    low, high = (0.0, 1.0) if is_share else _ends(column)
    return ((column - low) / (high - low) > LIGHT_FROM).alias("is_light")


def in_time(
    table: pl.DataFrame, title: str, group: str | None = None, *, groups: Sequence[Any] = (), paper: Paper
) -> alt.TopLevelMixin:
    """Draw means (columns `mean`, `low`, `high`) in `time`, one line and band for each `group`."""
    x = alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(tickCount=6))
    key = _key(group, groups, paper.width - FRAME)
    base = alt.Chart(_data(table)).encode(x=x, **_hue(group, groups, key))
    y: dict[str, Any] = {"title": lines(title, 0.75 * paper.height), "scale": alt.Scale(zero=False)}
    band = base.mark_area(opacity=0.18, **_fixed(group)).encode(y=alt.Y("low:Q", **y), y2=alt.Y2("high:Q"))
    line = base.mark_line(strokeWidth=1.2, **_fixed(group)).encode(y=alt.Y("mean:Q", **y))
    return paper.styled(alt.layer(band, line), key=key)


def curves(
    table: pl.DataFrame, title: str, group: str | None = None, *, groups: Sequence[Any] = (), paper: Paper
) -> alt.TopLevelMixin:
    """Draw Kaplan–Meier curves (columns `time`, `share`, `low`, `high`), one for each `group`.

    Where `is_censored`, a run ended without the event, which a short line across the curve shows.
    """
    x = alt.X(
        "time:Q",
        title=lines(title, paper.width - FRAME),
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(tickCount=6),
    )
    y: dict[str, Any] = {
        "title": lines("share of runs in which it has not happened", 0.75 * paper.height),
        "scale": alt.Scale(domain=[0, 1]),
        "axis": alt.Axis(tickCount=5),
    }
    key = _key(group, groups, paper.width - FRAME)
    base = alt.Chart(_data(table)).encode(x=x, **_hue(group, groups, key))
    steps: dict[str, Any] = {"interpolate": "step-after", **_fixed(group)}
    band = base.mark_area(opacity=0.15 if len(groups) <= FEW_BANDS else 0.07, **steps).encode(
        y=alt.Y("low:Q", **y), y2=alt.Y2("high:Q")
    )
    line = base.mark_line(strokeWidth=1.2, **steps).encode(y=alt.Y("share:Q", **y))
    ended = base.transform_filter("datum.is_censored").mark_tick(
        orient="vertical", size=6, thickness=0.8, opacity=1, **_fixed(group)
    )
    return paper.styled(alt.layer(band, line, ended.encode(y=alt.Y("share:Q", **y))), key=key)


def _data(table: pl.DataFrame) -> Any:
    inside: Any = alt.InlineData
    return inside(values=table.to_dicts())


def _spans(column: pl.Series, ratio: float) -> bool:
    """Tell whether all values are above zero, and the largest is so many times the smallest."""
    there = column.drop_nulls()
    low, high = there.min(), there.max()
    return isinstance(low, int | float) and isinstance(high, int | float) and 0 < low * ratio <= high


def _scale(kind: Literal["linear", "log"], padding: int, domain: list[float] | None = None) -> alt.Scale:
    given: dict[str, Any] = {} if domain is None else {"domain": domain}
    return alt.Scale(type=kind, zero=False, nice=False, padding=padding, **given)


def _set_apart(
    table: pl.DataFrame, group: str | None, groups: Sequence[Any], places: Sequence[float], *, is_log: bool
) -> pl.DataFrame:
    """Give each mean its `place`: that of its parameter, moved by a hundredth of the axis for each group."""
    x = table["x"].cast(pl.Float64)
    if group is None:
        return table.with_columns(x.alias("place"))
    order = {value: number for number, value in enumerate(groups)}
    steps = pl.Series([order[value] - (len(order) - 1) / 2 for value in table["group"].to_list()])
    low, high = places[0], places[-1]
    moved = x * (high / low) ** (LINE_SHIFT * steps) if is_log else x + LINE_SHIFT * (high - low) * steps
    return table.with_columns(moved.alias("place"))


def _fixed(group: str | None) -> dict[str, Any]:
    return {} if group is not None else {"color": COLOURS[0]}


def _key(group: str | None, groups: Sequence[Any], room: float) -> Key | None:
    """Return the legend of some groups; none where there is no group."""
    if group is None:
        return None
    return Key(tuple(str(one) for one in groups), room)


def _hue(group: str | None, groups: Sequence[Any], key: Key | None) -> dict[str, Any]:
    """Return the colour of each group: steps of one scale for numbers, different ones for texts."""
    if key is None:
        return {}
    is_scale = all(isinstance(one, int | float) for one in groups) or len(groups) > len(COLOURS)
    colours = _steps(len(groups)) if is_scale else COLOURS[: len(groups)]
    legend = alt.Legend(
        symbolOpacity=1, symbolStrokeWidth=1.5, symbolType="circle", columns=key.columns, values=list(groups)
    )
    scale = alt.Scale(domain=list(groups), range=colours)
    return {"color": alt.Color("group:N", title=group, sort=list(groups), legend=legend, scale=scale)}


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
