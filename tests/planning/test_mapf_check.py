"""The checker finds every flaw of a plan, and none in a sound one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.planning.mapf import check_mapf, solve_mapf

GRID = np.array([[0, 0, 0], [0, 1, 0]], dtype=bool)


def flaws(*paths: list[tuple[int, int]], goals: list[tuple[int, int]] | None = None) -> list[str]:
    """Return what is found in the ways of robots that start where they do and, if not told otherwise, arrive."""
    array = np.array(paths)
    return [
        str(flaw)
        for flaw in check_mapf(
            GRID, [path[0] for path in paths], goals or [path[-1] for path in paths], array
        )
    ]


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ([[(0, 0), (0, 1)], [(0, 2), (0, 1)]], "step 1: robots 0 and 1: both are at (0, 1)"),
        (
            [[(0, 0), (0, 1)], [(0, 1), (0, 0)]],
            "step 1: robots 0 and 1: they change places, (0, 1) and (0, 0)",
        ),
        ([[(0, 0), (0, 2)]], "step 1: robot 0: it jumps from (0, 0) to (0, 2)"),
        ([[(0, 0), (1, 0), (1, 1)]], "step 2: robot 0: (1, 1) is blocked"),
        ([[(0, 0), (-1, 0)]], "step 1: robot 0: (-1, 0) is outside of the grid"),
    ],
)
def test_a_flaw_is_found(paths: Any, words: str) -> None:
    assert flaws(*paths) == [words]


def test_a_robot_that_does_not_arrive_is_found() -> None:
    assert flaws([(0, 0), (0, 1)], goals=[(0, 2)]) == [
        "step 1: robot 0: it is at (0, 1), not at its goal, (0, 2)"
    ]


def test_a_way_too_few_is_found() -> None:
    found = check_mapf(GRID, [(0, 0), (0, 1)], [(0, 0), (0, 1)], np.array([[(0, 0)]]))

    assert [flaw.words for flaw in found] == ["there are 2 robots, but 1 ways"]


def test_following_and_staying_are_sound() -> None:
    assert flaws([(0, 0), (0, 1), (0, 1)], [(0, 1), (0, 2), (1, 2)]) == []


@given(st.integers(0, 11), st.integers(1, 8), st.integers(0, 35))
def test_a_robot_put_elsewhere_is_always_found_or_harmless(robot: int, step: int, cell: int) -> None:
    """Whatever one robot is moved to in mid-plan, the checker agrees with the rule for that one robot."""
    grid = np.zeros((6, 6), dtype=bool)
    starts = [(i // 6, i % 6) for i in range(12)]
    goals = [(5 - row, 5 - column) for row, column in starts]
    plan = solve_mapf(grid, starts, goals, rounds=0)
    assert plan is not None
    paths = plan.paths.copy()
    step = min(step, plan.makespan - 1)
    paths[robot, step] = divmod(cell, 6)
    here, others = paths[robot], np.delete(paths, robot, axis=0)
    jumps = any(np.abs(here[k] - here[k - 1]).sum() > 1 for k in (step, step + 1))
    meets = (others[:, step] == here[step]).all(axis=1).any()
    swaps = any(
        ((other[k] == here[k - 1]) & (other[k - 1] == here[k])).all() and (here[k] != here[k - 1]).any()
        for other in others
        for k in (step, step + 1)
    )

    assert bool(check_mapf(grid, starts, goals, paths)) == bool(jumps or meets or swaps)
