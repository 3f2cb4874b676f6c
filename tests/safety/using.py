"""What a program may do with a robot, with a team, and with every sensor that ships, each under the name of what it uses.

Scripts of `fuzz_lifetimes` choose from these. A law compares the names with what robots, teams and sensors offer, so a new
one is used, too, or the law fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from kumi import Signal, after, sleep, until
from kumi.contract import Message, Sample
from kumi.geometry import Point
from kumi.programs.avoidance import RULES, avoidance_team
from kumi.robot import Robot, Team
from kumi.sensing.kinds import KINDS
from tests.safety.batches import REACHED
from tests.safety.meddling import Meddler

Use = Callable[[Meddler, Any], Any]


@dataclass(frozen=True)
class Utterance(Message):
    """What robots tell each other."""

    number: int


SMALL: dict[str, dict[str, Any]] = {"lidar": {"rays": 9}, "camera": {"width": 16, "height": 16}}
"""Arguments of sensors that would take long."""


def place(script: Meddler) -> tuple[float, float]:
    """Return some place in the hall."""
    return script.rng.uniform(0.3, 9.7), script.rng.uniform(0.3, 9.7)


def samples(script: Meddler, robot: Robot) -> list[Sample]:
    """Return a trajectory ahead of a robot."""
    ahead, count = Point.polar(script.rng.uniform(0.0, 0.3), robot.heading), script.rng.randrange(1, 5)
    return [Sample(0.2 * number, robot.position + ahead * number, robot.heading) for number in range(count)]


def attribute(name: str) -> Use:
    """Return what looks at an attribute."""
    return lambda _, thing: getattr(thing, name)


async def steering(script: Meddler, robot: Any) -> None:
    """Steer for a while."""
    robot.steer(script.rng.uniform(-1.0, 1.0), script.rng.uniform(-1.0, 1.0))
    await sleep(script.rng.choice([0.0, 0.3, 1.0]))


ROBOT_USES: dict[str, Use] = {
    "move_to": lambda script, robot: robot.move_to(place(script)),
    "forward": lambda script, robot: robot.forward(script.rng.uniform(0.0, 2.0)),
    "back_up": lambda script, robot: robot.back_up(script.rng.uniform(0.0, 1.0)),
    "turn": lambda script, robot: robot.turn(script.rng.uniform(-4.0, 4.0)),
    "turn_to": lambda script, robot: robot.turn_to(script.rng.uniform(-4.0, 4.0)),
    "arc": lambda script, robot: robot.arc(script.rng.uniform(-2.0, 2.0), script.rng.uniform(-3.0, 3.0)),
    "follow": lambda script, robot: robot.follow([place(script) for _ in range(script.rng.randrange(4))]),
    "track": lambda script, robot: robot.track(samples(script, robot)),
    "steer": steering,
    "stop": lambda _, robot: robot.stop(),
    "show": lambda script, robot: robot.show("state", script.rng.choice(["a", "b", 1.0, True, None])),
    "show_map": lambda _, robot: robot.show_map(np.array([[0.0, 1.0], [0.5, float("nan")]]), cell=0.5),
    "show_path": lambda script, robot: robot.show_path([place(script), place(script)]),
    "show_mark": lambda script, robot: robot.show_mark(place(script), "here"),
    "radio": lambda script, robot: robot.radio.broadcast(Utterance(script.acts)),
    **{
        name: attribute(name)
        for name in (
            "chance",
            "contacts",
            "heading",
            "home",
            "is_moving",
            "name",
            "number",
            "partings",
            "position",
        )
    },
}

TEAM_USES: dict[str, Use] = {
    "steer": lambda script, team: team.steer(script.rng.uniform(-1.0, 1.0), script.rng.uniform(-1.0, 1.0)),
    "stop": lambda script, team: team.stop([script.rng.random() < 0.5 for _ in team.robots]),
    "neighbours": lambda script, team: team.neighbours(script.rng.choice([0.0, 1.0, 1e300])),
    "chance": lambda _, team: team.chance.uniform() + team.chance.normal() + team.chance.happens(0.5),
    **{
        name: attribute(name)
        for name in (
            "contact_places", "contacts", "headings", "is_moving", "name", "positions", "present", "robots", "velocities"
        )
    },
}  # fmt: skip


def sensors_of(script: Meddler, share: float) -> dict[str, Any]:
    """Make some sensors, some with a period or late."""
    found: dict[str, Any] = {}
    for name, kind in KINDS.items():
        if script.rng.random() < share:
            known = inspect.signature(kind).parameters
            given = {key: script.rng.choice([0.1, 0.5]) for key in ("period", "latency") if key in known}
            given = {key: value for key, value in given.items() if script.rng.random() < 0.2}
            found["my_" + name.replace("-", "_")] = kind(**SMALL.get(name, {}), **given)
    return found


def chosen(script: Meddler, kind: str, names: Iterable[str]) -> str:
    """Choose a name, often one that no script before reached."""
    new = sorted(name for name in names if f"{kind}{name}" not in REACHED)
    return script.rng.choice(new if new and script.rng.random() < 0.7 else sorted(names))


async def use_robot(script: Meddler, robot: Robot) -> None:
    """Do one thing that a robot can."""
    name = chosen(script, "Robot.", ROBOT_USES)
    await done(ROBOT_USES[name](script, robot))
    REACHED.add(f"Robot.{name}")


async def use_sensor(script: Meddler, robot: Robot) -> None:
    """Ask a sensor of a robot, or wait for what it tells."""
    sensors: Mapping[str, Any] = robot._body.sensors
    name = script.rng.choice(sorted(sensors))
    sensor = getattr(robot, name)
    if hasattr(sensor, "read"):
        await sensor.read()
    for signal in [one for one in vars(sensor).values() if isinstance(one, Signal)]:
        script.signals.append(signal)
        with until(after(0.2)):
            await signal.next()
    REACHED.add(f"sensor {name.removeprefix('my_').replace('_', '-')}")


async def lead(team: Team, script: Meddler) -> None:
    """Lead a team: look, steer, read, avoid, and let others meddle."""
    for _ in range(script.rng.randrange(1, 10)):
        with suppress(ValueError, AttributeError):
            name = chosen(script, "Team.", TEAM_USES)
            await done(TEAM_USES[name](script, team))
            REACHED.add(f"Team.{name}")
        script.seldom()
        known = sorted({name for robot in team.robots for name in robot._body.sensors})
        if known and script.rng.random() < 0.3:
            with suppress(ValueError, AttributeError, TypeError):
                await getattr(team, script.rng.choice(known)).read()
        await sleep(script.rng.choice([0.0, 0.1, 0.5]))
    rule = chosen(script, "rule ", RULES)
    with until(after(2.0)):
        await avoidance_team(team, 0.2, centre=(5.0, 5.0), rule={"kind": rule})
    REACHED.add(f"rule {rule}")


async def done(answer: Any) -> None:
    """Wait for an answer if it is one to wait for."""
    if hasattr(answer, "__await__") and not isinstance(answer, Signal):
        await answer


def offered() -> set[str]:
    """Return all that scripts are to reach."""
    return {
        *(f"Robot.{name}" for name in dir(Robot) if not name.startswith("_")),
        *(f"Team.{name}" for name in dir(Team) if not name.startswith("_")),
        *(f"sensor {name}" for name in KINDS),
        *(f"rule {name}" for name in RULES),
    }
