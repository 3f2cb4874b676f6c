"""News reaches exactly those robots that a chain of radios connects with the teller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.recording import BodyNote, JournalReader
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.geometry import Point

RANGE = 10.0 ** ((20.0 - 40.0 + 74.4) / 25.0)
"""20 dBm, 40 dB at one metre, 25 dB a decade, heard down to -74.4 dBm."""

SLACK = 1.0
"""Metres that two robots come closer, or part, while a message makes some sixty hops of a millisecond."""


def connected(places: dict[int, Point], teller: int, within: float) -> set[int]:
    """Return all whom a chain of neighbours connects with the teller."""
    reached, to_do = {teller}, [teller]
    while to_do:
        here = places[to_do.pop()]
        near = {other for other, place in places.items() if here.distance_to(place) <= within} - reached
        reached |= near
        to_do.extend(near)
    return reached


@pytest.mark.parametrize(("seed", "robots"), [(0, 60), (1, 60), (2, 30), (3, 15)])
def test_news_reaches_whoever_is_connected_with_the_teller(tmp_path: Path, seed: int, robots: int) -> None:
    outcome, run = recorded(tmp_path, "flooding", f"seed={seed}", f"robots.count={robots}")
    assert outcome.errors == ()
    reader = JournalReader()
    records = [record for journal in run.journal() for record in reader.read(journal)]
    heard: dict[str, list[int | None]] = {}
    for record in records:
        if isinstance(record, BodyNote) and record.text.startswith("heard edition"):
            heard.setdefault(record.text, []).append(record.body)

    for edition in range(1, 5):
        listeners = heard[f"heard edition {edition} of p0"]
        assert len(listeners) == len(set(listeners))
        told = 60.0 * edition
        places = {robot.number: robot.pose.position for robot in run.state_at(told)}
        surely = connected(places, 0, RANGE - SLACK)
        at_most = connected(places, 0, RANGE + SLACK)
        assert surely <= set(listeners) <= at_most


def test_the_range_is_what_the_scenario_says() -> None:
    assert pytest.approx(150.0, abs=0.5) == RANGE
