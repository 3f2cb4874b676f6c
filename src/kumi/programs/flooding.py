"""News that goes through a swarm from neighbour to neighbour, farther than any radio reaches.

The robots go about all the time, so who hears whom changes; news reaches those who are connected with the
sender at that moment, over as many robots in between as it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Message
from kumi.devs import note, sleep, together
from kumi.programs.random_movement import random_movement
from kumi.robot import Robot


@dataclass(frozen=True, slots=True)
class News(Message):
    """What everybody should know."""

    text: str


async def flooding(
    robot: Robot, width: float, height: float, margin: float = 0.0, teller: int = 0, every: float = 60.0
) -> None:
    """Go about and note what is heard; one robot tells something new from time to time."""
    robot.show("state", "tells the news" if robot.number == teller else "knows nothing new")
    async with together() as tasks:
        tasks.start(random_movement, robot, width, height, margin)
        tasks.start(listen, robot)
        number = 0
        while robot.number == teller:
            await sleep(every)
            number += 1
            await robot.radio.broadcast(News(f"edition {number}"))


async def listen(robot: Robot) -> None:
    """Note all news."""
    async for news, teller in robot.radio.messages(News):
        note(f"heard {news.text} of p{teller}")
        robot.show("state", f"knows {news.text}")
