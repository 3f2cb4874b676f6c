"""How does a folder of results become a report?

All that a report says is read from the results; nothing is run. The same results give the same report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kumi.study.statistics.intervals import LEVEL
from kumi.study.statistics.report import words
from kumi.study.statistics.report.asked import asked, made, missing
from kumi.study.statistics.report.contents import PICTURES, Report, ReportSection, as_html, as_markdown
from kumi.study.statistics.report.courses import courses, times
from kumi.study.statistics.report.findings import comparisons, growth, means, sensitivity
from kumi.study.statistics.report.paper import WIDTHS, Paper, pdf, png, svg
from kumi.study.statistics.report.plots import maps, plots
from kumi.study.statistics.report.stored import StoredStudy, read_results
from kumi.study.statistics.report.words import measured
from kumi.study.statistics.tables import finished
from kumi.study.statistics.values import StatisticsError, level_of


@dataclass(frozen=True)
class Written:
    """Where a report is."""

    html: Path
    markdown: Path
    pictures: tuple[Path, ...]


def write_report(folder: Path, to: Path | None = None, level: float = LEVEL, columns: int = 1) -> Written:
    """Write report.html, report.md and pictures on a folder of results, into `to` or its folder `report`.

    Each picture is there as PDF, SVG and PNG, as wide as so many columns of a paper, one or two.
    """
    if columns not in WIDTHS:
        raise StatisticsError(f"a picture goes over 1 or 2 columns, not {columns!r}.")
    report = compose(read_results(folder), level)
    return _write(report, folder / "report" if to is None else to, Paper(columns))


def compose(results: StoredStudy, level: float = LEVEL) -> Report:
    """Make the report of some results."""
    level_of(level)
    if not len(results.table):
        raise StatisticsError(f"{results.folder} holds no run yet; there is nothing to report.")
    sections = [asked(results)]
    if len(finished(results.table)):
        parts: tuple[Callable[[StoredStudy, float], ReportSection | None], ...] = (courses,)
        if results.study.get("sensitivity"):
            parts = (sensitivity,)  # each combination was run for its share in the indices alone
        elif measured(results):
            parts = (means, times, maps, plots, courses, comparisons, growth)
        found = (make(results, level) for make in parts)
        sections += [one for one in found if one is not None]
    lacking = missing(results)
    sections += [*([lacking] if lacking else []), made(results)]
    version = results.study["versions"].get("kumi", "of unknown version")
    runs, folder = words.plural(len(results.table), "run"), results.folder.resolve().name
    subtitle = f"{runs} by kumi {version}. Made from the results in `{folder}` alone."
    return Report(str(results.study.get("name") or results.folder.name), subtitle, tuple(sections))


def _write(report: Report, folder: Path, paper: Paper) -> Written:
    pictures = folder / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    made_now = []
    for figure in (figure for section in report.sections for figure in section.figures):
        chart = figure.drawn(paper)
        for suffix, data in ((".pdf", pdf(chart)), (".svg", svg(chart).encode()), (".png", png(chart))):
            path = pictures / f"{figure.name}{suffix}"
            path.write_bytes(data)
            made_now.append(path)
    html, markdown = folder / "report.html", folder / "report.md"
    html.write_text(as_html(report, paper), encoding="utf-8")
    markdown.write_text(as_markdown(report), encoding="utf-8")
    return Written(html, markdown, tuple(made_now))
