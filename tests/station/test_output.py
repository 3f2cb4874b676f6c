"""What code prints is kept whole up to a bound, is told in order and once, and is seen while it runs by its team alone."""

from __future__ import annotations

import asyncio

import pytest

from kumi.station.operations.log import Audit
from kumi.station.operations.output import CUT, MOST_OUTPUT, MOST_PIECE, TaskOutput, TellOutput
from kumi.station.operations.robots import RemoveRobot
from kumi.station.operations.tasks import RequestTask, SendCode, TaskDone
from kumi.station.refusals import Refused
from kumi.station.store.schema import outputs
from tests.station.conftest import Little

TAG = "red robot"


@pytest.fixture
def task(little: Little) -> int:
    """Code that runs on the red robot."""
    given = little.call(SendCode(robot=TAG, name="speak", code="print(1)"), "red commander")
    little.call(RequestTask(), TAG)
    return given.task


def test_pieces_are_kept_in_order_and_one_that_comes_again_counts_once(little: Little, task: int) -> None:
    for piece, text in (("a", "one\n"), ("b", "two\n"), ("b", "two\n"), ("c", "three \0\n")):
        little.call(TellOutput(task=task, piece=piece, text=text), TAG)

    told = little.call(TaskOutput(task=task), "red observer")
    assert told.text == "one\ntwo\nthree \ufffd\n"
    assert told.task.state == "sent"
    rest = little.call(TaskOutput(task=task, after=4), "red observer")
    assert (rest.text, rest.last) == ("two\nthree \ufffd\n", told.last)
    with pytest.raises(Refused, match="no task"):
        little.call(TaskOutput(task=task), "blue team-head")
    with pytest.raises(Refused, match="no task"):
        little.call(TellOutput(task=task, piece="d", text="forged"), "blue robot")


def test_what_is_too_much_is_cut_with_a_mark(little: Little, task: int) -> None:
    told = ""
    for number in range(MOST_OUTPUT // MOST_PIECE + 3):
        little.call(TellOutput(task=task, piece=str(number), text="x" * MOST_PIECE), TAG)
        told = little.call(TaskOutput(task=task), "red observer").text
        if number == MOST_OUTPUT // MOST_PIECE - 1:
            assert told == "x" * MOST_OUTPUT, "as much as is kept is whole"
    assert told == "x" * MOST_OUTPUT + CUT


def test_who_waits_hears_what_is_printed_and_the_end(little: Little, task: int) -> None:
    async def story() -> None:
        call = little.service.call
        observer, robot = little.caller("red observer"), little.caller(TAG)
        waiting = asyncio.ensure_future(call(TaskOutput(task=task, wait=30.0), observer))
        while little.service.news.count == 0:
            await asyncio.sleep(0)
        await call(TellOutput(task=task, piece="a", text="one\n"), robot)
        first = await waiting
        assert (first.text, first.task.state) == ("one\n", "sent")
        waiting = asyncio.ensure_future(call(TaskOutput(task=task, after=first.last, wait=30.0), observer))
        while little.service.news.count == 0:
            await asyncio.sleep(0)
        await call(TaskDone(task=task, succeeded=False, outcome="line 2: it failed"), robot)
        last = await waiting
        assert (last.text, last.task.state, last.task.outcome) == ("", "failed", "line 2: it failed")
        again = await call(TaskOutput(task=task, after=last.last, wait=30.0), observer)
        assert again == last, "there is nothing to wait for any more"

    asyncio.run(story())
    entries = little.call(Audit(limit=1000, words="output"), "chief").entries
    assert entries == (), "who follows does not fill the audit"


def test_output_goes_with_its_task(little: Little, task: int) -> None:
    little.call(TellOutput(task=task, piece="a", text="one\n"), TAG)
    little.call(RemoveRobot(robot=TAG), "red commander")

    with little.service.store.reading() as transaction:
        assert transaction.all(outputs.select()) == []
