"""Motion patterns of one's own: a position as a function of time, with a bound of its speed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from math import cos, inf, nan, pi, sin, tau
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import after, now, sleep, until
from kumi.contract import Blocked, Command
from kumi.devs import Simulation
from kumi.geometry import Disc, Point, wrapped
from kumi.motion import Leg, Moving, Piece, Wheel
from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import Map, Pillar, SimulatedBody, World
from tests.robot.stages import play, walled

Pose = Callable[[float], Any]


class Patterned:
    """Answers every command with one pattern."""

    def __init__(self, pose: Pose, duration: float, speed: float, turn_speed: float = 0.0) -> None:
        self.leg = (pose, duration, speed, turn_speed)

    def plan(self, command: Command, body: Moving, /) -> Leg:
        """Give the pattern."""
        return Leg.pattern(*self.leg)


def ended(drive: Any, *, world: World | None = None, at: tuple[float, float] = (0.0, 0.0)) -> tuple[Any, ...]:
    """Return how and where and when the pattern ended."""
    seen: list[tuple[Any, ...]] = []

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(1.0)
            seen.append(("arrived", now(), robot.position))
        except Blocked as blocked:
            seen.append((blocked.by, now(), robot.position))

    play(go, drive=drive, world=world, at=at)
    return seen[0]


def test_a_pattern_is_driven_to_its_end() -> None:
    """A sine wave along the x axis, never faster than √(1 + 1)."""
    wave = Patterned(lambda t: (t, sin(t), 0.0), tau, 1.5)

    assert ended(wave) == ("arrived", tau, Point(tau, sin(tau)))


@given(time=st.floats(0.0, 10.0))
def test_a_pattern_can_be_interrupted_anywhere(time: float) -> None:
    where: list[tuple[Point, float, bool]] = []

    async def go(robot: Robot) -> None:
        with until(after(time)):
            await robot.forward(1.0)
        where.append((robot.position, robot._body.heading, robot.is_moving))
        await sleep(1.0)
        assert robot.position == where[0][0]

    play(go, drive=Patterned(lambda t: (2 * sin(t), 3 * sin(t / 2), t), 20.0, 4.0, 1.0))

    assert where == [(Point(2 * sin(time), 3 * sin(time / 2)), wrapped(time), False)]


@given(wall=st.floats(0.5, 6.0), frequency=st.floats(0.5, 3.0))
@settings(max_examples=30)
def test_a_pattern_stops_where_it_touches_a_wall(wall: float, frequency: float) -> None:
    """x = t + sin(f·t)/f is never slower than 0 and never faster than 2; it touches where x + 0.1 is the wall."""
    pattern = Patterned(lambda t: (t + sin(frequency * t) / frequency, 0.0, 0.0), 10.0, 2.0)

    by, time, place = ended(pattern, world=walled(wall))

    assert by == "wall"
    assert place.x + 0.1 <= wall + 1e-9
    assert place.x + 0.1 == pytest.approx(wall, abs=1e-8)
    assert time + sin(frequency * time) / frequency == pytest.approx(place.x, abs=1e-8)


def test_a_pattern_meets_a_body_that_moves() -> None:
    """One comes along a parabola, the other straight: where they touch their centres are 0.2 apart."""
    world = World()
    seen: dict[str, tuple[str, float, Point]] = {}

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(4.0)
        except Blocked as blocked:
            seen[robot.name] = (blocked.by, now(), robot.position)

    with Stage(world, on_error="run") as stage:
        stage.add(go, at=(0.0, 0.0), name="a", drive=Patterned(lambda t: (t * t / 4, 0.0, 0.0), 4.0, 2.0))
        stage.add(go, at=(3.0, 0.0), heading=pi, name="b", drive=Wheel())
        stage.run()

    # t²/4 + 0.2 = 3 - t, so t = -2 + √(4 + 11.2)
    expected = -2.0 + 15.2**0.5
    assert {name: by for name, (by, _, _) in seen.items()} == {"a": "b", "b": "a"}
    assert [time for _, time, _ in seen.values()] == pytest.approx([expected] * 2, abs=1e-8)
    gap = seen["b"][2].x - seen["a"][2].x - 0.2
    assert -1e-9 * 0.2 <= gap <= 1e-8


def test_a_pattern_that_grazes_nothing_is_not_stopped() -> None:
    """A circle around a pillar, a hair wider than it."""
    pillar = Map(obstacles=(Pillar((0.0, 0.0), 1.0, name="pillar"),))
    circle = Patterned(lambda t: (1.11 * cos(t), 1.11 * sin(t), t), tau, 1.2, 1.0)

    assert ended(circle, world=World(pillar), at=(1.11, 0.0))[0] == "arrived"
    spiral = Patterned(lambda t: ((1.2 - t / 20) * cos(t), (1.2 - t / 20) * sin(t), t), 10.0, 1.5, 1.0)
    by, time, place = ended(spiral, world=World(pillar), at=(1.2, 0.0))
    assert (by, time, abs(place)) == ("pillar", pytest.approx(2.0, abs=1e-6), pytest.approx(1.1, abs=1e-7))


def test_a_pattern_can_be_one_leg_among_others() -> None:
    class Mixed:
        def plan(self, command: Command, body: Moving, /) -> list[Leg]:
            return [
                Leg.line((1.0, 0.0), 1.0),
                Leg.pattern(lambda t: (1.0 + sin(t), 0.0, 0.0), pi, 1.0, 0.0),
                Leg.forward(1.0, 1.0),
            ]

    assert ended(Mixed()) == ("arrived", pytest.approx(2.0 + pi), Point(2.0, 0.0))


# Wrong patterns.


@pytest.mark.parametrize("start", [(0.1, 0.0), (0.0, 1e-6), (1e9, 0.0)])
def test_a_pattern_begins_where_the_body_is(start: tuple[float, float]) -> None:
    with pytest.raises(
        ValueError, match=r"'robot 0' cannot carry out Forward\(.*a pattern must begin where the body is"
    ):
        ended(Patterned(lambda t: (start[0] + t, start[1], 0.0), 1.0, 1.0))


def test_a_pattern_as_a_later_leg_begins_where_the_one_before_ends() -> None:
    class Wrong:
        def plan(self, command: Command, body: Moving, /) -> list[Leg]:
            return [Leg.line((1.0, 0.0), 1.0), Leg.pattern(lambda t: (t, 0.0, 0.0), 1.0, 1.0, 0.0)]

    with pytest.raises(ValueError, match="a pattern must begin where the body is"):
        ended(Wrong())


def test_what_a_pattern_raises_at_its_beginning_comes_out_of_the_motion() -> None:
    with pytest.raises(ZeroDivisionError):
        ended(Patterned(lambda t: (1.0 / t, 0.0, 0.0), 1.0, 1.0))


@pytest.mark.parametrize("world", [None, 5.0])
def test_what_a_pattern_raises_on_its_way_ends_the_run_with_its_error(world: float | None) -> None:
    def broken(time: float) -> tuple[float, float, float]:
        if time > 0.5:
            raise OSError("lost the script")
        return time, 0.0, 0.0

    with pytest.raises(OSError, match="lost the script"):
        ended(Patterned(broken, 2.0, 1.0), world=None if world is None else walled(world))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((nan, 0.0, 0.0), ValueError),
        ((0.0, inf, 0.0), ValueError),
        ((0.0, 0.0), TypeError),
        (("a", 0.0, 0.0), TypeError),
        (None, TypeError),
        (3, TypeError),
    ],
)
@pytest.mark.parametrize("from_time", [0.0, 0.5])
def test_an_answer_that_is_no_pose_is_refused(answer: Any, kind: type[Exception], from_time: float) -> None:
    pattern = Patterned(lambda t: answer if t >= from_time else (0.0, 0.0, 0.0), 1.0, 1.0)

    with pytest.raises(kind):
        ended(pattern)


ASKS: dict[str, Callable[[World, SimulatedBody], object]] = {
    "position": lambda _, body: body.position,
    "heading": lambda _, body: body.heading,
    "velocity": lambda _, body: body.velocity,
    "odometer": lambda _, body: body.odometer,
    "pose": lambda _, body: body.pose,
    "near": lambda world, _: world.near((0.0, 0.0), 5.0),
    "hit": lambda world, _: world.first_hit((-5.0, 0.0), 0.0, 20.0),
    "gap": lambda world, _: world.least_gap(),
    "snapshot": lambda world, _: world.snapshot(),
    "add": lambda world, _: world.add_body((1.5, 0.0)),
}


@pytest.mark.parametrize("ask", ASKS)
def test_who_asks_a_broken_pattern_gets_what_it_raises(ask: str) -> None:
    """Not a SystemError, and not a stale place; told once, it lets the run be closed."""
    world = World()
    broken = False

    def pose(time: float) -> tuple[float, float, float]:
        if broken:
            raise OSError("broke")
        return time, 0.0, 0.0

    body = world.add_body((0.0, 0.0))
    world.add_body((0.0, 30.0))
    with Simulation(world) as simulation:
        body.start(Leg.pattern(pose, 10.0, 1.0, 0.0))
        simulation.run(1.0)
        broken = True
        with pytest.raises(OSError, match="broke"):
            ASKS[ask](world, body)


@pytest.mark.parametrize("act", ["stop", "teleport", "remove", "resize", "start"])
def test_changing_a_body_with_a_broken_pattern_raises_what_it_raises(act: str) -> None:
    world = World()
    broken = False

    def pose(time: float) -> tuple[float, float, float]:
        if broken:
            raise OSError("broke")
        return time, 0.0, 0.0

    body = world.add_body((0.0, 0.0))
    with Simulation(world) as simulation:
        body.start(Leg.pattern(pose, 10.0, 1.0, 0.0))
        simulation.run(1.0)
        broken = True
        acts: dict[str, Callable[[], object]] = {
            "stop": body.stop,
            "teleport": lambda: body.teleport((5.0, 5.0)),
            "remove": body.remove,
            "resize": lambda: body.resize(Disc(0.2)),
            "start": lambda: body.start(Leg.rest(1.0)),
        }
        with pytest.raises(OSError, match="broke"):
            acts[act]()
        broken = False
        body.stop()
        simulation.run(20.0)


@pytest.mark.parametrize(
    "pose", [lambda t: (100.0 * t, 0.0, 0.0), lambda t: (0.0 if t < 0.5 else 7.0, 0.0, 0.0)]
)
def test_a_pattern_that_is_faster_than_it_says_is_refused(
    pose: Callable[[float], tuple[float, float, float]],
) -> None:
    """Its contacts could not be trusted: it says how far it went in which time."""
    with pytest.raises(
        ValueError, match=r"^a pattern said that it is never faster than 1\.0 m/s, but it went "
    ):
        ended(Patterned(pose, 1.0, 1.0))


# Recorded.


def test_a_recorded_pattern_can_be_rebuilt(tmp_path: Path) -> None:
    """A run file knows where the body was on its way, to a millimetre, though it cannot hold the function."""
    world = World()
    live: dict[float, Point] = {}

    async def go(robot: Robot) -> None:
        await robot.forward(1.0)

    with RunWriter(tmp_path / "run.kumi", RunMeta()) as out:
        with Stage(world, recorder=out, on_error="robot") as stage:
            stage.add(go, at=(0.0, 0.0), drive=Patterned(lambda t: (sin(t), t, 0.0), 3.0, 2.0))
            for half in range(1, 7):
                stage.run(half / 2)
                live[half / 2] = world.bodies[0].position
        out.close(RunSummary(end=3.0))
    run = RunFile(tmp_path / "run.kumi")

    for instant, place in live.items():
        (state,) = run.state_at(instant)
        assert abs(state.pose.position - place) < 1e-3


# Memory.


@pytest.mark.parametrize("is_closed_in_the_middle", [False, True])
def test_a_pattern_that_knows_its_body_is_let_go_with_it(is_closed_in_the_middle: bool) -> None:
    """A circle of references through the core is found, too."""
    world = World()
    body = world.add_body((0.0, 0.0))
    body.start(Leg.pattern(lambda t, body=body: (t, body.number, 0.0), 5.0, 1.0, 0.0))  # type: ignore[misc]
    with Simulation(world) as simulation:
        simulation.run(1.0 if is_closed_in_the_middle else 10.0)
    gone = weakref.ref(world)

    del world, body, simulation
    gc.collect()

    assert gone() is None


def test_a_leg_that_knows_itself_is_let_go() -> None:
    class Canary:
        pass

    def tie() -> weakref.ref[Canary]:
        box: list[object] = [canary := Canary()]
        box.append(Leg.pattern(lambda t: (t, 0.0, float(len(box))), 1.0, 1.0, 0.0))
        return weakref.ref(canary)

    gone = tie()
    gc.collect()

    assert gone() is None


def test_a_piece_of_a_pattern_asks_it() -> None:
    piece = Piece.of(Leg.pattern(lambda t: (t, 2 * t, 3 * t), 4.0, 3.0, 3.0), (0.0, 0.0), 0.0)

    assert (piece.kind, piece.duration) == ("pattern", 4.0)
    assert piece.at(2.0) == (2.0, 4.0, 6.0)
