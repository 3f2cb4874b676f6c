"""What can stand or lie on a plane?

Obstacles stop what touches them, as far as their material does. Terrain does something to what comes upon it:
slows it, swallows it, or keeps it off. All are values, in metres, and each may have a name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from kumi.geometry import Bounds, Circle, Outline, Point, PointLike, as_point
from kumi.geometry.points import as_number, as_size
from kumi.teaching import taught
from kumi.world.materials import SOLID, Material, as_material

Area: TypeAlias = Circle | Outline


@dataclass(frozen=True, slots=True, init=False)
class Wall:
    """A straight wall with round ends: all within half its thickness of the line between two points."""

    start: Point
    end: Point
    thickness: float
    name: str
    material: Material

    @taught
    def __init__(
        self,
        start: PointLike,
        end: PointLike,
        thickness: float = 0.0,
        name: str = "",
        material: Material | str = SOLID,
    ) -> None:
        if as_number(thickness, "the thickness of a wall") < 0:
            raise ValueError(f"the thickness of a wall is a finite number >= 0, not {thickness!r}")
        object.__setattr__(self, "start", as_point(start, "the start of a wall"))
        object.__setattr__(self, "end", as_point(end, "the end of a wall"))
        object.__setattr__(self, "thickness", float(thickness))
        object.__setattr__(self, "name", as_name(name))
        object.__setattr__(self, "material", as_material(material))
        if self.start == self.end:
            raise ValueError(f"a wall goes from one point to another, not from {self.start} to itself")

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the wall."""
        (left, right), (bottom, top) = sorted((self.start.x, self.end.x)), sorted((self.start.y, self.end.y))
        half = self.thickness / 2
        return Bounds(left - half, bottom - half, right + half, top + half)


@dataclass(frozen=True, slots=True, init=False)
class Pillar:
    """A round obstacle."""

    centre: Point
    radius: float
    name: str
    material: Material

    @taught
    def __init__(
        self, centre: PointLike, radius: float, name: str = "", material: Material | str = SOLID
    ) -> None:
        object.__setattr__(self, "centre", as_point(centre, "the centre of a pillar"))
        object.__setattr__(self, "radius", as_size(radius, "the radius of a pillar"))
        object.__setattr__(self, "name", as_name(name))
        object.__setattr__(self, "material", as_material(material))

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the pillar."""
        return Circle(self.centre, self.radius).bounds


@dataclass(frozen=True, slots=True, init=False)
class Block:
    """An obstacle with corners, which may be concave."""

    outline: Outline
    name: str
    material: Material

    @taught
    def __init__(self, outline: Outline, name: str = "", material: Material | str = SOLID) -> None:
        if not isinstance(outline, Outline):
            raise TypeError(
                f"the outline of a block is an Outline, such as Rectangle(x=1, y=1, width=2, height=1), not {outline!r}"
            )
        object.__setattr__(self, "outline", outline)
        object.__setattr__(self, "name", as_name(name))
        object.__setattr__(self, "material", as_material(material))

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the block."""
        return self.outline.bounds


@dataclass(frozen=True, slots=True)
class Slow:
    """Ground on which everything moves at a fraction of its speed."""

    area: Area
    factor: float
    name: str = ""

    def __post_init__(self) -> None:
        if not 0 < as_number(self.factor, "the factor of slow ground") <= 1:
            raise ValueError(f"the factor of slow ground is a number > 0 and <= 1, not {self.factor!r}")
        _check_ground(self.area, self.name)

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the ground."""
        return self.area.bounds


@dataclass(frozen=True, slots=True)
class Hole:
    """Ground into which a body falls and is lost."""

    area: Area
    name: str = ""

    def __post_init__(self) -> None:
        _check_ground(self.area, self.name)

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the hole."""
        return self.area.bounds


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Ground where no body may go."""

    area: Area
    name: str = ""

    def __post_init__(self) -> None:
        _check_ground(self.area, self.name)

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the ground."""
        return self.area.bounds


Obstacle: TypeAlias = Wall | Pillar | Block
Terrain: TypeAlias = Slow | Hole | Forbidden


def scaled_obstacle(obstacle: Obstacle, by: float) -> Obstacle:
    """Return an obstacle with all lengths multiplied, its place included."""
    match obstacle:
        case Wall(start, end, thickness):
            return replace(obstacle, start=start * by, end=end * by, thickness=thickness * by)
        case Pillar(centre, radius):
            return replace(obstacle, centre=centre * by, radius=radius * by)
        case Block(outline):
            return replace(obstacle, outline=_scaled_outline(outline, by))


def scaled_terrain(ground: Terrain, by: float) -> Terrain:
    """Return terrain with all lengths multiplied, its place included."""
    return replace(ground, area=_scaled_area(ground.area, by))


def _scaled_area(area: Area, by: float) -> Area:
    if isinstance(area, Circle):
        return Circle(area.centre * by, area.radius * by)
    return _scaled_outline(area, by)


def _scaled_outline(outline: Outline, by: float) -> Outline:
    return simple_outline(tuple(corner * by for corner in outline.corners))


def simple_outline(corners: tuple[Point, ...]) -> Outline:
    """Return an outline of corners known to be counter-clockwise and not to meet themselves.

    To check a hundred thousand outlines that were traced takes longer than to trace them.
    """
    outline = Outline.__new__(Outline)
    object.__setattr__(outline, "corners", corners)
    return outline


def as_name(name: str) -> str:
    """Return a name, or say that it is none."""
    if not isinstance(name, str):
        raise TypeError(f"a name is a text, not {name!r}")
    return name


def _check_ground(area: Area, name: str) -> None:
    if not isinstance(area, Circle | Outline):
        raise TypeError(f"the area of a ground is a Circle or an Outline, not {area!r}")
    as_name(name)
