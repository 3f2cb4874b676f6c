"""One file runs in seven places, byte for byte the same, and says the same at its end in each.

The convoy has models and no program, so it is not among what ships here; see `tests/convoy`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kumi.robot import Robot
from kumi.robot.code_check import mistakes_in
from kumi.scenario.lookup import SHIPPED as NAMED
from tests.language.places import PLACES, Said, station
from tests.language.programs import PROGRAMS, SHIPPED, OneProgram
from tests.station.conftest import Little, little, template  # noqa: F401 - fixtures

SLOW = {"linked", "contest"}
"""Places that keep to the wall clock, or have a process for each program."""


def check(place: str, program: OneProgram, told: Said) -> None:
    """Hold what a program said in a place against what it says everywhere."""
    lines, failure = told
    if place in program.elsewhere:
        assert (lines, failure) == (list(program.elsewhere[place]), "")
        return
    assert lines == list(program.says), failure
    if not program.lacks:
        assert failure == ""
    elif failure != "failed":  # of a run of a study it is counted how many failed
        assert re.search(program.lacks, failure), failure


@pytest.mark.parametrize(
    "place", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in PLACES]
)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:.*the nearest speed that its motor has")
def test_a_program_says_the_same_in_every_place(name: str, place: str, tmp_path: Path) -> None:
    run: Callable[[str, Path], Said] = PLACES[place]
    check(place, PROGRAMS[name], run(PROGRAMS[name].text, tmp_path))


@pytest.mark.slow
def test_programs_say_the_same_when_they_are_uploaded_to_a_station(little: Little) -> None:  # noqa: F811
    told = station({name: one.text for name, one in PROGRAMS.items()}, little)

    for name, one in PROGRAMS.items():
        check("station", one, told[name])


def test_every_program_that_ships_is_among_them_and_what_is_refused_has_a_reason() -> None:
    of_robots = {name for name in NAMED if not name.endswith("-team")}  # a place gives a program one robot
    assert of_robots == {name.partition(",")[0] for name in SHIPPED}
    assert all(bool(one.lacks) == bool(one.because) for one in PROGRAMS.values())
    assert all(one.says or one.lacks for one in PROGRAMS.values())


def test_contest_station_and_page_show_one_example_byte_for_byte() -> None:
    """It is the file in `examples`, which the page is built from, and which says the same in the sandbox."""
    root = Path(__file__).parents[2]
    text = (root / "examples" / "rounds.py").read_text()
    for page in ("contest.md", "station.md"):
        assert f"```py\n{text}```" in (root / "docs" / page).read_text()
    assert (
        'import EXAMPLE from "../../../examples/rounds.py"'
        in (root / "web" / "src" / "panels" / "do_panel.ts").read_text()
    )
    assert mistakes_in(text, dir(Robot)) == []
