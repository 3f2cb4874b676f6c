"""Robots that reserve their way across a junction never collide; without reservations they do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kumi.recording import Commanded, JournalReader, Touched
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

RADIUS = 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "loss", "delay"), [(0, 0.1, 0.02), (1, 0.0, 0.2), (2, 0.3, 0.02), (3, 0.1, 0.1)]
)
def test_reserved_ways_are_free_of_contacts(tmp_path: Path, seed: int, loss: float, delay: float) -> None:
    """Nobody touches, whatever the network does, and everybody gets on."""
    outcome, run = recorded(
        tmp_path,
        "junction",
        f"seed={seed}",
        "until=100",
        f"network.effects=[{{kind='exponential', mean={delay}}}, {{kind='loss', probability={loss}}}]",
    )
    assert (outcome.errors, outcome.contacts) == ((), 0)
    reader = JournalReader()
    records = [record for journal in run.journal() for record in reader.read(journal)]
    assert not any(isinstance(record, Touched) for record in records)
    moves = Counter(record.body for record in records if isinstance(record, Commanded))
    assert sorted(moves) == list(range(8))
    assert min(moves.values()) >= 8

    for instant in range(0, 101, 2):
        places = [robot.pose.position for robot in run.state_at(float(instant))]
        gaps = [
            one.distance_to(other) - 2 * RADIUS
            for number, one in enumerate(places)
            for other in places[:number]
        ]
        assert min(gaps) > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_without_reservations_they_collide(tmp_path: Path, seed: int) -> None:
    outcome, _ = recorded(
        tmp_path, "junction", f"seed={seed}", "until=100", "robots.parameters.reserve=false"
    )

    assert outcome.contacts > 0
