"""Where are robots drawn of which only reports are known?

With each report a robot goes on from where it is drawn to where it will be when the next report is due, if it keeps its speed and
its turning; there it rests until it is heard again. So it never jumps without a reason, and is never drawn farther ahead than one
report. A robot whose reports are the same rests where it says, exactly.

A report that would need more than 20 m/s was not driven: the robot was carried, or its position corrected, and it is put there.

Reports come ten times a second from each of a thousand robots, so all that are new are taken at once, as columns of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, pi

import numpy as np
from numpy.typing import NDArray

from kumi.maths import hypot
from kumi.recording.layout import ADDED, JUMPED, MOVES, RESIZED

FASTEST = 20.0
"""Metres a second beyond which a robot did not drive."""
USUAL, LONGEST = 0.1, 1.0
"""Seconds between two reports: where nothing is known, and after which a robot is lost."""
NEW = 0.5
"""The share of the newest report in what is known of the speed: clocks and positions are noisy."""
DISC, STRAIGHT = 0, 0
"""The numbers of a round shape and of a straight piece in a journal."""

Place = tuple[float, float, float]
"""x and y in metres, and the heading in radians."""
Column = NDArray[np.float64]
Numbers = NDArray[np.intp]

# Records of a journal, many at a time; see `kumi.recording.layout`.
_PLACED = [("record", "u1"), ("number", "<u4"), ("place", "<f8", 3)]
_ADDED = np.dtype([*_PLACED, ("shape", "u1"), ("radius", "<f8")])
_JUMPED = np.dtype(_PLACED)
_RESIZED = np.dtype([("record", "u1"), ("number", "<u4"), ("shape", "u1"), ("radius", "<f8")])
_MOVES = np.dtype(
    [
        ("record", "u1"),
        ("number", "<u4"),
        ("pace", "<f8"),
        ("since", "<f8"),
        ("piece", "u1"),
        ("place", "<f8", 3),
        ("direction", "<f8", 2),
        ("speed", "<f8"),
        ("acceleration", "<f8"),
        ("turning", "<f8"),
        ("duration", "<f8"),
        ("target", "<f8", 3),
    ]
)


class Tracks:
    """The motions of robots by their numbers, as they are drawn. `slack` is how late a report may be noticed, in seconds."""

    def __init__(self, slack: float) -> None:
        self._slack = slack
        self._is_here = np.zeros(0, dtype=bool)
        self._radius, self._at, self._begun, self._duration = (np.zeros(0) for _ in range(4))
        self._place, self._target, self._reported, self._velocity = (np.zeros((0, 3)) for _ in range(4))

    def add(self, number: int, radius: float, place: Place, at: float | None) -> bytes:
        """Begin to draw a robot that reported `at` to be somewhere; return that for the journal."""
        if number >= len(self._is_here):
            self._grow(2 * number + 8)
        self._is_here[number] = True
        self._radius[number] = radius
        self._at[number] = nan if at is None else at
        one = np.array([number])
        self._rest(one, np.array([place]), 0.0)
        return self._added(one, 0.0)

    def remove(self, number: int) -> None:
        """Draw a robot no longer."""
        self._is_here[number] = False

    def resize(self, number: int, radius: float) -> bytes:
        """Give a robot a size; return that for the journal: nothing where it has that size."""
        if self._radius[number] == radius:
            return b""
        self._radius[number] = radius
        return np.array([(RESIZED, number, DISC, radius)], _RESIZED).tobytes()

    def pose(self, number: int, now: float) -> Place:
        """Return where a robot is drawn at an instant."""
        x, y, heading = self._poses(np.array([number]), now)[0].tolist()
        return x, y, heading

    def report(
        self, numbers: Sequence[int], places: Sequence[Place], ats: Sequence[float], now: float
    ) -> bytes:
        """Take reports of several robots, and when each was made; return what is new in the journal.

        A report that was made when the one before was is that one.
        """
        who, made = np.array(numbers, dtype=np.intp), np.array(ats, dtype=float)
        is_new = made != self._at[who]
        if not is_new.any():
            return b""
        place = np.array(places, dtype=float).reshape(-1, 3)[is_new]
        who, made = who[is_new], made[is_new]
        passed = made - self._at[who]
        step = place - self._reported[who]
        step[:, 2] = _turn(self._reported[who][:, 2], place[:, 2])
        self._at[who], self._reported[who] = made, place
        is_known = (passed > 0.0) & (passed <= 2 * LONGEST)
        passed = np.where(is_known, passed, USUAL)
        is_carried = is_known & (hypot(step[:, 0], step[:, 1]) > FASTEST * passed)
        self._rest(who[is_carried], place[is_carried], now)
        drives = ~is_carried
        self._learn(who[drives], step[drives], passed[drives], is_known[drives])
        return self._jumped(who[is_carried]) + self._go_on(who[drives], passed[drives], now)

    def state(self, now: float) -> bytes:
        """Return the records that make all robots as they are at an instant."""
        here = np.flatnonzero(self._is_here)
        return self._added(here, now) + self._moved(here[self._moves(here, now)], now)

    def _grow(self, size: int) -> None:
        def longer(column: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.concatenate([column, np.zeros((size - len(column), *column.shape[1:]), column.dtype)])

        for name, column in vars(self).items():
            if isinstance(column, np.ndarray):
                setattr(self, name, longer(column))

    def _rest(self, who: Numbers, place: Column, now: float) -> None:
        self._place[who] = self._target[who] = self._reported[who] = place
        self._velocity[who], self._begun[who], self._duration[who] = 0.0, now, 0.0

    def _learn(self, who: Numbers, step: Column, passed: Column, is_known: NDArray[np.bool_]) -> None:
        """Know speeds, from a step within a time; nothing of a robot of which the time is not known, or that stands."""
        before = self._velocity[who]
        share = np.where(before.any(axis=1), NEW, 1.0)[:, None]
        learnt = (1.0 - share) * before + share * step / passed[:, None]
        goes = is_known & step.any(axis=1)
        self._velocity[who] = np.where(goes[:, None], learnt, 0.0)

    def _go_on(self, who: Numbers, passed: Column, now: float) -> bytes:
        due = np.minimum(passed, LONGEST) + self._slack
        place, reported = self._poses(who, now), self._reported[who].copy()
        reported[:, 2] = place[:, 2] + _turn(place[:, 2], reported[:, 2])
        target = reported + self._velocity[who] * due[:, None]
        goes = ((target != place) | (place != self._target[who])).any(axis=1)
        who = who[goes]
        self._place[who], self._target[who] = place[goes], target[goes]
        self._begun[who], self._duration[who] = now, due[goes]
        return self._moved(who, now)

    def _moves(self, who: Numbers, now: float) -> NDArray[np.bool_]:
        return now < self._begun[who] + self._duration[who]

    def _poses(self, who: Numbers, now: float) -> Column:
        moves = self._moves(who, now)
        share = (now - self._begun[who]) / np.where(moves, self._duration[who], 1.0)
        place, target = self._place[who], self._target[who]
        return np.where(moves[:, None], place + share[:, None] * (target - place), target)

    def _added(self, who: Numbers, now: float) -> bytes:
        records = np.zeros(len(who), _ADDED)
        records["record"], records["shape"] = ADDED, DISC
        records["number"], records["place"], records["radius"] = who, self._poses(who, now), self._radius[who]
        return records.tobytes()

    def _jumped(self, who: Numbers) -> bytes:
        records = np.zeros(len(who), _JUMPED)
        records["record"], records["number"], records["place"] = JUMPED, who, self._place[who]
        return records.tobytes()

    def _moved(self, who: Numbers, now: float) -> bytes:
        records = np.zeros(len(who), _MOVES)
        place, target, duration = self._place[who], self._target[who], self._duration[who]
        step = target - place
        way = hypot(step[:, 0], step[:, 1])
        direction = step[:, :2] / np.where(way > 0.0, way, 1.0)[:, None]
        direction[way == 0.0] = 1.0, 0.0
        records["record"], records["piece"], records["pace"] = MOVES, STRAIGHT, 1.0
        records["number"], records["since"] = who, now - self._begun[who]
        records["place"], records["target"], records["duration"] = place, target, duration
        records["direction"], records["speed"], records["turning"] = (
            direction,
            way / duration,
            step[:, 2] / duration,
        )
        return records.tobytes()


def _turn(one: Column, other: Column) -> Column:
    """Return the short turns from headings to others."""
    turned: Column = (other - one + pi) % (2.0 * pi) - pi
    return turned
