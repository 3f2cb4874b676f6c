"""A match from coarse to fine finds what a search over all cells finds: random maps, turned, in part and not at all the same."""

from __future__ import annotations

from math import cos, pi, remainder, sin, tau
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kumi.geometry import Point, Pose
from kumi.mapping import Match, OccupancyMap, match, matching
from kumi.mapping.matching import apart
from kumi.planning.costs import clearances

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL = 0.05


def building(chance: np.random.Generator, side: int) -> NDArray[np.float32]:
    """Return a square of floor with walls and blocks by chance."""
    cells = np.full((side, side), -2.0, dtype=np.float32)
    cells[[0, -1], :] = cells[:, [0, -1]] = 2.0
    for _ in range(side * side // 2500 + 2):
        x, y = chance.integers(5, side - 10, 2)
        wide, high = chance.integers(4, 18, 2)
        is_block = chance.random() < 0.5
        cells[y : y + (high if is_block else 2), x : x + (wide if is_block else 3 * wide)] = 2.0
    return cells


def seen(cells: NDArray[np.float32], chance: np.random.Generator, angle: float, radius: int) -> OccupancyMap:
    """Return what a robot drew of a round part of a building, a cell in a hundred wrong and a tenth not seen."""
    side, wide = len(cells), 2 * radius
    x, y = side / 2 + chance.uniform(-0.2, 0.2, 2) * side
    ys, xs = np.mgrid[0:wide, 0:wide] + 0.5 - radius
    columns = np.floor(cos(angle) * xs - sin(angle) * ys + x).astype(int)
    rows = np.floor(sin(angle) * xs + cos(angle) * ys + y).astype(int)
    within = (columns >= 0) & (columns < side) & (rows >= 0) & (rows < side)
    within &= (xs * xs + ys * ys < radius * radius) & (chance.random((wide, wide)) > 0.1)
    drawn = np.zeros((wide, wide), dtype=np.float32)
    drawn[within] = cells[rows[within], columns[within]]
    drawn[chance.random((wide, wide)) < 0.01] *= -1
    return OccupancyMap(drawn, -radius, -radius, CELL)


def all_guesses(first: OccupancyMap, second: OccupancyMap) -> list[Pose]:
    """Score all shifts by whole cells in all rotations, and return the best that differ."""
    walls, floor = (
        np.argwhere(part)[:, ::-1] + np.array([second.column + 0.5, second.row + 0.5])
        for part in (second.occupied, second.free)
    )
    middle = walls.mean(axis=0)
    reach = int(np.hypot(*(np.concatenate([walls, floor]) - middle).T).max()) + 3
    rows, columns = (size + 2 * reach for size in first.shape)
    away = clearances(first.occupied)
    gain = np.zeros((2, rows, columns))
    inside = np.s_[: first.shape[0], : first.shape[1]]
    gain[0][inside] = np.exp(-0.5 * np.square(away / matching.WIDTH)) - matching.CLASH * (
        first.free & (away > 2.0)
    )
    gain[1][inside] = matching.FLOOR_GAIN * first.free - matching.CLASH * first.occupied * 0.5
    spectra = np.fft.rfft2(gain)
    found = []
    for angle in np.arange(0.0, tau - 1e-9, matching.TURN_STEP).tolist():
        turn = np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])
        masks = np.zeros((2, rows, columns))
        for mask, points in zip(masks, (walls, floor), strict=True):
            at = np.floor((points - middle) @ turn).astype(int)
            mask[at[:, 1] % rows, at[:, 0] % columns] = 1.0
        scores = np.fft.irfft2((spectra * np.fft.rfft2(masks).conj()).sum(axis=0), s=(rows, columns))
        for _ in range(2):
            row, column = divmod(int(scores.argmax()), columns)
            up = row if row < (rows + first.shape[0]) // 2 else row - rows
            across = column if column < (columns + first.shape[1]) // 2 else column - columns
            place = np.array([across + first.column, up + first.row]) - middle @ turn
            frame = Pose(Point(*(place * first.cell).tolist()), remainder(angle, tau))
            found.append((float(scores[row, column]), frame))
            near = [
                np.arange(at - 5, at + 6) % size for at, size in zip((row, column), scores.shape, strict=True)
            ]
            scores[np.ix_(*near)] = -np.inf
    chosen: list[Pose] = []
    for _, frame in sorted(found, key=lambda one: -one[0]):
        if all(apart(frame, other)[0] > 0.25 or apart(frame, other)[1] > pi / 18 for other in chosen):
            chosen.append(frame)
    return chosen[: matching.CANDIDATES]


def by_all_cells(first: OccupancyMap, second: OccupancyMap) -> Match | None:
    """Match two maps by guesses from all cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_guesses", all_guesses)
        return match(first, second)


@pytest.mark.some_of(4)
@pytest.mark.parametrize("seed", range(24))
def test_random_maps_are_matched_as_by_a_search_over_all_cells(seed: int) -> None:
    """To 10 cm and 1°, and not at all where that finds no clear place; every fourth pair is of two buildings."""
    chance = np.random.default_rng(seed)
    side = int(chance.integers(60, 150))
    radius = int(side * chance.uniform(0.3, 0.6))
    one = building(chance, side)
    other = building(chance, side) if seed % 4 == 3 else one
    first = seen(one, chance, 0.0, radius)
    second = seen(other, chance, chance.uniform(-pi, pi), int(radius * chance.uniform(0.7, 1.0)))

    expected, found = by_all_cells(first, second), match(first, second)

    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert apart(found.frame, expected.frame)[0] < 0.1
        assert apart(found.frame, expected.frame)[1] < pi / 180


@pytest.mark.parametrize("seed", range(4))
def test_maps_of_two_buildings_are_not_matched_though_they_are_alike(seed: int) -> None:
    chance = np.random.default_rng(100 + seed)
    first = seen(building(chance, 120), chance, 0.0, 50)
    second = seen(building(chance, 120), chance, chance.uniform(-pi, pi), 45)

    assert match(first, second, least_agreement=0.85) is None
