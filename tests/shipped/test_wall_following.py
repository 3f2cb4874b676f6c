"""A robot that follows the wall goes all around the room, touches nothing, and stops before the stairs."""

from __future__ import annotations

import itertools
from math import hypot
from typing import TYPE_CHECKING

import pytest

from kumi.recording import BodyNote, RunFile
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

RADIUS = 0.2
CORNERS = [(8.0, 0.0), (8.0, 3.0), (4.0, 3.0), (4.0, 6.0), (0.0, 6.0)]
"""Those of the room in the order in which the wall on the right leads past them; the third one sticks out."""


def track(run: RunFile) -> list[tuple[float, float]]:
    """Return where the robot was, twice a second."""
    return [(pose.x, pose.y) for tick in range(1200) for pose in [run.state_at(tick / 2)[0].pose.position]]


def test_it_goes_past_every_corner_in_turn_and_stops_before_the_stairs(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "wall-following")
    way = track(run)
    nearest = [min(range(len(way)), key=lambda i: hypot(way[i][0] - x, way[i][1] - y)) for x, y in CORNERS]

    assert (outcome.errors, outcome.lost, outcome.contacts) == ((), (), 0)
    assert nearest == sorted(nearest)
    for (x, y), index in zip(CORNERS, nearest, strict=True):
        assert hypot(way[index][0] - x, way[index][1] - y) < 1.5
    x, y = way[-1]
    assert way[-2] == (x, y)
    assert 0.0 < x < 1.2
    assert 1.2 < y - RADIUS < 1.2 + 0.35


def test_it_keeps_off_every_wall(tmp_path: Path) -> None:
    """Rules at 30 cm with steps of 5 cm leave at least 20 cm on every side."""
    for x, y in track(recorded(tmp_path, "wall-following")[1]):
        assert min(x, y, 8.0 - x, 6.0 - y) - RADIUS > 0.2
        assert hypot(max(4.0 - x, 0.0), max(3.0 - y, 0.0)) - RADIUS > 0.2


def test_sensors_are_read_in_turn_at_least_10_ms_apart(tmp_path: Path) -> None:
    """Each of the four once in every round."""
    readings = [one for one in recorded(tmp_path, "wall-following")[1].records() if isinstance(one, BodyNote)]
    names = [one.text.split()[1] for one in readings]

    assert names == ["front", "left", "right", "down"] * (len(names) // 4)
    assert min(after.time - before.time for before, after in itertools.pairwise(readings)) > 0.00999


@pytest.mark.parametrize("noise", [0.005, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_errors_of_the_sensors_and_the_wheels_do_not_throw_it_off(
    tmp_path: Path, seed: int, noise: float
) -> None:
    overrides = [f"robots.sensors.{name}.noise={noise}" for name in ("front", "left", "right")]
    outcome, run = recorded(
        tmp_path,
        "wall-following",
        f"seed={seed}",
        *overrides,
        "robots.drive.noise={kind='uniform', dnf=0.05}",
    )
    x, y = track(run)[-1]

    assert (outcome.errors, outcome.lost, outcome.contacts) == ((), (), 0)
    assert 0.0 < x < 1.2
    assert 1.2 < y - RADIUS < 1.2 + 0.35
