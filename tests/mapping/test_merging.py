"""Maps add up in one frame, no wall gets lost, and frames are found by maps or meetings."""

from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kumi.geometry import Point, Pose
from kumi.mapping import (
    Drawing,
    MappingError,
    OccupancyMap,
    RangeModel,
    Truth,
    frame_of_meeting,
    match,
    merge,
    moved,
)
from kumi.mapping.matching import agreement, apart
from kumi.mapping.merging import composed, inverse
from kumi.scenario.spaces import space_of
from kumi.testing.surveys import Survey, surveys
from kumi.world import load_map
from tests.mapping.sketches import sketch
from tests.mapping.worlds import ARENA, STARTS

POSES = st.builds(lambda x, y, a: Pose(Point(x, y), a), *[st.floats(-3, 3)] * 2, st.floats(-3, 3))
NATS = arrays(np.float32, (6, 7), elements=st.floats(-6, 6, width=32))


@pytest.fixture(scope="module")
def halves() -> list[OccupancyMap]:
    """Maps of the arena that three robots drew from true poses, each of the part that it saw."""
    logs = surveys(load_map(ARENA), STARTS, seed=5, length=7.0)
    return [map_of(log) for log in logs]


def map_of(log: Survey) -> OccupancyMap:
    """Return the map of a log at its true poses."""
    drawing = Drawing(RangeModel())
    for pose, scan in zip(log.poses, log.scans, strict=True):
        drawing.add(pose, scan)
    return drawing.map


def test_what_both_say_adds_up_and_what_one_says_stays() -> None:
    one, other = sketch("..# "), sketch(" .##")
    both = merge([one, other]).evidence

    assert both[0].tolist() == [-2.0, -4.0, 6.0, 3.0]  # one map counts 3 nats at most


@given(NATS, NATS, st.integers(-3, 3), st.integers(-3, 3))
def test_merging_loses_no_wall(one: np.ndarray, other: np.ndarray, columns: int, rows: int) -> None:
    """Every cell that a map calls occupied is occupied in the merged map, or a cell beside it is."""
    maps = [OccupancyMap(one, 0, 0, 0.05), OccupancyMap(other, columns, rows, 0.05)]
    merged = merge(maps)
    walls = {(r + merged.row, c + merged.column) for r, c in np.argwhere(merged.occupied).tolist()}
    for part in maps:
        for row, column in np.argwhere(part.occupied).tolist():
            r, c = row + part.row, column + part.column
            assert walls & {(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}


def test_merging_loses_no_recall(halves: list[OccupancyMap]) -> None:
    truth = Truth(space_of(load_map(ARENA)), STARTS[0][:2])
    merged = truth.score(merge(halves))

    assert all(merged.recall >= truth.score(part).recall for part in halves)
    assert merged.precision > 0.9


def test_maps_of_different_cells_are_not_merged() -> None:
    with pytest.raises(MappingError, match=r"cells of one size, not \[0.05, 0.1\] m"):
        merge([sketch("#"), sketch("#", cell=0.1)])
    with pytest.raises(MappingError, match="but there is none"):
        merge([])


def test_a_map_turned_by_a_quarter_has_its_cells_elsewhere_and_the_same() -> None:
    """The cell right of the origin comes to lie above it."""
    turned = moved(sketch(".#"), Pose(Point(0.0, 0.0), pi / 2))

    assert turned.occupied[turned.cell_at((-0.025, 0.075))]
    assert turned.free[turned.cell_at((-0.025, 0.025))]


@given(POSES, POSES)
def test_a_frame_and_back_again(frame: Pose, pose: Pose) -> None:
    back = composed(inverse(frame), composed(frame, pose))

    assert apart(back, pose)[0] < 1e-9
    assert apart(back, pose)[1] < 1e-9


@given(POSES, POSES, POSES)
def test_two_robots_that_see_each_other_know_each_others_frames(
    frame: Pose, mine: Pose, theirs: Pose
) -> None:
    """`frame` is the truth; what they see of each other follows from it."""
    there = composed(frame, theirs)
    step = there.position - mine.position
    if abs(step) < 0.01:
        return
    seen = abs(step), step.direction - mine.heading
    seen_back = abs(step), (-step).direction - there.heading

    assert apart(frame_of_meeting(mine, seen, theirs, seen_back), frame)[0] < 1e-6
    assert apart(frame_of_meeting(mine, seen, theirs, seen_back), frame)[1] < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_which_of_equal_places_is_chosen_does_not_hang_on_how_a_transform_rounds(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """A square room lies on itself in four ways. Every processor rounds the transforms in its own way."""
    room = sketch(*["#" * 24, *["#" + "." * 22 + "#"] * 22, "#" * 24])
    chance, exact = np.random.default_rng(seed), np.fft.rfft2

    def rounded_otherwise(values: np.ndarray, s: tuple[int, int] | None = None) -> np.ndarray:
        found = exact(values, s=s)
        return found * (1.0 + 4e-16 * chance.standard_normal(found.shape))

    expected = match(room, room, least_lead=0.0)
    monkeypatch.setattr(np.fft, "rfft2", rounded_otherwise)

    assert expected is not None
    assert match(room, room, least_lead=0.0) == expected


@pytest.mark.some_of(2)
@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 0)])
def test_unknown_starts_are_found_to_10_cm_and_3_degrees(
    halves: list[OccupancyMap], one: int, other: int
) -> None:
    """Each map is in the frame of its own robot's start; they overlap by at least 30 %."""
    mine, theirs = (Pose(Point(*STARTS[number][:2]), STARTS[number][2] + number) for number in (one, other))
    found = match(moved(halves[one], inverse(mine)), moved(halves[other], inverse(theirs)))

    assert found is not None
    assert found.overlap >= 0.3
    away, turn = apart(found.frame, composed(inverse(mine), theirs))
    assert away < 0.10
    assert turn < radians(3.0)


def test_of_maps_that_hardly_overlap_nothing_is_said(halves: list[OccupancyMap]) -> None:
    """An eleventh of the smaller one is too little to be sure."""
    assert match(halves[1], halves[2]) is None


def test_nothing_is_said_of_a_symmetric_room() -> None:
    """A square room fits itself in four ways."""
    side = 40
    rows = ["#" * side, *["#" + "." * (side - 2) + "#"] * (side - 2), "#" * side]
    assert match(sketch(*rows), sketch(*rows)) is None


def test_nothing_is_said_of_maps_without_walls() -> None:
    assert match(sketch("...."), sketch("....")) is None


def test_maps_agree_by_the_share_of_walls_that_fit() -> None:
    """A wall beside that of the other is the same wall; three cells on it clashes with the other's floor."""
    here, beside, far = (sketch(*["." * at + "#" + "." * (8 - at)] * 4) for at in (2, 3, 5))
    unknown = sketch(*[" " * 9] * 4)

    assert agreement(here, here) == agreement(here, beside) == 1.0
    assert agreement(here, far) == 0.0
    assert agreement(here, unknown) == 1.0
