"""Who asks for what comes next may wait for it at the station: answered when it happens, and holding up nobody."""

from __future__ import annotations

import asyncio
import shutil
import signal
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic

import pytest

from kumi.station.answers import Notices
from kumi.station.callers import STATION
from kumi.station.client import Client
from kumi.station.requests import Audit, DoneNotices, Events, GiveTask, RevokeTokens, Stop
from kumi.station.service import news
from tests.station.conftest import Little
from tests.station.processes import free_port, running

Template = tuple[Path, dict[str, str], dict[str, str]]
ROBOT = "red robot"
GO = GiveTask(robot=ROBOT, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}})
LONG = 30.0


def told(little: Little, story: Callable[[int], Awaitable[None]]) -> None:
    """Tell a story that begins at the end of the log; nothing of it takes as long as a wait."""

    async def run() -> None:
        end = await little.service.call(DoneNotices(after=2**53), little.caller("red commander"))
        async with asyncio.timeout(LONG / 2):
            await story(end.last)

    asyncio.run(run())


async def rows(little: Little) -> int:
    """Return how often it was asked what ended."""
    asked = await little.service.call(Audit(limit=1000, words="done_notices"), STATION)
    return len(asked.entries)


def test_the_answer_comes_when_a_task_ends_and_is_one_entry_of_the_audit(little: Little) -> None:
    async def story(end: int) -> None:
        red = little.caller("red commander")
        before = await rows(little)
        waiting = asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), red))
        given = await little.service.call(GO, red)
        await asyncio.sleep(0.2)
        assert not waiting.done(), "a task that was given has not ended"
        await little.service.call(Stop(robot=ROBOT), red)
        assert [one.id for one in (await waiting).tasks] == [given.task]
        assert await rows(little) == before + 1

    told(little, story)


def test_what_concerns_others_is_not_waited_for(little: Little) -> None:
    async def story(end: int) -> None:
        blue = little.caller("blue commander")
        ended = asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), blue))
        happened = asyncio.ensure_future(little.service.call(Events(after=end, wait=LONG), blue))
        await little.service.call(GO, little.caller("red commander"))
        await little.service.call(Stop(robot=ROBOT), little.caller("red commander"))
        await asyncio.sleep(0.2)
        assert not ended.done()
        assert not happened.done()
        little.service.news.end()
        assert (await ended).tasks == ()
        assert (await happened).happenings == ()

    told(little, story)


def test_where_nothing_happens_the_answer_comes_after_the_time_asked_for(little: Little) -> None:
    async def story(end: int) -> None:
        begun = monotonic()
        found = await little.service.call(DoneNotices(after=end, wait=0.3), little.caller("red commander"))
        assert monotonic() - begun >= 0.3
        assert (found.tasks, found.last) == ((), end)

    told(little, story)


def test_who_is_behind_is_answered_at_once(little: Little) -> None:
    async def story(_: int) -> None:
        red = little.caller("red commander")
        assert (await little.service.call(Events(after=0, wait=LONG), red)).happenings
        assert (await little.service.call(Events(after=2**53, wait=LONG), red)).last < 2**53

    told(little, story)


def test_a_stop_does_not_wait_for_those_who_wait(little: Little) -> None:
    """A hundred wait, many more than there are threads."""

    async def story(end: int) -> None:
        red, observer = little.caller("red commander"), little.caller("red observer")
        waiting = [
            asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), observer))
            for _ in range(100)
        ]
        await asyncio.sleep(0.5)
        await little.service.call(Stop(robot=ROBOT), red)
        assert not any(one.done() for one in waiting)
        little.service.news.end()
        await asyncio.gather(*waiting)

    told(little, story)


def test_too_many_do_not_wait(little: Little, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "MOST_WAITING", 0)

    async def story(end: int) -> None:
        asked = DoneNotices(after=end, wait=LONG)
        assert (await little.service.call(asked, little.caller("red commander"))).tasks == ()

    told(little, story)


def test_who_lost_the_right_hears_no_more(little: Little) -> None:
    async def story(end: int) -> None:
        red = little.caller("red commander")
        waiting = asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), red))
        await asyncio.sleep(0.1)
        await little.service.call(RevokeTokens(name="red commander"), STATION)
        assert (await waiting).tasks == ()

    told(little, story)


def test_a_station_that_shuts_down_answers_those_who_wait(template: Template, tmp_path: Path) -> None:
    shutil.copy(template[0], tmp_path / "station.db")
    answers: list[Notices] = []
    with (
        running(tmp_path, free_port()) as station,
        Client(station.url, template[1]["red commander"], timeout=60.0) as client,
    ):
        end = client.call(DoneNotices(after=2**53)).last

        def ask() -> None:
            answers.append(client.call(DoneNotices(after=end, wait=LONG)))

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(0.5)
        assert not answers
        station.process.send_signal(signal.SIGINT)
        thread.join(LONG / 2)
        assert [one.tasks for one in answers] == [()]
        station.process.wait(LONG)
