"""Robots that flock like birds: by Reynolds' three rules, or by Olfati-Saber's, which form a lattice.

Reynolds (1987): keep apart from those who are close, go as fast as those around and the same way, and go to the middle of
them. Olfati-Saber (2006, algorithm 2): forces along a smooth potential whose minimum is a given distance to each neighbour,
friction between neighbours, and feedback towards a goal; the flock becomes a lattice and does not fall apart.

Every robot is told where all are, as by a positioning system, sees who is near, and takes their velocities from two looks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import Literal, TypeAlias

import numpy as np

from kumi import maths
from kumi.devs import sleep
from kumi.programs.swarm import (
    Near,
    Numbers,
    as_places,
    near_robot,
    near_team,
    shortened,
    velocities_seen,
    wheels,
)
from kumi.robot import Robot, Team, checked_by

Law: TypeAlias = Callable[[Numbers, Numbers, Near], Numbers]
LawName: TypeAlias = Literal["reynolds", "olfati-saber"]

APART = 7.0
"""How far neighbours are to be apart in Olfati-Saber's numbers: metres are counted in sevenths of the wanted distance."""
EPSILON = 0.1
"""Of Olfati-Saber's σ-norm: how soon it grows evenly with the distance."""
BUMP = 0.2
"""Up to which share of the reach a neighbour counts in full."""
ATTRACTION, REPULSION = 5.0, 5.0
"""Olfati-Saber's a and b."""
TURN_GAIN, TOP_TURNING = 4.0, 4.0
"""Radians a second for each radian that a robot looks aside, and the most."""


def check_flocking(_count: int, **numbers: object) -> None:
    """Refuse parameters with which there is no flock."""
    for name in ("reach", "apart", "speed", "period"):
        value = numbers.get(name, 1.0)
        if not isinstance(value, int | float) or not 0.0 < value < float("inf"):
            raise ValueError(f"{name} is a number greater than 0, not {value!r}")


@checked_by(check_flocking)
async def flocking(
    robot: Robot,
    law: LawName = "reynolds",
    goal: tuple[float, float] = (0.0, 0.0),
    reach: float = 1.5,
    apart: float = 0.6,
    speed: float = 0.5,
    roam: float = 2.0,
    period: float = 0.1,
) -> None:
    """Flock by a law: decide once a period, alone.

    Neighbours are those within `reach` metres; they are to be `apart` metres from each other. By Reynolds' rules the flock
    goes about within `roam` metres of the goal, by Olfati-Saber's it comes to rest there.
    """
    decide = law_of(law, goal, reach, apart, speed, roam, period)
    number = robot.number
    before: Numbers | None = None
    while True:
        places = as_places(await robot.positions.read())
        near = near_robot(number, places, reach)
        wanted = decide(places, velocities_seen(places, before, period), near)[number : number + 1]
        speeds, turnings = wheels(wanted, np.array([robot.heading]), TURN_GAIN, TOP_TURNING)
        robot.steer(float(speeds[0]), float(turnings[0]))
        before = places
        await sleep(period)


@checked_by(check_flocking)
async def flocking_team(
    team: Team,
    law: LawName = "reynolds",
    goal: tuple[float, float] = (0.0, 0.0),
    reach: float = 1.5,
    apart: float = 0.6,
    speed: float = 0.5,
    roam: float = 2.0,
    period: float = 0.1,
) -> None:
    """Let a team flock as its robots would alone, by the same laws and parameters."""
    decide = law_of(law, goal, reach, apart, speed, roam, period)
    before: Numbers | None = None
    while True:
        places = team.positions
        near = near_team(team, places, reach)
        wanted = decide(places, velocities_seen(places, before, period), near)
        team.steer(*wheels(wanted, team.headings, TURN_GAIN, TOP_TURNING))
        before = places
        await sleep(period)


def law_of(
    law: LawName,
    goal: tuple[float, float],
    reach: float,
    apart: float,
    speed: float,
    roam: float,
    period: float,
) -> Law:
    """Return the law of a name, with its parameters."""
    place = np.array(goal, dtype=np.float64)
    if law not in {"reynolds", "olfati-saber"}:
        raise ValueError(f'law is "reynolds" or "olfati-saber", not {law!r}')
    if law == "reynolds":
        return partial(reynolds, goal=place, apart=apart, speed=speed, roam=roam)
    return partial(olfati_saber, goal=place, reach=reach, apart=apart, speed=speed, period=period)


def reynolds(
    places: Numbers,
    velocities: Numbers,
    near: Near,
    *,
    goal: Numbers,
    apart: float,
    speed: float,
    roam: float,
) -> Numbers:
    """Return wanted velocities: apart, aligned, together, and back where a robot is too far from the goal."""
    count = np.maximum(near.number(), 1.0)[:, np.newaxis]
    distances = np.maximum(near.distances, 1e-9)[:, np.newaxis]
    close = np.maximum(0.0, apart / distances - 1.0)
    away = near.sum(-near.ways / distances * close)
    along = near.sum(velocities[near.others]) / count
    together = near.sum(near.ways) / count
    home = goal - places
    off = maths.hypot(home[:, 0], home[:, 1])[:, np.newaxis]
    back = home / np.maximum(off, 1e-9) * np.maximum(0.0, off - roam)
    wanted = velocities + 1.0 * speed * away + 0.5 * (along - velocities) + 0.1 * together + 0.5 * back
    length = maths.hypot(wanted[:, 0], wanted[:, 1])[:, np.newaxis]
    # A bird does not stand still: it keeps its speed, and only its direction is free.
    return wanted / np.maximum(length, 1e-9) * speed


def olfati_saber(
    places: Numbers,
    velocities: Numbers,
    near: Near,
    *,
    goal: Numbers,
    reach: float,
    apart: float,
    speed: float,
    period: float,
) -> Numbers:
    """Return wanted velocities: those of now, changed by the forces of a period."""
    unit = apart / APART
    ways, distances, moving = near.ways / unit, near.distances / unit, velocities / unit
    far, middle, norms = sigma_norm(reach / unit), sigma_norm(APART), sigma_norm(distances)
    slopes = ways / np.sqrt(1.0 + EPSILON * distances * distances)[:, np.newaxis]
    weights = bump(norms / far)
    forces = near.sum(slopes * (weights * force(norms - middle))[:, np.newaxis])
    friction = near.sum(weights[:, np.newaxis] * (moving[near.others] - moving[near.robots]))
    home = (goal - places) / unit
    feedback = home / np.sqrt(1.0 + (home * home)[:, :1] + (home * home)[:, 1:]) - moving
    return shortened((moving + period * (forces + friction + feedback)) * unit, speed)


def sigma_norm(length: Numbers | float) -> Numbers:
    """Return Olfati-Saber's norm, which is smooth at 0."""
    return (np.sqrt(1.0 + EPSILON * np.square(length)) - 1.0) / EPSILON


def bump(share: Numbers) -> Numbers:
    """Return how much a neighbour counts at a share of the reach: 1, then less and less, 0 from 1 on."""
    falling = 0.5 * (1.0 + maths.cos(pi * (share - BUMP) / (1.0 - BUMP)))
    return np.where(share < BUMP, 1.0, np.where(share < 1.0, falling, 0.0))


def force(off: Numbers) -> Numbers:
    """Return the force between neighbours, by how much farther than wanted they are: below 0 it drives apart."""
    shift = abs(ATTRACTION - REPULSION) / sqrt(4.0 * ATTRACTION * REPULSION)
    bent = (off + shift) / np.sqrt(1.0 + np.square(off + shift))
    return 0.5 * ((ATTRACTION + REPULSION) * bent + (ATTRACTION - REPULSION))
