"""A report as Markdown, with its pictures as files beside it."""

from __future__ import annotations

from kumi.study.statistics.report.contents import Report, Section, Sheet

PICTURES = "pictures"


def as_markdown(report: Report) -> str:
    """Return the text; a picture is looked for as PICTURES/name.png."""
    parts = [f"# {report.title}", report.subtitle, *(_section(one) for one in report.sections)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    parts = [f"## {section.title}", *section.paragraphs, *(_sheet(one) for one in section.sheets)]
    parts += [f"![{one.caption}]({PICTURES}/{one.name}.png)\n\n*{one.caption}*" for one in section.figures]
    if section.code:
        parts.append(f"```toml\n{section.code.rstrip()}\n```")
    return "\n\n".join(parts)


def _sheet(sheet: Sheet) -> str:
    lines = [f"**{sheet.title}**\n"] if sheet.title else []
    lines.append(_line(sheet.head))
    lines.append(_line(["---:" if place in sheet.numbers else "---" for place in range(len(sheet.head))]))
    lines += [_line(row) for row in sheet.rows]
    return "\n".join([*lines, *([f"\n{sheet.note}"] if sheet.note else [])])


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
