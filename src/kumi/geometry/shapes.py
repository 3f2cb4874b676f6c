"""What space does a body take, and how far is it from another?

A shape is convex and moves with its body: the origin is the body's position, and the body looks along the
first axis. Shapes include their boundary, so two that touch have a gap of 0.

The counting is done by the native core; a shape holds what it needs there in `core`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kumi import _core
from kumi._core import Point
from kumi.geometry.points import PointLike, Pose, as_points, as_size


@dataclass(frozen=True)
class Disc:
    """A disc about the body's position."""

    radius: float
    core: _core.Shape = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _put(self, radius=as_size(self.radius, "the radius of a disc"))
        _put(self, core=_core.Shape.disc(self.radius))

    @property
    def reach(self) -> float:
        """The radius of the smallest circle about the position that holds the shape."""
        return self.core.reach


@dataclass(frozen=True, init=False)
class Polygon:
    """A convex polygon; its corners are kept counter-clockwise, without those on a straight side."""

    corners: tuple[Point, ...]
    core: _core.Shape = field(repr=False, compare=False)

    def __init__(self, corners: Sequence[PointLike]) -> None:
        given = as_points(corners, 3, "a polygon")
        core = _core.Shape.polygon([(corner.x, corner.y) for corner in given])
        if len(core.corners) < 3:
            raise ValueError(f"the corners of a polygon do not lie on one line, but these do: {given}")
        _put(self, core=core, corners=tuple(Point(x, y) for x, y in core.corners))

    @property
    def reach(self) -> float:
        """The radius of the smallest circle about the position that holds the shape."""
        return self.core.reach


@dataclass(frozen=True)
class Ellipse:
    """An ellipse about the body's position: so long along the heading, so wide across it."""

    length: float
    width: float
    core: _core.Shape = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _put(self, length=as_size(self.length, "the length of an ellipse"))
        _put(self, width=as_size(self.width, "the width of an ellipse"))
        _put(self, core=_core.Shape.ellipse(self.length / 2, self.width / 2))

    @property
    def reach(self) -> float:
        """The radius of the smallest circle about the position that holds the shape."""
        return self.core.reach


BodyShape: TypeAlias = Disc | Polygon | Ellipse


def gap(shape: BodyShape, pose: Pose, other: BodyShape, other_pose: Pose) -> float:
    """Return the distance between two placed shapes; below 0, how far they overlap.

    An overlap of 0.1 means that 0.1 is the shortest way by which one of them must move to part them.
    """
    here, there = pose.position, other_pose.position
    return _core.gap(
        shape.core, here.x, here.y, pose.heading, other.core, there.x, there.y, other_pose.heading
    )[0]


def _put(shape: BodyShape, **values: object) -> None:
    """Set what a frozen shape keeps, once, while it is made."""
    for name, value in values.items():
        object.__setattr__(shape, name, value)
