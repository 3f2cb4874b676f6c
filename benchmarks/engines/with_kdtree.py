"""The world with numpy and a k-d tree of scipy: who overlaps, found once a step; nobody reacts.

This is what one writes in an afternoon, and the least that any engine with a step has to do.
"""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import steering_scene
from benchmarks.scene import RADIUS, SPEED, STEP, Scene, by_steps
from benchmarks.tasks import Sample

KDTree: Any = import_module("scipy.spatial").cKDTree


class Points:
    """Points that wander, and a tree built anew each step."""

    def __init__(self, scene: Scene, speed: float = SPEED) -> None:
        self.reach = speed * STEP
        self.scene = scene
        self.chance = scene.chance()
        self.at = np.array(scene.born())
        self.goals = np.array([scene.anywhere(self.chance) for _ in range(scene.number)])

    def step(self) -> None:
        self.move()
        self.pairs()

    def move(self) -> NDArray[np.float64]:
        """Bring all a step nearer to their goals, and tell how; who arrives gets another goal."""
        to_go = self.goals - self.at
        distance = np.hypot(to_go[:, 0], to_go[:, 1])
        moved: NDArray[np.float64] = to_go * (self.reach / np.maximum(distance, self.reach))[:, None]
        self.at += moved
        for index in np.flatnonzero(distance <= self.reach):
            self.goals[index] = self.scene.anywhere(self.chance)
        return moved

    def pairs(self, within: float = 2.0 * RADIUS) -> NDArray[np.intp]:
        """Find all pairs whose centres are so near, by default those that overlap."""
        found: NDArray[np.intp] = KDTree(self.at).query_pairs(within, output_type="ndarray")
        return found


def world(number: int, density: float, budget: float) -> Sample:
    return by_steps(Points, number, density, budget)


def missed(number: int, density: float, speed: float, steps: int) -> Sample:
    """Tell how many in a hundred contacts nobody sees who looks once a step: they begin and end in between.

    Within a step all go straight, so the least distance of two is known in closed form.
    """
    points = Points(Scene(number, density), speed)
    begun = unseen = 0
    for _ in range(steps):
        one, other = points.pairs(2.0 * RADIUS + 2.0 * points.reach).T
        before = points.at[other] - points.at[one]
        moved = points.move()
        change = moved[other] - moved[one]
        length = np.maximum((change**2).sum(axis=1), 1e-30)
        nearest = np.clip(-(before * change).sum(axis=1) / length, 0.0, 1.0)
        begins = apart(before) & ~apart(before + change * nearest[:, None])
        begun += int(begins.sum())
        unseen += int((begins & apart(before + change)).sum())
    return {"figure": 100.0 * unseen / begun, "contacts": begun}


def apart(between: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which pairs do not touch."""
    return np.hypot(between[:, 0], between[:, 1]) > 2.0 * RADIUS


class Wheels:
    """Poses that are steered, and a tree built anew each step."""

    def __init__(self, number: int) -> None:
        self.side, at, self.headings = steering_scene.begin(number)
        self.at = np.array(at)

    def step(self, rates: NDArray[np.float64]) -> None:
        """Go on by a chord each, no farther than the walls, and find who overlaps."""
        way, turn = steering_scene.SPEED * steering_scene.PERIOD, rates * steering_scene.PERIOD
        middle = self.headings + 0.5 * turn
        self.at += way * np.stack([np.cos(middle), np.sin(middle)], axis=1)
        np.clip(self.at, steering_scene.RADIUS, self.side - steering_scene.RADIUS, out=self.at)
        self.headings += turn
        KDTree(self.at).query_pairs(2.0 * steering_scene.RADIUS, output_type="ndarray")


def steering(number: int) -> Sample:
    return steering_scene.microseconds(Wheels, number)
