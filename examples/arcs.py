"""The four arcs of a quarter turn: where the centre is, to which side the robot turns, and whether it drives forward or back.

With the name of a file, such as docs/images/arcs.svg, it draws them as well.
"""

import sys
from math import pi
from pathlib import Path

from kumi import Point, Robot, Stage, sleep
from kumi.recording.painting import SvgPainter

ARCS = {"arc(1, a)": (1, 1), "arc(1, -a)": (1, -1), "arc(-1, -a)": (-1, -1), "arc(-1, a)": (-1, 1)}
SIZE, METRE = 240, 80
"""Pixels: each arc has a square of its own."""


async def bend(robot: Robot, radius: float, angle: float) -> None:
    """Drive an arc and tell where it led."""
    await robot.arc(radius, angle)
    x, y = robot.position
    print(f"{robot.name:11}  to ({x:+.1f}, {y:+.1f}), turned by {robot.heading / pi:+.1f} pi")


async def look(robot: Robot, seen: list[tuple[Point, float]]) -> None:
    """Note where another robot is, and where it looks, from its beginning to its end."""
    for _ in range(21):
        seen.append((robot.position, robot.heading))
        await sleep(pi / 2 / 20)


def draw(tracks: dict[str, list[tuple[Point, float]]]) -> str:
    """Draw each track with the robot at its beginning and its end, and the centre of the arc."""
    painter = SvgPainter((SIZE * len(tracks), SIZE), "#ffffff")
    for number, (name, track) in enumerate(tracks.items()):
        middle = Point(SIZE * (number + 0.5), SIZE / 2)

        def dot(place: Point, middle: Point = middle) -> tuple[float, float]:
            return middle.x + METRE * place.x, middle.y - METRE * place.y

        painter.disc(*dot(Point(0, ARCS[name][0])), 3, "#9aa1a9")
        painter.line([dot(place) for place, _ in track], "#1f77b4", 2)
        for (place, heading), colour in ((track[0], "#c9ced4"), (track[-1], "#f2a900")):
            painter.disc(*dot(place), 12, colour, "#333333", 1)
            painter.line([dot(place), dot(place + Point.polar(0.3, heading))], "#333333", 2)
        way = "forward" if track[-1][0].x > 0 else "back"
        painter.words(middle.x, SIZE - 16, f"{name}: {way}", 14, "#333333", "middle")
    return painter.picture()


tracks: dict[str, list[tuple[Point, float]]] = {}
for name, (radius, angle) in ARCS.items():
    stage = Stage()
    robot = stage.add(bend, radius, angle * pi / 2, at=(0, 0), name=name)
    stage.simulation.start(look, robot, tracks.setdefault(name, []))
    stage.run()
if len(sys.argv) > 1:
    Path(sys.argv[1]).write_text(draw(tracks))
