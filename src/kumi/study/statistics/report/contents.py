"""What is a report made of, whatever it is written as?

A report is a title and sections; a section has paragraphs, tables and figures, in this order. Texts may hold
`code` between backticks, and nothing else that is marked up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from urllib.parse import quote

import altair as alt

from kumi.study.statistics.report.paper import Paper


@dataclass(frozen=True)
class Sheet:
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
class Section:
    """A part of a report."""

    title: str
    paragraphs: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    figures: tuple[Figure, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Report:
    """All that is to be written."""

    title: str
    subtitle: str
    sections: tuple[Section, ...] = field(default=())
