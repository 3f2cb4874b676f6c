"""`kumi run convoy`: the models on a stage, with the files and the words that other scenarios have."""

from __future__ import annotations

import json
from itertools import pairwise
from math import dist
from pathlib import Path

import pytest

from kumi.convoy import ConvoyTeam, Setup, run_convoy
from kumi.scenario.document import ScenarioError
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from tests.commands import kumi
from tests.shipped.staged import recorded

FEW = ("models.robots=4", "models.steps=12")


def test_they_stay_in_line_and_the_leader_makes_its_steps(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "convoy", *FEW)
    places = [state.pose.position for state in run.state_at(run.end)]

    assert (outcome.errors, outcome.robots) == ((), 4)
    assert run.meta.robots[0] == "robot 1"
    assert all(dist(front, back) < 0.5 + 0.3 + 0.2 for front, back in pairwise(places))


def test_a_staged_convoy_is_the_run_that_a_setup_gives() -> None:
    """The same models by the same names: the same chance, the same trace."""
    setup = Setup(robots=4, steps=12)
    staging = Staging(load_scenario("convoy", [*FEW, "seed=5"]))

    with staging.stage() as stage:
        outcome = stage.run(staging.scenario.settings.until)

    truth = run_convoy(setup, 5)
    assert isinstance(staging.models, ConvoyTeam)
    assert staging.models.whole.measured(outcome.simulated_seconds, outcome.trace_hash) == truth


def test_the_run_ends_at_until_if_that_comes_first() -> None:
    staging = Staging(load_scenario("convoy", ["until=10"]))

    with staging.stage() as stage:
        outcome = stage.run(10.0)

    assert outcome.simulated_seconds == 10.0


def test_the_command_tells_what_the_convoy_showed(tmp_path: Path) -> None:
    sets = [word for one in FEW for word in ("--set", one)]
    log, record, picture = tmp_path / "c.log", tmp_path / "c.kumi", tmp_path / "c.png"

    done = kumi("run", "convoy", *sets, "--seed", "3", "--json", "--log", str(log), "--record", str(record))
    again = kumi("run", "convoy", *sets, "--seed", "3", "--json")
    shown = kumi("run", "convoy", *sets, "--seed", "3")
    kumi("show", str(record), "-o", str(picture))

    told = json.loads(done.stdout)
    assert told["models"]["steps"] == 12
    assert told["models"]["broke_up_at"] is None
    assert told["trace_hash"] == json.loads(again.stdout)["trace_hash"]
    assert "steps of the leader" in shown.stdout
    assert "Do_Turn" in log.read_text()
    assert picture.stat().st_size > 1000


def test_the_command_and_the_log_tell_why_the_convoy_broke_up(tmp_path: Path) -> None:
    """All messages are lost: the leader goes 0.3 m at 0.3 m/s, and robot 2 does not hear of it."""
    log = tmp_path / "c.log"
    sets = [word for one in (*FEW, "models.message_loss=1.0") for word in ("--set", one)]

    done = kumi("run", "convoy", *sets, "--json", "--log", str(log))
    shown = kumi("run", "convoy", *sets)

    told = json.loads(done.stdout)["models"]
    why = told["break_up"]
    assert (why["cause"], why["robot"], why["at"]) == ("lost message", 2, told["broke_up_at"])
    assert 0.9 <= why["at"] <= 1.1
    assert "lost message: robot 2" in log.read_text()
    assert "a message to it from robot 1 was lost" in " ".join(shown.stdout.replace("│", " ").split())


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("models.robots=1", "a convoy has 2 robots or more, not 1"),
        ("models.robot=3", r"models.robot is unknown; did you mean models.robots\?"),
        ("models.rules.stp=3", r"models.rules.stp is unknown; did you mean models.rules.step\?"),
        ("models.dnf=-1.0", "dnf of a convoy is a finite number of 0 or more"),
        ("models.rules=3", "models.rules is 3; it takes a table"),
    ],
)
def test_what_cannot_be_is_named_with_its_place(said: str, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        Staging(load_scenario("convoy", [said]))


def test_models_bring_their_own_robots_and_world(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    path.write_text(
        'until = 1.0\n[models]\nkind = "kumi.convoy:ConvoyTeam"\nrobots = 3\n[map]\nwidth = 3.0\n[robots]\nprogram = "circle"\ncount = 2\n'
    )

    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)

    assert "robots and models are given; models bring their robots and their world" in str(raised.value)
    assert "map and models are given" in str(raised.value)
