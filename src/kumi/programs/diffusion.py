"""Robots that spread over a room: straight on, and away from whatever comes near.

The first program of many courses on swarms. A lidar looks around; what stands ahead and is nearer than `clearance` makes the
robot turn on the spot, away from what is nearest, and on to that side until nothing is ahead: who changed its mind at each
look would stay in a corner for ever.
"""

from __future__ import annotations

from math import pi, tau

import numpy as np

from kumi.devs import sleep
from kumi.programs.swarm import Numbers
from kumi.robot import Robot, Team

AHEAD = 0.4 * pi
"""Radians to both sides in which something counts as ahead."""


async def diffusion(
    robot: Robot, clearance: float = 0.3, speed: float = 0.2, turn_speed: float = 2.0, period: float = 0.1
) -> None:
    """Spread, alone; the robot has a `lidar` that looks all around."""
    turnings = np.zeros(1)
    while True:
        scan = await robot.lidar.read()
        speeds, turnings = turned_away(scan.distances[np.newaxis], turnings, clearance, speed, turn_speed)
        robot.steer(float(speeds[0]), float(turnings[0]))
        await sleep(period)


async def diffusion_team(
    team: Team, clearance: float = 0.3, speed: float = 0.2, turn_speed: float = 2.0, period: float = 0.1
) -> None:
    """Let a team spread as its robots would alone."""
    turnings = np.zeros(len(team))
    while True:
        distances = await team.lidar.read()
        before = np.pad(turnings, (0, len(team) - len(turnings)))
        speeds, turnings = turned_away(distances, before, clearance, speed, turn_speed)
        team.steer(speeds, turnings)
        await sleep(period)


def turned_away(
    distances: Numbers, turnings: Numbers, clearance: float, speed: float, turn_speed: float
) -> tuple[Numbers, Numbers]:
    """Return speeds and turning rates, by distances all around and the turning rates before.

    The first of a row of distances is straight behind, the others follow counter-clockwise.
    """
    rays = distances.shape[1]
    bearings = -pi + tau / rays * np.arange(rays)
    ahead = np.where(np.abs(bearings) <= AHEAD, distances, np.inf)
    nearest = ahead.argmin(axis=1)
    is_free = ahead.min(axis=1) > clearance
    away = np.where(bearings[nearest] > 0.0, -turn_speed, turn_speed)
    turns_on = np.where(turnings != 0.0, turnings, away)
    return np.where(is_free, speed, 0.0), np.where(is_free, 0.0, turns_on)
