"""Robots that move at random keep to their speeds and to the arena, and never overlap."""

from __future__ import annotations

from math import degrees

import pytest

from kumi.experiment.scenario import load_scenario
from kumi.experiment.stage import Outcome
from kumi.experiment.staging import Staging
from kumi.recording import Commanded, JournalReader, Order, Record, Touched
from kumi.recording.records import BORDER


class Records:
    """Keeps all that happened."""

    def __init__(self) -> None:
        self.all: list[Record] = []
        self._reader = JournalReader()

    def write(self, journal: bytes) -> None:
        self.all.extend(self._reader.read(journal))


def run(*overrides: str) -> tuple[Outcome, list[Record], float]:
    """Run the shipped scenario; return what came out, all records, and the least gap at the end."""
    scenario = load_scenario("random-movement", overrides)
    records = Records()
    with Staging(scenario).stage(records) as stage:
        outcome = stage.run(scenario.settings.until)
        return outcome, records.all, stage.world.least_gap()


def test_a_hundred_robots_move_for_ten_minutes() -> None:
    outcome, _, _ = run()

    assert (outcome.robots, outcome.simulated_seconds, outcome.errors) == (100, 600.0, ())
    assert outcome.collisions > 100


def test_speeds_and_goals_are_those_of_the_errand() -> None:
    """Speed 3 + 10 U, turning 3 + speed U degrees a second, goals all over the arena."""
    commands = [
        one for one in run("until=200")[1] if isinstance(one, Commanded) and one.order is Order.MOVE_TO
    ]

    assert len(commands) > 300
    for command in commands:
        assert 3.0 <= command.speed <= 13.0
        assert 3.0 <= degrees(command.turn_speed) <= 3.0 + command.speed
        assert 5.0 <= command.goal.x <= 795.0
        assert 5.0 <= command.goal.y <= 795.0
    assert min(command.goal.x for command in commands) < 50.0
    assert max(command.goal.y for command in commands) > 750.0


@pytest.mark.parametrize("seed", range(3))
def test_nobody_overlaps_and_the_border_is_never_met(seed: int) -> None:
    """Goals keep a radius from the edges, and the arena is convex: contacts are with others alone."""
    outcome, records, least = run("until=100", "robots.count=400", f"seed={seed}")
    contacts = [one for one in records if isinstance(one, Touched)]

    assert least >= -5.0 * 1e-9
    assert len(contacts) == outcome.collisions
    assert all(contact.obstacle != BORDER for contact in contacts)


def test_the_same_seed_gives_the_same_run() -> None:
    assert run("until=50", "seed=4")[0].trace_hash == run("until=50", "seed=4")[0].trace_hash
