"""Programs that ship show what matters in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.contract.published import ShownMarks, ShownPath
from kumi.recording import BodyNote, Published
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.recording import RunFile

STATES = {
    "asking-for-help": {"asks for help", "goes to help"},
    "circle": {"goes to the circle", "looks"},
    "crossing": {"plans", "crosses"},
    "flooding": {"tells the news", "knows nothing new"},
    "formation": {"forms up"},
    "gathering": {"goes to the middle"},
    "junction": {"waits for floor", "drives"},
    "reservations": {"waits for floor", "drives"},
    "swarm-leader": {"leader"},
    "wall-following": {"follows the wall"},
}
"""What some robot shows as its state within the first ten seconds."""


def shown(run: RunFile, name: str) -> list[Published]:
    """Return all that was shown under a name."""
    return [one for one in run.records() if isinstance(one, Published) and one.name == name]


@pytest.mark.parametrize("name", STATES)
def test_a_program_says_in_a_word_what_its_robot_does(name: str, tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, name, "until=10")

    assert outcome.errors == ()
    assert {one.value for one in shown(run, "state")} >= STATES[name]
    assert {one.body for one in shown(run, "state")} == {one.number for one in run.state_at(0.0)}


def test_a_swarm_shows_whom_each_trusts_and_who_leads(tmp_path: Path) -> None:
    """What is shown is what is noted, at the same instants."""
    _, run = recorded(tmp_path, "swarm-leader", "until=40")
    noted = [(one.time, one.body, one.text) for one in run.records() if isinstance(one, BodyNote)]
    trusts = [(time, body, text) for time, body, text in noted if text.startswith("trusts p")]

    assert [
        (one.time, one.body, f"trusts p{str(one.value).split()[1]}") for one in shown(run, "leader")
    ] == trusts
    for one in run.published_at(40.0):
        if one.name == "state":
            (leader,) = [
                other.value
                for other in run.published_at(40.0)
                if (other.body, other.name) == (one.body, "leader")
            ]
            assert (one.value == "leader") == (leader == f"robot {one.body}")


def test_a_warehouse_counts_its_errands(tmp_path: Path) -> None:
    """One more is done at each arrival that is noted, by the end of the order in which it was."""
    _, run = recorded(tmp_path, "warehouse", "until=60")
    arrivals = [one.body for one in run.records() if isinstance(one, BodyNote) and one.text == "arrived"]
    done = {one.body: one.value for one in run.published_at(60.0) if one.name == "errands done"}

    assert arrivals
    for number, count in done.items():
        assert isinstance(count, float)
        assert 0 <= arrivals.count(number) - count <= 1
    assert "on an errand" in {one.value for one in shown(run, "state")}


def test_plans_and_places_lie_on_the_plane(tmp_path: Path) -> None:
    """A vehicle of the crossing shows its plan, from where it stands; who asks for help marks the place."""
    _, run = recorded(tmp_path, "crossing", "until=4")
    for one in shown(run, "plan"):
        assert isinstance(one.value, ShownPath)
        (state,) = [state for state in run.state_at(0.0) if state.number == one.body]
        assert one.value.places[0].distance_to(state.pose.position) < 1e-6
    assert len(shown(run, "plan")) == len(run.state_at(0.0))
    _, run = recorded(tmp_path, "asking-for-help", "until=1")
    assert all(isinstance(one.value, ShownMarks) for one in shown(run, "help wanted"))
    assert len(shown(run, "help wanted")) == len(run.state_at(0.0))


def test_robots_that_move_at_random_count_how_often_they_were_blocked(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "random-movement", "until=60")
    blocked = [one.value for one in run.published_at(60.0) if one.name == "times blocked"]

    assert outcome.contacts > 0
    assert 0 < sum(value for value in blocked if isinstance(value, float)) <= 2 * outcome.contacts


def test_the_convoy_shows_its_gaps(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "convoy", "until=60")
    gaps = {one.body for one in run.published_at(60.0) if one.name == "gap (m)"}

    assert outcome.errors == ()
    assert gaps == {one.number for one in run.state_at(0.0)} - {0}
    assert [one.value for one in run.published_at(0.0) if one.name == "state"] == ["leads"] + [
        "follows"
    ] * len(gaps)
