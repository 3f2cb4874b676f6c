"""A picture of who did what when: one line a row, one colour a kind of doing, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 24, 78, 46
_ROW, _BAR = 26, 18
_WIDTH = 960
_TEXT = "#24292f"
_FAINT = "#d0d7de"


@dataclass(frozen=True)
class TimelineBar:
    """A stretch of time in a row, of one kind."""

    row: str
    kind: str
    begin: float
    end: float


def timeline(
    bars: Sequence[TimelineBar],
    *,
    title: str,
    colours: Mapping[str, str],
    unit: float = 1.0,
    unit_name: str = "s",
) -> str:
    """Draw bars as an SVG text. Times are divided by `unit` for the axis, which is labelled `unit_name`."""
    if not bars:
        raise ValueError("a timeline needs at least one bar")
    unknown = sorted({bar.kind for bar in bars} - set(colours))
    if unknown:
        raise ValueError(f"no colour is given for: {', '.join(unknown)}")
    rows = list(dict.fromkeys(bar.row for bar in bars))
    first, last = min(bar.begin for bar in bars), max(bar.end for bar in bars)
    scale = (_WIDTH - _LEFT - _RIGHT) / ((last - first) or 1.0)
    height = _TOP + _ROW * len(rows) + _BOTTOM

    def x(time: float) -> float:
        return _LEFT + (time - first) * scale

    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" fill="{_TEXT}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="28" font-size="17" font-weight="600">{escape(title)}</text>',
    ]
    at = float(_LEFT)
    for kind, colour in colours.items():
        parts.append(f'<rect x="{at:.1f}" y="44" width="14" height="14" rx="3" fill="{colour}"/>')
        parts.append(f'<text x="{at + 20:.1f}" y="56">{escape(kind)}</text>')
        at += 44 + 7.5 * len(kind)
    bottom = _TOP + _ROW * len(rows)
    for tick in ticks(first / unit, last / unit):
        place = x(tick * unit)
        parts.append(
            f'<line x1="{place:.1f}" y1="{_TOP - 6}" x2="{place:.1f}" y2="{bottom}" stroke="{_FAINT}"/>'
        )
        parts.append(f'<text x="{place:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    parts.append(
        f'<text x="{_WIDTH - _RIGHT}" y="{bottom + 38}" text-anchor="end">time ({escape(unit_name)})</text>'
    )
    for index, row in enumerate(rows):
        middle = _TOP + _ROW * index + _ROW / 2
        parts.append(f'<text x="{_LEFT - 10}" y="{middle + 4.5:.1f}" text-anchor="end">{escape(row)}</text>')
    for bar in bars:
        top = _TOP + _ROW * rows.index(bar.row) + (_ROW - _BAR) / 2
        width = max((bar.end - bar.begin) * scale, 0.0)
        parts.append(
            f'<rect x="{x(bar.begin):.2f}" y="{top:.1f}" width="{width:.2f}" height="{_BAR}" '
            f'fill="{colours[bar.kind]}"><title>{escape(bar.kind)}: {bar.begin / unit:.2f} to '
            f"{bar.end / unit:.2f} {escape(unit_name)}</title></rect>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def ticks(first: float, last: float, wanted: int = 10) -> list[float]:
    """Give round numbers between two others, about as many as wanted."""
    span = (last - first) or 1.0
    step = 1e-12
    while span / step > wanted:
        for factor in (2.0, 2.5, 2.0):
            if span / step > wanted:
                step *= factor
    begin = -(-first // step)
    return [k * step for k in range(int(begin), int(last // step) + 1)]
