"""Robots and station over a carrier: in one process, and over Zenoh. Nobody else gets a word in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.station.entering import session as session_module
from kumi.station.entering.session import NotLetIn, StationSession
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.operations.robots import MonitorRobot, Welcome, Welcomed
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask, RequestTask, TaskDone
from kumi.station.records import PoseRecord
from kumi.station.refusals import Refused
from kumi.station.service.peers import Peers
from kumi.station.service.robot_sessions import Sessions
from kumi.station.service.service import Service
from kumi.station.store.schema import robots as robots_table
from kumi.station.store.store import StationStore
from kumi.station.unwritten_stop import StopOrder
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
        self.session = StationSession(carrier, TAG, key, welcome, entered=self._enter, told=self.told.append)

    async def _enter(self, welcomed: Welcomed) -> None:
        self.welcomes.append(welcomed)


def wired(
    little: Little, opened: Opened, story: Callable[[Entered, Sessions, Carrier], Awaitable[None]]
) -> None:
    """Tell a story of one robot that runs beside its station."""

    async def run() -> None:
        stations, robots = await opened()
        sessions = little.let_robots_in(stations)
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


HALT = talk.HaltNow("0" * 32, "red commander")
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
        given = await ask(little, GO)
        await until(lambda: robot.told == [talk.TasksChanged()])
        stopped = await ask(little, Stop(robot=TAG))
        assert stopped.is_written
        await until(lambda: len(robot.told) >= 4)
        first, again = (one for one in robot.told if isinstance(one, talk.HaltNow))
        assert (first.by, first.last_task) == ("red commander", None)
        assert (again.stop, again.last_task) == (first.stop, given.task)

    wired(little, opened, story)


@carriers
def test_a_refusal_reaches_the_robot_as_its_sentence(little: Little, opened: Opened) -> None:
    async def story(robot: Entered, _: Sessions, __: Carrier) -> None:
        with pytest.raises(Refused, match="there is no task 77 of yours"):
            await robot.session.call(TaskDone(task=77))

    wired(little, opened, story)


def test_an_unproven_refusal_is_said_once_and_does_not_end_the_robot(little: Little) -> None:
    """Anybody can say that a key is wrong, and a station whose robot's key it is not cannot prove that it is the station."""

    async def run() -> None:
        stations, robots = await inside()
        little.let_robots_in(stations)
        asked, refused = list[str](), list[str]()
        stations.serve(talk.ENTER, lambda key, _: _noted(asked, key))
        session = StationSession(robots, TAG, "guessed", Welcome, refused=refused.append)
        running = asyncio.ensure_future(session.run())
        await until(lambda: len(asked) == 3)
        assert not running.done()
        assert refused == [f"robot '{TAG}' is not enrolled here, or its key is wrong"]
        running.cancel()

    asyncio.run(run())


async def _noted(asked: list[str], key: str) -> bytes:
    asked.append(key)
    return b""


def test_a_refusal_that_the_station_proves_ends_the_robot(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The robot speaks another interface, and the station knows its key."""

    async def run() -> None:
        stations, robots = await inside()
        little.let_robots_in(stations)
        monkeypatch.setattr(session_module, "INTERFACE", 1)
        with pytest.raises(NotLetIn, match="the station speaks interface 3, and the robot 1"):
            await StationSession(robots, TAG, little.keys[TAG], Welcome).run()

    asyncio.run(run())


def test_a_proven_answer_whose_words_were_changed_on_the_way_is_not_believed(little: Little) -> None:
    """Neither a refusal that was put into it, nor another controller, nor another place to call."""
    secret, asked = b"s" * 32, b"n" * 16
    answer = talk.EnteredStation(2, "one", 0, b"o" * 16, b"", "", ("tcp/here:1",))
    proof = answer.proof(secret, asked)
    for changed in (
        {"refused": "go away"},
        {"controller": "two"},
        {"endpoints": ("tcp/there:1",)},
        {"load": 1},
        {"interface": 3},
    ):
        assert msgspec.structs.replace(answer, **changed).proof(secret, asked) != proof
    assert answer.proof(b"t" * 32, asked) != proof != answer.proof(secret, b"m" * 16)


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
        carrier.publish(key, Sealer(b"x" * 32, talk.STATION).seal("tell", msgspec.msgpack.encode(HALT)))
        carrier.publish(talk.pose_key(sessions.controller, TAG), b"nonsense")
        carrier.publish(talk.pose_key(sessions.controller, "nobody"), b"nonsense")
        await until(lambda: sessions.forged == 2)
        sessions.halt(StopOrder(stop=HALT.stop, robot=TAG, by=HALT.by))
        await until(lambda: bool(robot.told))
        assert robot.told == [HALT]
        carrier.publish(key, heard[-1])
        await ask(little, GO)
        await until(lambda: talk.TasksChanged() in robot.told)
        assert robot.told == [HALT, talk.TasksChanged()]

    wired(little, inside, story)


@pytest.mark.slow
def test_a_robot_that_hears_no_pulse_is_told_and_comes_back(little: Little) -> None:
    async def run() -> None:
        hub = CarrierHub()
        stations, robots = InsideCarrier(hub), InsideCarrier(hub)
        pulse = asyncio.ensure_future(little.let_robots_in(stations).run())
        robot = Entered(robots, little.keys[TAG])
        running = asyncio.ensure_future(robot.session.run())
        await until(lambda: robot.session.is_in)
        pulse.cancel()
        await stations.close()
        await until(lambda: not robot.session.is_in)

        again = InsideCarrier(hub)
        pulse = asyncio.ensure_future(little.let_robots_in(again).run())
        await until(lambda: robot.session.is_in)
        assert len(robot.welcomes) == 2
        for task in (pulse, running):
            task.cancel()
        await asyncio.gather(pulse, running, return_exceptions=True)

    asyncio.run(run())


def test_a_stop_is_heard_from_each_controller_that_the_robot_has_met(little: Little) -> None:
    """Also from one where it is not, and under the session before; all other words only from where it is."""

    async def run() -> None:
        hub = CarrierHub()
        robots = InsideCarrier(hub)
        store = StationStore(little.service.store.url)
        both = [
            one.let_robots_in(InsideCarrier(hub))
            for one in (little, Little(Service(store), little.tokens, little.keys))
        ]
        robot = Entered(robots, little.keys[TAG])
        tasks = [asyncio.ensure_future(one) for one in (*(one.run() for one in both), robot.session.run())]
        await until(lambda: robot.session.is_in)
        (other,) = [one for one in both if one.controller != robot.session.controller]
        other._tell_in(other._entering[TAG], talk.MoveOn())
        other.halt(StopOrder(stop=HALT.stop, robot=TAG, by=HALT.by))
        await until(lambda: robot.told == [HALT])
        assert robot.session.is_in

        here = next(one for one in both if one is not other)
        before = here._sessions[TAG]
        robot.session.is_in = False
        await until(lambda: len(robot.welcomes) == 2)
        here._tell_in(before, talk.MapChanged())
        here._tell_in(before, HALT)
        await until(lambda: robot.told == [HALT, HALT])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        store.close()

    asyncio.run(run())


def test_what_processes_say_to_each_other_goes_on_after_one_was_taken_for_dead(little: Little) -> None:
    """Both count what they say, so it would be dropped as said before if one began anew."""
    store = little.service.store
    carrier = InsideCarrier(CarrierHub())
    peers = Peers(store, little.service.known, FloorKeeper(), "all", carrier, "tcp/here:1")
    row: Any = SimpleNamespace(name="other", role="all", endpoint="tcp/there:1", load=0, beat=1)
    peers._meet([row])
    before = peers._others["other"].sealer
    peers._meet([])
    assert peers.find("other") is None
    peers._meet([row])
    assert peers._others["other"].sealer is before


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
