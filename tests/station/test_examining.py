"""A robot with a camera films a place: the film is stored, and linked to an object on the map."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np
import pytest

from kumi.geometry import Point, Pose
from kumi.sensing import Prop
from kumi.station.entering.enter import Entrant, enter_simulated
from kumi.station.entering.examining import PICTURES
from kumi.station.operations.finds import GetMedium, ListObjects, MarkObject, StoreFile
from kumi.station.operations.robots import PossibleTasks, TellTaskOptions
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord
from kumi.station.wire.carrier import Carrier
from tests.station.conftest import Little
from tests.station.test_entering import HALL, TAG, Play, played

EXAMINE = GiveTask(robot=TAG, task="examineArea", arguments={"at": {"x": 2.0, "y": 3.0}})


@pytest.mark.slow
def test_it_films_all_around_and_the_film_is_linked_to_what_it_marks(little: Little) -> None:
    """A red prop 1 m ahead of the first picture is in the first and the last ones, and not in the middle ones."""

    def enter(carrier: Carrier) -> object:
        entrant = Entrant(TAG, little.keys[TAG], Pose(Point(2.0, 2.0), 0.0), speed=8.0)
        return enter_simulated(carrier, [entrant], HALL, props=[Prop((2.0, 4.0))])

    async def story(play: Play) -> None:
        given = await play.ask(EXAMINE)
        ended = await play.end_of(given.task)
        assert ended.state == "done", ended.outcome
        (found,) = (await play.ask(ListObjects())).objects
        assert (found.at, found.robot) == (PlaceRecord(x=2.0, y=3.0), TAG)
        assert ended.outcome == f"filmed around (2.00, 3.00): file {found.media}, object {found.id}"
        film = await play.ask(GetMedium(medium=found.media))
        assert (film.about.kind, film.about.name) == ("video/mp4", f"examined {given.task}.mp4")
        with av.open(BytesIO(film.content), "r") as file:
            pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in file.decode(video=0)]
        assert len(pictures) == PICTURES
        red = [int(((one[..., 0] - one[..., 1] > 70) & (one[..., 0] > 120)).sum()) for one in pictures]
        assert min(red[0], red[-1]) > 500
        assert max(red[PICTURES // 3 : 2 * PICTURES // 3]) < 50
        assert not np.array_equal(pictures[0], pictures[PICTURES // 2])

    played(little, story, enter=enter)  # type: ignore[arg-type]


def test_without_a_camera_it_is_not_announced_and_one_that_still_comes_fails_in_words(little: Little) -> None:
    """The task was given while the robot had a camera; it came back without."""

    def enter(carrier: Carrier) -> object:
        entrant = Entrant(TAG, little.keys[TAG], Pose(Point(1.0, 1.0), 0.0), camera=False)
        return enter_simulated(carrier, [entrant], HALL)

    options = little.call(PossibleTasks(robot=TAG), "red observer").options
    film = options[0].__class__(name="examineArea", parameters=options[0].parameters)
    little.call(TellTaskOptions(options=(film,)), TAG)
    given = little.call(EXAMINE, "red commander")

    async def story(play: Play) -> None:
        ended = await play.end_of(given.task)
        assert (ended.state, ended.outcome) == ("failed", "no camera")
        assert "examineArea" not in [one.name for one in (await play.ask(PossibleTasks(robot=TAG))).options]

    played(little, story, enter=enter)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_stop_ends_the_filming_and_nothing_is_stored(little: Little) -> None:
    async def story(play: Play) -> None:
        given = await play.ask(EXAMINE)
        await play.ask(Stop(robot=TAG))
        assert (await play.end_of(given.task)).state == "stopped"
        assert (await play.end_of(await play.go(1.0, 1.0))).state == "done"
        assert (await play.ask(ListObjects())).objects == ()

    played(little, story)


def test_a_file_and_a_mark_whose_answer_was_lost_are_kept_once(little: Little) -> None:
    stored = [little.call(StoreFile(name="a.mp4", content=b"film"), TAG).medium for _ in range(2)]
    marked = [
        little.call(MarkObject(name="cup", at=PlaceRecord(x=1.0, y=2.0), medium=medium), TAG).object
        for medium in (stored[0], stored[0], None, None)
    ]

    assert stored[0] == stored[1]
    assert [one - marked[0] for one in marked] == [0, 0, 1, 1]
    assert little.call(StoreFile(name="a.mp4", content=b"other"), TAG).medium != stored[0]
