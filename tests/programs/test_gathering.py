"""Robots that gather come together, and never get farther apart than they are on the way to be."""

from __future__ import annotations

from itertools import combinations

import pytest

from kumi.contract import Command, MoveTo
from kumi.geometry import Point
from kumi.motion import Legs, Moving, Wheel
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.stage.stage import Stage
from kumi.world import SimulatedBody

SLACK = 1e-9


class Watched(Wheel):
    """Wheels that keep the goal they were given last."""

    goal: Point | None = None

    def plan(self, command: Command, body: Moving, /) -> Legs:
        if isinstance(command, MoveTo):
            self.goal = Point(*command.goal)
        return super().plan(command, body)


def staged(seed: int) -> Stage:
    stage = Staging(load_scenario("gathering", [f"seed={seed}"])).stage()
    for body in stage.world.bodies:
        body.drive = Watched()
    return stage


def spread(places: list[Point]) -> float:
    """The largest distance between two places."""
    return max(one.distance_to(other) for one, other in combinations(places, 2))


def under_way(bodies: tuple[SimulatedBody, ...]) -> list[Point]:
    """Where all robots are, and where they are going."""
    goals = [body.drive.goal for body in bodies if body.is_moving]
    return [body.position for body in bodies] + [goal for goal in goals if goal is not None]


@pytest.mark.parametrize("seed", range(5))
def test_the_spread_shrinks_below_a_hundredth(seed: int) -> None:
    with staged(seed) as stage:
        first = spread([body.position for body in stage.world.bodies])
        stage.run(1200.0)
        last = spread([body.position for body in stage.world.bodies])

        assert last < 0.01 * first, f"seed {seed}"
        assert stage.outcome.errors == ()


@pytest.mark.parametrize("seed", range(5))
def test_the_spread_never_grows_by_more_than_the_motion_under_way_allows(seed: int) -> None:
    """Robots move inside the hull of all places and goals, and each new goal lies in it, too."""
    with staged(seed) as stage:
        allowed = spread([body.position for body in stage.world.bodies])
        for second in range(300):
            stage.run(float(second))
            now = spread([body.position for body in stage.world.bodies])
            assert now <= allowed + SLACK, f"seed {seed}, t = {second} s"
            before, allowed = allowed, spread(under_way(stage.world.bodies))
            assert now <= allowed <= before + SLACK, f"seed {seed}, t = {second} s"


def test_robots_that_have_met_rest_between_their_looks() -> None:
    """In the middle a robot does not follow it in ever smaller steps: events do not pile up."""
    with staged(0) as stage:
        stage.run(1200.0)
        before = stage.outcome.events
        stage.run(1210.0)

        assert stage.outcome.events - before < 10 * 20 * 10
