"""A run may be as long as one likes: only steps of one instant count as time that stands still."""

from __future__ import annotations

from contextlib import suppress

from kumi.contract import Blocked
from kumi.devs import Simulation
from kumi.geometry import Disc
from kumi.motion import Omni
from kumi.robot import Robot
from kumi.world import World


async def wander(robot: Robot) -> None:
    while True:
        with suppress(Blocked):
            await robot.move_to((robot.chance.uniform(1.0, 29.0), robot.chance.uniform(1.0, 29.0)))


def test_many_instants_of_few_steps_are_no_endless_loop() -> None:
    """Thirty robots meet and choose goals thousands of times; an instant has a few dozen steps at most."""
    world = World(width=30.0, height=30.0)
    places = [(2.0 + 5.0 * (number % 6), 2.0 + 5.0 * (number // 6)) for number in range(30)]
    robots = [Robot(world.add_body(place, shape=Disc(0.5), drive=Omni(speed=1.0))) for place in places]
    with Simulation(world, seed=1, max_steps=200) as simulation:
        for robot in robots:
            simulation.start(wander, robot)
        simulation.run(2000.0)

    assert simulation.now == 2000.0
    assert world.events > 2000
