"""What is the transform between two occupancy maps, without an initial guess?

A correlative scan match, for whole maps. For each rotation of the second map, in steps of two degrees, one
cross-correlation scores all translations by whole cells: walls on walls and floor on floor count for a place, walls on
floor against it. It is computed by FFT and rounded to whole numbers, which undoes the rounding errors of the transform.
The best candidates are refined by a pattern search to fractions of a cell and of a degree, by the distances between the
walls of the two maps.

A match is returned only if enough of the maps overlaps, most of the overlap agrees, and no other place is nearly as
good: symmetric rooms are ambiguous, and None says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians, remainder, tau

import numpy as np
from numpy.typing import NDArray

from kumi._core import Point
from kumi.geometry import Pose
from kumi.mapping.merging import moved
from kumi.mapping.occupancy import OccupancyMap, hull
from kumi.maths import cos, exp, hypot, log, matmul, sin, total
from kumi.planning.costs import clearances

Numbers = NDArray[np.float64]

TURN_STEP = radians(2.0)
CANDIDATES = 24
WIDTH = 1.2
"""Standard deviation, in cells, of the distance between the same wall in two maps."""

CLASH = 1.5
"""Cost of a wall on floor, relative to the gain of a wall on a wall."""

WALL_TOLERANCE = 1.5
"""Cells within which two walls count as the same."""

FITS, CLASHES = log(0.9 / 0.55), log(0.45 / 0.1)
"""Log-likelihood ratios of a wall that fits and of one that clashes: of the walls of correctly aligned maps nine in ten
fit, of randomly aligned ones about half."""

FLOOR_GAIN = 0.05
"""Gain of floor on floor: there is much more of it than of walls, and it says less."""

GAIN_PARTS = 4096.0
"""Quantisation of a gain of 1; gains in between are rounded."""


@dataclass(frozen=True, slots=True)
class Match:
    """The pose of the second map's frame in the first's, and how sure it is.

    `overlap` is the share of the smaller map's known cells that both know, `agreement` the share of the walls in it
    that fit, from 0 to 1, and `lead` how much better it is than the next best place, from 0 to 1.
    """

    frame: Pose
    overlap: float
    agreement: float
    lead: float


def match(
    first: OccupancyMap,
    second: OccupancyMap,
    *,
    least_overlap: float = 0.25,
    least_agreement: float = 0.7,
    least_lead: float = 0.15,
) -> Match | None:
    """Return how the second map lies on the first, or None where that is not clear."""
    hull([first, second])  # refuses maps whose cells differ
    if not (first.occupied.any() and second.occupied.any()):
        return None
    pair = _Pair(first, second)
    found = []
    for guess in _guesses(first, second):
        frame = pair.refined(guess)
        overlap, fits, clashes = _fit(first, second, frame)
        odds = FITS * fits - CLASHES * clashes
        if overlap >= least_overlap and odds > 0.0:
            found.append((odds, Match(frame, overlap, fits / (fits + clashes), 1.0)))
    if not found:
        return None
    found.sort(key=lambda one: -one[0])
    # The runner-up must be another place: neighbours of the best candidate climb to the same one when they are refined.
    odds, best = found[0]
    rival = next((other for other, one in found[1:] if _differs(best.frame, one.frame)), 0.0)
    best = replace(best, lead=1.0 - rival / odds)
    return best if best.agreement >= least_agreement and best.lead >= least_lead else None


def agreement(first: OccupancyMap, second: OccupancyMap) -> float:
    """Return which share of the walls fits, where two maps of one frame both know something; 1 where there are none."""
    _, fits, clashes = _fit(first, second, Pose(Point(0.0, 0.0)))
    return fits / (fits + clashes) if fits + clashes else 1.0


def _differs(one: Pose, other: Pose) -> bool:
    way, turn = apart(one, other)
    return way > 0.25 or turn > radians(10.0)


def _points(cells: NDArray[np.bool_], drawn: OccupancyMap) -> Numbers:
    """Return the middles of cells, counted in cells of the lattice."""
    found = np.argwhere(cells)[:, ::-1].astype(np.float64)
    points: Numbers = found + np.array([drawn.column + 0.5, drawn.row + 0.5])
    return points


def _turned(points: Numbers, angle: float) -> Numbers:
    c, s = cos(angle), sin(angle)
    turned: Numbers = matmul(points, np.array([[c, s], [-s, c]]))
    return turned


def _guesses(first: OccupancyMap, second: OccupancyMap) -> list[Pose]:
    """Return the places at which the correlation is best, no two of them near each other."""
    walls, floor = _points(second.occupied, second), _points(second.free, second)
    middle = total(walls) / len(walls)
    reach = int(np.ceil(max(hypot(*(part - middle).T).max(initial=0.0) for part in (walls, floor)))) + 2
    # A correlation by FFT is cyclic: padded by the reach on both sides, no part of the second map wraps around onto the first.
    rows, columns = (_round(size + 2 * reach) for size in first.shape)
    away = clearances(first.occupied)
    blurred = exp(-0.5 * np.square(away / WIDTH))
    gain = np.zeros((2, rows, columns))
    inside = np.s_[: first.shape[0], : first.shape[1]]
    # Floor next to a wall costs nothing: the wall of the other map may lie there by the error of either map.
    gain[0][inside] = blurred - CLASH * (first.free & (away > 2.0))
    gain[1][inside] = FLOOR_GAIN * first.free - CLASH * first.occupied * 0.5
    spectra = np.fft.rfft2(np.rint(GAIN_PARTS * gain))
    found: list[tuple[float, Pose]] = []
    for angle in np.arange(0.0, tau - 1e-9, TURN_STEP):
        masks = np.zeros((2, rows, columns))
        for mask, points in zip(masks, (walls, floor), strict=True):
            at = np.floor(_turned(points - middle, angle)).astype(int)
            mask[at[:, 1] % rows, at[:, 0] % columns] = 1.0
        other = np.fft.rfft2(masks)
        # Sums of whole numbers: the transforms, each rounding as the processor likes, are off by far less than a half.
        scores = np.rint(np.fft.irfft2((spectra * other.conj()).sum(axis=0), s=(rows, columns)))
        # The two best of each rotation: what is best by whole cells need not be best after refinement.
        for _ in range(2):
            row, column = divmod(int(scores.argmax()), columns)
            found.append(
                (float(scores[row, column]), _frame(first, middle, angle, row, column, rows, columns))
            )
            _clear(scores, row, column)
    found.sort(key=lambda one: -one[0])
    chosen: list[Pose] = []
    for _, frame in found:
        if all(_differs(frame, other) for other in chosen):
            chosen.append(frame)
        if len(chosen) == CANDIDATES:
            break
    return chosen


def _frame(
    first: OccupancyMap, middle: Numbers, angle: float, row: int, column: int, rows: int, columns: int
) -> Pose:
    """Return the frame for a shift of the turned points about their middle, in cells of the first map's array."""
    # Indices beyond the middle of the padding are negative shifts, since the correlation is cyclic.
    across = column if column < (columns + first.shape[1]) // 2 else column - columns
    up = row if row < (rows + first.shape[0]) // 2 else row - rows
    shift = np.array([across, up])
    place = shift + np.array([first.column, first.row]) - _turned(middle[None, :], angle)[0]
    return Pose(Point(*(place * first.cell).tolist()), remainder(angle, tau))


def _clear(scores: Numbers, row: int, column: int, room: int = 5) -> None:
    rows, columns = scores.shape
    near_rows = np.arange(row - room, row + room + 1) % rows
    near_columns = np.arange(column - room, column + room + 1) % columns
    scores[np.ix_(near_rows, near_columns)] = -np.inf


def _round(size: int) -> int:
    """Return a size that a Fourier transform likes, at least as large."""
    return next(n for n in range(size, 2 * size) if _is_smooth(n))


def _is_smooth(number: int) -> bool:
    for factor in (2, 3, 5):
        while number % factor == 0:
            number //= factor
    return number == 1


class _Scene:
    """What places on a map are worth to a wall of another, between cells by interpolation."""

    ROOM = 12

    def __init__(self, drawn: OccupancyMap) -> None:
        away = clearances(np.pad(drawn.occupied, self.ROOM)).astype(np.float64)
        floor = np.pad(drawn.free, self.ROOM) & (away > 2.0)
        self.worth = exp(-0.5 * np.square(away / WIDTH)) - CLASH * floor
        self.corner = np.array([drawn.column - self.ROOM + 0.5, drawn.row - self.ROOM + 0.5])

    def total(self, points: Numbers) -> float:
        """Return what all points, in cells of the lattice, are worth together."""
        at = points - self.corner
        low = np.floor(at).astype(int)
        rows, columns = self.worth.shape
        within = (low[:, 0] >= 0) & (low[:, 1] >= 0) & (low[:, 0] < columns - 1) & (low[:, 1] < rows - 1)
        x, y = low[within].T
        u, v = (at[within] - low[within]).T
        worth = self.worth
        return float(
            total(
                (1 - u) * (1 - v) * worth[y, x]
                + u * (1 - v) * worth[y, x + 1]
                + (1 - u) * v * worth[y + 1, x]
                + u * v * worth[y + 1, x + 1]
            )
        )


class _Pair:
    """Two maps, each of which says what the walls of the other are worth on it."""

    def __init__(self, first: OccupancyMap, second: OccupancyMap) -> None:
        self.cell = first.cell
        self.first, self.second = _Scene(first), _Scene(second)
        self.first_walls, self.second_walls = (_points(one.occupied, one) for one in (first, second))
        self.middle = total(self.second_walls) / len(self.second_walls)

    def worth(self, x: float, y: float, angle: float) -> float:
        """Return how well the maps agree if the second lies at a place, in cells, turned by an angle."""
        shift = np.array([x, y])
        there = self.first.total(_turned(self.second_walls, angle) + shift)
        return there + self.second.total(_turned(self.first_walls - shift, -angle))

    def refined(self, guess: Pose) -> Pose:
        """Climb from a guess to the best place near it."""
        x, y, angle = guess.position.x / self.cell, guess.position.y / self.cell, guess.heading
        best, step, turn = self.worth(x, y, angle), 1.0, TURN_STEP / 2
        # A pattern search: the step is halved when no move improves. The score has flat parts and kinks (see `_Scene`), on
        # which a method that follows its gradient gets stuck.
        while step > 0.05:
            moves = []
            for sign in (-1.0, 1.0):
                moves += [(x + sign * step, y, angle), (x, y + sign * step, angle)]
                # Turning about the middle of the walls, not about the origin of their frame, keeps turn and shift apart.
                spun = angle + sign * turn
                shift = (_turned(self.middle[None, :], angle) - _turned(self.middle[None, :], spun))[0]
                moves.append((x + float(shift[0]), y + float(shift[1]), spun))
            score, move = max((self.worth(*move), move) for move in moves)
            if score > best:
                best, (x, y, angle) = score, move
            else:
                step, turn = step / 2, turn / 2
        return Pose(Point(x * self.cell, y * self.cell), remainder(angle, tau))


def _fit(first: OccupancyMap, second: OccupancyMap, frame: Pose) -> tuple[float, int, int]:
    """Return which share of the smaller map both know, and how many walls there fit and clash."""
    laid = moved(second, frame)
    bounds = hull([first, laid])
    one, other = (OccupancyMap(part.over(bounds), bounds[0], bounds[1], first.cell) for part in (first, laid))
    both = one.known & other.known
    smaller = min(int(np.count_nonzero(part.known)) for part in (one, other))
    near_one, near_other = (
        clearances(one.occupied) <= WALL_TOLERANCE,
        clearances(other.occupied) <= WALL_TOLERANCE,
    )
    walls = (one.occupied | other.occupied) & both
    fits = ((one.occupied & near_other) | (other.occupied & near_one)) & walls
    count = int(np.count_nonzero(fits))
    return int(np.count_nonzero(both)) / max(1, smaller), count, int(np.count_nonzero(walls)) - count


def apart(one: Pose, other: Pose) -> tuple[float, float]:
    """Return how far two poses are from each other: metres and radians."""
    return abs(one.position - other.position), abs(remainder(one.heading - other.heading, tau))
