"""Four robots learn to change places, are watched, and are then broken.

They drive from random places to those opposite. A policy is twelve numbers: what a robot observes, weighed, is a share of its
speed and one of its turning speed. The cross-entropy method finds them: draw many, keep the best quarter, draw around those. Then the
policy is a program like any other, and runs on a stage from places that it was not trained on, and those are found from which robots touch.
"""

import numpy as np
from numpy.typing import NDArray

from kumi import Stage, after, now, until
from kumi.geometry import Point
from kumi.learning import joint_env, policy_program
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.sensing import View

Numbers = NDArray[np.float64]
CHANGES = ["robots.count=4", "robots.radius=0.2", "map.width=6.0", "map.height=6.0"]
STEPS, DRAWN, KEPT, ROUNDS = 50, 48, 8, 10


def act(weights: Numbers, seen: NDArray[np.float32]) -> Numbers:
    """Return the action for each row that was observed."""
    both = [(seen * weights[k : k + 5]).sum(axis=-1) + weights[k + 5] for k in (0, 6)]
    shares: Numbers = np.clip(np.stack(both, axis=-1), -1.0, 1.0)
    return shares


env = joint_env("random-movement", changes=CHANGES, period=0.2, until=STEPS * 0.2)


def earned(weights: Numbers, seeds: range) -> float:
    """Return what four robots earn together, on average: metres of way, less 0.2 for a contact."""
    found = []
    for seed in seeds:
        seen, _ = env.reset(seed=seed)
        is_over, total = False, 0.0
        while not is_over:
            seen, reward, terminated, truncated, _ = env.step(act(weights, seen).astype(np.float32))
            is_over, total = terminated or truncated, total + float(reward)
        found.append(total)
    return sum(found) / len(found)


chance = np.random.default_rng(0)
middle, spread = np.zeros(12), np.ones(12)
for number in range(ROUNDS):
    drawn = middle + spread * chance.normal(size=(DRAWN, 12))
    gains = [earned(weights, range(2 * number, 2 * number + 2)) for weights in drawn]
    best = drawn[np.argsort(gains, kind="stable")[-KEPT:]]
    middle, spread = best.mean(axis=0), best.std(axis=0) + 0.05
print(f"at random: {np.mean([earned(chance.normal(size=12), range(90, 93)) for _ in range(10)]):.1f} m")
print(f"trained:   {earned(middle, range(90, 100)):.1f} m")


def watch(seed: int) -> tuple[int, float]:
    """Run the policy as programs on a stage, and return the contacts and when the first was."""
    draw, stage, touched = np.random.default_rng(seed), Stage(width=6, height=6), [float("inf")]
    places = [Point(*draw.uniform(0.3, 5.7, 2)) for _ in range(4)]
    if min(a.distance_to(b) for a in places for b in places if a is not b) < 0.5:
        return 0, touched[0]

    async def note(robot: Robot) -> None:
        program = policy_program(
            lambda seen: act(middle, seen), goal=lambda own: Point(6.0, 6.0) - own.home, period=0.2
        )
        with until(after(20.0)):
            with until(robot.contacts):
                await program(robot)
            touched[0] = min(touched[0], now())
        robot.stop()

    for place in places:
        stage.add(note, at=place, radius=0.2, drive=Wheel(), sensors={"eyes": View(5.0, occlusion=False)})
    return stage.run(20.0).contacts, touched[0]


runs = [watch(seed) for seed in range(40)]
seed, first = min(((seed, first) for seed, (_, first) in enumerate(runs)), key=lambda run: run[1])
broken = sum(contacts > 0 for contacts, _ in runs)
print(
    f"broken:    robots touch in {broken} of {len(runs)} runs, soonest with seed {seed}, after {first:.2f} s"
)
