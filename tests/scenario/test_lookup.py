"""A program is found by its shipped name, in a module, or in a file beside the scenario."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kumi.scenario.complaints import listed
from kumi.scenario.document import Document, Place, ScenarioError
from kumi.scenario.lookup import SHIPPED, find_program

PROGRAM = """\
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Plan:
    rounds: int = 3

async def patrol(robot, rounds=1):
    return robot, rounds

async def nobody():
    pass

def plain(robot):
    pass
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a spot in a scenario that lies in a folder with programs."""
    (tmp_path / "patrols_for_test.py").write_text(PROGRAM)
    (tmp_path / "broken_for_test.py").write_text("x = (\n")
    (tmp_path / "failing_for_test.py").write_text("1 / 0\n")
    text = '[robots]\nprogram = ""\n'
    return Document("hall.toml", tmp_path, text, {"robots": {}}).place("robots", 0, "program")


def test_a_file_is_looked_for_beside_the_scenario(place: Place) -> None:
    assert find_program("patrols_for_test.py:patrol", place).__name__ == "patrol"


def test_a_module_is_found_there_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search path of Python is left as it was."""
    before = list(sys.path)
    assert find_program("patrols_for_test:patrol", place).__name__ == "patrol"

    assert sys.path == before
    monkeypatch.delitem(sys.modules, "patrols_for_test")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gatherin", "robots.program is 'gatherin', and no such program ships; did you mean 'gathering'?"),
        (
            "xyzzy",
            f"it takes {listed(sorted(SHIPPED), 'and')}, or one of your own as",
        ),
        ("gone.py:patrol", "robots.program: there is no file '"),
        ("gone_module:patrol", "'gone_module' cannot be imported: ModuleNotFoundError: No module named"),
        ("broken_for_test.py:patrol", "cannot be imported: SyntaxError: '(' was never closed"),
        ("failing_for_test.py:patrol", "cannot be imported: ZeroDivisionError: division by zero"),
        ("patrols_for_test.py:patrl", "robots.program: patrols_for_test.py has no 'patrl'; there are patrol"),
        ("patrols_for_test.py:plain", "is no program; a program is an async def that takes a robot"),
        ("patrols_for_test.py:nobody", "is no program; a program is an async def that takes a robot"),
    ],
)
def test_what_is_no_program_is_refused(place: Place, text: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        find_program(text, place)
    said = str(error.value)

    assert said.startswith("hall.toml, line 2: robots.program")
    assert sentence in said
