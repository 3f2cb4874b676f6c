"""Is what was handed over of the kind that is asked for? If not, one sentence says what it should be."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kumi.geometry import BodyShape, Disc, Ellipse, Polygon
from kumi.geometry.points import as_number, as_several, shown

Kind = TypeVar("Kind")
SHAPES = (Disc, Ellipse, Polygon)


def as_kind(value: Any, kind: type[Kind], name: str) -> Kind:
    """Return a value of a kind, or raise TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {kind.__name__}, not {shown(value)}")
    return value


def as_kinds(values: Any, kind: type[Kind], name: str) -> tuple[Kind, ...]:
    """Return several values of a kind, or raise TypeError."""
    return tuple(as_kind(value, kind, f"each of {name}") for value in as_several(values, name))


def as_shape(value: Any, name: str) -> BodyShape:
    """Return the shape of a body, or raise TypeError."""
    if not isinstance(value, SHAPES):
        raise TypeError(f"{name} is a Disc, an Ellipse or a Polygon, not {shown(value)}")
    return value


def as_row(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return numbers as an array, or raise TypeError."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} are numbers, not {shown(values)}") from None


def as_not_negative(value: float, name: str) -> float:
    """Return a finite number from 0 on."""
    number = as_number(value, name)
    if number < 0.0:
        raise ValueError(f"{name} is a finite number >= 0, not {value!r}")
    return number
