"""What a run file gives back is what was there during the run, bit for bit."""

from __future__ import annotations

from contextlib import suppress
from math import tau
from typing import TYPE_CHECKING

import pytest

from kumi.contract import Blocked
from kumi.devs import Simulation
from kumi.motion import Wheel
from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter, Touched, writer
from kumi.robot import Robot
from kumi.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kumi.world import SimulatedBody

SIZE = 20.0
Place = tuple[int, float, float, float]


async def wander(body: SimulatedBody) -> None:
    """Go from one random place to the next, and on along an arc, tight or all but straight, whatever is in the way."""
    robot, chance = Robot(body), body.chance
    while True:
        with suppress(Blocked):
            await robot.turn(chance.uniform(-tau, tau))
        with suppress(Blocked):
            goal = chance.uniform(1.0, 19.0), chance.uniform(1.0, 19.0)
            await robot.move_to(goal, chance.uniform(0.5, 2.0))
        with suppress(Blocked):
            radius = 10 ** chance.uniform(-1.0, 12.0)
            await robot.arc(radius * chance.choice([1, -1]), chance.uniform(-5.0, 5.0) / radius)


def places(world: World) -> list[Place]:
    """Return where all bodies are now."""
    return [(body.number, *body.position, body.heading) for body in world.bodies]


def recorded(run: RunFile, instant: float) -> list[Place]:
    """Return where all bodies were."""
    return [(state.number, *state.pose.position, state.pose.heading) for state in run.state_at(instant)]


def watched(world: World, out: RunWriter) -> Iterator[tuple[float, list[Place]]]:
    """Run for a minute, and give where everything is, now and then, while a journal is kept."""
    with Simulation(world, seed=5) as simulation:
        for number in range(16):
            body = world.add_body((number % 4 * 4 + 3, number // 4 * 4 + 3), drive=Wheel(acceleration=3.0))
            simulation.start(wander, body)
        world.keep_journal(True)
        for step in range(1, 101):
            simulation.run(until=0.6 * step)
            out.write(world.take_journal())
            yield simulation.now, places(world)


@pytest.mark.parametrize("chunk", [1, 10_000, 1 << 20])
def test_a_recorded_run_is_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """With a keyframe at every step, some keyframes, or none."""
    monkeypatch.setattr(writer, "CHUNK", chunk)
    monkeypatch.setattr(writer, "KEYFRAME_SHARE", 1)
    world = World(width=SIZE, height=SIZE)
    with RunWriter(tmp_path / "run.kumi", RunMeta()) as out:
        live = dict(watched(world, out))
        out.close(RunSummary(end=max(live)))
    run = RunFile(tmp_path / "run.kumi")

    assert world.contact_count > 10
    assert sum(isinstance(record, Touched) for record in run.records()) == world.contact_count
    for instant in [*live, *reversed(live)]:
        assert recorded(run, instant) == live[instant]
