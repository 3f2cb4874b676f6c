"""What a program holds that leads many robots at once.

A team answers with arrays, one entry or one row for each robot, and takes arrays of commands. Its robots are ordinary ones:
those of a simulated world are asked and told by the core in one call, any others one after the other, so the same program
leads simulated, real and mixed teams. A robot that has left keeps its number: `present` is a mask, and no index shifts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kumi._core import TeamBase
from kumi.contract import Lost
from kumi.contract.readings import Sighting, Sightings, as_numbers, as_sightings
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

    def __init__(self, name: str, sensors: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.name = name
        self._asked = {key: TeamSensor(self, key, one) for key, one in (sensors or {}).items()}
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

        A single number is for all. `which` says who is told, by a mask or by numbers; the others go on as they are. Nobody is
        told anything where a number is wrong.
        """
        mask = self._mask(which)
        rows = self._row(speeds, "speeds", mask), self._row(turn_speeds, "turn_speeds", mask)
        self._steer(*rows, mask)

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
        asked: dict[str, TeamSensor] = self.__dict__.get("_asked", {})
        if name not in asked:
            known = {*asked, *(key for robot in self.robots for key in robot._body.sensors)}
            if name not in known:
                raise AttributeError(lacks(self, name, known))
            asked[name] = TeamSensor(self, name)
        return asked[name]

    def __repr__(self) -> str:
        return f"<Team '{self.name}' of {len(self)} robots>"

    def _row(self, values: ArrayLike, what: str, mask: Mask | None = None) -> Numbers:
        """Return a number for each robot, finite for all who are present and meant."""
        try:
            given = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{what} are numbers, not {shown(values)}") from None
        if given.shape not in {(), (len(self),)}:
            raise ValueError(
                f"{what} are one number, or one for each of {len(self)} robots, not an array of {given.shape}"
            )
        row = np.ascontiguousarray(np.broadcast_to(given, len(self)))
        if not np.isfinite(row).all():
            self._check(np.isfinite(row), mask, row, f"{what} are finite numbers")
        return row

    def _check(self, is_right: Mask, mask: Mask | None, row: Numbers, rule: str) -> None:
        """Refuse a number of a robot that is present and meant."""
        wrong = ~is_right & self.present if mask is None else ~is_right & self.present & mask
        if wrong.any():
            number = int(wrong.argmax())
            raise ValueError(f"{rule}, but that of robot {number} of the team is {row[number]}")

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
        mask = self._team._mask(which)
        first, second = self._team._row(low, "low ends", mask), self._team._row(high, "high ends", mask)
        self._team._check(first <= second, mask, first, "a low end is not above its high end")
        return self._drawn("uniform", first, second, mask)

    def normal(self, mean: ArrayLike = 0.0, deviation: ArrayLike = 1.0, which: Which = None) -> Numbers:
        """Return for each a normally distributed number."""
        mask = self._team._mask(which)
        first, second = self._team._row(mean, "means", mask), self._team._row(deviation, "deviations", mask)
        self._team._check(second >= 0.0, mask, second, "a deviation is not below 0")
        return self._drawn("normal", first, second, mask)

    def happens(self, probability: ArrayLike, which: Which = None) -> Mask:
        """Return for each True with the given probability."""
        mask = self._team._mask(which)
        share = self._team._row(probability, "probabilities", mask)
        self._team._check((share >= 0.0) & (share <= 1.0), mask, share, "a probability lies between 0 and 1")
        drawn: Mask = self.uniform(which=which) < share
        return drawn

    def _drawn(self, kind: str, first: Numbers, second: Numbers, mask: Mask | None) -> Numbers:
        out = np.empty(len(self._team))
        self._team._draw(kind, first, second, mask, out)
        return out


class TeamSensor:
    """The sensors of one name of all robots of a team."""

    def __init__(self, team: Team, name: str, pattern: Any = None) -> None:
        self._team, self._name, self._pattern = team, name, pattern
        self._width = 0
        self._alike: list[Any] = []
        """Those of all robots, where they are copies of one sensor."""

    async def read(self) -> Any:
        """Ask all at this instant, and wait for the answers: a row for each robot, NaN for one that has left.

        A row has the distances of a scan, the distance of a range finder, or the numbers of another reading. Sensors that
        tell of others, such as a view, give `Sightings`: arrays of who sees whom.
        """
        team, sensors = self._team, self._of_all()
        are_alike = sensors is self._alike
        present = np.flatnonzero(team.present)
        if len(present) < len(sensors):
            sensors = [sensors[number] for number in present]
        if None in sensors:
            robot = team._robot(int(present[sensors.index(None)]))
            raise AttributeError(f"{robot.name} of {team.name} has no '{self._name}'")
        if not sensors and hasattr(self._pattern, "unread"):
            return self._pattern.unread(len(team))
        if not sensors:
            return np.full((len(team), self._width), np.nan)
        rows = await (type(sensors[0]).read_together(sensors) if are_alike else _one_by_one(sensors))
        if isinstance(rows, Sightings):
            return rows if len(present) == len(team) else rows._replace(robots=present[rows.robots])
        # Where nobody is left to answer, a row is as wide as it was.
        self._width = rows.shape[1] or self._width
        out = np.full((len(team), self._width), np.nan)
        if rows.shape[1]:
            out[present] = rows
        return out

    def _of_all(self) -> list[Any]:
        """Return the sensor of each robot, None where it has none of the name."""
        if len(self._alike) == len(self._team):
            return self._alike
        found = [robot._body.sensors.get(self._name) for robot in self._team.robots]
        patterns = {id(getattr(one, "pattern", None)) for one in found}
        if len(patterns) == 1 and getattr(found[0], "pattern", None) is not None:
            self._alike = found
        return found


async def _one_by_one(sensors: Sequence[Any]) -> Numbers | Sightings:
    """Ask sensors beside each other; of a robot that is lost meanwhile there is no reading."""
    read: list[Any] = [None] * len(sensors)

    async def ask(number: int) -> None:
        try:
            read[number] = await sensors[number].read()
        except Lost:
            return

    async with together() as tasks:
        for number in range(len(sensors)):
            tasks.start(ask, number)
    known = [reading for reading in read if reading is not None]
    if known and all(
        isinstance(one, tuple) and all(isinstance(seen, Sighting) for seen in one) for one in known
    ):
        return as_sightings([reading or () for reading in read])
    rows = [None if reading is None else as_numbers(reading) for reading in read]
    width = max((row.size for row in rows if row is not None), default=0)
    return np.array([np.full(width, np.nan) if row is None else row.ravel() for row in rows])
