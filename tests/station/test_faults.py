"""Things that break around a station: its disk, its clients, its clock, its network, its robots and itself.

KUMI_ROUNDS sets the number of faults at random moments; give `-o faulthandler_timeout=0`, too, where there are many.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from kumi.devs.chance import stream
from kumi.station.callers import STATION
from kumi.station.client import Client
from kumi.station.entering.session import StationSession
from kumi.station.gateway.half_sent import MOST_HALF_SENT
from kumi.station.operations.finds import GetMedium, StoreFile
from kumi.station.operations.log import DoneNotices, Events
from kumi.station.operations.people import Hello
from kumi.station.operations.robots import ListRobots, MonitorRobot, Welcome
from kumi.station.operations.tasks import RequestTask, TaskDone
from kumi.station.refusals import Reason, Refused
from kumi.station.service.presence import Presence
from kumi.station.service.service import Service
from kumi.station.store.store import StationStore
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from tests.station.conftest import GO_TO, Little
from tests.station.fray import TAG, Fray, Template, go
from tests.station.processes import running
from tests.waiting import PATIENCE, free_port, until

ROUNDS = int(os.environ.get("KUMI_ROUNDS", "5"))
MIB = 1024 * 1024


@pytest.fixture
def folder(template: Template, tmp_path: Path) -> Path:
    """A folder with a small station."""
    shutil.copy(template[0], tmp_path / "station.db")
    return tmp_path


@pytest.mark.slow
def test_a_full_disk_is_said_and_what_was_promised_stays(folder: Path, template: Template) -> None:
    """Files may not grow: calls are refused in words, reading goes on, and all works when there is room again."""
    key = f"robot:{TAG}:{template[2][TAG]}"
    with running(folder, free_port()) as station, Client(station.url, key) as robot:
        pid, free = station.process.pid, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4 * MIB, resource.RLIM_INFINITY))
        kept: list[int] = []

        def fill() -> None:
            for number in range(20):
                file = StoreFile(name=f"{number}", content=bytes([number]) * MIB)
                kept.append(robot.call(file).medium)

        with pytest.raises(Refused, match="the store cannot be used now") as caught:
            fill()
        assert caught.value.reason is Reason.UNAVAILABLE
        with Client(station.url, template[1]["red commander"]) as user:
            assert 0 < len(kept) < 20
            assert user.call(Hello()).name == "kumi"

            resource.prlimit(pid, resource.RLIMIT_FSIZE, free)
            kept.append(robot.call(StoreFile(name="after", content=b"x" * MIB)).medium)
            assert [len(user.call(GetMedium(medium=one)).content) for one in kept] == [MIB] * len(kept)


@pytest.mark.slow
def test_clients_that_never_read_or_never_end_hinder_nobody(folder: Path, template: Template) -> None:
    with running(folder, free_port()) as station, ExitStack() as stack:
        port = int(station.url.rpartition(":")[2])
        for said in (
            b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 500,
            b"POST /v1/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{",
            b"POST /v1/hello HTTP/1.1\r\nHo",
            b"\x00\xff nonsense \r\n\r\n",
            b"POST /v1/hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ):
            for _ in range(5):
                one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                one.setblocking(False)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.send(said)
        with Client(station.url, template[1]["red commander"], timeout=PATIENCE) as user:
            for number in range(20):
                user.call(go(float(number)))
            assert len(user.call(MonitorRobot(robot=TAG)).waiting) == 20
        station.process.send_signal(signal.SIGTERM)
        station.process.wait(PATIENCE)


@pytest.mark.slow
def test_connections_half_sent_are_bounded_and_the_oldest_is_closed(folder: Path, template: Template) -> None:
    """However many hold back the rest of their request, others are served, and the newest keep theirs."""
    half = (b"", b"POST /v1/hello HT", b"POST /v1/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
    with running(folder, free_port()) as station, ExitStack() as stack:
        port = int(station.url.rpartition(":")[2])
        sockets = []
        for number in range(MOST_HALF_SENT + 60):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            one.sendall(half[number % len(half)])
            sockets.append(one)
        for one in sockets[:50]:
            with suppress(ConnectionError):
                assert one.recv(1000) == b""
        with Client(station.url, template[1]["red commander"], timeout=PATIENCE) as user:
            for number in range(20):
                user.call(go(float(number)))
        newest = sockets[-1]
        rest = {1: b"TP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 2: b"       }"}
        whole = b"POST /v1/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        newest.sendall(rest.get((len(sockets) - 1) % len(half), whole))
        assert newest.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_clock_that_jumps_changes_no_order_and_loses_nobody(folder: Path, template: Template) -> None:
    """The wall clock goes back a day and forward a day; the log's numbers and the silence of robots do not care."""
    wall = [time.time()]
    store = StationStore(f"sqlite:///{folder / 'station.db'}", clock=lambda: wall[0])
    presence = Presence(store, clock=lambda: 0.0)
    little = Little(Service(store, presence=presence), template[1], template[2])
    little.call(Welcome(options=(GO_TO,)), TAG)
    given = []
    for jump in (-86400.0, 2 * 86400.0, -86400.0):
        given.append(little.call(go(1.0), "red commander").task)
        wall[0] += jump
        task = little.call(RequestTask(), TAG).task
        assert task is not None
        little.call(TaskDone(task=task.id), TAG)
        assert presence.look() == []
    told = little.call(Events(limit=1000), STATION).happenings
    notices = little.call(DoneNotices(), "red commander")
    store.close()

    assert [one.id for one in told] == sorted({one.id for one in told})
    assert [one.id for one in notices.tasks] == given
    assert [one.data["task"] for one in told if one.kind == "task_ended"] == given


@pytest.mark.slow
def test_a_network_that_is_cut_and_mended_brings_the_robot_back(folder: Path, template: Template) -> None:
    """No word goes either way for a while: the robot knows, is let in again, and is found."""
    port = free_port()
    with running(folder, free_port(), robots=port) as station:

        async def story() -> None:
            carrier = await ZenohCarrier.connected(f"tcp/127.0.0.1:{port}")
            key, welcome = template[2][TAG], Welcome(options=(GO_TO,))
            session = StationSession(carrier, TAG, key, lambda: welcome)
            task = asyncio.ensure_future(session.run())
            await until(lambda: session.is_in)
            station.process.send_signal(signal.SIGSTOP)
            await until(lambda: not session.is_in)
            station.process.send_signal(signal.SIGCONT)
            await until(lambda: session.is_in)
            assert (await session.call(RequestTask())).task is None
            task.cancel()
            await carrier.close()

        asyncio.run(story())
        with Client(station.url, template[1]["red commander"]) as user:
            robots = {one.tag: one.state for one in user.call(ListRobots()).robots}
            assert robots[TAG] in ("connected", "lost")


@pytest.mark.slow
def test_each_promised_task_is_done_once_whatever_breaks(folder: Path, template: Template) -> None:
    """A robot drives and tasks wait while one fault after the other comes; what was promised is there in the end."""
    chance = stream(8, "fray")
    with ExitStack() as stack:
        fray = Fray(folder, template, chance, stack)
        for number in range(ROUNDS):
            for one in range(2):
                fray.give(f"{number}-{one}")
            time.sleep(chance.uniform(0.0, 0.5))
            fray.faults[number % len(fray.faults)](f"{number}-meanwhile")
        ended = fray.ended()

    assert len(fray.given) >= ROUNDS
    assert {(task, "done") for task in fray.given.values()} <= set(ended)
    assert len({task for task, _ in ended}) == len(ended), "a task ended twice"
