"""Robots that ask for help: each calls the others to a place, and follows the first call that it hears.

Whose call comes first is up to the network, and differs from robot to robot. Nobody needs to agree: each
robot that heard a call helps one other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from kumi.contract.messages import Message
from kumi.devs import note
from kumi.geometry import Point
from kumi.robot import Robot


@dataclass(frozen=True, slots=True)
class HelpAt(Message):
    """A call for help at a place."""

    place: Point


async def asking_for_help(robot: Robot, width: float = 800.0, height: float = 800.0) -> None:
    """Call all others to a random place, wait for the first call of another robot, and go there."""
    chance = robot.chance
    there = Point(chance.uniform(0.0, width), chance.uniform(0.0, height))
    robot.show("state", "asks for help")
    robot.show_mark(there, "help wanted")
    await robot.radio.send(HelpAt(there), to=robot.radio.others)
    call, caller = await robot.radio.receive(HelpAt)
    note(f"helps p{caller}")
    robot.show("state", "goes to help")
    robot.show("helps", f"robot {caller}")
    speed = 3.0 + 3.0 * chance.uniform()
    await robot.move_to(call.place, speed=speed, turn_speed=radians(3.0 + speed * chance.uniform()))
    robot.show("state", "helps")
