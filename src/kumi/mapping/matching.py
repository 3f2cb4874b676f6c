"""What is the transform between two occupancy maps, without an initial guess?

A correlative scan match, for whole maps, from coarse to fine (Olson 2009). For each rotation of the second map, in steps
of two degrees, one cross-correlation scores all translations by whole squares of `SIDE` cells: walls on walls and floor
on floor count for a place, walls on floor against it. It is computed by FFT and rounded to whole numbers, which undoes the
rounding errors of the transform. Around the best of these all translations by whole cells are scored, by sums over the
cells. The best candidates are refined by a pattern search to fractions of a cell and of a degree, by the distances between
the walls of the two maps.

A match is returned only if enough of the maps overlaps, most of the overlap agrees, and no other place is nearly as
good: symmetric rooms are ambiguous, and None says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians, remainder, tau

import numpy as np
from numpy.typing import NDArray

from kumi._core import Point, count_points, shift_scores, sum_worth
from kumi.geometry import Pose
from kumi.mapping.merging import moved
from kumi.mapping.occupancy import OccupancyMap, hull
from kumi.maths import cos, exp, hypot, log, sin, total
from kumi.planning.costs import clearances

Numbers = NDArray[np.float64]
Shift = tuple[float, float]
ORIGIN: Shift = (0.0, 0.0)

TURN_STEP = radians(2.0)
SIDE = 4
"""Cells along the side of a square of the coarse maps. Squares and shifts of a candidate have to fit into the 8 by 8 shifts
that the core scores at once."""

MARGIN = 1.0
"""Cells farther from a wall than by cells that floor counts by squares: a square at a wall holds floor, too."""

WINDOW = 8
"""Shifts by whole cells that are scored around a coarse one, in each direction."""

COARSE_PER_TURN = 4
"""Shifts of each rotation that may be candidates: what is best by squares need not be best by cells."""

PLACES, PER_PLACE = 32, 16
"""Places on the coarse map around which candidates are looked for, and rotations and shifts of each."""

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

SAME_WAY, SAME_TURN = 0.25, radians(10.0)
"""Metres and radians between two frames that count as one."""

CLIMB = 0.5
"""Metres that a candidate climbs at most."""

HOPELESS = 0.25
"""Share of what the best candidate is worth below which another is no rival, whatever fractions of a cell may add."""

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
    found, most = [], 0.0
    for guess in _guesses(first, second):
        worth, frame = pair.refined(guess, HOPELESS * most)
        if frame is None:
            continue
        most = max(most, worth)
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
    return way > SAME_WAY or turn > SAME_TURN


def _points(cells: NDArray[np.bool_], drawn: OccupancyMap) -> Numbers:
    """Return the middles of cells, counted in cells of the lattice."""
    found = np.argwhere(cells)[:, ::-1].astype(np.float64)
    points: Numbers = found + np.array([drawn.column + 0.5, drawn.row + 0.5])
    return points


class _Layer:
    """Cells of the second map of one kind, and what each cell of the first is worth to them, in whole numbers."""

    def __init__(self, points: Numbers, gain: Numbers, far: Numbers, lenient: Numbers) -> None:
        self.points = points
        self.far = far
        self.framed = np.pad(np.rint(GAIN_PARTS * gain), WINDOW).astype(np.int16)
        rows, columns = (-(-size // SIDE) for size in gain.shape)
        whole = np.zeros((rows * SIDE, columns * SIDE))
        whole[: gain.shape[0], : gain.shape[1]] = np.rint(GAIN_PARTS * lenient)
        self.squares: Numbers = whole.reshape(rows, SIDE, columns, SIDE).sum(axis=(1, 3))


def _guesses(first: OccupancyMap, second: OccupancyMap) -> list[Pose]:
    """Return the places at which the correlation is best, no two of them near each other."""
    walls, floor = _points(second.occupied, second), _points(second.free, second)
    middle = total(walls) / len(walls)
    away = clearances(first.occupied)
    # Floor next to a wall costs nothing: the wall of the other map may lie there by the error of either map.
    near, far = exp(-0.5 * np.square(away / WIDTH)), away > 2.0
    of_floor = FLOOR_GAIN * first.free - CLASH * first.occupied * 0.5
    # Nor does at first what squares do not tell apart.
    lenient = near - CLASH * (first.free & (away > 2.0 + MARGIN))
    far_floor = _points(second.free & (clearances(second.occupied) > 2.0 + MARGIN), second)
    layers = [
        _Layer(walls - middle, near - CLASH * (first.free & far), walls - middle, lenient),
        _Layer(floor - middle, of_floor, far_floor - middle, of_floor),
    ]
    coarse = _coarse(layers)
    chosen = _apart(_places(first, middle, coarse), coarse[:, 0], PLACES, PER_PLACE)
    fine = np.array(
        [_finest(layers, angle, row, column) for _, angle, row, column in coarse[chosen].tolist()]
    )
    places = _places(first, middle, fine)
    best = _apart(places, fine[:, 0], CANDIDATES, 1)
    return [Pose(Point(x, y), remainder(angle, tau)) for x, y, angle in places[best].tolist()]


def _coarse(layers: list[_Layer]) -> Numbers:
    """Return the best shifts of each rotation: score, angle, and rows and columns of cells, a line each."""
    points = np.concatenate([layer.points for layer in layers])
    reach = int(np.ceil(hypot(points[:, 0], points[:, 1]).max() / SIDE)) + 2
    gains = [layer.squares for layer in layers]
    # A correlation by FFT is cyclic: padded by the reach on both sides, no part of the second map wraps around onto the first.
    held = gains[0].shape
    rows, columns = (_round(size + 2 * reach) for size in held)
    spectra = [np.fft.rfft2(gain, s=(rows, columns)) for gain in gains]
    found = []
    for angle in np.arange(0.0, tau - 1e-9, TURN_STEP).tolist():
        product = np.zeros_like(spectra[0])
        for spectrum, layer in zip(spectra, layers, strict=True):
            counts = count_points(layer.far, cos(angle), sin(angle), SIDE, rows, columns)
            product += spectrum * np.fft.rfft2(counts).conj()
        # Sums of whole numbers: the transforms, each rounding as the processor likes, are off by far less than a half.
        scores = np.rint(np.fft.irfft2(product, s=(rows, columns)))
        for _ in range(COARSE_PER_TURN):
            row, column = divmod(int(scores.argmax()), columns)
            # Indices beyond the middle of the padding are negative shifts, since the correlation is cyclic.
            up = row if row < (rows + held[0]) // 2 else row - rows
            across = column if column < (columns + held[1]) // 2 else column - columns
            found.append((float(scores[row, column]), angle, SIDE * up, SIDE * across))
            scores[
                np.ix_(np.arange(row - 1, row + 2) % rows, np.arange(column - 1, column + 2) % columns)
            ] = -np.inf
    return np.array(found)


def _finest(
    layers: list[_Layer], angle: float, row: float, column: float
) -> tuple[float, float, float, float]:
    """Return the best shift by whole cells around one by squares, with its score."""
    low_row, low_column = int(row) - SIDE, int(column) - SIDE
    scores = sum(
        shift_scores(layer.points, cos(angle), sin(angle), layer.framed, low_row, low_column)
        for layer in layers
    )
    up, across = divmod(int(scores.argmax()), WINDOW)
    return float(scores[up, across]), angle, low_row + up, low_column + across


def _places(first: OccupancyMap, middle: Numbers, shifts: Numbers) -> Numbers:
    """Return the frames, in metres and radians, for shifts of the turned points about their middle."""
    angles = shifts[:, 1]
    c, s = cos(angles), sin(angles)
    x = shifts[:, 3] + first.column - (c * middle[0] + -s * middle[1])
    y = shifts[:, 2] + first.row - (s * middle[0] + c * middle[1])
    return np.stack([x * first.cell, y * first.cell, angles], axis=1)


def _apart(places: Numbers, scores: Numbers, most: int, each: int) -> NDArray[np.int64]:
    """Return which of some places are best, so many that differ, and of each so many that do not."""
    left = np.argsort(-scores, kind="stable")
    chosen: list[NDArray[np.int64]] = []
    while len(left) and len(chosen) < most:
        x, y, angle = places[left[0]]
        ways = hypot(places[left, 0] - x, places[left, 1] - y)
        turns = np.abs((places[left, 2] - angle + tau / 2) % tau - tau / 2)
        is_same = (ways <= SAME_WAY) & (turns <= SAME_TURN)
        chosen.append(left[is_same][:each])
        left = left[~is_same]
    return np.concatenate(chosen)


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
        self.corner = (drawn.column - self.ROOM + 0.5, drawn.row - self.ROOM + 0.5)

    def total(self, points: Numbers, before: Shift, angle: float, after: Shift) -> float:
        """Return what all points, in cells of the lattice, are worth together once shifted, turned and shifted again."""
        return sum_worth(points, before, cos(angle), sin(angle), after, self.corner, self.worth)


class _Pair:
    """Two maps, each of which says what the walls of the other are worth on it."""

    def __init__(self, first: OccupancyMap, second: OccupancyMap) -> None:
        self.cell = first.cell
        self.first, self.second = _Scene(first), _Scene(second)
        self.first_walls, self.second_walls = (_points(one.occupied, one) for one in (first, second))
        self.middle: Shift = tuple((total(self.second_walls) / len(self.second_walls)).tolist())

    def _middle(self, angle: float) -> Shift:
        """Return the middle of the second map's walls, turned about the origin of their frame."""
        (x, y), c, s = self.middle, cos(angle), sin(angle)
        return x * c + y * -s, x * s + y * c

    def worth(self, x: float, y: float, angle: float) -> float:
        """Return how well the maps agree if the second lies at a place, in cells, turned by an angle."""
        there = self.first.total(self.second_walls, ORIGIN, angle, (x, y))
        return there + self.second.total(self.first_walls, (x, y), -angle, ORIGIN)

    def refined(self, guess: Pose, least: float) -> tuple[float, Pose | None]:
        """Climb from a guess to the best place near it, and return what it is worth there.

        There is none if that leads away, or by whole cells and degrees not even to a place that is worth `least`.
        """
        x, y, angle = guess.position.x / self.cell, guess.position.y / self.cell, guess.heading
        best, step, turn = self.worth(x, y, angle), 1.0, TURN_STEP / 2
        one = self._middle(angle)
        begun = x + one[0], y + one[1]
        # A pattern search: the step is halved when no move improves. The score has flat parts and kinks (see `_Scene`), on
        # which a method that follows its gradient gets stuck.
        while step > 0.05:
            moves = []
            for sign in (-1.0, 1.0):
                moves += [(x + sign * step, y, angle), (x, y + sign * step, angle)]
                # Turning about the middle of the walls, not about the origin of their frame, keeps turn and shift apart.
                spun = angle + sign * turn
                other = self._middle(spun)
                moves.append((x + (one[0] - other[0]), y + (one[1] - other[1]), spun))
            score, move = max((self.worth(*move), move) for move in moves)
            if score <= best:
                if best < least:
                    return best, None
                step, turn = step / 2, turn / 2
                continue
            best, (x, y, angle) = score, move
            one = self._middle(angle)
            # Maps that do not fit climb until they no longer overlap.
            way = hypot(x + one[0] - begun[0], y + one[1] - begun[1]) * self.cell
            if way > CLIMB or abs(angle - guess.heading) > SAME_TURN:
                return best, None
        return best, Pose(Point(x * self.cell, y * self.cell), remainder(angle, tau))


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
