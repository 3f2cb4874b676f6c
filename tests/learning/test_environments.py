"""Shipped scenarios are environments of PettingZoo and Gymnasium, and runs through them are runs like all others."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test  # type: ignore[import-untyped]

import kumi
from kumi import Stage
from kumi.geometry import Point
from kumi.learning import joint_env, parallel_env, policy_program, vector_env
from kumi.learning.zoo_env import RobotsEnv

SHIPPED = sorted(path.stem for path in (Path(kumi.__file__).parent / "scenario" / "shipped").glob("*.toml"))
LARGE = {"circle-swap", "crossing-streams", "random-movement", "warehouse", "reservations", "junction"}
MODELS = {"convoy"}


def environments() -> list[Any]:
    """Every scenario that ships with robots that have programs; those of many robots are slow."""
    return [
        pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE))
        for name in SHIPPED
        if name not in MODELS
    ]


@pytest.mark.parametrize("name", environments())
def test_the_tests_of_pettingzoo_pass(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=10)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=3)


@pytest.mark.parametrize("name", environments())
def test_the_checker_of_gymnasium_passes(name: str) -> None:
    check_env(joint_env(name), skip_render_check=True)


def test_robots_that_are_models_are_refused() -> None:
    with pytest.raises(ValueError, match="models or real"):
        parallel_env("convoy")


def hall(tmp_path: Path, count: int = 2) -> str:
    """A room of 8 m by 4 m; the first robot heads for the wall on the right, the second stands behind it."""
    path = tmp_path / "hall.toml"
    born = ", ".join(f"[{2.0 + 3.0 * number}, 2.0]" for number in range(count))
    path.write_text(
        f"""
until = 20.0
map = {{ width = 8.0, height = 4.0 }}
[robots]
name = "r"
radius = 0.5
born = [{born}]
program = "random-movement"
parameters = {{ width = 8.0, height = 4.0 }}
drive = {{ kind = "wheel", speed = 1.0, turn_speed = 2.0 }}
"""
    )
    return str(path)


def driven(env: RobotsEnv, seed: int, steps: int = 40) -> str:
    """Return the hash of a run with actions drawn from a seed."""
    env.reset(seed=3)
    draw = np.random.default_rng(seed)
    for _ in range(steps):
        env.step({name: draw.uniform(-1, 1, 2) for name in env.agents})
    return env.episode.trace_hash


def test_the_same_seed_and_actions_give_the_same_trace(tmp_path: Path) -> None:
    env = parallel_env("random-movement", changes=["robots.count=5"])
    assert (
        driven(env, 1)
        == driven(env, 1)
        == driven(parallel_env("random-movement", changes=["robots.count=5"]), 1)
    )
    assert driven(env, 1) != driven(env, 2)


def test_a_step_drives_for_a_period_and_rewards_the_way(tmp_path: Path) -> None:
    """Two robots 3 m apart are each other's goals: at 1 m/s for 0.1 s the first comes 0.1 m nearer, and back."""
    env = parallel_env(hall(tmp_path))
    observations, _ = env.reset(seed=0)
    assert observations["r 0"] == pytest.approx([0.6, 0.0, 0.6, 0.0, 0.0])
    _, rewards, _, _, infos = env.step({"r 0": np.array([1.0, 0.0]), "r 1": np.array([0.5, 0.0])})
    assert rewards == pytest.approx({"r 0": 0.1, "r 1": -0.05})
    assert infos["r 0"]["elapsed"] == pytest.approx(0.1)


def test_a_contact_costs_and_is_observed(tmp_path: Path) -> None:
    """2.5 m from the wall on the right at 1 m/s: the second robot touches it after 2.5 s, once, though it goes on."""
    env = parallel_env(hall(tmp_path), period=1.0)
    env.reset(seed=0)
    told = {"r 0": np.zeros(2), "r 1": np.array([1.0, 0.0])}
    found = [env.step(told) for _ in range(3)]
    assert [step[1]["r 1"] for step in found] == pytest.approx([-1.0, -1.0, -0.5 - 0.2])
    assert [step[0]["r 1"][4] for step in found] == [0.0, 0.0, 1.0]


def test_by_events_the_time_of_a_decision_is_that_of_the_contact(tmp_path: Path) -> None:
    """The second robot touches the wall at 2.5 s and is asked then; it backs up, and after 4.5 s both have something to decide."""
    env = parallel_env(hall(tmp_path), period=10.0, decide="events")
    env.reset(seed=0)
    _, rewards, _, _, infos = env.step({"r 0": np.zeros(2), "r 1": np.array([1.0, 0.0])})
    assert env.episode.now == 2.5
    assert infos == {"r 0": {"elapsed": 2.5, "asked": False}, "r 1": {"elapsed": 2.5, "asked": True}}
    assert rewards == {"r 0": 0.0, "r 1": pytest.approx(-2.5 - 0.2)}
    _, _, _, _, infos = env.step({"r 1": np.array([-1.0, 0.0])})
    assert infos == {"r 0": {"elapsed": 7.0, "asked": True}, "r 1": {"elapsed": 4.5, "asked": True}}


def test_who_is_blocked_and_tries_again_does_not_stop_time(tmp_path: Path) -> None:
    """A robot at a wall that drives on into it is asked no more than ten times a period."""
    env = parallel_env(hall(tmp_path), period=1.0, until=20.0, decide="events")
    env.reset(seed=0)
    steps = 0
    while env.agents:
        env.step({"r 0": np.zeros(2), "r 1": np.array([1.0, 0.0])})
        steps += 1
        assert steps <= 2 * 20 * 10 + 2
    assert env.episode.now == 20.0


def test_rewards_between_decisions_are_summed(tmp_path: Path) -> None:
    """However often the other is asked meanwhile, what a robot has gone in 5 s is 5 times 0.2 m."""
    env = parallel_env(hall(tmp_path), period=5.0, decide="events", changes=["world.ghost=false"])
    env.reset(seed=0)
    told = {"r 0": np.array([0.2, 0.0]), "r 1": np.array([1.0, 0.0])}
    earned = 0.0
    while env.episode.now < 5.0:
        _, rewards, _, _, _ = env.step(told if env.episode.now == 0.0 else {"r 1": told["r 1"]})
        earned += rewards["r 0"]
    assert earned == pytest.approx(1.0)


def test_who_has_arrived_is_done_and_stands(tmp_path: Path) -> None:
    env = parallel_env(hall(tmp_path), changes=["world.ghost=true"])
    env.reset(seed=0)
    ended = {}
    while "r 0" in env.agents:
        told = {name: np.array([1.0 if name == "r 0" else 0.0, 0.0]) for name in env.agents}
        _, _, terminated, truncated, _ = env.step(told)
        ended = {"r 0": (terminated["r 0"], truncated["r 0"])}
    assert ended == {"r 0": (True, False)}
    assert 2.5 < env.episode.robots[0].position.x - 2.0 < 2.7
    assert not env.episode.robots[0].is_moving


def test_copies_give_the_same_on_any_number_of_processes(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    actions = draw.uniform(-1, 1, (8, 5, 2, 2)).astype(np.float32)
    told = []
    for workers in (1, 2):
        env = vector_env(hall(tmp_path), copies=5, workers=workers, until=0.5)
        seen, _ = env.reset(seed=4)
        told.append([seen, *(column for row in actions for column in env.step(row)[:4])])
        env.close()
    for one, other in zip(*told, strict=True):
        assert np.array_equal(one, other)


def test_a_copy_that_has_ended_begins_anew_with_the_next_step(tmp_path: Path) -> None:
    env = vector_env(hall(tmp_path), copies=2, until=0.2)
    first, _ = env.reset(seed=0)
    still = np.zeros((2, 2, 2), dtype=np.float32)
    assert [env.step(still)[3].tolist() for _ in range(4)] == [
        [False] * 2,
        [True] * 2,
        [False] * 2,
        [False] * 2,
    ]
    assert np.array_equal(env.step(still)[0], first)
    env.close()


def test_a_policy_as_a_program_drives_as_in_the_environment(tmp_path: Path) -> None:
    """A robot that turns in proportion to where its goal is, alone: the same places."""

    def policy(seen: np.ndarray) -> np.ndarray:
        return np.array([0.5, 2.0 * seen[1] + 0.1])

    goal = Point(5.0, 3.0)
    scenario = hall(tmp_path, count=1)
    env = parallel_env(scenario, goals=lambda starts: np.array([tuple(goal)] * len(starts)))
    observations, _ = env.reset(seed=0)
    places = []
    for _ in range(20):
        observations, *_ = env.step({"r": policy(observations["r"])})
        places.append(env.episode.robots[0].position)

    stage = Stage(width=8, height=4)
    program = policy_program(policy, goal=lambda _: goal, speed=1.0, turn_speed=2.0)
    robot = stage.add(program, at=(2, 2), radius=0.5)
    told = []
    for step in range(1, len(places) + 1):
        stage.run(step * 0.1)
        told.append(robot.position)
    for one, other in zip(told, places, strict=True):
        assert one.distance_to(other) < 1e-6


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"period": 0.0}, "period"),
        ({"decide": "chance"}, '"period" or by "events"'),
        ({"until": -1.0}, "end of an episode"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parallel_env("crossing", **settings)


@pytest.mark.parametrize("settings", [{"copies": 0}, {"workers": 0}])
def test_a_vector_environment_has_copies_and_workers(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        vector_env("crossing", **settings)


def test_headings_are_observed_from_the_robot(tmp_path: Path) -> None:
    """What is 3 m to the east of a robot that looks west is behind it."""
    env = parallel_env(hall(tmp_path), changes=[f"robots.heading={pi}"])
    observations, _ = env.reset(seed=0)
    assert observations["r 0"] == pytest.approx([-0.6, 0.0, -0.6, 0.0, 0.0], abs=1e-6)


def test_actions_and_goals_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    env = parallel_env(hall(tmp_path))
    env.reset(seed=1)
    one, *_ = env.agents
    for actions, sentence in (
        ({one: 0.5}, "an action is two numbers"),
        (dict.fromkeys(env.agents, 0.5), "an action is two numbers"),
        ({one: (0.5, float("nan"))}, "none of them NaN"),
        ({"nobody": (0.5, 0.0)}, "there is no agent 'nobody'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            env.step(actions)
    with pytest.raises(ValueError, match="two finite numbers for each of 2"):
        parallel_env(hall(tmp_path), goals=lambda places: places[:1])
    with pytest.raises(ValueError, match="two finite numbers for each of 2"):
        parallel_env(hall(tmp_path), goals=lambda places: places * np.nan)
    joint = joint_env(hall(tmp_path))
    joint.reset(seed=1)
    for shape in ((1, 2), (2, 3), (2,)):
        with pytest.raises(ValueError, match="two numbers for each of 2"):
            joint.step(np.zeros(shape, dtype=np.float32))


@pytest.mark.parametrize("workers", [1, 2])
def test_what_goes_wrong_in_a_copy_is_raised_and_the_environment_goes_on(
    tmp_path: Path, workers: int
) -> None:
    env = vector_env(hall(tmp_path), copies=2, workers=workers)
    assert np.array_equal(env.reset(seed=np.int64(3))[0], env.reset(seed=[3, 4])[0])
    with pytest.raises(ValueError, match="none of them NaN"):
        env.step(np.full((2, 2, 2), np.nan, dtype=np.float32))
    for copies in (1, 3):
        with pytest.raises(ValueError, match="have the shape"):
            env.step(np.zeros((copies, 2, 2), dtype=np.float32))
        with pytest.raises(ValueError, match="each of 2 copies takes a seed"):
            env.reset(seed=[1] * copies)
    env.reset(seed=3)
    assert env.step(np.zeros((2, 2, 2), dtype=np.float32))[1].shape == (2,)
    env.close()
