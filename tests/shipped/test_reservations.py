"""Robots that reserve their ways across a square touch nobody, and all get through."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from kumi.geometry import Point
from kumi.protocols import Reservation, ReserveInOrder
from kumi.reserving import Zone
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

if TYPE_CHECKING:
    from kumi.robot import Robot
    from kumi.stage import Stage

RADIUS, ERROR = 0.15, 0.02
CROSSED = re.compile(r"crossed ([\d.]+) m in ([\d.]+) s, refused (\d+) times")
LATE = "network.effects=[{kind='exponential', mean=0.3}]"
LOSSY = "network.effects=[{kind='exponential', mean=0.02}, {kind='loss', probability=0.3}]"
NOISY = "robots.drive={kind='omni', speed=0.2, noise={kind='uniform', dnf=0.02, anf=1.0}}"
CRASHES = "network.failures=[{kind='crash', node=2, start=9.0}]"
SURE = "network.stack=reservation-with-crashes"
FIVE = "robots.born=[[2.0, 0.5], [6.5, 2.0], [5.0, 6.5], [0.5, 5.0], [0.5, 2.0]]"


def staged(*overrides: str) -> Stage:
    return Staging(load_scenario("reservations", overrides)).stage()


def crossings(stage: Stage) -> list[tuple[str, float, float, int]]:
    """Return a list that fills with who crossed how far in which time, and was refused how often."""
    seen: list[tuple[str, float, float, int]] = []

    def note(source: str, value: object) -> None:
        told = CROSSED.fullmatch(str(value))
        assert told is not None
        seen.append((source, float(told[1]), float(told[2]), int(told[3])))

    stage.simulation.note = note  # type: ignore[method-assign]
    return seen


class Watch:
    """Checks at every event that bodies are inside what is reserved for them, and zones apart."""

    def __init__(self, stage: Stage, error: float) -> None:
        self.stage = stage
        self.reach = RADIUS + error
        self.held: tuple[tuple[Zone, ...], ...] = ()
        self.events = 0

    def run(self, until: float) -> None:
        if not self.events:
            self.stage.run(0.0)
        while self.stage.simulation.next_time <= until:
            self.stage.simulation.advance()
            self.events += 1
            self.check()

    def check(self) -> None:
        robots = self.stage.robots
        held = tuple(self.held_by(robot) for robot in robots)
        for robot, zones in zip(robots, held, strict=True):
            assert not zones or any(room(zone, robot.position) > self.reach - 1e-9 for zone in zones), robot
            assert not robot.is_moving or any(len(zone.path) > 1 for zone in zones), robot
        if held != self.held:
            self.held = held
            for one, other in combinations(held, 2):
                assert not any(zone.overlaps(theirs) for zone in one for theirs in other)

    def held_by(self, robot: Robot) -> tuple[Zone, ...]:
        """Return what a robot holds; of one whose radio has crashed, what the others think it holds."""
        if robot.radio.node.is_up:
            return layer(robot).held
        alive = next(other for other in self.stage.robots if other.radio.node.is_up)
        return tuple(booking.zone for booking in layer(alive).bookings.of(robot.number) if booking.is_granted)


def room(zone: Zone, at: Point) -> float:
    """Return how large a disc around a point may be to lie in a zone."""
    return zone.radius - min(
        gap(at, one, other) for one, other in pairwise(zone.path if len(zone.path) > 1 else zone.path * 2)
    )


def gap(at: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from a straight piece."""
    along = end - start
    length = along.x**2 + along.y**2
    off = at - start
    share = min(1.0, max(0.0, (off.x * along.x + off.y * along.y) / length)) if length else 0.0
    return at.distance_to(start + along * share)


def layer(robot: Robot) -> ReserveInOrder:
    found: Any = robot.radio[Reservation]
    assert isinstance(found, ReserveInOrder)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides",
    [("seed=1", LATE), ("seed=2", LOSSY), ("seed=3", NOISY), ("seed=4", SURE, FIVE, CRASHES)],
    ids=["late", "lossy", "noisy", "crash"],
)
def test_at_every_event_bodies_are_inside_their_zones_and_zones_apart(overrides: tuple[str, ...]) -> None:
    with staged(*overrides) as stage:
        watch = Watch(stage, error=0.0 if NOISY in overrides else ERROR)
        watch.run(until=25.0)
        outcome = stage.outcome

    assert watch.events > 1000
    assert (outcome.contacts, outcome.errors) == (0, ())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_everybody_gets_across_again_and_again(seed: int) -> None:
    """At more than half of the full speed of 0.2 m/s, waiting and refusals included."""
    with staged(f"seed={seed}") as stage:
        seen = crossings(stage)
        stage.run(120.0)

    assert sorted({name for name, *_ in seen}) == [f"robot {number}" for number in range(8)]
    assert sum(length for _, length, *_ in seen) / sum(time for _, _, time, _ in seen) > 0.1


@pytest.mark.parametrize("stack", ["reservation-in-order", "reservation-when-free"])
def test_with_other_policies_they_get_stuck(stack: str) -> None:
    with staged(f"network.stack={stack}") as stage:
        seen = crossings(stage)
        stage.run(100.0)
        before = len(seen)
        stage.run(200.0)
        outcome = stage.outcome
        stuck = [robot for robot in stage.robots if layer(robot).bookings.circle(robot.number)]

    assert len(seen) == before
    assert outcome.contacts == 0
    assert len(stuck) >= 2


def test_a_head_on_swap_on_one_line_is_refused_and_replanned() -> None:
    """One of the two is refused, steps aside, and both arrive."""
    with staged(
        "robots.born=[[0.5, 3.5], [6.5, 3.5]]", "robots.parameters.goals=[[6.5, 3.5], [0.5, 3.5]]"
    ) as stage:
        seen = crossings(stage)
        watch = Watch(stage, ERROR)
        watch.run(until=300.0)
        places = [tuple(robot.position) for robot in stage.robots]

    assert places == [pytest.approx((6.5, 3.5)), pytest.approx((0.5, 3.5))]
    assert sorted(refused > 0 for *_, refused in seen) == [False, True]


@pytest.mark.slow
def test_nobody_enters_the_zones_of_a_crashed_robot_and_all_others_arrive() -> None:
    """Robot 0 stands in the middle of the ways of the others when its radio crashes."""
    born = "robots.born=[[3.5, 3.5], [0.5, 3.5], [3.5, 0.5], [6.5, 6.5], [0.5, 0.5]]"
    goals = "robots.parameters.goals=[[3.5, 3.5], [6.5, 3.5], [3.5, 6.5], [0.5, 1.5], [6.5, 5.5]]"
    crash = "network.failures=[{kind='crash', node=0, start=1.0}]"
    with staged(born, goals, crash, SURE) as stage:
        seen = crossings(stage)
        watch = Watch(stage, ERROR)
        watch.run(until=120.0)
        outcome = stage.outcome

    assert sorted(name for name, *_ in seen) == [f"robot {number}" for number in range(5)]
    assert max(refused for *_, refused in seen) > 0
    assert outcome.contacts == 0


@pytest.mark.parametrize(("chunk", "delay"), [(0.5, 0.05), (0.25, 0.2), (1.0, 0.1)])
def test_the_speed_of_a_lone_robot_follows_from_its_chunks_and_the_round_trip(
    chunk: float, delay: float
) -> None:
    """v / (1 + v Tc / l): a request takes a round trip of two delays, since the other robot must have heard it."""
    with staged(
        "robots.born=[[0.5, 0.5], [0.5, 6.5]]",
        "robots.parameters.goals=[[6.5, 0.5], [0.5, 6.5]]",
        f"robots.parameters.chunk={chunk}",
        f"network.effects=[{{kind='constant', delay={delay}}}]",
    ) as stage:
        seen = crossings(stage)
        stage.run(200.0)

    [(length, time)] = [(length, time) for name, length, time, _ in seen if name == "robot 0"]
    assert length / time == pytest.approx(0.2 / (1 + 0.2 * 2 * delay / chunk), rel=0.01)
