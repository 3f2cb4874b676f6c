"""Every example and every program in the documents runs as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = re.compile(
    r"^```python\n(?P<program>.*?)^```\n(?:\n?It prints:?\n\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def printed_by(program: str) -> str:
    """Run a program in a process of its own and give what it printed."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_is_written_beside_it(example: Path) -> None:
    """What `NAME.py` prints stands in `NAME.out`."""
    assert printed_by(example.read_text()) == example.with_suffix(".out").read_text()


def programs() -> list[tuple[str, str, str]]:
    """Give the programs in the documents that state what they print."""
    return [
        (f"{page.stem}-{number}", found["program"], found["output"])
        for page in PAGES
        for number, found in enumerate(PROGRAM.finditer(page.read_text()), 1)
        if found["output"] is not None
    ]


@pytest.mark.parametrize(("program", "output"), [p[1:] for p in programs()], ids=[p[0] for p in programs()])
def test_a_program_in_the_documents_prints_what_the_page_says(program: str, output: str) -> None:
    """A block of Python followed by `It prints:` and a block of text is a promise."""
    assert printed_by(program) == output


def test_the_readme_states_what_its_first_program_prints() -> None:
    """The program a new user copies first is among those checked, and is the example `sweep`."""
    first = PROGRAM.search((ROOT / "README.md").read_text())
    assert first is not None
    assert first["output"] == (ROOT / "examples" / "sweep.out").read_text()
