"""A swarm trusts several leaders while it is torn apart, and one when it has met again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.recording import BodyNote, JournalReader
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

MEETING = 300.0
"""When the robots stop to wander and go to meet."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_all_trust_the_lowest_number_when_the_swarm_has_met(tmp_path: Path, seed: int) -> None:
    outcome, run = recorded(tmp_path, "swarm-leader", f"seed={seed}", "robots.count=7")
    assert outcome.errors == ()
    reader = JournalReader()
    notes = [
        record for journal in run.journal() for record in reader.read(journal) if isinstance(record, BodyNote)
    ]
    last = {record.body: record.text for record in notes}

    assert last == dict.fromkeys(range(7), "trusts p0")
    torn = {record.text for record in notes if 0.0 < record.time < MEETING}
    assert len(torn) > 1  # links did break
