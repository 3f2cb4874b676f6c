"""Vehicles whose paths cross do not touch when they give way, and do when they do not."""

from __future__ import annotations

import re
from math import dist
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageColor

from kumi.geometry import Bounds, Ellipse, Polygon, gap
from kumi.recording import BodyNote, Commanded, RunFile
from kumi.recording.painted_bodies import MOVING, RESTING
from kumi.recording.palette import PALETTE
from kumi.recording.picture import write_picture
from kumi.recording.view import view_of
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.geometry import Point

OCTAGON = Polygon(
    [(0.5, 0.2), (0.2, 0.5), (-0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.2, -0.5), (0.2, -0.5), (0.5, -0.2)]
)
ELLIPSE = Ellipse(1.4, 0.8)
BEGIN, LAG = 3.0, 0.1


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    """Return the run of the two vehicles."""
    outcome, run = recorded(tmp_path_factory.mktemp("crossing"), "crossing")
    assert (outcome.errors, outcome.contacts) == ((), 0)
    return run


def notes(run: RunFile, kind: str, body: int) -> dict[int, tuple[float, dict[str, float]]]:
    """Return the notes of a kind by their number, with their times and values."""
    found = {}
    for record in run.records():
        if isinstance(record, BodyNote) and record.body == body and record.text.startswith(kind):
            _, number, *values = record.text.split()
            found[int(number)] = record.time, {name: float(x) for name, x in (v.split("=") for v in values)}
    return found


def test_both_arrive_and_keep_apart_at_all_times(run: RunFile) -> None:
    """The margin of the plan is 0.3 m; the lag takes at most 0.1 s at 1 m/s of each."""
    gaps = []
    for tick in range(4001):
        one, two = (state.pose for state in run.state_at(tick / 100))
        gaps.append(gap(OCTAGON, one, ELLIPSE, two))

    assert min(gaps) > 0.1
    ends = [state.pose.position for state in run.state_at(40.0)]
    assert dist(ends[0], (18.0, 14.0)) < 1e-3
    assert dist(ends[1], (18.0, 2.0)) < 1e-3


def test_the_first_is_past_the_crossing_before_the_second_comes_near(run: RunFile) -> None:
    """The crossing is where the two tracks are nearest to each other."""
    tracks = [[run.state_at(t / 10)[body].pose.position for t in range(401)] for body in (0, 1)]
    _, first, second = min(
        (dist(a, b), i, j) for i, a in enumerate(tracks[0]) for j, b in enumerate(tracks[1])
    )

    assert dist(tracks[0][first], tracks[1][second]) < 0.1
    assert first / 10 + 1.0 < second / 10


def test_each_reference_and_each_move_is_in_the_log(run: RunFile) -> None:
    """References come each second from 3 s on, with the vehicle a lag behind; a lag later it is there."""
    for body in (0, 1):
        follows, moves = notes(run, "follow ", body), notes(run, "move ", body)

        assert set(follows) == set(moves)
        assert len(follows) > 20
        for number, (time, values) in follows.items():
            if number < len(follows) - 1:
                assert time == pytest.approx(BEGIN + number)
            assert moves[number][0] == pytest.approx(time + LAG)
            assert moves[number][1]["off"] <= 0.01
            assert values["v"] <= 1.0
            assert values["off"] == pytest.approx(LAG * values["v"], abs=0.01)


def test_there_are_four_pictures_of_where_the_vehicles_are(run: RunFile, tmp_path: Path) -> None:
    """Start, moving, crossing and end, as the scenario's file tells how.

    Their strips tell the time, so the plane alone is compared: the vehicles are where they are at that instant,
    and at the other three instants there is floor where they are not.
    """
    instants = (0.0, 8.0, 14.0, 30.0)
    places = {at: [state.pose.position for state in run.state_at(at)] for at in instants}
    for instant in instants:
        write_picture(run, instant, tmp_path / f"{instant:g}.png", (320, 240))

    for instant in instants:
        with Image.open(tmp_path / f"{instant:g}.png") as picture:
            seen = {at: [is_painted(picture, place) for place in places[at]] for at in instants}
        assert seen == {
            at: [
                at == instant or dist(place, there) < 1.0
                for place, there in zip(places[at], places[instant], strict=True)
            ]
            for at in instants
        }


def is_painted(picture: Image.Image, place: Point) -> bool:
    """Whether a vehicle is to be seen within 0.3 m of a place of the plane of 20 by 16 m."""
    view = view_of(Bounds(0.0, 0.0, 20.0, 16.0), picture.size)
    (left, top), (right, bottom) = (
        view.dot(place.x - 0.3, place.y + 0.3),
        view.dot(place.x + 0.3, place.y - 0.3),
    )
    around = picture.convert("RGB").crop((int(left), int(top), int(right), int(bottom)))
    colours = {ImageColor.getrgb(colour) for colour in (MOVING, RESTING, *PALETTE.words)}
    return bool(colours & {found for _, found in around.getcolors() or []})


def test_a_bad_profile_collides_and_is_found(tmp_path: Path) -> None:
    outcome, _ = recorded(tmp_path, "crossing", "robots.1.parameters.yields=false")

    assert outcome.contacts == 1
    assert {error.robot for error in outcome.errors} == {"RAM-2", "Auriga-alpha"}
    assert all(re.search("blocked by", str(error.error)) for error in outcome.errors)


@pytest.mark.parametrize("slow", [0, 1])
def test_who_lags_behind_its_plan_does_not_collide(tmp_path: Path, slow: int) -> None:
    """With a lag of 2 s at up to 1 m/s a vehicle is up to 2 m from where its plan says."""
    outcome, run = recorded(tmp_path, "crossing", f"robots.{slow}.drive.lag=2.0", "until=60")

    assert (outcome.errors, outcome.contacts) == ((), 0)
    assert dist(run.state_at(60.0)[slow].pose.position, [(18.0, 14.0), (18.0, 2.0)][slow]) < 0.01


@pytest.mark.slow
def test_twenty_vehicles_cross_without_touching(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "crossing-twenty")

    assert (outcome.errors, outcome.contacts, outcome.robots) == ((), 0, 20)
    starts = [state.pose.position for state in run.state_at(0.0)]
    ends = [state.pose.position for state in run.state_at(120.0)]
    for start, end in zip(starts, ends, strict=True):
        assert dist(end, (20.0, 20.0)) == pytest.approx(16.0, abs=0.01)
        assert dist(start, end) > 31.0
    assert sum(isinstance(record, Commanded) for record in run.records()) == 20


def test_twenty_that_do_not_give_way_collide(tmp_path: Path) -> None:
    outcome, _ = recorded(tmp_path, "crossing-twenty", "robots.parameters.yields=false")

    assert outcome.contacts > 0
