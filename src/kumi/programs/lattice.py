"""Robots that form a pattern: a lattice of triangles, by forces between neighbours alone.

Physicomimetics (Spears and Gordon, 1999): who is nearer than a given distance is pushed away, who is a little farther is
drawn near. Nobody leads, and nobody knows the pattern; it comes out as the places where the forces add up to nothing.
"""

from __future__ import annotations

import numpy as np

from kumi.devs import sleep
from kumi.programs.swarm import Near, Numbers, as_places, near_robot, near_team, shortened, wheels
from kumi.robot import Robot, Team

SIGHT = 1.5
"""How many times the spacing robots see: less than the second nearest places of a lattice, √3 times, are away."""
TURN_GAIN, TOP_TURNING = 4.0, 4.0


async def lattice(robot: Robot, spacing: float = 0.6, speed: float = 0.2, period: float = 0.1) -> None:
    """Go where the forces of the neighbours push, until they add up to nothing."""
    number = robot.number
    while True:
        places = as_places(await robot.positions.read())
        wanted = pushed(near_robot(number, places, SIGHT * spacing), spacing, speed)[number : number + 1]
        speeds, turnings = wheels(wanted, np.array([robot.heading]), TURN_GAIN, TOP_TURNING)
        robot.steer(float(speeds[0]), float(turnings[0]))
        await sleep(period)


async def lattice_team(team: Team, spacing: float = 0.6, speed: float = 0.2, period: float = 0.1) -> None:
    """Let a team form a lattice as its robots would alone."""
    while True:
        wanted = pushed(near_team(team, team.positions, SIGHT * spacing), spacing, speed)
        team.steer(*wheels(wanted, team.headings, TURN_GAIN, TOP_TURNING))
        await sleep(period)


def pushed(near: Near, spacing: float, speed: float) -> Numbers:
    """Return wanted velocities: away from who is nearer than the spacing, towards who is farther.

    The force falls to nothing at the spacing, so that robots come to rest there and do not swing.
    """
    distances = np.maximum(near.distances, 1e-9)
    share = np.clip(distances / spacing - 1.0, -1.0, SIGHT - 1.0)
    pull = np.where(share < 0.0, 4.0 * share, 2.0 * share * (SIGHT - 1.0 - share))
    return shortened(speed * near.sum(near.ways / distances[:, np.newaxis] * pull[:, np.newaxis]), speed)
