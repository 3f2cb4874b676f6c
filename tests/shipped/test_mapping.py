"""`kumi run mapping`: robots commanded by a computer map a place together, and save the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.contract.published import ShownMap
from kumi.geometry import gap
from kumi.recording import BodyNote, Published
from kumi.testing.surveys import PLATFORM
from kumi.world import load_map
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.recording import RunFile

SMALL = ["map={width=2.0, height=1.6}", "robots.count=2", "robots.born=[[0.3, 0.4], [1.4, 1.2]]"]
FEW = "robots.parameters.particles=40"


def test_a_small_room_is_mapped_and_saved(tmp_path: Path) -> None:
    """Three square metres of floor; the saved map has walls around them and is read as any other.

    Nobody says when the run is to end: it does when nothing is left to see.
    """
    target = tmp_path / "room.yaml"
    outcome, run = recorded(tmp_path, "mapping", *SMALL, FEW, f"robots.parameters.save={target}")
    notes = [one for one in run.records() if isinstance(one, BodyNote)]
    (known,) = [one for one in notes if one.text.startswith("knows ")]
    room = load_map(target)

    assert outcome.errors == ()
    assert known.time < 199.0
    assert known.time <= outcome.simulated_seconds < known.time + 1.0
    check_shown(run, float(known.text.split()[1]))
    assert 2.8 < float(known.text.split()[1]) < 4.5
    assert f"saved {target}" in [one.text for one in notes]
    assert room.width is not None
    assert abs(room.width - 2.0) < 0.45  # its walls and their errors, on both sides
    assert len(room.obstacles) >= 1


def check_shown(run: RunFile, known: float) -> None:
    """The map of all grows to what is known, those of the two robots are no larger, and in the end both have seen all."""
    begin, end = run.published_at(run.end / 4), run.published_at(run.end)
    maps = {one.name: one.value.area for one in end if isinstance(one.value, ShownMap)}
    (first,) = [one.value.area for one in begin if isinstance(one.value, ShownMap) and one.name == "map"]
    assert list(maps) == ["map", "map of robot 0", "map of robot 1"]
    assert first < maps["map"] == pytest.approx(known, abs=0.005)
    assert max(maps.values()) <= maps["map"] + 0.5
    assert {one.body: one.value for one in end if one.name == "state"} == {
        0: "has seen all",
        1: "has seen all",
    }
    areas = [
        one.value for one in run.records() if isinstance(one, Published) and one.name == "known area (m²)"
    ]
    assert len(areas) >= 5
    assert areas[-1] == pytest.approx(known, abs=0.005)


@pytest.mark.slow
def test_robots_in_the_arena_never_touch_each_other(tmp_path: Path) -> None:
    """The beginning of the shipped scenario, looked at ten times a second."""
    outcome, run = recorded(tmp_path, "mapping", FEW, "until=25")

    assert outcome.errors == ()
    for tick in range(250):
        poses = [state.pose for state in run.state_at(tick / 10)]
        pairs = [(one, other) for number, one in enumerate(poses) for other in poses[:number]]
        assert min(gap(PLATFORM, one, PLATFORM, other) for one, other in pairs) > 0.0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    hashes = {recorded(tmp_path, "mapping", *SMALL, FEW, "until=10")[0].trace_hash for _ in range(2)}

    assert len(hashes) == 1
