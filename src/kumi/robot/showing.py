"""Is what a program publishes something that can be shown?

What cannot is refused in the same words whether anybody looks or not, so that a program runs alike in both cases. What
takes time, such as going through the cells of a map, is done only where somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from kumi.contract.published import FREE, TAKEN, UNSEEN, ShownMap, ShownPath, Value
from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_size

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from kumi.geometry import Bounds

LONGEST_NAME = 60
"""Letters of a name."""


@runtime_checkable
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
    if isinstance(grid, Believed):
        return
    import numpy as np  # Late: most programs show no map.

    if np.ndim(grid) != 2:
        raise TypeError(
            "show_map() takes an OccupancyMap, or rows of numbers from 0, free, to 1, taken, "
            f"not something with {np.ndim(grid)} dimensions"
        )
    if cell is None:
        raise TypeError("show_map() takes the size of a cell along with rows of numbers: cell=0.05")
    as_size(cell, "the size of a cell")


def as_map(grid: Grid, cell: float | None, corner: PointLike) -> ShownMap:
    """Return a map as it is shown; of rows of numbers, those that are none stand for cells that nobody saw."""
    import numpy as np  # Late: most programs show no map.

    cells: NDArray[Any]
    if isinstance(grid, Believed):
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
