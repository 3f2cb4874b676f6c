"""Every example and every program in the documents runs as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands import python

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = re.compile(
    r"^```python\n(?P<program>.*?)^```\n(?:\n?It prints:?\n\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def printed_by(program: str) -> str:
    """Run a program in a process of its own and give what it printed."""
    done = python(program, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_is_written_beside_it(example: Path) -> None:
    """What `NAME.py` prints stands in `NAME.out`."""
    assert printed_by(example.read_text()) == example.with_suffix(".out").read_text()


LONG = {"link-1", "real-networks-1", "checking-4"}
"""Programs that keep to the wall clock, or try many runs."""


def programs() -> list[tuple[str, str, str]]:
    """Give the programs in the documents that state what they print."""
    return [
        (f"{page.stem}-{number}", found["program"], found["output"])
        for page in PAGES
        for number, found in enumerate(PROGRAM.finditer(page.read_text()), 1)
        if found["output"] is not None
    ]


@pytest.mark.parametrize(
    ("program", "output"),
    [
        pytest.param(program, output, id=name, marks=[pytest.mark.slow] * (name in LONG))
        for name, program, output in programs()
    ],
)
def test_a_program_in_the_documents_prints_what_the_page_says(program: str, output: str) -> None:
    """A block of Python followed by `It prints:` and a block of text is a promise."""
    assert printed_by(program) == output


def test_the_readme_states_what_its_first_program_prints() -> None:
    """The program a new user copies first is among those checked, and is the example `sweep`."""
    first = PROGRAM.search((ROOT / "README.md").read_text())
    assert first is not None
    assert first["output"] == (ROOT / "examples" / "sweep.out").read_text()
