"""What does a robot see? A picture of the world before it.

Walls, pillars, blocks and the border are as high as a room; robots and props stand before them. What is nearer hides what is
behind, unless light passes it, and far things fade into haze. A prop is something that can be seen but stops nobody: what a search is for.
A camera looks from the middle of its body at the instant it is asked. Robots that are no discs are drawn by their outlines.

A picture is drawn by columns in the core: everything upright that a column's ray meets fills the rows between its foot and its
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

from kumi._core import STOPS_LIGHT, Canvas, ray_hits
from kumi.contract.readings import Picture
from kumi.geometry import Disc, Point, PointLike, as_point
from kumi.geometry.points import as_angle, as_size
from kumi.maths import atan, atan2, cos, sin, tan
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
        focal = self.width / 2 / float(tan(self.view / 2))  # pixels from the eye to the picture
        sides = (self.width / 2 - 0.5 - np.arange(self.width, dtype=np.float64)) / focal
        drops = (np.arange(self.height, dtype=np.float64) + 0.5 - self.height / 2) / focal
        self._sides, self._drops = sides.tobytes(), drops.tobytes()
        self._bearings = atan(sides)
        self._forward = cos(self._bearings)

    @property
    def asked_for(self) -> str:
        """The size of the picture."""
        return f"{self.width}x{self.height}"

    def measure(self) -> Picture:
        """Draw what is before the robot."""
        canvas = Canvas(self.eye, self._sides, self._drops)
        here, heading = self.body.position, self.body.heading + self.bearing
        canvas.draw_ground(here.x, here.y, cos(heading), sin(heading))
        self._draw_obstacles(canvas, here, heading)
        for other in self.world.near(here, self.reach):
            if other is not self.body:
                self._draw_robot(canvas, other, here, heading)
        for prop in self.props():
            if abs(prop.at - here) <= self.reach:
                ahead, left = seen_from(prop.at, here, heading)
                canvas.draw_round(ahead, left, prop.radius, prop.height, *prop.colour)
        pixels = np.frombuffer(canvas.pixels(), np.uint8)
        return Picture(pixels.reshape(self.height, self.width, 3))

    def _draw_obstacles(self, canvas: Canvas, here: Point, heading: float) -> None:
        directions = heading + self._bearings
        ways, numbers = self.world.obstacle_hits(here, directions, self.reach, STOPS_LIGHT)
        distances, met = np.frombuffer(ways, np.float64), np.frombuffer(numbers, np.int32)
        colours = np.zeros((self.width, 3))
        for number in set(met[np.isfinite(distances)].tolist()):
            colours[met == number] = colour_of(self.world.thing(number))
        self._draw_flat(canvas, distances, self.room, colours, directions)

    def _draw_robot(self, canvas: Canvas, other: SimulatedBody, here: Point, heading: float) -> None:
        shape, at = other.shape, other.position
        ahead, left = seen_from(at, here, heading)
        if isinstance(shape, Disc):
            canvas.draw_round(ahead, left, shape.radius, self.robots, *ROBOT_COLOUR)
            return
        if ahead <= -shape.core.reach:
            return
        directions = heading + self._bearings
        ways = ray_hits(shape.core, at.x, at.y, other.heading, here.x, here.y, directions.tobytes())
        self._draw_flat(
            canvas, np.frombuffer(ways, np.float64), self.robots, np.array(ROBOT_COLOUR), directions
        )

    def _draw_flat(
        self, canvas: Canvas, distances: Floats, top: float, colours: Floats, directions: Floats
    ) -> None:
        """Draw what has flat sides: how far it is along the ray of each column, how high, and its colours."""
        lit = colours * faces(distances, directions)[:, None]
        canvas.draw_upright((distances * self._forward).tobytes(), top, lit.tobytes())


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


def faces(distances: Floats, directions: Floats) -> Floats:
    """Return how light each spot of a surface is, from 0.7 to 1: sides of a wall that look elsewhere differ.

    Which way a surface looks is told by the spots that neighbouring rays meet.
    """
    known = np.where(np.isfinite(distances), distances, 0.0)
    x, y = known * cos(directions), known * sin(directions)
    slope: Floats = atan2(np.gradient(y), np.gradient(x))
    lightness: Floats = 0.85 + 0.15 * cos(2.0 * slope)
    return lightness
