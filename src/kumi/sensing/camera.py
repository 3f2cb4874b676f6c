"""What does a robot see? A picture of the world before it.

Walls, pillars, blocks and the border are as high as a room; robots and props stand before them. What is nearer hides what is
behind, unless light passes it, and far things fade into haze. A prop is something that can be seen but stops nobody: what a search is for.
A camera looks from the middle of its body at the instant it is asked. Robots that are no discs are drawn by their outlines.

A picture is drawn by columns in numpy: everything upright that a column's ray meets fills the rows between its foot and its
top, floor and sky fill the rest, and a depth for each pixel decides what hides what. Depth is measured in metres along the
middle of the view, so that straight walls look straight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi
from operator import index

import numpy as np
from numpy.typing import NDArray

from kumi._core import STOPS_LIGHT, ray_hit
from kumi.contract.readings import Picture
from kumi.geometry import Disc, Point, PointLike, as_point
from kumi.geometry.points import as_angle, as_size
from kumi.maths import atan, atan2, cos, exp, hypot, sin, tan
from kumi.sensing.sensor import AskedSensor
from kumi.sensing.surroundings import as_view
from kumi.teaching import taught
from kumi.world import Block, Obstacle, Pillar, SimulatedBody, Wall
from kumi.world.world import Thing

WIDEST_VIEW = 0.9 * pi
"""Radians; a flat picture cannot show a half circle."""
COLOURS: dict[type, Colour] = {Wall: (176, 118, 86), Pillar: (120, 128, 96), Block: (140, 104, 120)}
"""By kind of obstacle, where its material has no colour."""
BORDER_COLOUR: Colour = (150, 150, 158)
ROBOT_COLOUR: Colour = (46, 92, 176)
PROP_COLOUR: Colour = (214, 60, 48)


@dataclass(frozen=True, init=False)
class Prop:
    """Something upright and round that can be seen, and stops nobody."""

    at: Point
    radius: float
    height: float
    colour: Colour
    name: str

    def __init__(
        self,
        at: PointLike,
        radius: float = 0.1,
        height: float = 0.3,
        colour: Colour = PROP_COLOUR,
        name: str = "",
    ) -> None:
        object.__setattr__(self, "at", as_point(at, "where a prop is"))
        object.__setattr__(self, "radius", as_size(radius, "the radius of a prop"))
        object.__setattr__(self, "height", as_size(height, "the height of a prop"))
        object.__setattr__(self, "colour", colour)
        object.__setattr__(self, "name", name)


def nothing() -> Iterable[Prop]:
    """No props."""
    return ()


class Camera(AskedSensor[Picture]):
    """Tells what is before the robot as a picture: walls, pillars, blocks, other robots, and props.

    `props` may be set to a function that returns what else there is to see; it is asked for each picture.
    """

    props: Callable[[], Iterable[Prop]] = staticmethod(nothing)

    @taught
    def __init__(
        self,
        width: int = 320,
        height: int = 240,
        *,
        view: float = pi / 3,
        bearing: float = 0.0,
        reach: float = 50.0,
        eye: float = 0.3,
        room: float = 1.2,
        robots: float = 0.35,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.width, self.height = as_pixels(width, "width"), as_pixels(height, "height")
        self.view = as_view(view, most=WIDEST_VIEW)
        self.bearing = as_angle(bearing, "a bearing")
        self.reach = as_size(reach, "a reach")
        self.eye = as_size(eye, "the height of an eye")
        self.room = as_size(room, "the height of a room")
        self.robots = as_size(robots, "the height of robots")

    def start(self) -> None:
        """Work out the directions of the columns once."""
        self._lens = Lens(self.width, self.height, self.view, self.eye)
        self._bearings = atan(self._lens.sides)

    @property
    def asked_for(self) -> str:
        """The size of the picture."""
        return f"{self.width}x{self.height}"

    def measure(self) -> Picture:
        """Draw what is before the robot."""
        canvas = Canvas(self._lens)
        here, heading = self.body.position, self.body.heading + self.bearing
        canvas.draw_ground(here.x, here.y, heading)
        self._draw_obstacles(canvas, here, heading)
        for other in self.world.near(here, self.reach):
            if other is not self.body:
                self._draw_robot(canvas, other, here, heading)
        for prop in self.props():
            ahead, left = seen_from(prop.at, here, heading)
            if abs(prop.at - here) <= self.reach:
                depths = cylinder(self._lens, ahead, left, prop.radius)
                self._draw_round(canvas, depths, ahead, left, prop.radius, prop.height, prop.colour)
        return Picture(canvas.pixels())

    def _draw_obstacles(self, canvas: Canvas, here: Point, heading: float) -> None:
        distances = np.full(self.width, np.inf)
        colours = np.zeros((self.width, 3))
        for column, bearing in enumerate(self._bearings.tolist()):
            hit = self.world.hit(here, heading + bearing, self.reach, self.body, False, STOPS_LIGHT)
            if hit is not None:
                distances[column] = hit[0]
                colours[column] = colour_of(self.world.thing(hit[2]))
        lit = colours * faces(distances, heading + self._bearings)[:, None]
        canvas.draw_upright(distances * cos(self._bearings), self.room, lit)

    def _draw_robot(self, canvas: Canvas, other: SimulatedBody, here: Point, heading: float) -> None:
        ahead, left = seen_from(other.position, here, heading)
        shape = other.shape
        if isinstance(shape, Disc):
            depths = cylinder(self._lens, ahead, left, shape.radius)
            self._draw_round(canvas, depths, ahead, left, shape.radius, self.robots, ROBOT_COLOUR)
            return
        directions = (heading + self._bearings).tolist()
        at, turned = other.position, other.heading
        ways = np.array(
            [
                ray_hit(shape.core, at.x, at.y, turned, here.x, here.y, cos(one), sin(one))
                for one in directions
            ]
        )
        lit = np.array(ROBOT_COLOUR) * faces(ways, heading + self._bearings)[:, None]
        canvas.draw_upright(ways * cos(self._bearings), self.robots, lit)

    def _draw_round(
        self,
        canvas: Canvas,
        depths: Floats,
        ahead: float,
        left: float,
        radius: float,
        top: float,
        colour: Colour,
    ) -> None:
        """Draw an upright cylinder, darker at its edges."""
        known = np.where(np.isfinite(depths), depths, 0.0)
        out = hypot(known - ahead, known * self._lens.sides - left)
        toward = -((known - ahead) + (known * self._lens.sides - left) * self._lens.sides)
        facing = toward / np.maximum(out * np.sqrt(1.0 + np.square(self._lens.sides)), 1e-9)
        canvas.draw_upright(depths, top, np.array(colour) * (0.6 + 0.4 * np.clip(facing, 0.0, 1.0))[:, None])


def colour_of(thing: Thing) -> Colour:
    """Return the colour of an obstacle or of the border: that of its material, or else that of its kind."""
    own = thing.material.rgb if isinstance(thing, Obstacle) else None
    return own or COLOURS.get(type(thing), BORDER_COLOUR)


def seen_from(there: Point, here: Point, heading: float) -> tuple[float, float]:
    """Return how far ahead and how far to the left of a viewer a place is."""
    x, y = (there - here).turned(-heading)
    return x, y


def as_pixels(value: int, name: str) -> int:
    """Return a number of pixels that films can have, too."""
    number = index(value)
    if not 16 <= number <= 4096 or number % 2:
        raise ValueError(
            f"the {name} of a picture is an even number of pixels from 16 to 4096, not {value!r}"
        )
    return number


Floats = NDArray[np.float64]
Colour = tuple[int, int, int]

SKY = np.array((186, 206, 226), np.float64)
HAZE = np.array((204, 214, 222), np.float64)
TILES = np.array(((150, 144, 132), (130, 124, 112)), np.float64)
TILE = 0.5
"""Metres of a side of a floor tile: motion is seen by them."""
FADES = 12.0
"""Metres after which little more than a third of a colour is left; the rest is haze."""


@dataclass(frozen=True)
class Lens:
    """How directions become pixels: columns and rows, the angle of the whole view, and the height of the eye."""

    width: int
    height: int
    view: float
    eye: float

    @property
    def focal(self) -> float:
        """Pixels from the eye to the picture."""
        return self.width / 2 / float(tan(self.view / 2))

    @property
    def sides(self) -> Floats:
        """How far each column is to the left, for one metre ahead."""
        return (self.width / 2 - 0.5 - np.arange(self.width, dtype=np.float64)) / self.focal

    @property
    def drops(self) -> Floats:
        """How far each row is down, for one metre ahead."""
        return (np.arange(self.height, dtype=np.float64) + 0.5 - self.height / 2) / self.focal


class Canvas:
    """A picture that is being drawn."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self._depths = np.full((lens.height, lens.width), np.inf)
        self._colours = np.empty((lens.height, lens.width, 3))

    def draw_ground(self, x: float, y: float, heading: float) -> None:
        """Fill the picture with sky, and with a floor of tiles, as seen from a place."""
        drops = self.lens.drops
        share = np.clip(-drops / max(float(-drops[0]), 1e-9), 0.0, 1.0)[:, None, None]
        self._colours[:] = HAZE + (SKY - HAZE) * share
        below = drops > 0.0
        ahead = self.lens.eye / drops[below]
        left = ahead[:, None] * self.lens.sides
        across = x + ahead[:, None] * cos(heading) - left * sin(heading)
        along = y + ahead[:, None] * sin(heading) + left * cos(heading)
        parity = (np.floor(across / TILE) + np.floor(along / TILE)).astype(np.int64) & 1
        self._colours[below] = hazed(TILES[parity], ahead[:, None])

    def draw_upright(self, ahead: Floats, top: float, colours: Floats) -> None:
        """Draw what stands on the floor: how far ahead in each column (inf for nothing), how high, and its colours."""
        seen = np.flatnonzero(np.isfinite(ahead))
        if not seen.size:
            return
        depth = np.maximum(ahead[seen], 1e-3)
        drops = self.lens.drops[:, None]
        rows = (drops >= (self.lens.eye - top) / depth) & (drops <= self.lens.eye / depth)
        rows &= depth < self._depths[:, seen]
        row, column = np.nonzero(rows)
        self._depths[row, seen[column]] = depth[column]
        self._colours[row, seen[column]] = hazed(colours[seen], depth)[column]

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture, read-only."""
        done = np.clip(np.rint(self._colours), 0, 255).astype(np.uint8)
        done.flags.writeable = False
        return done


def hazed(colours: Floats, depth: Floats) -> Floats:
    """Return colours as they look from afar: the farther, the more haze."""
    share = exp(-depth / FADES)[..., None]
    return HAZE + (colours - HAZE) * share


def faces(distances: Floats, directions: Floats) -> Floats:
    """Return how light each spot of a surface is, from 0.7 to 1: sides of a wall that look elsewhere differ.

    Which way a surface looks is told by the spots that neighbouring rays meet.
    """
    known = np.where(np.isfinite(distances), distances, 0.0)
    x, y = known * cos(directions), known * sin(directions)
    slope: Floats = atan2(np.gradient(y), np.gradient(x))
    lightness: Floats = 0.85 + 0.15 * cos(2.0 * slope)
    return lightness


def cylinder(lens: Lens, ahead: float, left: float, radius: float) -> Floats:
    """Return the depth of an upright cylinder in each column; inf where it is not seen.

    A column goes through the points t · (1, side); the first one at the radius from the axis is the nearer root of a
    quadratic. A cylinder around the eye, or behind it, is not seen.
    """
    sides = lens.sides
    a = 1.0 + sides * sides
    b = ahead + left * sides
    rest = b * b - a * (ahead * ahead + left * left - radius * radius)
    nearer = (b - np.sqrt(np.maximum(rest, 0.0))) / a
    return np.where((rest >= 0.0) & (nearer > 0.0), nearer, np.inf)
