"""What is a report made of, and how is it written: as one HTML file that needs nothing else, or as Markdown?

A report is a title and sections; a section has paragraphs, tables and figures, in this order. Texts may hold
`code` between backticks, and nothing else that is marked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

import altair as alt

from kumi.study.statistics.report.paper import Paper, svg


@dataclass(frozen=True)
class ReportTable:
    """A table: its head, its rows as texts, and a note. `numbers` are the places of columns of numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: Collection[int] = ()
    note: str = ""
    title: str = ""
    is_folded: bool = False


@dataclass(frozen=True)
class Figure:
    """A picture with its caption; the name is that of its file, and `drawn` draws it in a size."""

    name: str
    caption: str
    drawn: Callable[[Paper], alt.TopLevelMixin]


def file_name(text: str) -> str:
    """Return a name for a picture: letters, digits, and codes for signs that are not good in names of files."""
    return quote(text, safe="").replace("%", "~")


@dataclass(frozen=True)
class ReportSection:
    """A part of a report."""

    title: str
    paragraphs: tuple[str, ...] = ()
    sheets: tuple[ReportTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Report:
    """All that is to be written."""

    title: str
    subtitle: str
    sections: tuple[ReportSection, ...] = field(default=())


STYLE = """
:root { color-scheme: light; --ink: #222; --grey: #666; --line: #ddd; --blue: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem 5rem; max-width: 62rem; background: #fff; color: var(--ink);
  font: 16px/1.55 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0; font-weight: 600; }
h2 { font-size: 1.3rem; margin: 3rem 0 .6rem; font-weight: 600; }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; font-weight: 600; }
p { max-width: 46rem; margin: .5rem 0; }
.subtitle { color: var(--grey); margin: .4rem 0 1.2rem; }
nav { border: solid var(--line); border-width: 1px 0; padding: .5rem 0; font-size: .9rem; }
nav a { margin-right: 1.2rem; color: var(--blue); text-decoration: none; white-space: nowrap; }
nav a:hover { text-decoration: underline; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; border-bottom: 2px solid var(--ink); vertical-align: bottom; }
th, td { padding: .32rem 1.1rem .32rem 0; }
td { border-bottom: 1px solid #eee; vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
.note, figcaption { color: var(--grey); font-size: .88rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: .5rem 0 0; flex: 0 1 28.5rem; }
figure.wide { flex-basis: 100%; }
figure svg { width: 100%; height: auto; display: block; }
code, pre { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .86em; overflow-wrap: anywhere; }
code { background: #f4f4f4; padding: .1em .3em; border-radius: 3px; }
pre { background: #f7f7f7; padding: 1rem; overflow-x: auto; border-radius: 4px; }
summary { cursor: pointer; color: var(--blue); margin: 1rem 0 .4rem; }
@media print {
  body { padding: 0; max-width: none; }
  nav { display: none; }
  h2, figure { break-inside: avoid; }
}
"""


def as_html(report: Report, paper: Paper) -> str:
    """Return the whole page, with pictures as they are for a paper."""
    names = [(f"part-{number}", section) for number, section in enumerate(report.sections, 1)]
    links = "".join(f'<a href="#{name}">{escape(section.title)}</a>' for name, section in names)
    parts = "\n".join(_section(name, section, paper) for name, section in names)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(report.title)}</h1>\n"
        f'<p class="subtitle">{_text(report.subtitle)}</p>\n<nav>{links}</nav>\n'
        f"{parts}\n</body>\n</html>\n"
    )


def _section(name: str, section: ReportSection, paper: Paper) -> str:
    parts = [f'<section id="{name}">', f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{_text(one)}</p>" for one in section.paragraphs]
    parts += [_sheet(one) for one in section.sheets]
    if section.figures:
        pictures = "\n".join(
            _figure(one, f"{name}-{number}", paper) for number, one in enumerate(section.figures)
        )
        parts.append(f'<div class="figures">\n{pictures}\n</div>')
    if section.code:
        parts.append(f"<details><summary>The scenario</summary><pre>{escape(section.code)}</pre></details>")
    return "\n".join([*parts, "</section>"])


def _sheet(sheet: ReportTable) -> str:
    head = "".join(f"<th{_kind(sheet, place)}>{escape(one)}</th>" for place, one in enumerate(sheet.head))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{_kind(sheet, place)}>{_text(one)}</td>" for place, one in enumerate(row))
        + "</tr>"
        for row in sheet.rows
    )
    note = f'<p class="note">{_text(sheet.note)}</p>' if sheet.note else ""
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    table = f'<div class="scroll">{table}</div>{note}'
    if sheet.is_folded:
        return f"<details><summary>{escape(sheet.title)}</summary>{table}</details>"
    return (f"<h3>{escape(sheet.title)}</h3>" if sheet.title else "") + table


def _kind(sheet: ReportTable, place: int) -> str:
    return ' class="number"' if place in sheet.numbers else ""


def _figure(figure: Figure, name: str, paper: Paper) -> str:
    picture = _apart(svg(figure.drawn(paper)), name)
    wide = ' class="wide"' if paper.columns > 1 else ""
    caption = escape(figure.caption)
    picture = picture.replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return f"<figure{wide}>{picture}<figcaption>{caption}</figcaption></figure>"


def _apart(picture: str, name: str) -> str:
    """Make the names inside a picture its own, since a page has one set of names."""
    picture = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', picture)
    return re.sub(
        r"url\(#([^)]+)\)|(href=\")#",
        lambda m: f"url(#{name}-{m[1]})" if m[1] else f"{m[2]}#{name}-",
        picture,
    )


def _text(text: str) -> str:
    """Write a text with its code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


PICTURES = "pictures"


def as_markdown(report: Report) -> str:
    """Return the text; a picture is looked for as PICTURES/name.png."""
    parts = [f"# {report.title}", report.subtitle, *(_section_in_markdown(one) for one in report.sections)]
    return "\n\n".join(parts) + "\n"


def _section_in_markdown(section: ReportSection) -> str:
    parts = [f"## {section.title}", *section.paragraphs, *(_sheet_in_markdown(one) for one in section.sheets)]
    parts += [f"![{one.caption}]({PICTURES}/{one.name}.png)\n\n*{one.caption}*" for one in section.figures]
    if section.code:
        parts.append(f"```toml\n{section.code.rstrip()}\n```")
    return "\n\n".join(parts)


def _sheet_in_markdown(sheet: ReportTable) -> str:
    lines = [f"**{sheet.title}**\n"] if sheet.title else []
    lines.append(_line(sheet.head))
    lines.append(_line(["---:" if place in sheet.numbers else "---" for place in range(len(sheet.head))]))
    lines += [_line(row) for row in sheet.rows]
    return "\n".join([*lines, *([f"\n{sheet.note}"] if sheet.note else [])])


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
