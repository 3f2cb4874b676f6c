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
