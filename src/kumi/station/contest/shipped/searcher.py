"""A team that goes over the arena in lanes, looks all around, reports what it sees and then goes near it.

Its lanes are a grid of places on the plan. The nearest one that was not yet seen is next, so what lies behind it is done before
it moves on. A place within reach of a look counts as seen.
"""

from math import cos, hypot, pi, sin
from typing import Any

LANE = 2.0
"""Metres from one place of the grid to the next."""
CLEARED = 1.5
"""Metres around a look in which places of the grid need no look of their own."""
NEAR = 0.9
"""Metres from a thing that count as near."""


def play(robot: Any) -> None:
    """Go from place to place until all have been seen."""
    left, bottom, right, top = robot.arena()
    columns, rows = max(1, round((right - left) / LANE)), max(1, round((top - bottom) / LANE))
    places = [
        (left + (column + 0.5) * (right - left) / columns, bottom + (row + 0.5) * (top - bottom) / rows)
        for column in range(columns)
        for row in range(rows)
    ]
    reported: set[str] = set()
    while places:
        x, y, _ = robot.position()
        places.sort(key=lambda place: (hypot(place[0] - x, place[1] - y), place))
        goal = places.pop(0)
        if not went(robot, *goal):
            continue
        look_around(robot, reported)
        x, y, _ = robot.position()
        places = [place for place in places if hypot(place[0] - x, place[1] - y) > CLEARED]


def look_around(robot: Any, reported: set[str]) -> None:
    """Look in three directions, report what is new, and go near it."""
    near = []
    for _ in range(3):
        for seen in robot.look():
            if seen.kind == "object" and seen.name not in reported:
                x, y, heading = robot.position()
                direction = heading + seen.bearing
                place = x + seen.distance * cos(direction), y + seen.distance * sin(direction)
                robot.report(seen.name, *place)
                reported.add(seen.name)
                near.append(place)
        robot.turn(2 * pi / 3)
    for x, y in near:
        here_x, here_y, _ = robot.position()
        distance = hypot(x - here_x, y - here_y)
        if distance > NEAR:
            share = (distance - NEAR) / distance
            went(robot, here_x + share * (x - here_x), here_y + share * (y - here_y))


def went(robot: Any, x: float, y: float) -> bool:
    """Go to a place; back off from what is in the way, and tell whether it was reached."""
    try:
        robot.go_to(x, y)
    except robot.Error:
        try:
            robot.forward(-0.2)
        except robot.Error:
            robot.turn(pi / 2)
        return False
    return True
