"""A run with something in every layer: messages, floor, ways, contacts, walls that come and go, lost robots, values."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from math import nan
from pathlib import Path
from typing import Any

from kumi import sleep
from kumi.contract import Blocked, Lost
from kumi.control import LiveActions
from kumi.control.actions import DrawWall, RemoveWall, Spot
from kumi.geometry import Circle, Disc, Point
from kumi.motion import Omni
from kumi.network import Exponential, Loss
from kumi.planning import Reservations
from kumi.programs.reservations import reservations
from kumi.protocols.stacks import reservation
from kumi.recording import RunFile
from kumi.recording.published import in_words
from kumi.reserving import Way, Zone
from kumi.robot import Robot
from kumi.stage import Outcome, Stage
from kumi.world import Hole, Map, SimulatedBody, World

END = 150.0
RADIUS = 0.15


async def round_and_round(robot: Robot) -> None:
    """Follow a square for ever, with a rest at its corner; whoever is in the way is touched. Show all that can be shown."""
    x, y = robot.home
    for rounds in count():
        robot.show("state", "goes round")
        robot.show("rounds", rounds)
        robot.show_path([(x, y), (x + 0.1 * rounds, y)])
        robot.show_map([[0.0, 1.0], [nan, rounds / 100.0]], cell=0.5, corner=(x, y))
        robot.show("is odd", rounds % 2 == 1)
        with suppress(Blocked):
            await robot.follow([(x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0), (x, y)])
        robot.show("state", "rests")
        robot.show_mark(robot.position, "rest")
        robot.show("rounds", None if rounds % 3 == 2 else rounds)
        await sleep(3.0)


async def into_the_hole(body: SimulatedBody, after: float) -> None:
    """Wait, and then drive into the hole, without a radio: nobody waits for what it says."""
    await sleep(after)
    with suppress(Lost):
        await Robot(body).move_to((11.0, 1.0))


async def by_list(robot: Robot, floor: Reservations[str]) -> None:
    """Drive up and down, on floor that a list in this process grants."""
    here, there = robot.home, Point(robot.home.x, robot.home.y + 3.0)
    async with floor.visit(robot.name, Zone((here,), RADIUS)):
        while True:
            async for zone in floor.along(robot.name, Way.along([here, there], RADIUS, 1.0)):
                await robot.move_to(zone.path[-1])
            here, there = there, here


def run_mixed(path: Path | None = None) -> Outcome:
    """Let it run, handed over second by second, and written into a file if one is named."""
    world = World(Map(12.0, 8.0, terrain=[Hole(Circle(Point(11.0, 1.0), 0.5))]))
    acting, floor = LiveActions(), Reservations[str]()
    with Stage(world, seed=3, record=path, between=acting.between) as stage:
        stage.show_floor(floor)
        stage.connect(Exponential(0.02), Loss(0.1), layers=reservation)
        acting.join(stage)
        body: dict[str, Any] = {"shape": Disc(RADIUS), "drive": Omni(speed=0.3)}
        for corner in ((1.0, 1.0), (4.0, 4.0)):
            stage.add(reservations, [0.5, 0.5, 4.5, 4.5], RADIUS, at=corner, **body)
        stage.add(round_and_round, at=(6.0, 2.0), **body)
        stage.add(round_and_round, at=(6.0, 5.0), **body)
        stage.add(by_list, floor, at=(9.0, 4.0), name="lister", **body)
        for number, after in enumerate((20.0, 100.0)):
            fallen = world.add_body((9.0, 1.0 + number), shape=Disc(0.1), drive=Omni(speed=0.5))
            stage.simulation.start(into_the_hole, fallen, after)
        for time, x in ((10.0, 8.0), (30.0, 6.8)):  # the second stands in the way of those that go round
            acting.plan(time, DrawWall(Spot(x, 2.5), Spot(x + 0.4, 2.5)))
        acting.plan(90.0, RemoveWall(1))
        for second in range(int(END)):
            stage.run(second + 1.0)
        return stage.outcome


def seen(run: RunFile, instant: float) -> dict[str, object]:
    """Return what Python says of the ways, the lost robots, the reserved floor and what is shown at an instant."""
    return {
        "instant": instant,
        "ways": [[one.number, [[*place] for place in one.way]] for one in run.state_at(instant) if one.way],
        "lost": [[one.number, *one.pose.position] for one in run.lost_at(instant)],
        "zones": [
            [
                one.body,
                [[zone.is_granted, zone.radius, [[*place] for place in zone.path]] for zone in one.zones],
            ]
            for one in run.reserved_at(instant)
        ],
        "published": [[one.body, one.name, in_words(one.value)] for one in run.published_at(instant)],
    }
