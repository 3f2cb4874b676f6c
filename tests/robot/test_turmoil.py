"""Many robots that do all there is to do, cut each other short and vanish: the laws hold throughout."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from math import inf, pi, sin
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import after, now, sleep, together, unless, until
from kumi.contract import BadGoal, Blocked, Busy, Lost, Sample
from kumi.devs.errors import Interrupted
from kumi.geometry import BodyShape, Circle, Disc, Ellipse, Point, Polygon
from kumi.motion import Car, Drive, GaussianErrors, Leg, Omni, UniformErrors, Wheel
from kumi.recording import Ended, JournalReader, Moves, Touched
from kumi.robot import Robot
from kumi.stage import Outcome, Stage
from kumi.world import Hole, Map, Overlap, Pillar, SimulatedBody, Slow, Wall, World

SHAPES: list[BodyShape] = [
    Disc(0.2),
    Disc(0.05),
    Ellipse(0.5, 0.2),
    Polygon([(0.2, 0.0), (-0.1, 0.2), (-0.1, -0.2)]),
]


class Waving:
    """Answers every command with a wave."""

    def plan(self, command: object, body: Any, /) -> Leg:
        """Give the wave."""
        x, y = body.position
        heading = body.heading
        return Leg.pattern(lambda t: (x + 0.5 * sin(t), y + 0.3 * sin(2 * t), heading), 3.0, 0.8, 0.0)


DRIVES: list[Drive] = [
    Wheel(),
    Wheel(acceleration=2.0),
    Wheel(noise=UniformErrors(0.1, 2.0)),
    Omni(noise=GaussianErrors(0.1, 0.05, 0.1)),
    Car(0.3),
    Waving(),
]


class Turmoil:
    """A hall with things in it, robots that act by chance, and a count of what was awaited and ended."""

    def __init__(self, seed: int, count: int = 14, on_contact: Any = "stop") -> None:
        obstacles = (
            Wall((3.0, 3.0), (3.0, 7.0), 0.1),
            Pillar((7.0, 7.0), 0.5),
        )
        terrain = (
            Slow(Circle((6.0, 3.0), 1.0), 0.3),
            Hole(Circle((9.0, 1.0), 0.3)),
        )
        self.world = World(Map(10.0, 10.0, obstacles=obstacles, terrain=terrain), on_contact=on_contact)
        self.begun: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.journal = bytearray()
        self.stage = Stage(self.world, seed=seed, recorder=self, on_error="robot")
        for number in range(count):
            self.stage.add(
                self.live,
                at=(0.5 + number % 5 * 2.0, 0.5 + number // 5 * 1.0),
                drive=DRIVES[number % len(DRIVES)],
                shape=SHAPES[number % len(SHAPES)],
            )

    def write(self, journal: bytes) -> None:
        """Keep the journal."""
        self.journal += journal

    def body_of(self, robot: Robot) -> SimulatedBody | None:
        return next((body for body in self.world.bodies if body.number == robot.number), None)

    async def live(self, robot: Robot) -> None:
        """Move by chance for ever, and meddle now and then."""
        chance = robot.chance

        async def distract() -> None:
            while True:
                await sleep(chance.uniform(0.5, 3.0))
                self.meddle(robot, int(chance.uniform(0.0, 12.0)))

        async with together() as tasks:
            tasks.start(distract)
            while True:
                await self.move(robot, int(chance.uniform(0.0, 9.0)))
                if chance.uniform(0.0, 1.0) < 0.2:
                    await sleep(chance.uniform(0.0, 1.0))

    async def move(self, robot: Robot, kind: int) -> None:
        chance = robot.chance
        place = (chance.uniform(0.0, 10.0), chance.uniform(0.0, 10.0))
        angle = chance.uniform(-pi, pi)
        motions = [
            lambda: robot.move_to(place),
            lambda: robot.forward(chance.uniform(0.0, 3.0)),
            lambda: robot.back_up(chance.uniform(0.0, 3.0)),
            lambda: robot.turn(angle),
            lambda: robot.arc(chance.uniform(0.3, 2.0), angle),
            lambda: robot.follow([place, (5.0, 5.0)]),
            lambda: robot.forward(inf),
            lambda: robot.turn_to(angle),
            lambda: robot.track([Sample(1.0, place, angle)]),
        ]
        self.begun[robot.name] += 1
        try:
            with suppress(Interrupted), unless(after(chance.uniform(0.5, 4.0))), until(robot.contacts):
                await motions[kind]()
        except (Blocked, Busy, BadGoal, ValueError):
            await sleep(chance.uniform(0.0, 0.2))
        finally:
            self.ended[robot.name] += 1

    def meddle(self, robot: Robot, kind: int) -> None:
        body = self.body_of(robot)
        if body is None:
            return
        chance = robot.chance
        with suppress(Overlap, Busy, ValueError):
            match kind:
                case 0:
                    robot.stop()
                case 1:
                    robot.steer(chance.uniform(-1.0, 1.0), chance.uniform(-1.0, 1.0))
                case 2:
                    body.teleport((chance.uniform(0.5, 9.5), chance.uniform(0.5, 9.5)))
                case 3:
                    body.resize(SHAPES[int(chance.uniform(0.0, 4.0))])
                case 4 if chance.uniform(0.0, 1.0) < 0.2:
                    body.remove()
                case 5 if self.world.count < 20:
                    self.stage.add(self.live, at=(chance.uniform(1.0, 9.0), chance.uniform(1.0, 9.0)))
                case 6:
                    watch = body.watch(
                        chance.uniform(0.5, 3.0), lambda *_: None, view=chance.uniform(0.5, 7.0)
                    )
                    if chance.uniform(0.0, 1.0) < 0.5:
                        watch.close()

    def run(self, until_time: float) -> Outcome:
        """Run to the end, and look at the gaps on the way."""
        with self.stage as stage:
            for step in range(1, 21):
                stage.run(until_time * step / 20)
                assert self.world.least_gap() > -1e-8
        return stage.outcome


@given(seed=st.integers(0, 10_000))
@settings(max_examples=5)
def test_the_laws_hold_in_turmoil(seed: int) -> None:
    """Every motion ends, nobody overlaps, only what was lost is lost, and no program fails."""
    turmoil = Turmoil(seed)

    outcome = turmoil.run(30.0)

    assert [(error.robot, repr(error.error)) for error in outcome.errors] == []
    assert turmoil.begun == turmoil.ended
    assert outcome.robots == len(turmoil.world.bodies)
    assert all(not body.is_moving for body in turmoil.world.bodies)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=3)
def test_turmoil_repeats(seed: int) -> None:
    """The same seed gives the same trace and the same journal, byte for byte."""
    one, other = Turmoil(seed), Turmoil(seed)

    assert one.run(20.0).trace_hash == other.run(20.0).trace_hash
    assert one.journal == other.journal


@given(seed=st.integers(0, 10_000))
@settings(max_examples=3)
def test_the_journal_of_turmoil_makes_sense(seed: int) -> None:
    """Every contact is there, and whoever ended had begun."""
    turmoil = Turmoil(seed)
    outcome = turmoil.run(20.0)
    moving: set[int] = set()
    touches = 0
    before = 0.0
    for record in JournalReader().read(bytes(turmoil.journal)):
        assert record.time >= before
        before = record.time
        match record:
            case Moves():
                moving.add(record.body)
            case Ended():
                assert record.body in moving
                moving.discard(record.body)
            case Touched():
                touches += 1

    assert touches == outcome.contacts


def stops_or_slides(body: SimulatedBody, contact: Any) -> Any:
    """Decide by the number of the body."""
    return ("stop", "slide", "pass")[body.number % 3]


@pytest.mark.parametrize("policy", ["slide", "pass", stops_or_slides])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_policy_makes_the_run_hang_or_fail(policy: Any, seed: int) -> None:
    turmoil = Turmoil(seed, on_contact=policy)
    with turmoil.stage as stage:
        outcome = stage.run(20.0)

    assert [(error.robot, repr(error.error)) for error in outcome.errors] == []
    assert turmoil.begun == turmoil.ended


def test_a_body_at_rest_has_no_velocity() -> None:
    """However it came to rest."""
    turmoil = Turmoil(4)
    with turmoil.stage as stage:
        for step in range(1, 400):
            stage.run(step / 20)
            for body in turmoil.world.bodies:
                if not body.is_moving:
                    assert (body.velocity, body.turn_rate) == (Point(0.0, 0.0), 0.0)


def test_lost_is_the_only_way_out() -> None:
    """Who falls into the hole is lost, and its program knows."""
    told: list[tuple[float, str]] = []
    world = World(Map(terrain=(Hole(Circle((2.0, 0.0), 0.5)),)))

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(10.0)
        except Lost as lost:
            told.append((now(), str(lost)))
            raise

    with Stage(world, on_error="robot") as stage:
        stage.add(go, at=(0.0, 0.0))
        outcome = stage.run()

    assert (outcome.lost, outcome.robots) == (("robot 0",), 0)
    assert told == [(1.5, "robot 0 is lost: it left the world at (1.5, 0)")]
