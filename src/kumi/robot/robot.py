"""What a user's program holds.

A robot knows its body through the contract alone, so a program cannot tell whether the body is simulated.
Only what waits is awaited: a motion takes time, a position is there at once.

What a program publishes and cannot be shown is refused in the same words whether anybody looks or not, so that a program runs alike in both cases. What
takes time, such as going through the cells of a map, is done only where somebody looks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from math import isfinite, remainder, tau
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

from kumi._core import RobotBase
from kumi.contract import Arc, Body, Contact, Follow, Forward, Parting, Sample, Track, Turn
from kumi.contract.published import FREE, TAKEN, UNSEEN, Shown, ShownMap, ShownMarks, ShownPath, Value
from kumi.devs import KumiError, Signal
from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.headings import warn_of_degrees
from kumi.geometry.points import as_size
from kumi.robot.radio import Radio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from kumi.geometry import Bounds


class NoRadio(KumiError):
    """A robot without a radio was to send or to receive."""


class Robot(RobotBase):
    """A robot for a program: motions to await, instant answers, and its sensors by name.

    `move_to`, `steer`, and what it knows at once (`position`, `heading`, `is_moving`, `name`, `number`, `chance`,
    `contacts`, `partings`, and `home`, where it was at first), come from the core: programs ask for them at every turn.
    """

    _radio: Radio | None = None
    _publish: Callable[[str, Shown], object] | None = None

    def __init__(
        self,
        body: Body | None = None,
        radio: Radio | None = None,
        publish: Callable[[str, Shown], object] | None = None,
    ) -> None:
        try:
            super().__init__(body)
        except AttributeError:
            raise TypeError("robots are made by a stage, as in stage.add(program, at=(1, 1))") from None
        if radio is not None:
            self._radio = radio
        if publish is not None:
            self._publish = publish

    if TYPE_CHECKING:
        _body: Body

        @property
        def contacts(self) -> Signal[Contact]:
            """Each contact, at its instant."""

        @property
        def partings(self) -> Signal[Parting]:
            """The end of each contact, at its instant; of simulated bodies."""

        # The core calls `_missing`: Python is slow with every attribute of a class that has __getattr__.
        def __getattr__(self, name: str) -> Any:
            """Give the sensor of that name."""

    def forward(self, distance: float, speed: float | None = None) -> Awaitable[Point]:
        """Go straight ahead; inf goes on until it is stopped or blocked."""
        return self._carry_out(Forward(distance, speed))

    def back_up(self, distance: float, speed: float | None = None) -> Awaitable[Point]:
        """Go straight back."""
        return self._carry_out(Forward(-distance, speed))

    def turn(self, angle: float, speed: float | None = None) -> Awaitable[Point]:
        """Turn on the spot by an angle in radians, to the left where it is positive; it may be many revolutions."""
        warn_of_degrees(angle, "the angle of turn()")
        return self._carry_out(Turn(angle, speed))

    def turn_to(self, heading: float, speed: float | None = None) -> Awaitable[Point]:
        """Turn on the spot to a heading in radians, the shorter way round."""
        if not isfinite(heading):
            raise ValueError(f"a heading is a finite number, not {heading!r}")
        warn_of_degrees(heading, "the heading of turn_to()")
        return self._carry_out(Turn(remainder(heading - self.heading, tau), speed))

    def arc(self, radius: float, angle: float, speed: float | None = None) -> Awaitable[Point]:
        """Drive around a centre, turning by an angle in radians.

        The centre lies `radius` metres to the left, or to the right where the radius is negative. The robot turns to the
        left, or to the right where the angle is negative. From both follows whether it drives forward or back:

            arc(r, a)      forward, and to the left
            arc(-r, -a)    forward, and to the right
            arc(r, -a)     back, around the centre on the left: its tail swings to the left
            arc(-r, a)     back, around the centre on the right: its tail swings to the right
        """
        warn_of_degrees(angle, "the angle of arc()")
        return self._carry_out(Arc(radius, angle, speed))

    def follow(
        self, path: Sequence[PointLike], speed: float | None = None, turn_speed: float | None = None
    ) -> Awaitable[Point]:
        """Go from place to place."""
        if not isinstance(path, Iterable):
            raise TypeError(f"a path is a list of places, not {path!r}")
        return self._carry_out(Follow(tuple(path), speed, turn_speed))

    def track(self, samples: Sequence[Sample]) -> Awaitable[Point]:
        """Be at each place of a trajectory at its time, counted from now."""
        return self._carry_out(Track(tuple(samples)))

    def stop(self) -> None:
        """Stop where it is; the motion under way gives that place."""
        self._body.stop()

    def show(self, name: str, value: float | str | bool | None) -> None:
        """Let those who look at the run see a number, a text or a claim under a name; None takes away what was there.

        An observer sees it beside the robot's own facts, as colours, in plots and in the log. A text under the name
        "state" is what robots are coloured by where nothing else is asked for.
        """
        shown = as_value(as_name(name), value)
        if self._publish is not None:
            self._publish(name, shown)

    def show_map(
        self, grid: Grid, name: str = "map", *, cell: float | None = None, corner: PointLike = (0.0, 0.0)
    ) -> None:
        """Let those who look see a map as the robot believes it, in place of what it showed under that name.

        It is an `OccupancyMap`, or rows of numbers, the lowest row first: from 0, free, to 1, taken, and NaN where nobody
        knows. Of rows of numbers, `cell` is the side of a cell in metres and `corner` the lower left corner of all.
        """
        as_name(name)
        check_map(grid, cell)
        if self._publish is not None:
            self._publish(name, as_map(grid, cell, corner))

    def show_path(self, places: Iterable[PointLike], name: str = "path") -> None:
        """Let those who look see a line from place to place, in place of what was shown under that name."""
        shown = as_path(places)
        as_name(name)
        if self._publish is not None:
            self._publish(name, shown)

    def show_mark(self, place: PointLike, name: str) -> None:
        """Let those who look see a mark at a place, besides those that were shown under that name."""
        shown = ShownMarks((as_point(place, "the place of a mark"),))
        as_name(name)
        if self._publish is not None:
            self._publish(name, shown)

    @property
    def radio(self) -> Radio:
        """What it talks to other robots with."""
        if self._radio is None:
            raise NoRadio(
                f"{self.name} has no radio; connect the robots of its stage to a network, or give its scenario a [network]"
            )
        return self._radio

    def _missing(self, name: str) -> Any:
        """Give the sensor of a name that the robot itself does not have."""
        if name.startswith("_"):
            raise AttributeError(name)
        sensors = self._body.sensors
        if name in sensors:
            return sensors[name]
        raise AttributeError(lacks(self, name, sensors))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._body.sensors]

    def __repr__(self) -> str:
        return f"<Robot '{self.name}'>"


ELSEWHERE = {
    "back": "robot.back_up(distance)",
    "broadcast": "robot.radio.broadcast(message)",
    "drive": "robot.forward(distance)",
    "go": "robot.move_to((x, y))",
    "go_to": "robot.move_to((x, y))",
    "log": "print(...)",
    "pose": "robot.position and robot.heading",
    "print": "print(...)",
    "receive": "robot.radio.receive(kind)",
    "rotate": "robot.turn(angle)",
    "send": "robot.radio.send(message, to=number)",
    "sleep": "await sleep(seconds), with sleep from kumi",
    "wait": "await sleep(seconds), with sleep from kumi",
    "x": "robot.position.x",
    "y": "robot.position.y",
}
"""What a robot has, or a program, under names that other platforms use."""


class Named(Protocol):
    """A robot or a team."""

    @property
    def name(self) -> str:
        """Its name."""


def lacks(owner: Named, name: str, sensors: Iterable[str]) -> str:
    """Say that a robot or a team has nothing of a name, and what may be meant."""
    from difflib import get_close_matches  # Late: only a mistake needs it.

    sentence = f"{owner.name} has no '{name}'; its sensors are: {', '.join(sorted(sensors)) or 'none'}"
    own = [one for one in dir(type(owner)) if not one.startswith("_")]
    if near := get_close_matches(name, [*own, *sensors], n=1, cutoff=0.7):
        return f"{sentence}; did you mean {near[0]!r}?"
    return f"{sentence}; write {ELSEWHERE[name]}" if name in ELSEWHERE else sentence


LONGEST_NAME = 60
"""Letters of a name."""


class Believed(Protocol):
    """A map of cells that knows which are free and which are taken, such as `kumi.mapping.OccupancyMap`."""

    @property
    def free(self) -> NDArray[Any]:
        """The cells that are free, the lowest row first."""

    @property
    def occupied(self) -> NDArray[Any]:
        """The cells that are taken."""

    @property
    def bounds(self) -> Bounds:
        """The rectangle of all cells, in metres."""

    @property
    def cell(self) -> float:
        """The side of a cell, in metres."""


Grid: TypeAlias = "Believed | ArrayLike"


def is_believed(grid: Grid) -> TypeGuard[Believed]:
    """Tell whether something is such a map, without a look at its cells."""
    return hasattr(type(grid), "free") and hasattr(type(grid), "occupied")


def as_name(name: object) -> str:
    """Return a name under which something can be shown."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise ValueError(f"a name to show something under has 1 to {LONGEST_NAME} letters, unlike {name!r}")
    return name


def as_value(name: str, value: object) -> Value | None:
    """Return a number, a text or a claim as it is shown."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"show() takes a number, a text, True, False or None for {name!r}, not {value!r}")


def as_path(places: Iterable[PointLike]) -> ShownPath:
    """Return the path through some places."""
    return ShownPath(tuple(as_point(place, "a place of a path") for place in places))


def check_map(grid: Grid, cell: float | None) -> None:
    """Refuse what is no map, without a look at its cells."""
    if is_believed(grid):
        return
    import numpy as np  # Late: most programs show no map.

    rows: Any = grid
    if np.ndim(rows) != 2:
        raise TypeError(
            "show_map() takes an OccupancyMap, or rows of numbers from 0, free, to 1, taken, "
            f"not something with {np.ndim(rows)} dimensions"
        )
    if cell is None:
        raise TypeError("show_map() takes the size of a cell along with rows of numbers: cell=0.05")
    as_size(cell, "the size of a cell")


def as_map(grid: Grid, cell: float | None, corner: PointLike) -> ShownMap:
    """Return a map as it is shown; of rows of numbers, those that are none stand for cells that nobody saw."""
    import numpy as np  # Late: most programs show no map.

    cells: NDArray[Any]
    if is_believed(grid):
        cells = np.full(grid.free.shape, UNSEEN, dtype=np.uint8)
        cells[grid.free], cells[grid.occupied] = FREE, TAKEN
        place, size = Point(grid.bounds.left, grid.bounds.bottom), grid.cell
    else:
        assert cell is not None
        numbers = np.asarray(grid, dtype=np.float64)
        shares = np.rint(np.clip(np.nan_to_num(numbers), 0.0, 1.0) * TAKEN)
        cells = np.where(np.isnan(numbers), UNSEEN, shares).astype(np.uint8)
        place, size = as_point(corner, "the corner of a map"), cell
    return ShownMap(place, size, len(cells), cells.shape[1], cells.tobytes())
