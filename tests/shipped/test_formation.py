"""Robots form up, drive in formation and stop there, also where some of them fail."""

from __future__ import annotations

from math import dist, pi, radians, remainder, tau
from typing import TYPE_CHECKING

import pytest

from kumi.planning.enclosing_circle import mean
from kumi.planning.formations import diamond, line
from kumi.programs.formation import ARRIVED, SETS_OFF
from kumi.recording import BodyNote, RunFile
from kumi.study.formations import measure_run
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.geometry import Point

QUICK = ("robots.parameters.settle=2.0", "robots.parameters.courses={short=[[16.0,16.0],[16.0,20.0]]}")
NORTH = pi / 2
SHORT = (*QUICK, "robots.parameters.course=short")


def ends(run: RunFile) -> list[Point]:
    return [state.pose.position for state in run.state_at(run.end)]


def told(run: RunFile, text: str) -> list[tuple[int, float]]:
    """Return who noted a text, and when."""
    notes = [record for record in run.records() if isinstance(record, BodyNote) and record.text == text]
    return [(note.body, note.time) for note in notes if note.body is not None]


def test_a_diamond_forms_up_turns_and_stands_at_the_end_of_its_course(tmp_path: Path) -> None:
    """Its centre is at most a few decimetres beyond (26, 26), and its front looks east."""
    outcome, run = recorded(tmp_path, "formation")

    assert (outcome.errors, outcome.contacts) == ((), 0)
    assert sorted(body for body, _ in told(run, SETS_OFF)) == [0, 1, 2, 3]
    assert sorted(body for body, _ in told(run, ARRIVED)) == [0, 1, 2, 3]
    places = ends(run)
    centre = mean(places)
    assert dist(centre, (26.0, 26.0)) < 0.3
    for place, wanted in zip(places, diamond(4, 2.0).places, strict=True):
        assert dist(place, centre + wanted) < 0.05


def test_they_set_off_together_in_their_places_looking_along_the_course(tmp_path: Path) -> None:
    """Within one period of 0.2 s, each at most a hundredth of the spacing off, and 5 degrees."""
    _, run = recorded(tmp_path, "formation", *SHORT, "robots.parameters.reference=leader")
    times = [time for _, time in told(run, SETS_OFF)]
    states = run.state_at(min(times))

    assert max(times) - min(times) < 0.21
    for state, place in zip(states, diamond(4, 2.0).places, strict=True):
        off = (place - diamond(4, 2.0).places[0]).turned(NORTH)
        assert dist(state.pose.position, (16.0 + off.x, 16.0 + off.y)) <= 0.021
        assert abs(remainder(state.pose.heading - NORTH, tau)) < radians(5.0)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_any_number_of_robots_drives(tmp_path: Path, count: int) -> None:
    outcome, run = recorded(
        tmp_path, "formation", *SHORT, f"robots.count={count}", "robots.parameters.formation=line"
    )

    assert (outcome.errors, outcome.contacts) == ((), 0)
    places = ends(run)
    for place, wanted in zip(places, line(count, 2.0).places, strict=True):
        assert dist(place, mean(places) + wanted.turned(NORTH)) < 0.1


def test_a_formation_of_ones_own(tmp_path: Path) -> None:
    """Three robots in a triangle that the scenario lists."""
    own = "robots.parameters.formation=[[0.0,0.0],[-1.0,1.5],[-1.0,-1.5]]"
    outcome, run = recorded(
        tmp_path, "formation", *SHORT, own, "robots.count=3", "robots.parameters.reference=neighbour"
    )

    assert outcome.errors == ()
    front, left, right = ends(run)
    assert dist(left, (front.x - 1.5, front.y - 1.0)) < 0.1
    assert dist(right, (front.x + 1.5, front.y - 1.0)) < 0.1
    assert measure_run(run).end_error < 0.2


def test_lost_messages_and_slow_ones_do_not_part_them(tmp_path: Path) -> None:
    """A third of all messages is lost, and the others take 0.1 s on average."""
    bad = 'network.effects=[{kind="loss",probability=0.3},{kind="exponential",mean=0.1}]'
    outcome, run = recorded(tmp_path, "formation", *SHORT, bad)

    assert (outcome.errors, outcome.contacts) == ((), 0)
    assert measure_run(run).error < 0.1


def test_one_whose_radio_fails_is_left_behind_by_the_unit_centre(tmp_path: Path) -> None:
    """The three others arrive, in their places."""
    failure = 'network.failures=[{kind="crash",node=3,start=25.0}]'
    outcome, run = recorded(tmp_path, "formation", failure, "robots.parameters.longest=120.0")

    assert {body for body, _ in told(run, ARRIVED)} >= {0, 1, 2}
    places, wanted = ends(run), diamond(4, 2.0).places
    shift = mean([places[k] - wanted[k] for k in range(3)])
    for number in range(3):
        assert dist(places[number], wanted[number] + shift) < 0.1
    assert outcome.contacts == 0


def test_who_loses_its_leader_says_so_and_stops(tmp_path: Path) -> None:
    failure = 'network.failures=[{kind="crash",node=0,start=25.0}]'
    outcome, run = recorded(tmp_path, "formation", failure, "robots.parameters.reference=leader", "until=60")

    lost = {error.robot: error for error in outcome.errors}
    assert set(lost) == {"robot 1", "robot 2", "robot 3"}
    for name, error in lost.items():
        assert str(error.error).splitlines()[0] == (
            f"{name} finds its place by robot 0, which it has not heard for 3 s"
        )
        assert 27.7 < error.time < 28.3
    assert not any(state.is_moving for state in run.state_at(60.0)[1:])


def test_who_does_not_arrive_gives_up(tmp_path: Path) -> None:
    outcome, _ = recorded(
        tmp_path, "formation", "robots.count=1", "robots.parameters.longest=2.0", "until=60"
    )

    assert [str(error.error).splitlines()[0] for error in outcome.errors] == [
        "robot 0 gave up: it has not arrived within 2 s"
    ]


def test_a_run_is_repeated_by_its_seed(tmp_path: Path) -> None:
    first, _ = recorded(tmp_path, "formation", *SHORT)
    again, _ = recorded(tmp_path, "formation", *SHORT)
    other, _ = recorded(tmp_path, "formation", *SHORT, "seed=1")

    assert first.trace_hash == again.trace_hash != other.trace_hash
