"""The less usual cases of planning: regions side by side, ways that tie, numbers that are just out of bounds."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from kumi.planning.conflicts import _together
from kumi.planning.criteria import shyness
from kumi.planning.grid_error import GridError
from kumi.planning.mapf import Improvement, NotSolved, advanced
from kumi.planning.replanning import Replanner


def groups(*rows: str) -> list[list[tuple[int, int, int]]]:
    """The regions of a table in which # is taken, one row a piece of the way."""
    return list(_together(np.array([[cell == "#" for cell in row] for row in rows])))


def test_regions_that_do_not_touch_are_two() -> None:
    assert groups("##..#", "##..#") == [[(0, 0, 1), (1, 0, 1)], [(0, 4, 4), (1, 4, 4)]]


def test_regions_that_touch_in_a_later_piece_are_one() -> None:
    assert groups("#...#", "#####") == [[(0, 0, 4), (1, 0, 4)]]


def test_regions_that_touch_at_a_corner_are_one() -> None:
    assert groups("#..", ".#.", "..#") == [[(0, 0, 0), (1, 1, 1), (2, 2, 2)]]
    assert groups("..#", ".#.", "#..") == [[(0, 2, 2), (1, 1, 1), (2, 0, 0)]]


@pytest.mark.parametrize(("distance", "weight"), [(0.0, 1.0), (1.0, -0.5)])
def test_shyness_has_a_distance_and_a_weight(distance: float, weight: float) -> None:
    with pytest.raises(ValueError, match="shyness has a distance > 0 and a weight >= 0"):
        shyness(distance, weight)


@pytest.mark.parametrize("cost", [0.0, inf, nan])
def test_what_is_freed_has_a_finite_cost(cost: float) -> None:
    with pytest.raises(GridError, match="the cost of a free cell is a finite number greater than 0"):
        Replanner(np.zeros((3, 3), dtype=bool), (0, 0)).free((1, 1), cost=cost)


class Search:
    """A search that has found nothing after its first slice, and costs 9, 9, 7 and 7 after the next ones."""

    def __init__(self, *states: str) -> None:
        self.rounds = 0
        self.cost = -1
        self._steps = iter(zip(states, (-1, 9, 9, 7, 7), strict=False))

    def advance(self, _seconds: float, _rounds: int) -> str:
        self.rounds += 1
        state, self.cost = next(self._steps)
        return state


def costs(found: list[Improvement] | None) -> list[int]:
    return [one.sum_of_costs for one in found or []]


def test_each_better_solution_is_told_once() -> None:
    told: list[Improvement] = []
    found = advanced(Search("busy", "solved", "solved", "solved", "optimal"), 100.0, 99, told.append)  # type: ignore[arg-type]

    assert costs(found) == costs(told) == [9, 7]


def test_a_search_goes_on_for_so_many_rounds() -> None:
    assert costs(advanced(Search("busy", "solved", "solved"), 100.0, 3, None)) == [9]  # type: ignore[arg-type]


def test_a_search_that_found_nothing_says_why_it_ended() -> None:
    with pytest.raises(NotSolved, match="in the memory given"):
        advanced(Search("full"), 100.0, 3, None)  # type: ignore[arg-type]
    assert advanced(Search("unsolvable"), 100.0, 3, None) is None  # type: ignore[arg-type]
