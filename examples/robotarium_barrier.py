"""Ten robots on wheels swap places on an ellipse, and a safety barrier keeps them apart.

The exercise is that of the Robotarium: an arena of 3.2 m by 2.0 m, robots of 11 cm across that drive at 0.2 m/s at most, decide every
33 ms, and stand on an ellipse with half-axes of 1.0 m and 0.8 m. Each wants to be opposite, and is told to go straight there. What its
program wants goes through a barrier, which changes no more of it than it must. The place 5 cm ahead of a robot goes in any
direction, so the barrier keeps discs around those places apart.
"""

from math import cos, pi, sin

import numpy as np

from kumi import Map, Stage, now, sleep
from kumi.geometry import Bounds
from kumi.planning import Barrier, EffectiveCentre, Space, wall_rows
from kumi.robot import Team

COUNT, RADIUS, SPEED, TURN_SPEED, PERIOD = 10, 0.055, 0.2, 3.6, 0.033
ARENA = Bounds(-1.6, -1.0, 1.6, 1.0)
CENTRE = EffectiveCentre(0.05)
BARRIER = Barrier(gain=5.0, margin=0.01, reach=2.0)
LEAN = 0.4  # radians to the right, so that robots that are symmetric do not stop before each other


async def swap(team: Team, rounds: int, done: list[float]) -> None:
    walls = wall_rows(Space(bounds=ARENA))
    top = CENTRE.top_speed(SPEED, TURN_SPEED)
    goals, changed, decided = -team.positions, 0, 0
    for _ in range(rounds):
        while True:
            places = CENTRE.places(team.positions, team.headings)
            way = goals - places
            far = np.sqrt((way * way).sum(axis=1))[:, None]
            if far.max() < 0.1:
                break
            wanted = way * np.minimum(1.0, top / np.maximum(far, 1e-9))
            turned = np.column_stack([way[:, 1], -way[:, 0]]) * np.minimum(1.0, top / np.maximum(far, 1e-9))
            leaning = wanted * cos(LEAN) + turned * sin(LEAN)
            safe = BARRIER.velocities(places, leaning, leaning, RADIUS + CENTRE.offset, top, walls=walls)
            changed += int((np.abs(safe - leaning).max(axis=1) > 1e-9).sum())
            decided += len(places)
            team.steer(*CENTRE.wheels_of(team.headings, safe))
            await sleep(PERIOD)
        done.append(now())
        goals = -goals
    print(f"{changed / decided:.0%} of {decided} commands were changed")
    team.stop()


stage = Stage(Map(width=3.2, height=2.0, origin=(-1.6, -1.0)))
angles = [2 * pi * number / COUNT for number in range(COUNT)]
starts = [(1.0 * cos(angle), 0.8 * sin(angle)) for angle in angles]
swaps: list[float] = []
team = stage.add_team(
    swap, COUNT, 4, swaps, at=starts, heading=[angle + pi for angle in angles], radius=RADIUS
)
outcome = stage.run(300.0)
print("swaps done at", ", ".join(f"{instant:.1f} s" for instant in swaps))
print(f"{outcome.contacts} contacts in {outcome.simulated_seconds:.0f} s")
