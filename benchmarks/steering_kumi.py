"""Control loops for kumi: robots that are steered ten times a second, by programs of their own or as a team.

Each sample has the CPU microseconds of a robot and step, and, from the same process, those of a robot that is steered straight
on a hundred metres from the next one.
"""

from __future__ import annotations

from functools import partial
from math import ceil, pi, sqrt
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.tasks import Sample
from kumi.devs import sleep
from kumi.devs.chance import stream
from kumi.geometry import Disc, Ellipse, Polygon
from kumi.motion import Car, Wheel
from kumi.programs.flocking import flocking_team
from kumi.stage.stage import Stage
from kumi.world import Map, Wall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from kumi.geometry import BodyShape
    from kumi.robot import Robot, Team

RADIUS, SPEED, PERIOD = 0.085, 0.2, 0.1
FAR = 100.0
SETTLING = 5
STEPS = 200_000
"""Steps of robots that are measured; at least `LEAST` of each."""
LEAST = 40
SHAPES: dict[str, BodyShape] = {
    "disc": Disc(RADIUS),
    "polygon": Polygon([(0.075, 0.075), (-0.075, 0.075), (-0.075, -0.075), (0.075, -0.075)]),
    "ellipse": Ellipse(0.1, 0.07),
}


async def go(robot: Robot, bend: float) -> None:
    """Steer by random rates up to a bend; without one straight on."""
    chance = robot.chance
    while True:
        robot.steer(SPEED, chance.uniform(-bend, bend) if bend else 0.0)
        await sleep(PERIOD)


async def go_together(team: Team, bend: float, reach: float) -> None:
    """Do the same as a team, and look for neighbours within reach, if there is one."""
    while True:
        if reach:
            team.neighbours(reach)
        team.steer(SPEED, team.chance.uniform(-bend, bend) if bend else 0.0)
        await sleep(PERIOD)


def steering(
    number: int,
    bend: float = 2.0,
    density: float = 0.0,
    shape: str = "disc",
    drive: str = "wheel",
    around: str = "",
    team: bool = False,
    reach: float = 0.0,
) -> Sample:
    """Measure a step of robots that fill a share of the floor, or stand far apart, in a border, in walls, or in the open."""
    build = partial(scene, number, density, SHAPES[shape], drive, around)
    program: Callable[..., Coroutine[Any, Any, None]] = (
        partial(go_together, bend=bend, reach=reach) if team else partial(go, bend=bend)
    )
    straight, _ = step_of(
        scene(number, 0.0, SHAPES["disc"], "wheel", "", partial(go, bend=0.0), team=False), number
    )
    took, contacts = step_of(build(program, team=team), number)
    return {
        "figure": took,
        "straight": straight,
        "ratio": took / straight,
        "contacts_a_robot_second": contacts,
    }


def scene(
    number: int,
    density: float,
    shape: BodyShape,
    drive: str,
    around: str,
    program: Callable[..., Coroutine[Any, Any, None]],
    *,
    team: bool,
) -> Stage:
    """Put robots on a grid, each looking anywhere."""
    gap = sqrt(pi * RADIUS * RADIUS / density) if density else FAR
    rows = ceil(sqrt(number))
    side = gap * rows
    corners = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
    walls = [Wall(corners[one - 1], corners[one], 0.1) for one in range(4)] if around == "walls" else []
    place = Map(side, side) if around == "border" else Map(obstacles=walls)
    stage = Stage(place, seed=1)
    chance = stream(1, ":headings")
    at = [((one % rows + 0.5) * gap, (one // rows + 0.5) * gap) for one in range(number)]
    headings = [chance.uniform(-pi, pi) for _ in at]
    wheels = Car(0.1) if drive == "car" else Wheel()
    if team:
        stage.add_team(program, number, at=at, heading=headings, shape=shape, drive=wheels)
    else:
        for spot, heading in zip(at, headings, strict=True):
            stage.add(program, at=spot, heading=heading, shape=shape, drive=wheels)
    return stage


def step_of(stage: Stage, number: int) -> tuple[float, float]:
    """Return CPU microseconds of a robot and step, and contacts of a robot and second."""
    steps = max(LEAST, STEPS // number)
    begin = (SETTLING + 0.5) * PERIOD
    with stage:
        before = stage.run(begin).contacts
        clock = process_time()
        contacts = stage.run(begin + steps * PERIOD).contacts - before
        took = process_time() - clock
    return 1e6 * took / (number * steps), 2.0 * contacts / (number * steps * PERIOD)


def flocking(number: int) -> Sample:
    """Measure a flock by Reynolds' rules, led as a team, in which each bird has some eight neighbours."""
    rows = ceil(sqrt(number))
    gap, chance = 1.3, stream(1, ":headings")
    side = gap * rows + 60.0
    at = [((one % rows + 0.5) * gap, (one // rows + 0.5) * gap) for one in range(number)]
    stage = Stage(Map(side, side), seed=1)
    team = stage.add_team(
        flocking_team,
        number,
        at=at,
        heading=[chance.uniform(-pi, pi) for _ in at],
        radius=0.06,
        goal=(gap * rows / 2, gap * rows / 2),
        roam=gap * rows,
    )
    begin, length = (2 * SETTLING + 0.5) * PERIOD, 4.0
    with stage:
        stage.run(begin)
        clock = process_time()
        stage.run(begin + length)
        took = process_time() - clock
        near = len(team.neighbours(1.5).robots) / number
    return {"figure": length / took, "neighbours": near}
