"""The logs of a station keep their newest entries, and whoever missed some is told so."""

from __future__ import annotations

import pytest
import sqlalchemy as sql

from kumi.station.callers import STATION
from kumi.station.operations.log import Audit, Events
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask, RequestTask, TaskDone
from kumi.station.process import StationSettings
from kumi.station.store.retention import ENTRIES_PER_TRANSACTION, forget
from kumi.station.store.schema import audit, happenings, tasks
from tests.station.conftest import Little

TAG = "red robot"
GO = GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}})


def count(little: Little, table: sql.Table) -> int:
    """Return how many rows a table has."""
    with little.service.store.reading() as transaction:
        return transaction.connection.execute(sql.select(sql.func.count()).select_from(table)).scalar() or 0


def test_the_newest_entries_stay_and_a_late_reader_hears_how_many_it_missed(little: Little) -> None:
    given = [little.call(GO, "red commander").task for _ in range(20)]
    for task in given[:10]:
        little.call(RequestTask(), TAG)
        little.call(TaskDone(task=task), TAG)
    everything = little.call(Events(limit=1000), STATION)
    assert everything.forgotten == 0

    while little.service.store.write(lambda it: forget(it, 5)).result():
        pass
    little.service.store.write(lambda it: forget(it, 5)).result()

    kept = little.call(Events(limit=1000), STATION)
    assert [one.id for one in kept.happenings] == [one.id for one in everything.happenings][-5:]
    assert kept.forgotten == everything.last - 5
    assert little.call(Events(after=everything.last), STATION).forgotten == 0
    assert count(little, happenings) == 5
    audited = little.call(Audit(limit=1000), STATION).entries
    assert count(little, audit) <= 5 + 5, "the calls since then are there, too"
    assert [one.id for one in audited] == sorted(one.id for one in audited)


def test_tasks_that_have_not_ended_are_never_forgotten(little: Little) -> None:
    given = [little.call(GO, "red commander").task for _ in range(30)]
    little.call(RequestTask(), TAG)
    little.call(TaskDone(task=given[0]), TAG)
    for _ in range(3):
        little.service.store.write(lambda it: forget(it, 1)).result()

    found = little.call(MonitorRobot(robot=TAG), "red commander")
    assert [found.task.id if found.task else 0, *(one.id for one in found.waiting)] == given[1:]
    assert count(little, tasks) in (29, 30)


def test_much_is_forgotten_some_at_a_time(little: Little) -> None:
    row = {"at": 0.0, "who": "x", "operation": "x", "about": "", "outcome": ""}
    little.service.store.write(
        lambda it: it.run(audit.insert(), [row] * (ENTRIES_PER_TRANSACTION + 500))
    ).result()

    assert little.service.store.write(lambda it: forget(it, 100)).result()
    assert not little.service.store.write(lambda it: forget(it, 100)).result()
    assert count(little, audit) == 100


def test_a_station_that_would_keep_almost_nothing_is_refused(tmp_path: object) -> None:
    with pytest.raises(ValueError, match="keeps 1000 entries of its logs at least, not 10"):
        StationSettings(tmp_path, keep=10)  # type: ignore[arg-type]
