"""Hundreds of robots go on their errands in a warehouse, and not two of them ever touch."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kumi.geometry import Point
from kumi.planning.limits import Impossible
from kumi.programs.warehouse import WarehouseFloor, floor_of
from kumi.recording import Note, RunFile, Touched
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.stage import Outcome

RADIUS, ROBOTS, ERRANDS = 0.3, 300, 2


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, RunFile]:
    """Return what came out of the run as it ships."""
    return recorded(tmp_path_factory.mktemp("warehouse"), "warehouse")


def places(run: RunFile, instant: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return where all robots are."""
    return np.array([state.pose.position for state in run.state_at(instant)])


@pytest.mark.slow
def test_nobody_touches_anything(staged: tuple[Outcome, RunFile]) -> None:
    """By the exact engine, which tells every contact of bodies with each other and with shelves."""
    outcome, run = staged

    assert (outcome.errors, outcome.contacts, outcome.robots, outcome.lost) == ((), 0, ROBOTS, ())
    assert not any(isinstance(record, Touched) for record in run.records())


def test_everyone_reaches_all_its_goals_and_is_home_again(staged: tuple[Outcome, RunFile]) -> None:
    """The notes of each robot: it arrived twice, and was home; and so it is where it was born."""
    outcome, run = staged
    notes = Counter((record.body, record.text) for record in run.records() if isinstance(record, Note))

    assert notes == {
        (robot, text): times for robot in range(ROBOTS) for text, times in (("arrived", ERRANDS), ("home", 1))
    }
    assert np.allclose(places(run, 0.0), places(run, outcome.simulated_seconds), atol=1e-6)


def test_goals_are_beside_shelves_and_far_from_home(staged: tuple[Outcome, RunFile]) -> None:
    """Shelves lie from x = 8 to 42; homes left of 7 and right of 43."""
    _, run = staged
    arrivals = [record for record in run.records() if isinstance(record, Note) and record.text == "arrived"]
    xs = [places(run, record.time)[record.body][0] for record in arrivals[::50]]

    assert all(8.0 < x < 42.0 for x in xs)


def test_turning_a_corner_one_behind_the_other_they_keep_a_gap(staged: tuple[Outcome, RunFile]) -> None:
    """In mid-step two of them are at least √½ m apart, 0.107 m more than they are wide."""
    _, run = staged
    nearest = []
    for step in range(5, 100, 5):
        at = places(run, 1.01 + step + 0.5)
        gaps = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        nearest.append(gaps[~np.eye(len(at), dtype=bool)].min())

    assert min(nearest) == pytest.approx(0.5**0.5, abs=1e-6)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_trace(tmp_path: Path) -> None:
    hashes = [recorded(tmp_path, "warehouse", f"seed={seed}", "until=12")[0].trace_hash for seed in (3, 3, 4)]

    assert hashes[0] == hashes[1] != hashes[2]


def test_without_a_shared_plan_they_collide(tmp_path: Path) -> None:
    outcome, _ = recorded(tmp_path, "warehouse", "robots.parameters.shared=false", "until=20")

    assert outcome.contacts > 0


# The floor.


def test_the_floor_has_the_shelves_as_cells() -> None:
    """A hall of 4 by 3 with a shelf of 2 by 1 in the middle: beside it lie two cells above and two below."""
    plane = floor_of([4.0, 3.0], [{"block": [1.0, 1.0], "size": [2.0, 1.0]}], 1.0)

    assert plane.blocked.tolist() == [[False] * 4, [False, True, True, False], [False] * 4]
    assert plane.beside_shelves() == [(0, 1), (0, 2), (2, 1), (2, 2)]
    assert plane.cell_at(Point(3.5, 1.5)) == (1, 3)


def test_what_does_not_fit_the_cells_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a shelf is a whole number of cells of 1 m, but 1.5 m is not"):
        floor_of([4.0, 3.0], [{"block": [1.5, 1.0], "size": [2.0, 1.0]}], 1.0)
    with pytest.raises(ValueError, match="the shelves of a warehouse are blocks with a size"):
        floor_of([4.0, 3.0], [{"disc": [1.5, 1.0]}], 1.0)
    with pytest.raises(Impossible, match="are born in the middle of a cell"):
        WarehouseFloor(np.zeros((3, 3), dtype=bool), 1.0).cell_at(Point(1.2, 1.5))


def test_robots_need_places_to_go_to(tmp_path: Path) -> None:
    outcome, _ = recorded(tmp_path, "warehouse", "map.obstacles=[]", "until=5")

    assert {str(error.error) for error in outcome.errors} == {
        "300 robots cannot all have a place of 0 beside shelves"
    }
