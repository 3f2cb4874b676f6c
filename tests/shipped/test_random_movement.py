"""Robots that move at random keep to their speeds and to the arena, and never overlap."""

from __future__ import annotations

from itertools import combinations
from math import degrees
from typing import TYPE_CHECKING

import pytest

from kumi.recording import BORDER, Commanded, CommandKind, Touched
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

NAME = "random-movement"


def test_a_hundred_robots_move_for_ten_minutes(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, NAME)

    assert (outcome.robots, outcome.simulated_seconds, outcome.errors) == (100, 600.0, ())
    assert outcome.contacts > 100
    assert all(robot.is_moving for robot in run.state_at(300.0))


def test_speeds_and_goals_are_those_of_the_errand(tmp_path: Path) -> None:
    """Speed 3 + 10 U, turning 3 + speed U degrees a second, goals all over the arena."""
    _, run = recorded(tmp_path, NAME, "until=200")
    commands = [
        one for one in run.records() if isinstance(one, Commanded) and one.order is CommandKind.MOVE_TO
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
def test_nobody_overlaps_and_the_border_is_never_met(tmp_path: Path, seed: int) -> None:
    """Goals keep a radius from the edges, and the arena is convex: contacts are with others alone.

    Two robots are nearest at the instant of a contact, when their centres are two radii apart.
    """
    outcome, run = recorded(tmp_path, NAME, "until=60", "robots.count=300", f"seed={seed}")
    contacts = [one for one in run.records() if isinstance(one, Touched)]

    assert len(contacts) == outcome.contacts
    assert all(contact.obstacle is None for contact in contacts)
    assert BORDER not in {contact.obstacle for contact in contacts}
    for instant in sorted({contact.time for contact in contacts})[:: len(contacts) // 10]:
        places = [robot.pose.position for robot in run.state_at(instant)]
        assert min(one.distance_to(other) for one, other in combinations(places, 2)) >= 10.0 - 1e-8


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    one, other = (recorded(tmp_path, NAME, "until=50", "seed=4")[0].trace_hash for _ in range(2))

    assert one == other
