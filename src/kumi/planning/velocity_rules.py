"""Which velocity does a disc choose among others and walls, whatever the rule?

`Orca`, `Barrier` and `Potential` are rules. Each takes what a robot wants and what is near it, and gives a velocity; all are
asked in the same way, for one robot that sees others, or for many in one call, and both give the same to the last bit.
Robots are discs that may move in any direction at once. A robot on two wheels decides for its `EffectiveCentre`.

Each robot decides alone. It sees the others whose surface is within `reach` of its centre, at most `most` of them, the nearest first.
`margin` is the clearance in metres that is kept to others and walls: the discs are that much larger, half of it each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_number, as_size, shown
from kumi.planning.space import Space
from kumi.planning.type_checks import as_kind, as_not_negative, as_row

Numbers = NDArray[np.float64]

NO_WALLS: Numbers = np.zeros((0, 5))
NO_WALLS.setflags(write=False)
UNLIMITED = 2**31


@dataclass(frozen=True, slots=True, init=False)
class MovingDisc:
    """A robot as others see it: where it is, how fast it goes, and its radius."""

    position: Point
    velocity: Point
    radius: float

    def __init__(self, position: PointLike, velocity: PointLike, radius: float) -> None:
        # Most discs are those that a robot sees, all of one radius.
        is_size = type(radius) is float and 0.0 < radius < inf
        object.__setattr__(self, "position", as_point(position, "the position of a disc"))
        object.__setattr__(self, "velocity", as_point(velocity, "the velocity of a disc"))
        object.__setattr__(self, "radius", radius if is_size else as_size(radius, "the radius of a disc"))


@dataclass(frozen=True, kw_only=True)
class VelocityRule(ABC):
    """What all rules have: how far a robot sees, the clearance, and its part of giving way.

    `share` is the part of giving way that a robot takes on itself: half where the others have the same rule, all of it where
    they do nothing. It may be one number, or one for each of those seen.
    """

    reach: float = 3.0
    margin: float = 0.0
    most: int | None = None
    share: float = 0.5

    def __post_init__(self) -> None:
        as_size(self.reach, "the reach of a rule")
        as_not_negative(self.margin, "the margin of a rule")
        if self.most is not None and self.most not in range(1, UNLIMITED):
            raise ValueError(
                f"a rule heeds a whole number of others, at least 1, or all with None, not {self.most!r}"
            )
        as_share(self.share)

    def velocities(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        wanted: ArrayLike,
        radii: ArrayLike,
        top_speeds: ArrayLike,
        *,
        walls: ArrayLike = NO_WALLS,
        shares: ArrayLike | None = None,
        seen_as: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    ) -> Numbers:
        """Return the velocity of each of many robots, one row each, that see each other.

        Positions, velocities and what is wanted have a row for each robot; radii, top speeds and shares are a number or one for
        each. `seen_as` are positions, velocities and radii as others see them, where those are not what each decides for.
        """
        places, moving, wish = (
            as_pairs(positions, "positions"),
            as_pairs(velocities, "velocities"),
            as_pairs(wanted, "the wanted velocities"),
        )
        count = len(places)
        if len(moving) != count or len(wish) != count:
            raise ValueError(
                f"each robot has a position, a velocity and a wanted one, not {count}, {len(moving)} and {len(wish)} of them"
            )
        half = 0.5 * self.margin
        own: Numbers = np.empty((count, 8))
        own[:, 0:2], own[:, 2:4], own[:, 4:6] = places, moving, wish
        own[:, 6] = sizes(radii, count, "radii") + half
        own[:, 7] = sizes(top_speeds, count, "top speeds")
        seen: Numbers = np.empty((count, 6))
        if seen_as is None:
            seen[:, 0:4], seen[:, 4] = own[:, 0:4], own[:, 6]
        else:
            where, going = as_pairs(seen_as[0], "seen positions"), as_pairs(seen_as[1], "seen velocities")
            if len(where) != count or len(going) != count:
                raise ValueError(
                    f"each of {count} robots is seen at a position with a velocity, not {len(where)} and {len(going)} of them"
                )
            seen[:, 0:2], seen[:, 2:4] = where, going
            seen[:, 4] = sizes(seen_as[2], count, "seen radii") + half
        seen[:, 5] = self.share if shares is None else sizes(shares, count, "shares")
        if count and seen[:, 5].max() > 1.0:
            raise ValueError(f"shares of giving way lie between 0 and 1, unlike {shown(shares)}")
        return self._decide(own, seen, self._widened(walls), True)

    def velocity(
        self,
        own: MovingDisc,
        wanted: PointLike,
        top_speed: float,
        others: Iterable[MovingDisc] = (),
        *,
        walls: ArrayLike = NO_WALLS,
    ) -> Point:
        """Return the velocity of one robot that sees others."""
        half, wish = 0.5 * self.margin, as_point(wanted, "the wanted velocity")
        rows = [(*other.position, *other.velocity, other.radius + half, self.share) for other in others]
        seen: Numbers = np.array(rows, dtype=np.float64).reshape(-1, 6)
        mine: Numbers = np.array(
            [(*own.position, *own.velocity, *wish, own.radius + half, as_size(top_speed, "a top speed"))]
        )
        ((x, y),) = self._decide(mine, seen, self._widened(walls), False).tolist()
        return Point(x, y)

    @abstractmethod
    def _decide(self, own: Numbers, seen: Numbers, walls: Numbers, is_among: bool) -> Numbers:
        """Ask the core."""

    @property
    def _seen(self) -> tuple[float, int]:
        """How far a robot sees others with their margin, and how many count."""
        return self.reach - 0.5 * self.margin, UNLIMITED if self.most is None else self.most

    def _widened(self, walls: ArrayLike) -> Numbers:
        """Return walls with their part of the margin, row by row in memory."""
        is_row = isinstance(walls, np.ndarray) and walls.dtype == np.float64
        rows: Numbers = np.ascontiguousarray(walls if is_row else as_row(walls, "walls"))
        if rows.size == 0:
            return NO_WALLS
        if rows.ndim != 2 or rows.shape[1] != 5:
            raise ValueError(
                f"walls are rows of five numbers: start, end and half the thickness, not an array of shape {rows.shape}"
            )
        if self.margin:
            rows = rows.copy()
            rows[:, 4] += 0.5 * self.margin
        return rows


def wall_rows(space: Space) -> Numbers:
    """Return the obstacles and borders of a space as rules take them: ends and half the thickness of each line, one row each."""
    lines = as_kind(space, Space, "the space of walls").lines
    rows = np.column_stack([lines.start, lines.end, lines.radius])
    if space.bounds is not None:
        left, bottom, right, top = space.bounds
        border = [
            (left, bottom, right, bottom, 0.0),
            (right, bottom, right, top, 0.0),
            (right, top, left, top, 0.0),
            (left, top, left, bottom, 0.0),
        ]
        rows = np.vstack([rows, border])
    return np.ascontiguousarray(rows, dtype=np.float64)


def as_share(value: float) -> float:
    """Return a part of giving way."""
    number = as_number(value, "the share of a rule")
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"the share of giving way lies between 0 and 1, not at {value!r}")
    return number


def as_pairs(values: ArrayLike, name: str) -> Numbers:
    """Return rows of two numbers."""
    rows = as_row(values, name)
    if rows.size == 0:
        return rows.reshape(0, 2)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"{name} are rows of two numbers, not an array of shape {rows.shape}")
    return rows


def sizes(values: ArrayLike, count: int, name: str) -> Numbers:
    """Return a number for each robot, none below 0."""
    row = as_row(values, name)
    if row.shape not in ((), (count,)):
        raise ValueError(
            f"{name} are one number, or one for each of {count} robots, not an array of shape {row.shape}"
        )
    if not bool(np.all((row >= 0.0) & np.isfinite(row))):
        raise ValueError(f"{name} are finite and not below 0, unlike {shown(values)}")
    return row
