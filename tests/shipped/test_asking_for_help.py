"""Each robot that asks for help goes where the first call it heard wanted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.recording import JournalReader, Received, Sent
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("seed", "robots"), [(0, 10), (1, 10), (2, 2), (3, 40)])
def test_everyone_follows_the_first_call_that_arrives(tmp_path: Path, seed: int, robots: int) -> None:
    """Of all calls, the first to arrive at a robot tells where it is at the end; the others change nothing."""
    outcome, run = recorded(tmp_path, "asking-for-help", f"seed={seed}", f"robots.count={robots}")
    reader = JournalReader()
    records = [record for journal in run.journal() for record in reader.read(journal)]
    calls = {record.number: record for record in records if isinstance(record, Sent)}
    first: dict[int, Sent] = {}
    for record in records:
        if isinstance(record, Received):
            first.setdefault(record.receiver, calls[record.number])

    assert outcome.errors == ()
    assert len(calls) == robots
    assert outcome.messages is not None
    assert outcome.messages.arrived == robots * (robots - 1)
    ends = {robot.number: robot.pose.position for robot in run.state_at(2000.0)}
    assert sorted(first) == sorted(ends) == list(range(robots))
    for number, end in ends.items():
        call = first[number]
        assert call.sender != number
        assert call.content == f"[{end.x:.3f}, {end.y:.3f}]"


def test_the_delays_are_exponential_with_ten_a_second(tmp_path: Path) -> None:
    """Of 1,560 delays with mean 0.1 s, the mean is within four deviations of 0.1 / sqrt(1560) s."""
    _, run = recorded(tmp_path, "asking-for-help", "robots.count=40")
    reader = JournalReader()
    delays = [
        record.time
        for journal in run.journal()
        for record in reader.read(journal)
        if isinstance(record, Received)
    ]

    assert len(delays) == 40 * 39
    assert sum(delays) / len(delays) == pytest.approx(0.1, abs=4 * 0.1 / 1560**0.5)
