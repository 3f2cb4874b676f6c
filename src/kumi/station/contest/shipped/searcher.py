"""A team that goes over the arena in lanes, looks all around, reports what it sees and then goes near it.

Its lanes are a grid of places on the plan. The nearest one that was not yet seen is next, so what lies behind it is done before
it moves on. A place within reach of a look counts as seen.
"""

from math import pi

from kumi import Blocked, Point, Robot

LANE = 2.0
"""Metres from one place of the grid to the next."""
CLEARED = 1.5
"""Metres around a look in which places of the grid need no look of their own."""
NEAR = 0.9
"""Metres from a thing that count as near."""


async def main(robot: Robot) -> None:
    """Go from place to place until all have been seen."""
    places = lanes(*robot.plan.bounds)
    reported: set[str] = set()
    while places:
        goal = min(places, key=lambda place: (robot.position.distance_to(place), place.x, place.y))
        places.remove(goal)
        if await went(robot, goal):
            await look_around(robot, reported)
            places = [place for place in places if robot.position.distance_to(place) > CLEARED]


def lanes(left: float, bottom: float, right: float, top: float) -> list[Point]:
    """Return the places of a grid over the arena."""
    columns, rows = max(1, round((right - left) / LANE)), max(1, round((top - bottom) / LANE))
    return [
        Point(left + (column + 0.5) * (right - left) / columns, bottom + (row + 0.5) * (top - bottom) / rows)
        for column in range(columns)
        for row in range(rows)
    ]


async def look_around(robot: Robot, reported: set[str]) -> None:
    """Look in three directions, report what is new, and go near it."""
    near = []
    for _ in range(3):
        for seen in await robot.sight.read():
            if seen.number is None and seen.name not in reported:
                await robot.referee.report(seen.name, seen.position)
                reported.add(seen.name)
                near.append(seen.position)
        await robot.turn(2 * pi / 3)
    for place in near:
        distance = robot.position.distance_to(place)
        if distance > NEAR:
            await went(robot, robot.position + (place - robot.position) * ((distance - NEAR) / distance))


async def went(robot: Robot, goal: Point) -> bool:
    """Go to a place around the walls; back off from what is in the way, and tell whether it was reached."""
    try:
        for place in robot.plan.route(goal):
            await robot.move_to(place)
    except (Blocked, ValueError):
        await back_off(robot)
        return False
    return True


async def back_off(robot: Robot) -> None:
    """Go back a little, or turn where that cannot be."""
    try:
        await robot.back_up(0.2)
    except Blocked:
        await robot.turn(pi / 2)
