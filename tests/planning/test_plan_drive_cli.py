"""`kumi plan` over a plane: route, path and profile on the command line, in a picture, or one sentence."""

from __future__ import annotations

import json
from math import dist, pi
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kumi.cli.main import main
from kumi.cli.plan import plan

if TYPE_CHECKING:
    from pathlib import Path

HALL = """
[map]
width = 12.0
height = 8.0
obstacles = [{ block = [5.0, 0.0], size = [2.0, 5.0] }]
"""


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """Return a map with one block, around which the way leads."""
    path = tmp_path / "hall.toml"
    path.write_text(HALL, encoding="utf-8")
    return path


def planned(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(plan, [str(word) for word in words])
    return result.exit_code, result.output


def failed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one sentence that a person reads."""
    assert main(["plan", *(str(word) for word in words)]) in (1, 2)
    return capsys.readouterr().err


ENDS = ("--start", 2, 2, "--goal", 10, 2)


@pytest.mark.parametrize("by", ["visibility", "grid", "voronoi", "cells"])
def test_a_machine_reads_route_states_and_duration(hall: Path, by: str) -> None:
    """From below the block on the left to below it on the right the way leads over its top, 5 m high."""
    code, text = planned(hall, *ENDS, "--radius", 0.4, "--by", by, "--json")

    found = json.loads(text)
    assert code == 0
    assert found["route"][0] == [2.0, 2.0]
    assert found["route"][-1] == [10.0, 2.0]
    assert max(y for _, y in found["route"]) > 5.4
    assert found["length"] > 2 * dist((2, 2), (5, 5))
    first, last = found["states"][0], found["states"][-1]
    assert first[5] == 0.0
    assert last[5] == pytest.approx(0.0, abs=1e-9)
    assert last[4] == pytest.approx(found["length"])
    assert last[7] == pytest.approx(found["duration"])
    assert all(state[5] <= 1.0 + 1e-9 and abs(state[6]) <= 0.5 + 1e-9 for state in found["states"])


def test_a_straight_way_takes_the_time_one_knows(hall: Path) -> None:
    """8 m at 2 m/s with 1 m/s²: 8/2 + 2/1 = 6 s."""
    code, text = planned(
        hall, "--start", 2, 7, "--goal", 10, 7, "--top-speed", 2, "--acceleration", 1, "--json"
    )

    assert code == 0
    assert json.loads(text)["duration"] == pytest.approx(6.0)


def test_a_person_reads_three_lines(hall: Path) -> None:
    code, text = planned(hall, *ENDS, "--radius", 0.4)

    assert code == 0
    assert [line.split(":")[0] for line in text.splitlines()] == ["route", "path", "profile"]


def test_headings_are_given_in_degrees_and_a_bound_says_what_it_costs(hall: Path) -> None:
    """Half a circle of 1 m to the left, 3.14 m; with clothoids to and from it, so much more as is said."""
    half = ("--start", 2, 2, "--goal", 2, 4, "--min-radius", 1, "--start-heading", 0, "--goal-heading", 180)
    free = json.loads(planned(hall, *half, "--json")[1])
    code, text = planned(hall, *half, "--max-curvature-rate", 4, "--json")
    bound = json.loads(text)

    assert code == 0
    assert (free["length"], free["cost_of_bound"]) == (pytest.approx(pi), 0.0)
    assert free["states"][-1][2] == pytest.approx(pi)
    assert bound["cost_of_bound"] == pytest.approx(bound["length"] - pi)
    assert bound["cost_of_bound"] > 0.2
    assert " m of it for its rate of curvature, " in planned(hall, *half, "--max-curvature-rate", 4)[1]
    assert "rate of curvature" not in planned(hall, *half)[1]


def test_no_route_is_an_answer(hall: Path) -> None:
    """Between the block and the upper border are 3 m."""
    code, text = planned(hall, *ENDS, "--radius", 1.6)
    assert (code, text[:8]) == (0, "no route")

    code, text = planned(hall, *ENDS, "--radius", 1.6, "--json")
    assert json.loads(text)["states"] is None


@pytest.mark.parametrize("name", ["plan.png", "plan.svg"])
def test_a_picture_is_written(hall: Path, tmp_path: Path, name: str) -> None:
    code, text = planned(hall, *ENDS, "--radius", 0.4, "-o", tmp_path / name)

    assert code == 0
    assert f"picture: {tmp_path / name}" in text
    assert (tmp_path / name).stat().st_size > 1000


def test_a_shipped_scenario_has_a_plane() -> None:
    code, text = planned("crossing", "--start", 2, 2, "--goal", 18, 14, "--radius", 0.5)

    assert code == 0
    assert text.startswith("route: ")


def test_cells_are_a_plane_when_a_way_to_find_routes_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.map"
    path.write_text("type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n....\n", encoding="utf-8")

    code, text = planned(path, "--start", 0.5, 0.5, "--goal", 3.5, 2.5, "--radius", 0.2, "--by", "visibility")

    assert code == 0
    assert text.startswith("route: ")


@pytest.mark.some_of(3)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--start", 6, 2, "--goal", 10, 2), "the start (6, 2) is blocked"),
        (("--start", 2, 2, "--goal", 13, 2), "the goal (13, 2) is outside the space"),
        (("--start", "nan", 2, "--goal", 10, 2), "finite"),
        ((*ENDS, "--radius", -1), "-1"),
        ((*ENDS, "--radius", 0.4, "--min-radius", 50), "no path along the route keeps a radius of 50 m"),
        ((*ENDS, "--max-curvature-rate", 0), "a number of rad/m² from 1e-12 to 1e+12, or inf, not 0.0"),
        ((*ENDS, "--top-speed", 0), "the limit top_speed is a number > 0, not 0.0"),
        ((*ENDS, "--moves", 4), "--moves is for the cells of a .map file"),
        (("--start", 2, 2), "Give --start and --goal, in metres"),
    ],
)
def test_bad_input_is_one_sentence(
    hall: Path, capsys: pytest.CaptureFixture[str], words: tuple[object, ...], sentence: str
) -> None:
    text = failed(capsys, hall, *words)

    assert sentence in text
    assert "Traceback" not in text
    assert "--debug" not in text
