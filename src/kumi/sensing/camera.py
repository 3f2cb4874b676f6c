"""What does a robot see? A picture of the world before it.

Walls, pillars, blocks and the border are as high as a room; robots and props stand before them. What is nearer hides what is
behind, unless light passes it, and far things fade into haze. A prop is something that can be seen but stops nobody: what a search is for.

A camera looks from the middle of its body at the instant it is asked. Robots that are no discs are drawn by their outlines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi
from operator import index

import numpy as np

from kumi._core import STOPS_LIGHT, ray_hit
from kumi.contract.readings import Picture
from kumi.geometry import Disc, Point, PointLike, as_point
from kumi.geometry.points import as_angle, as_size
from kumi.maths import atan, cos, hypot, sin
from kumi.sensing.angles import as_view
from kumi.sensing.asked import AskedSensor
from kumi.sensing.rendering import Canvas, Colour, Floats, Lens, cylinder, faces
from kumi.teaching import taught
from kumi.world import Block, Obstacle, Pillar, SimulatedBody, Wall
from kumi.world.world import Thing

WIDEST = 0.9 * pi
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
        self.view = as_view(view, most=WIDEST)
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
