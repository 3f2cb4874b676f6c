"""Robots that gather in clusters without knowing where: who meets others stays, the longer the more they are.

The law of cockroaches (Jeanson and others, 2005): a robot that walks stops with a probability that grows with the number of
neighbours, and one that rests leaves with a probability that falls with it. Clusters begin by chance, and the larger they are the fewer leave.
"""

from __future__ import annotations

from math import pi

import numpy as np

from kumi.devs import sleep
from kumi.programs.swarm import Indices, Mask, Numbers
from kumi.robot import Robot, Team

STOPS = (0.0, 0.25, 0.5, 0.6)
"""Probability a second that a walker stops with so many neighbours; with more, the last."""
LEAVES = (0.5, 0.1, 0.02, 0.003)
"""The same for one that rests and leaves."""


async def aggregation(
    robot: Robot, reach: float = 0.5, speed: float = 0.2, turn_speed: float = 2.0, period: float = 0.1
) -> None:
    """Gather, alone; the robot has `eyes`, a view, and counts those whose centres are within `reach`."""
    law, chance = Walk(speed, turn_speed, period), robot.chance
    rests, turns = np.zeros(1, dtype=bool), np.zeros(1)
    while True:
        seen = await robot.eyes.read()
        count = np.array([sum(robot.position.distance_to(one.position) <= reach for one in seen)])
        draws = np.array([[chance.uniform()], [chance.uniform(-1.0, 1.0)]])
        rests, turns = law.next(rests, turns, count, np.array([robot.is_moving]), draws)
        speeds, turnings = law.steering(rests, turns, draws)
        robot.steer(float(speeds[0]), float(turnings[0]))
        await sleep(period)


async def aggregation_team(
    team: Team, reach: float = 0.5, speed: float = 0.2, turn_speed: float = 2.0, period: float = 0.1
) -> None:
    """Let a team gather as its robots would alone."""
    law = Walk(speed, turn_speed, period)
    rests, turns = np.zeros(len(team), dtype=bool), np.zeros(len(team))
    while True:
        more = len(team) - len(rests)
        rests, turns = np.pad(rests, (0, more)), np.pad(turns, (0, more))
        count = np.bincount(team.neighbours(reach).robots, minlength=len(team)).astype(np.int64)
        draws = np.array([team.chance.uniform(), team.chance.uniform(-1.0, 1.0)])
        rests, turns = law.next(rests, turns, count, team.is_moving, draws)
        team.steer(*law.steering(rests, turns, draws))
        await sleep(period)


class Walk:
    """How robots walk about, stop and leave: the law, for any number of robots at once."""

    def __init__(self, speed: float, turn_speed: float, period: float) -> None:
        self.speed, self.turn_speed, self.period = speed, turn_speed, period

    def next(
        self, rests: Mask, turns: Numbers, count: Indices, is_moving: Mask, draws: Numbers
    ) -> tuple[Mask, Numbers]:
        """Return who rests, and for how many seconds more each turns on the spot, with its sign, after a contact."""
        few = np.minimum(count, len(STOPS) - 1)
        share = np.where(rests, np.array(LEAVES)[few], np.array(STOPS)[few]) * self.period
        changes = draws[0] < share
        after = np.sign(turns) * np.maximum(0.0, np.abs(turns) - self.period)
        # A walker that does not move has touched something: it turns by up to half a revolution, to either side.
        is_blocked = ~rests & ~is_moving & (turns == 0.0)
        leaves = rests & changes
        after = np.where(is_blocked | leaves, draws[1] * pi / self.turn_speed, after)
        return rests ^ changes, after

    def steering(self, rests: Mask, turns: Numbers, draws: Numbers) -> tuple[Numbers, Numbers]:
        """Return speeds and turning rates."""
        is_turning = ~rests & (turns != 0.0)
        walks = ~rests & ~is_turning
        turning = np.where(is_turning, np.sign(turns) * self.turn_speed, np.where(walks, draws[1], 0.0))
        return np.where(walks, self.speed, 0.0), turning
