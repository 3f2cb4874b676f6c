"""Who asks for what comes next may wait for it at the station: answered when it happens, and holding up nobody."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

import msgspec
import pytest

from kumi.station.callers import STATION
from kumi.station.client import Client
from kumi.station.operations.log import LONGEST_WAIT, Audit, DoneNotices, Events, Notices
from kumi.station.operations.people import RevokeTokens
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask
from kumi.station.service import news
from tests.station.conftest import Little
from tests.station.processes import running
from tests.waiting import PATIENCE, free_port, until

Template = tuple[Path, dict[str, str], dict[str, str]]
ROBOT = "red robot"
GO = GiveTask(robot=ROBOT, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}})
LONG = 3600.0
"""Seconds to wait: longer than any test lasts."""


def told(little: Little, story: Callable[[int], Awaitable[None]]) -> None:
    """Tell a story that begins at the end of the log; nothing of it takes as long as a wait."""

    async def run() -> None:
        end = await little.service.call(DoneNotices(after=2**53), little.caller("red commander"))
        async with asyncio.timeout(PATIENCE):
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
        all_news = asyncio.ensure_future(little.service.call(Events(after=end, wait=LONG), red))
        await until(lambda: little.service.news.count == 2)
        given = await little.service.call(GO, red)
        assert [one.kind for one in (await all_news).happenings] == ["task_given"]
        assert not waiting.done(), "a task that was given has not ended"
        await little.service.call(Stop(robot=ROBOT), red)
        assert [one.id for one in (await waiting).tasks] == [given.task]
        assert await rows(little) == before + 1

    told(little, story)


def test_what_concerns_others_is_not_waited_for(little: Little) -> None:
    async def story(end: int) -> None:
        blue, red = little.caller("blue commander"), little.caller("red commander")
        ended = asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), blue))
        happened = asyncio.ensure_future(little.service.call(Events(after=end, wait=LONG), blue))
        own = asyncio.ensure_future(little.service.call(DoneNotices(after=end, wait=LONG), red))
        await until(lambda: little.service.news.count == 3)
        given = await little.service.call(GO, red)
        await little.service.call(Stop(robot=ROBOT), red)
        assert [one.id for one in (await own).tasks] == [given.task]
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
        await until(lambda: little.service.news.count == 100)
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
        await until(lambda: little.service.news.count == 1)
        await little.service.call(RevokeTokens(name="red commander"), STATION)
        assert (await waiting).tasks == ()

    told(little, story)


@pytest.mark.slow
def test_a_station_that_shuts_down_answers_those_who_wait(template: Template, tmp_path: Path) -> None:
    """Who asked before it was told to end is answered, though not by what was waited for."""
    shutil.copy(template[0], tmp_path / "station.db")
    token, port = template[1]["red commander"], free_port()
    asking = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with running(tmp_path, port) as station, Client(station.url, token, timeout=PATIENCE) as client:
        asked = DoneNotices(after=client.call(DoneNotices(after=2**53)).last, wait=LONGEST_WAIT)
        words = msgspec.json.encode(asked), {"Authorization": f"Bearer {token}"}
        asking.request("POST", "/v1/done_notices", *words)
        for _ in range(2):
            client.call(MonitorRobot(robot=ROBOT))  # one that came later is answered: the first was heard
        station.process.send_signal(signal.SIGINT)
        answer = msgspec.json.decode(asking.getresponse().read(), type=Notices)
        asking.close()
        assert answer.tasks == ()
        station.process.wait(PATIENCE)
