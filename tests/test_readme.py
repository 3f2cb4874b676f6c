"""The README is short, begins with a picture that moves, and leads to everything else."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from tests.recording.strokes import count_of_frames

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
INDEX = (ROOT / "docs" / "README.md").read_text()


def test_it_begins_with_a_picture_that_moves_and_is_small() -> None:
    """Made from a run by the commands that docs/recording.md has."""
    first = re.search(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert first is not None
    picture = ROOT / first[1]
    assert picture.stat().st_size <= 300_000
    with Image.open(picture) as loop:
        assert count_of_frames(loop) >= 12
        assert loop.info["loop"] == 0
    assert f"-o {first[1]}" in (ROOT / "docs" / "recording.md").read_text()


def test_it_has_its_parts_in_order_on_two_screens() -> None:
    """Two screens are about a hundred lines, of which the program takes a third."""
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert headings == ["Three doors", "Figures", "Works with", "Status", "Links"]
    assert len(README.splitlines()) <= 110
    assert README.index("make demo") < README.index("make test") < README.index("```python")


def test_the_documents_list_every_page() -> None:
    """So that whatever is not in the README is found from it."""
    assert "(docs/README.md)" in README
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"]({page.name})" in INDEX, page.name
    assert "](decisions/README.md)" in INDEX


def test_its_figures_are_those_of_the_whole_table() -> None:
    rows = re.findall(r"^\| (.+?) \| ([^|]+) \|", README[README.index("## Figures") :], re.MULTILINE)[1:]
    assert len(rows) >= 6
    for _, figure in rows[:6]:
        assert f"| {figure} |" in INDEX, figure


MEASURED = {
    "1,000 robots that wander": "1,000 robots, programs in Python, simulated",
    "1,000 robots that avoid": "ORCA within 50 cm, a team of 1,000 on wheels",
    "a flock of 10,000": "Flocking by Reynolds, a team of 10,000",
    "messages per second among 1,000": "1,000 nodes pass messages on, bare network",
    "shortest path over 5,000": "Thesis map ., 5000 . 5000, .*wall",
    "first plan for 1,000": "Warehouse of 161 . 63, 1,000 robots: first solution",
    "DEVStone HI": r"DEVStone HI \(100, 100\), M transitions",
    "1,000 sleeping": "Timed sleeps, 1,000 tasks",
}
"""The first words of each row of the README's figures, and of the rows of the benchmarks that it is taken from."""


def test_its_figures_are_those_that_were_measured_last() -> None:
    """Each is that of RESULTS.md, rounded to the digits that it has; of several rows the least and the greatest."""
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    figures = README[README.index("## Figures") :].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in figures.splitlines() if line.startswith("|")][2:]
    assert len(rows) == len(MEASURED)
    for what, ours, theirs in rows:
        [pattern] = [one for words, one in MEASURED.items() if what.strip().startswith(words)]
        measured = re.findall(rf"^\| {pattern}.*$", results, re.MULTILINE)
        told = [
            ("kumi", ours),
            *re.findall(r"([a-zA-Z][\w.-]+) (\d[\d.,]*(?: to \d[\d.,]*)?)(?:,|$| )", theirs),
        ]
        for who, numbers in told:
            if who == "of":  # "in steps of 0.1 s" is no figure
                continue
            known = found_of(who, measured)
            ends = [min(known), max(known)] if " to " in numbers else known[:1]
            for number, exact in zip(numbers_in(numbers), ends, strict=True):
                assert rounded_as(number, exact) == as_float(number), (what, who)


def found_of(who: str, rows: list[str]) -> list[float]:
    """Return what was measured of somebody in rows of RESULTS.md."""
    cells = [row.split("|") for row in rows]
    if who == "kumi":
        return [as_float(row[2]) for row in cells]
    return [as_float(one) for row in cells for one in re.findall(rf"{re.escape(who)} ([\d.,]+\d)", row[-2])]


def numbers_in(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*(?:\.\d+)?", text)


def as_float(number: str) -> float:
    return float(number.replace(",", ""))


def rounded_as(number: str, exact: float) -> float:
    """Round to as many digits as a number has."""
    digits = number.replace(",", "").replace(".", "").strip("0")
    return float(f"{exact:.{len(digits)}g}")
