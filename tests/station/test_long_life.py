"""A year of a station in some minutes: what it keeps on disk and in memory stays bounded, and nothing is lost that is to stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sql

from kumi.station.callers import STATION
from kumi.station.operations.log import Events
from kumi.station.operations.people import LogIn
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask, RequestTask, TaskDone
from kumi.station.service.service import Service
from kumi.station.store.retention import forget
from kumi.station.store.schema import audit, happenings, tasks
from kumi.station.store.store import StationStore
from tests.station.conftest import PASSWORD, Little
from tests.station.fray import TAG, Template, go

DAYS, TASKS_A_DAY = 365, 24
KEEP = 2000
MIB = 1024 * 1024


def test_a_number_of_entries_is_what_stays() -> None:
    """A year has many times more entries than are kept; else the test of it would try nothing."""
    assert DAYS * TASKS_A_DAY > 4 * KEEP


@pytest.mark.slow
def test_a_year_of_tasks_leaves_store_and_memory_as_a_quarter_did(
    template: Template, little: Little, resident: Callable[[], int]
) -> None:
    """Two dozen tasks a day are given, done and told of; at the end all is as large as after three months."""
    little.service.store.close()
    path, wall = Path(little.service.store.url.removeprefix("sqlite:///")), [1.8e9]
    store = StationStore(little.service.store.url, clock=lambda: wall[0])
    little = Little(Service(store), dict(template[1]), dict(template[2]))
    sizes: list[tuple[int, int]] = []
    last = done = 0
    for day in range(DAYS):
        wall[0] += 86400.0
        little.tokens["red commander"] = little.call(LogIn(name="red commander", password=PASSWORD)).token
        done += asyncio.run(one_day(little, [go(float(number)) for number in range(TASKS_A_DAY)]))
        told = little.call(Events(after=last, limit=1000), STATION)
        assert told.forgotten == 0, "a reader who comes every day misses nothing"
        last = told.last
        while store.write(lambda it: forget(it, KEEP)).result():
            pass
        if day in (DAYS // 4, DAYS - 1):
            sizes.append((path.stat().st_size, resident()))
    with store.reading() as transaction:
        counts = [
            transaction.connection.execute(sql.select(sql.func.count()).select_from(table)).scalar_one()
            for table in (audit, happenings, tasks)
        ]
    seen = little.call(MonitorRobot(robot=TAG), "red commander")
    store.close()

    (file, memory), (file_after, memory_after) = sizes
    assert done == DAYS * TASKS_A_DAY
    assert seen.task is None
    assert seen.waiting == ()
    assert all(count <= KEEP + 200 for count in counts)
    assert file_after < 1.1 * file
    assert memory_after - memory < 8 * MIB
    opened = StationStore(little.service.store.url)
    opened.close()


async def one_day(little: Little, given: list[GiveTask]) -> int:
    """Give a robot tasks, which it does one after the other; return how many it did."""
    user, robot = little.caller("red commander"), little.caller(TAG)
    await asyncio.gather(*(little.service.call(one, user) for one in given))
    task = (await little.service.call(RequestTask(), robot)).task
    done = 0
    while task is not None:
        task = (await little.service.call(TaskDone(task=task.id, outcome="done"), robot)).task
        done += 1
    return done
