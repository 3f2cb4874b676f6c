"""What a program holds that leads many robots at once.

A team answers with arrays, one entry or one row for each robot, and takes arrays of commands. Its robots are ordinary ones:
those of a simulated world are asked and told by the core in one call, any others one after the other, so the same program
leads simulated, real and mixed teams. A robot that has left keeps its number: `present` is a mask, and no index shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kumi._core import TeamBase
from kumi.contract import Lost
from kumi.contract.readings import as_numbers
from kumi.devs import together
from kumi.geometry.points import as_real, shown
from kumi.robot.robot import Robot, lacks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Indices: TypeAlias = "NDArray[np.int64]"
Mask: TypeAlias = "NDArray[np.bool_]"
Which: TypeAlias = "ArrayLike | None"


class Neighbours(NamedTuple):
    """Pairs of neighbours: robot `robots[k]` is `distances[k]` metres from robot `others[k]`, by the numbers in the team.

    Each pair is there both ways, in the order of the first, then of the second.
    """

    robots: Indices
    others: Indices
    distances: Numbers


class Team(TeamBase):
    """Many robots for one program: arrays of what they know, and arrays of what they are told."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._widths: dict[str, int] = {}
        self.chance = TeamChance(self)
        """The random numbers of all robots, each from its own sequence."""

    @property
    def robots(self) -> tuple[Robot, ...]:
        """The robots, by their number in the team, also those that have left."""
        return tuple(self._robot(number) for number in range(len(self)))

    @property
    def present(self) -> Mask:
        """Whether each robot is in the world; one that was removed, or fell into a hole, is not."""
        out = np.empty(len(self), dtype=np.bool_)
        self._present(out)
        return out

    @property
    def positions(self) -> Numbers:
        """Where the robots believe they are: n rows of x and y; of one that has left, where it was last."""
        out = np.empty((len(self), 2))
        self._positions(out)
        return out

    @property
    def headings(self) -> Numbers:
        """Where they believe they look, in radians from the x axis, above -pi and up to pi."""
        out = np.empty(len(self))
        self._headings(out)
        return out

    @property
    def velocities(self) -> Numbers:
        """Metres a second now, n rows of x and y; of real robots, what they were told last while they move."""
        out = np.empty((len(self), 2))
        self._velocities(out)
        return out

    @property
    def is_moving(self) -> Mask:
        """Whether a motion of each is under way: a contact ends it, unless the world lets robots pass or slide."""
        out = np.empty(len(self), dtype=np.bool_)
        self._moving(out)
        return out

    @property
    def contacts(self) -> Indices:
        """How many contacts each robot has had so far; compare it with what it was before."""
        out = np.empty(len(self), dtype=np.int64)
        self._contacts(out)
        return out

    @property
    def contact_places(self) -> Numbers:
        """Where each had its last contact: n rows of x and y, NaN before the first."""
        out = np.empty((len(self), 2))
        self._contact_places(out)
        return out

    def steer(self, speeds: ArrayLike, turn_speeds: ArrayLike = 0.0, which: Which = None) -> None:
        """Let each drive at its speed and turn at its rate from now on, until told otherwise or blocked.

        A single number is for all. `which` says who is told, by a mask or by numbers; the others go on as they are.
        """
        self._steer(self._row(speeds, "speeds"), self._row(turn_speeds, "turn_speeds"), self._mask(which))

    def stop(self, which: Which = None) -> None:
        """Let all stop where they are, or those that a mask or numbers name."""
        self._stop(self._mask(which))

    def neighbours(self, reach: float) -> Neighbours:
        """Return who of the team is within `reach` metres of whom, from centre to centre."""
        if not as_real(reach, "a reach") >= 0.0:
            raise ValueError(f"a reach is a number of metres >= 0, not {reach!r}")
        robots, others, distances = self._pairs(reach)
        return Neighbours(
            np.frombuffer(robots, dtype=np.int64),
            np.frombuffer(others, dtype=np.int64),
            np.frombuffer(distances, dtype=np.float64),
        )

    async def _listen(self, number: int) -> None:
        """Count the contacts of a robot that is no plain simulated one; for who starts the program."""
        async for contact in self._robot(number).contacts:
            self._touch(number, contact.at)

    def __getattr__(self, name: str) -> TeamSensor:
        if name.startswith("_"):
            raise AttributeError(name)
        known = {key for robot in self.robots for key in robot._body.sensors}
        if name in known:
            return TeamSensor(self, name)
        raise AttributeError(lacks(self, name, known))

    def __repr__(self) -> str:
        return f"<Team '{self.name}' of {len(self)} robots>"

    def _row(self, values: ArrayLike, what: str) -> Numbers:
        """Return a number for each robot."""
        try:
            given = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{what} are numbers, not {shown(values)}") from None
        if given.shape not in {(), (len(self),)}:
            raise ValueError(
                f"{what} are one number, or one for each of {len(self)} robots, not an array of {given.shape}"
            )
        return np.ascontiguousarray(np.broadcast_to(given, len(self)))

    def _mask(self, which: Which) -> Mask | None:
        """Return who is meant, as a mask; None for all."""
        if which is None:
            return None
        given = np.asarray(which)
        if given.dtype == np.bool_ and given.shape == (len(self),):
            return np.ascontiguousarray(given)
        if given.dtype == np.bool_ or not (given.size == 0 or np.issubdtype(given.dtype, np.integer)):
            raise ValueError(
                f"which robots is a mask of {len(self)} truths, or numbers of robots, not {which!r}"
            )
        numbers = given.astype(np.int64)
        if np.any((numbers < 0) | (numbers >= len(self))):
            raise ValueError(
                f"the robots of this team have the numbers 0 to {len(self) - 1}, unlike {which!r}"
            )
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[numbers] = True
        return mask


class TeamChance:
    """Random numbers of a team: each robot draws from its own sequence, as a program of its own would.

    Robots that have left, and those that are not meant by `which`, draw nothing and get NaN, or False.
    """

    def __init__(self, team: Team) -> None:
        self._team = team

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, which: Which = None) -> Numbers:
        """Return for each a number from `low` up to, but not including, `high`."""
        first, second = self._team._row(low, "low ends"), self._team._row(high, "high ends")
        if not (np.isfinite(first).all() and np.isfinite(second).all() and (first <= second).all()):
            raise ValueError(f"a range needs finite ends, low <= high, but they are {low!r} and {high!r}")
        return self._drawn("uniform", first, second, which)

    def normal(self, mean: ArrayLike = 0.0, deviation: ArrayLike = 1.0, which: Which = None) -> Numbers:
        """Return for each a normally distributed number."""
        first, second = self._team._row(mean, "means"), self._team._row(deviation, "deviations")
        if not (np.isfinite(first).all() and np.isfinite(second).all() and (second >= 0.0).all()):
            raise ValueError(
                f"a mean is finite, and a deviation >= 0, but they are {mean!r} and {deviation!r}"
            )
        return self._drawn("normal", first, second, which)

    def happens(self, probability: ArrayLike, which: Which = None) -> Mask:
        """Return for each True with the given probability."""
        share = self._team._row(probability, "probabilities")
        if not ((share >= 0.0) & (share <= 1.0)).all():
            raise ValueError(f"a probability lies between 0 and 1, but it is {probability!r}")
        drawn: Mask = self.uniform(which=which) < share
        return drawn

    def _drawn(self, kind: str, first: Numbers, second: Numbers, which: Which) -> Numbers:
        out = np.empty(len(self._team))
        self._team._draw(kind, first, second, self._team._mask(which), out)
        return out


class TeamSensor:
    """The sensors of one name of all robots of a team."""

    def __init__(self, team: Team, name: str) -> None:
        self._team, self._name = team, name

    async def read(self) -> Numbers:
        """Ask all at this instant, and wait for the answers: a row for each robot, NaN for one that has left.

        A row has the distances of a scan, the distance of a range finder, or the numbers of another reading.
        """
        present = np.flatnonzero(self._team.present)
        sensors: list[Any] = []
        for number in present:
            robot = self._team._robot(int(number))
            if self._name not in robot._body.sensors:
                raise AttributeError(f"{robot.name} of {self._team.name} has no '{self._name}'")
            sensors.append(robot._body.sensors[self._name])
        if not sensors:
            return np.full((len(self._team), self._team._widths.get(self._name, 0)), np.nan)
        kinds = {type(sensor) for sensor in sensors}
        read_together = getattr(kinds.pop(), "read_together", None) if len(kinds) == 1 else None
        if read_together is not None:
            rows = await read_together(sensors)
        else:
            rows = await _one_by_one(sensors)
        # Where nobody is left to answer, a row is as wide as it was.
        width = rows.shape[1] or self._team._widths.get(self._name, 0)
        self._team._widths[self._name] = width
        out = np.full((len(self._team), width), np.nan)
        if rows.shape[1]:
            out[present] = rows
        return out


async def _one_by_one(sensors: Sequence[Any]) -> Numbers:
    """Ask sensors beside each other; of a robot that is lost meanwhile there is no reading."""
    rows: list[Numbers | None] = [None] * len(sensors)

    async def ask(number: int) -> None:
        try:
            rows[number] = as_numbers(await sensors[number].read())
        except Lost:
            return

    async with together() as tasks:
        for number in range(len(sensors)):
            tasks.start(ask, number)
    width = max((row.size for row in rows if row is not None), default=0)
    return np.array([np.full(width, np.nan) if row is None else row.ravel() for row in rows])
