"""Robots and station over a carrier: in one process, and over Zenoh. Nobody else gets a word in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.station.entering.session import NotLetIn, StationSession
from kumi.station.operations.robots import MonitorRobot, Welcome, Welcomed
from kumi.station.operations.tasks import GiveTask, RequestTask, Stop, TaskDone
from kumi.station.records import PoseRecord
from kumi.station.refusals import Refused
from kumi.station.service.robot_sessions import Sessions
from kumi.station.store.schema import robots as robots_table
from kumi.station.wire import messages as talk
from kumi.station.wire import zenoh_carrier
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.in_process_carrier import CarrierHub, InsideCarrier, matches
from kumi.station.wire.sealing import WINDOW, Forged, Opener, Sealer
from kumi.station.wire.zenoh_carrier import Outbox, ZenohCarrier
from tests.station.conftest import GO_TO, Little
from tests.waiting import PATIENCE, free_port, until

TAG = "red robot"
Opened = Callable[[], Awaitable[tuple[Carrier, Carrier]]]


async def inside() -> tuple[Carrier, Carrier]:
    """Two carriers of one process."""
    hub = CarrierHub()
    return InsideCarrier(hub), InsideCarrier(hub)


async def zenoh() -> tuple[Carrier, Carrier]:
    """Two carriers over a real socket."""
    endpoint = f"tcp/127.0.0.1:{free_port()}"
    return await ZenohCarrier.listening(endpoint), await ZenohCarrier.connected(endpoint)


carriers = pytest.mark.parametrize("opened", [inside, zenoh])


class Entered:
    """A robot that wrote down what it was told."""

    def __init__(self, carrier: Carrier, key: str, welcome: Callable[[], Welcome] = Welcome) -> None:
        self.told: list[talk.RobotNotice] = []
        self.welcomes: list[Welcomed] = []
        self.lost = 0
        self.session = StationSession(
            carrier, TAG, key, welcome, entered=self._enter, told=self.told.append, lost=self._lose
        )

    def _lose(self) -> None:
        self.lost += 1

    async def _enter(self, welcomed: Welcomed) -> None:
        self.welcomes.append(welcomed)


def wired(
    little: Little, opened: Opened, story: Callable[[Entered, Sessions, Carrier], Awaitable[None]]
) -> None:
    """Tell a story of one robot that runs beside its station."""

    async def run() -> None:
        stations, robots = await opened()
        sessions = little.let_in(stations)
        robot = Entered(robots, little.keys[TAG], lambda: Welcome(options=(GO_TO,)))
        tasks = [asyncio.ensure_future(sessions.run()), asyncio.ensure_future(robot.session.run())]
        try:
            await until(lambda: robot.session.is_in or any(task.done() for task in tasks))
            await story(robot, sessions, robots)
        finally:
            for task in tasks:
                if not task.cancel():
                    task.result()
            await asyncio.gather(*tasks, return_exceptions=True)
            await robots.close()
            await stations.close()

    asyncio.run(run())


async def ask(little: Little, request: Any, by: str = "red commander") -> Any:
    """Call the service as a user."""
    return await little.service.call(request, little.caller(by))


def position(little: Little) -> float | None:
    """Return where the store has the robot."""
    with little.service.store.reading() as transaction:
        row = transaction.one(robots_table.select().where(robots_table.c.tag == TAG))
    assert row is not None
    return row.x  # type: ignore[no-any-return]


GO = GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 2.0}})


@carriers
def test_a_robot_hears_of_a_task_does_it_and_is_heard(little: Little, opened: Opened) -> None:
    async def story(robot: Entered, sessions: Sessions, _: Carrier) -> None:
        given = await ask(little, GO)
        await until(lambda: talk.TasksChanged() in robot.told)
        task = (await robot.session.call(RequestTask())).task
        assert task is not None
        assert (task.id, task.arguments) == (given.task, {"at": {"x": 1.0, "y": 2.0}})
        robot.session.tell_position(PoseRecord(x=1.0, y=2.0), {"battery": 0.5})
        assert (await robot.session.call(TaskDone(task=task.id))).task is None
        await until(lambda: position(little) is not None)
        monitor = await ask(little, MonitorRobot(robot=TAG))
        assert monitor.robot.pose == PoseRecord(x=1.0, y=2.0)
        assert monitor.values == {"battery": 0.5}
        assert sessions.forged == 0

    wired(little, opened, story)


@carriers
def test_a_stop_reaches_the_robot_before_anything_is_written(little: Little, opened: Opened) -> None:
    async def story(robot: Entered, _: Sessions, __: Carrier) -> None:
        await ask(little, GO)
        await until(lambda: robot.told == [talk.TasksChanged()])
        await ask(little, Stop(robot=TAG))
        await until(lambda: len(robot.told) >= 3)
        assert robot.told[1] == talk.HaltNow()

    wired(little, opened, story)


@carriers
def test_a_refusal_reaches_the_robot_as_its_sentence(little: Little, opened: Opened) -> None:
    async def story(robot: Entered, _: Sessions, __: Carrier) -> None:
        with pytest.raises(Refused, match="there is no task 77 of yours"):
            await robot.session.call(TaskDone(task=77))

    wired(little, opened, story)


def test_a_robot_with_a_wrong_key_is_not_let_in(little: Little) -> None:
    async def run() -> None:
        stations, robots = await inside()
        little.let_in(stations)
        with pytest.raises(NotLetIn, match="its key is wrong"):
            await StationSession(robots, TAG, "guessed", Welcome).run()

    asyncio.run(run())


def test_a_station_that_does_not_know_the_key_is_not_believed(little: Little) -> None:
    """Whoever answers must prove that it knows the robot's key, or the robot stays outside."""

    async def run() -> None:
        stations, robots = await inside()
        lies: list[str] = []

        async def lie(asked: str, _: bytes) -> bytes:
            lies.append(asked)
            return msgspec.msgpack.encode(talk.EnteredStation(1, "liar", 0, b"0" * 16, b"0" * 16))

        stations.serve(talk.ENTER, lie)
        session = StationSession(robots, TAG, little.keys[TAG], Welcome)
        running = asyncio.ensure_future(session.run())
        await until(lambda: len(lies) == 2)  # it did not believe the first one: it asks again
        assert not session.is_in
        running.cancel()

    asyncio.run(run())


def test_words_of_others_and_old_words_are_dropped(little: Little) -> None:
    """A stranger cannot stop a robot nor place it; a recorded stop cannot be played again."""

    async def story(robot: Entered, sessions: Sessions, carrier: Carrier) -> None:
        key = talk.tell_key(sessions.controller, TAG)
        heard: list[bytes] = []
        carrier.listen(key, lambda _, sealed: heard.append(sealed))
        carrier.publish(key, b"stop")
        carrier.publish(
            key, Sealer(b"x" * 32, talk.STATION).seal("tell", msgspec.msgpack.encode(talk.HaltNow()))
        )
        carrier.publish(talk.pose_key(sessions.controller, TAG), b"nonsense")
        carrier.publish(talk.pose_key(sessions.controller, "nobody"), b"nonsense")
        await until(lambda: sessions.forged == 2)
        sessions.halt(TAG)
        await until(lambda: bool(robot.told))
        assert robot.told == [talk.HaltNow()]
        carrier.publish(key, heard[-1])
        await ask(little, GO)
        await until(lambda: talk.TasksChanged() in robot.told)
        assert robot.told == [talk.HaltNow(), talk.TasksChanged()]

    wired(little, inside, story)


@pytest.mark.slow
def test_a_robot_that_hears_no_pulse_is_told_and_comes_back(little: Little) -> None:
    async def run() -> None:
        hub = CarrierHub()
        stations, robots = InsideCarrier(hub), InsideCarrier(hub)
        pulse = asyncio.ensure_future(little.let_in(stations).run())
        robot = Entered(robots, little.keys[TAG])
        running = asyncio.ensure_future(robot.session.run())
        await until(lambda: robot.session.is_in)
        pulse.cancel()
        await stations.close()
        await until(lambda: robot.lost == 1)
        assert not robot.session.is_in

        again = InsideCarrier(hub)
        pulse = asyncio.ensure_future(little.let_in(again).run())
        await until(lambda: robot.session.is_in)
        assert len(robot.welcomes) == 2
        for task in (pulse, running):
            task.cancel()
        await asyncio.gather(pulse, running, return_exceptions=True)

    asyncio.run(run())


@given(st.lists(st.integers(0, 50), max_size=60))
def test_each_message_is_opened_once_in_any_order(order: list[int]) -> None:
    sealer, opener = Sealer(b"k" * 32, b"a"), Opener(b"k" * 32, b"a")
    sealed = [sealer.seal("s", bytes([number])) for number in range(51)]
    seen: set[int] = set()
    for number in order:
        if number in seen:
            with pytest.raises(Forged, match="was there before"):
                opener.open("s", sealed[number])
        else:
            assert opener.open("s", sealed[number]) == bytes([number])
        seen.add(number)


@given(st.binary(max_size=80), st.integers(0, 79))
def test_no_changed_byte_goes_through(body: bytes, place: int) -> None:
    sealed = bytearray(Sealer(b"k" * 32, b"a").seal("s", body))
    sealed[place % len(sealed)] ^= 1

    with pytest.raises(Forged):
        Opener(b"k" * 32, b"a").open("s", bytes(sealed))
    for key, side, subject in ((b"k", b"b", "s"), (b"k", b"a", "t"), (b"l", b"a", "s")):
        with pytest.raises(Forged):
            Opener(key * 32, side).open(subject, Sealer(b"k" * 32, b"a").seal("s", body))


def test_what_is_remembered_stays_small() -> None:
    sealer, opener = Sealer(b"k" * 32, b"a"), Opener(b"k" * 32, b"a")
    first = sealer.seal("s", b"")
    for _ in range(3 * WINDOW):
        opener.open("s", sealer.seal("s", b""))

    assert opener._seen.bit_length() <= WINDOW
    with pytest.raises(Forged, match="was there before"):
        opener.open("s", first)


def test_a_star_stands_for_one_word() -> None:
    assert matches("kumi/*/pose", "kumi/a/pose")
    assert not matches("kumi/*/pose", "kumi/a/b/pose")
    assert not matches("kumi/*", "kumi/a/b")


def test_a_send_that_waits_holds_nobody_up_and_those_after_it_keep_their_order() -> None:
    """The first word is not taken in: whoever puts others down goes on at once, and they follow it."""
    outbox, taken, sent = Outbox(), threading.Event(), list[int]()
    outbox.put(lambda: taken.wait(PATIENCE))
    for number in range(4):
        outbox.put(partial(sent.append, number))
    before = list(sent)
    taken.set()
    outbox.close()

    assert (before, sent) == ([], [0, 1, 2, 3])


@pytest.mark.slow
def test_a_call_that_is_cancelled_while_its_answer_comes_is_cancelled() -> None:
    """Whoever stays until cancelled would stay for ever if the answer swallowed that."""

    async def echo(_: str, payload: bytes) -> bytes:
        return payload

    async def story() -> list[object]:
        station, robot = await zenoh()
        station.serve("kumi/call/here/echo", echo)
        assert await robot.call("kumi/call/here/echo", b"there", PATIENCE) == b"there"
        ends: list[object] = []
        for number in range(300):
            call = asyncio.ensure_future(robot.call("kumi/call/here/echo", b"again", PATIENCE))
            await asyncio.sleep(0.00001 * number)
            if call.cancel():
                ends += await asyncio.gather(call, return_exceptions=True)
        await robot.close()
        await station.close()
        return ends

    ends = asyncio.run(story())
    assert ends
    assert {type(end) for end in ends} == {asyncio.CancelledError}


def test_nothing_is_left_of_a_carrier_that_is_closed_while_others_do_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No task, though nobody answers yet, and no thread that sends."""
    asked, answered = threading.Event(), threading.Event()

    def open_late(_: str) -> None:
        asked.set()
        answered.wait(PATIENCE)

    async def story() -> tuple[int, int]:
        carrier = await ZenohCarrier.listening(f"tcp/127.0.0.1:{free_port()}")
        monkeypatch.setattr(zenoh_carrier, "open_client", open_late)
        carrier.know(("tcp/127.0.0.1:9",))
        await until(asked.is_set)
        opening = len(asyncio.all_tasks())
        await carrier.close()
        await asyncio.sleep(0)  # who is cancelled ends at its next turn
        left = len(asyncio.all_tasks())
        answered.set()
        return opening, left

    before = threading.active_count()
    assert asyncio.run(story()) == (2, 1)
    assert threading.active_count() == before
