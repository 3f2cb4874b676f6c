"""A station that keeps all in PostgreSQL: a real server, which is killed, too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kumi.station.client import Client, StationGone
from kumi.station.operation import Operation, Who
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import ListObjects, MarkObject, StoreFile
from kumi.station.operations.log import Events
from kumi.station.operations.robots import MonitorRobot, write_positions
from kumi.station.operations.tasks import GiveTask
from kumi.station.positioning.positioning import LastReport
from kumi.station.records import Happens, PlaceRecord, PoseRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.store.retention import forget
from kumi.station.store.schema import COMMITS, facts
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import LogNotice
from tests.station.conftest import Little, furnished, hashed_quickly
from tests.station.postgres import MISSING, Server, server
from tests.station.processes import running
from tests.station.test_rights import VALUES, refusal, request_for
from tests.waiting import PATIENCE, free_port, wait_for

pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


@pytest.fixture(scope="module")
def database() -> Iterator[Server]:
    with server() as one:
        yield one


@pytest.fixture(scope="module")
def kept(database: Server) -> Iterator[Little]:
    """A small station in the database."""
    store = StationStore(database.url)
    with hashed_quickly():
        little = furnished(store)
    yield little
    store.close()


def test_every_operation_is_carried_out(kept: Little) -> None:
    """Each is done, or refused for what it is about, but never for the database."""
    given = kept.call(GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}}), "chief")
    stored = kept.call(StoreFile(name="film.mp4", content=b"film"), "red robot")
    things = VALUES | {"robot": "red robot", "team": "red", "task": given.task, "medium": stored.medium}
    tried = {one.name: _reason(kept, one, things) for one in OPERATIONS if one.name not in LAST}

    assert set(tried.values()) <= {None, Reason.CONFLICT, Reason.UNKNOWN, Reason.INVALID}
    done = {name for name, reason in tried.items() if reason is None}
    assert {"give_task", "report_position", "measure", "events", "get_layer", "set_map"} <= done


def test_places_of_many_robots_are_written_in_one_statement_and_old_entries_go(kept: Little) -> None:
    places = {
        f"{team} robot": LastReport(PoseRecord(x=1.5, y=-2.0, heading=0.25), {"level": "a \\ 'b'"}, 1.0)
        for team in ("red", "blue")
    }
    kept.service.store.write(lambda it: write_positions(it, places)).result()
    while kept.service.store.write(lambda it: forget(it, 3)).result():
        pass

    found = kept.call(MonitorRobot(robot="blue robot"), "chief")
    assert (found.robot.pose, found.values) == (places["blue robot"].pose, places["blue robot"].values)
    told = kept.call(Events(limit=1000), "chief")
    assert len(told.happenings) <= 3
    assert told.forgotten > 0


LAST = ("log_in", "log_out", "remove_robot", "revoke_tokens")
"""Operations after which others would be refused, and the one that is slow."""


def _reason(kept: Little, operation: Operation, things: dict[str, object]) -> Reason | None:
    caller = "red robot" if operation.who is Who.ROBOT else "chief"
    return refusal(kept, request_for(operation, things), caller)


def test_what_the_database_cannot_hold_is_refused_as_such(kept: Little) -> None:
    with pytest.raises(Refused, match="cannot keep that") as caught:
        kept.call(MarkObject(name="a\0b", at=PlaceRecord(x=0.0, y=0.0)), "red robot")

    assert caught.value.reason is Reason.INVALID
    kept.call(MarkObject(name="ab", at=PlaceRecord(x=0.0, y=0.0)), "red robot")


def test_each_process_hears_all_in_one_order(kept: Little, database: Server) -> None:
    hear_each_other(database.url)


def test_each_process_hears_all_in_one_order_in_a_file(tmp_path: Path) -> None:
    hear_each_other(f"sqlite:///{tmp_path / 'station.db'}")


EACH = 40


class Listener:
    """A store that writes and hears at once."""

    def __init__(self, url: str) -> None:
        self.heard: list[int] = []
        self.is_done = threading.Event()
        self.store = StationStore(url)
        self.store.listen(self._hear)
        self.store.follow()
        self.thread = threading.Thread(target=self._write)

    def _hear(self, told: list[LogNotice]) -> None:
        self.heard.extend(one.id for one in told)
        if len(self.heard) == 2 * EACH:
            self.is_done.set()

    def _write(self) -> None:
        for _ in range(EACH):
            self.store.write(lambda it: it.tell(Happens.MAP_CHANGED, team=None)).result()


def hear_each_other(url: str) -> None:
    """Two stores write at once; both hear every word of both, in the order of the log."""
    both = [Listener(url), Listener(url)]
    for one in both:
        one.thread.start()
    for one in both:
        assert one.is_done.wait(PATIENCE)
        one.thread.join()
        one.store.close()

    assert both[0].heard == both[1].heard == sorted(set(both[0].heard))


@pytest.mark.slow
def test_what_was_promised_is_there_after_the_server_was_killed(
    kept: Little, database: Server, tmp_path: Path
) -> None:
    """While the server is away calls are refused at once; when it is back, the station goes on by itself."""
    promised: list[int] = []
    refusals: list[Refused] = []
    enough, away = threading.Event(), threading.Event()

    def give(url: str) -> None:
        with Client(url, kept.tokens["chief"], timeout=PATIENCE) as client:
            for number in range(10_000):
                try:
                    task = GiveTask(
                        robot="blue robot",
                        task="goTo",
                        arguments={"at": {"x": 0, "y": 0}},
                        request=str(number),
                    )
                    promised.append(client.call(task).task)
                except Refused as refused:
                    refusals.append(refused)
                    away.set()
                except StationGone:
                    return
                if len(promised) >= 5:
                    enough.set()
                if over.is_set():
                    return

    over = threading.Event()
    with running(tmp_path, free_port(), "--store", database.url) as station:
        thread = threading.Thread(target=give, args=(station.url,))
        thread.start()
        assert enough.wait(PATIENCE), refusals[:3]
        database.kill()
        assert away.wait(PATIENCE)
        database.start()
        count = len(promised)
        with Client(station.url, kept.tokens["chief"], timeout=PATIENCE) as client:

            def is_back() -> bool:
                with suppress(Refused):
                    client.call(ListObjects())
                    return True
                return False

            wait_for(is_back)
            over.set()
            thread.join(PATIENCE)
            monitor = client.call(MonitorRobot(robot="blue robot"))

    assert count >= 5
    assert {one.reason for one in refusals} == {Reason.UNAVAILABLE}
    still_open = {one.id for one in monitor.waiting} | ({monitor.task.id} if monitor.task else set())
    assert set(promised) <= still_open


def test_a_server_that_was_set_back_is_told(database: Server, tmp_path: Path) -> None:
    """The number of the last commit is kept in the station's own folder; what is accepted is told no more."""
    store = StationStore(database.url, folder=tmp_path / "own")
    store.write(lambda it: it.tell(Happens.MAP_CHANGED, team=None)).result()
    back = facts.update().where(facts.c.name == COMMITS).values(value="1")
    with store._writers.begin() as connection:
        connection.execute(back)
    store.close()

    for _ in range(2):
        with pytest.raises(OSError, match="its end is lost: it has 1 commits, and had"):
            StationStore(database.url, folder=tmp_path / "own")
    StationStore(database.url, folder=tmp_path / "own", accept_damage=True).close()
    StationStore(database.url, folder=tmp_path / "own").close()


def test_a_server_without_checksums_is_told_of(database: Server, caplog: pytest.LogCaptureFixture) -> None:
    StationStore(database.url).close()

    assert "has no checksums" in caplog.text
