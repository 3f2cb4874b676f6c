"""What is on the picture that a robot sends with a report?

A view from the robot's middle, as wide as its view: floor, walls and robots by one ray a column, all of one height, darker the
farther they are; and objects as discs on the floor, in columns where nothing nearer stands. It shows what the world holds at
that instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import radians, sqrt

from PIL import Image, ImageDraw

from kumi.maths import atan, cos, tan
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import RobotRules
from kumi.station.contest.sight import seen_at
from kumi.world import Obstacle, SimulatedBody

SIZE = (320, 200)
EYE = 0.25
"""Metres of the camera above the floor; walls are twice as high."""
WALL, ROBOT = (196, 188, 172), (70, 110, 190)
SKY, FLOOR, THING = (226, 232, 240), (120, 124, 118), (214, 60, 48)
CAMERA_REACH = 30.0
WIDEST_VIEW = radians(150.0)
"""A picture on a plane cannot show half a circle; a wider view is shown in its middle."""


def photograph(body: SimulatedBody, hidden: Sequence[Hidden], robots: RobotRules) -> Image.Image:
    """Return what a robot's camera shows now."""
    width, height = SIZE
    picture = Image.new("RGB", SIZE, SKY)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, height // 2, width, height), FLOOR)
    focus = width / 2 / tan(min(radians(robots.view_deg), WIDEST_VIEW) / 2)
    depths = []
    for column in range(width):
        aside = (width / 2 - column - 0.5) / focus
        bearing = atan(aside)
        hit = body.world.first_hit(body.position, body.heading + bearing, CAMERA_REACH, ignoring=body)
        depth = CAMERA_REACH if hit is None else max(hit.distance * cos(bearing), 0.01)
        depths.append(depth)
        if hit is not None:
            half = focus * EYE / depth
            colour = ROBOT if isinstance(hit.what, SimulatedBody) else WALL
            if isinstance(hit.what, Obstacle):
                colour = hit.what.material.rgb or WALL
            draw.line((column, height / 2 - half, column, height / 2 + half), _dimmed(colour, depth))
    for one in hidden:
        _paint(draw, body, one, robots, focus, depths)
    return picture


def _paint(
    draw: ImageDraw.ImageDraw,
    body: SimulatedBody,
    one: Hidden,
    robots: RobotRules,
    focus: float,
    depths: Sequence[float],
) -> None:
    found = seen_at(body.world, body.pose, one.at, robots)
    if found is None or abs(found[1]) >= WIDEST_VIEW / 2:
        return
    distance, bearing = found
    depth = max(distance * cos(bearing), 0.01)
    middle, radius = SIZE[0] / 2 - focus * tan(bearing), focus * one.radius / depth
    ground = SIZE[1] / 2 + focus * EYE / depth
    for column in range(max(0, int(middle - radius)), min(SIZE[0], int(middle + radius) + 1)):
        half = sqrt(max(0.0, radius * radius - (column + 0.5 - middle) * (column + 0.5 - middle)))
        if half > 0.0 and depths[column] >= depth - one.radius:
            draw.line((column, ground - radius - half, column, ground - radius + half), _dimmed(THING, depth))


def _dimmed(colour: tuple[int, int, int], depth: float) -> tuple[int, int, int]:
    light = 1.0 / (1.0 + 0.08 * depth)
    red, green, blue = colour
    return int(red * light), int(green * light), int(blue * light)
