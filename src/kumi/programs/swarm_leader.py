"""A swarm that chooses a leader while its robots move and their links break.

A robot out of reach for a while cannot be told from one that has failed, so parts of the swarm that lose
each other trust leaders of their own. When they meet again, all trust the same robot: the one with the
lowest number.
"""

from __future__ import annotations

from kumi.devs import after, note, sleep, together, until
from kumi.geometry import Point
from kumi.programs.random_movement import random_movement
from kumi.protocols import EventualLeader
from kumi.robot import Robot


async def swarm_leader(
    robot: Robot,
    width: float,
    height: float,
    margin: float = 0.0,
    wander: float = 600.0,
    meeting: float = 60.0,
) -> None:
    """Go about for a while, then meet the others around the middle; note whom it trusts, at each change."""
    async with together() as tasks:
        tasks.start(follow_leader, robot)
        with until(after(wander)):
            await random_movement(robot, width, height, margin)
        chance = robot.chance
        place = Point(chance.uniform(-meeting, meeting), chance.uniform(-meeting, meeting))
        await robot.move_to(Point(width / 2.0, height / 2.0) + place, speed=10.0)
        while True:
            await sleep(60.0)


async def follow_leader(robot: Robot) -> None:
    """Note and show whom it trusts."""
    trust(robot, robot.radio[EventualLeader].leader)
    async for leader in robot.radio.told(EventualLeader):
        trust(robot, leader)


def trust(robot: Robot, leader: int) -> None:
    """Note and show whom a robot trusts: itself, or another."""
    note(f"trusts p{leader}")
    robot.show("state", "leader" if leader == robot.number else "follower")
    robot.show("leader", f"robot {leader}")
