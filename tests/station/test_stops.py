"""A stop is a latch on the robot: whatever breaks while it is asked for, the robot stands, and moves only after a new word.

In simulated time, with one fault at an await of the path: at each of the first, and at one in so many after them, as KUMI_FAULTS
says; with KUMI_FAULTS=1 at all.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kumi.geometry import Point
from kumi.station.callers import Caller
from kumi.station.entering.stop_button import BUTTON, StopButton
from kumi.station.entering.task_client import GONE
from kumi.station.operations.log import Audit, Events
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.stops import Stop, StopAnswer
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import Happens, RobotStatus
from kumi.station.refusals import Reason, Refused
from kumi.station.service.unwritten_stops import MOST_OF_ROBOT, REPEAT_PERIOD
from kumi.station.unwritten_stop import StopOrder
from kumi.station.wire.in_process_carrier import CarrierHub
from kumi.station.wire.messages import HaltNow
from tests.station.conftest import Little
from tests.station.simulated import (
    STEP,
    Faults,
    FaultyCarrier,
    RobotProcess,
    StationProcess,
    simulated,
)

Template = tuple[Path, dict[str, str], dict[str, str]]
TAG = "red robot"
EVERY = int(os.environ.get("KUMI_FAULTS", "5"))
STANDS_WITHIN = 0.5
"""Seconds after hearing a stop in which a robot stands."""
MOST_AWAITS = 60
"""Awaits of the path that are tried: those of the first seconds after a stop was asked for."""

FIRST, OTHERS = range(2), range(2, MOST_AWAITS, EVERY)
"""Awaits at which something breaks: those in which a stop is told and written, and those after them."""


@dataclass
class Play:
    """A station and a robot that drives, what was seen of it, and what may break."""

    path: Path
    template: Template
    faults: Faults = field(default_factory=Faults)
    hub: CarrierHub = field(default_factory=CarrierHub)
    heard: float | None = None
    seen: list[tuple[float, float]] = field(default_factory=list)
    silent: list[tuple[float, float]] = field(default_factory=list)
    dead: list[StationProcess] = field(default_factory=list)

    async def begin(self) -> None:
        """Let the robot enter, and drive to the first of two places."""
        self.station = StationProcess(self.path, self.hub, self.faults)
        self.caller: Caller = self.station.service.known.caller(self.template[1]["red commander"])
        self.start_robot(Point(1.0, 1.0))
        for x, y in ((15.0, 1.0), (1.0, 15.0)):
            await self.give(x, y)
        await self.until(lambda: bool(self.seen) and self.seen[-1][1] > 0.4)

    def start_robot(self, at: Point) -> None:
        """Start the robot's process; it stands somewhere."""
        carrier = FaultyCarrier(self.hub, self.faults)
        self.robot = RobotProcess(carrier, TAG, self.template[2][TAG], at, self._moved)
        session, told = self.robot.client.session, self.robot.client._on_told

        def hear(word: Any) -> None:
            if isinstance(word, HaltNow) and self.heard is None:
                self.heard = self.now
            told(word)

        session._on_told = hear

    @property
    def now(self) -> float:
        """The time."""
        return asyncio.get_running_loop().time()

    def _moved(self, _: Point, speed: float) -> None:
        self.seen.append((self.now, speed))
        self.silent.append((self.robot.client.session.silence, speed))

    async def until(self, claim: Callable[[], bool | Awaitable[bool]]) -> None:
        """Let time go on until something is so."""
        for _ in range(3000):
            found = claim()
            if found is True or (not isinstance(found, bool) and await found):
                return
            await asyncio.sleep(STEP)
        raise AssertionError(f"it never came true: {await self.monitor()}, {self.robot.client.latch.holders}")

    async def ask(self, request: Any) -> Any:
        """Ask as the red commander."""
        return await self.station.ask(request, self.caller)

    async def give(self, x: float, y: float) -> int:
        """Send the robot somewhere."""
        arguments = {"at": {"x": x, "y": y}}
        return int((await self.ask(GiveTask(robot=TAG, task="goTo", arguments=arguments))).task)

    async def monitor(self) -> RobotStatus:
        """Return all that is known of the robot."""
        found: RobotStatus = await self.ask(MonitorRobot(robot=TAG))
        return found

    async def is_done(self, task: int) -> bool:
        """Tell whether a task was done."""
        return any(one.id == task and one.state == "done" for one in (await self.monitor()).done)

    async def end(self) -> None:
        """End both."""
        await self.robot.kill()
        for one in (self.station, *self.dead):
            one.close()

    def check_it_stood(self, since: float, until: float) -> None:
        """Fail if it moved between two instants."""
        assert [(at, speed) for at, speed in self.seen if since < at <= until and speed > 0.0] == []

    def check_silence(self) -> None:
        """Fail if it moved without a word of its station for two seconds."""
        late = 2.0 + 2 * STEP
        assert [one for one in self.silent if one[0] > late and one[1] > 0.0] == []

    # What breaks.

    def store_away(self) -> None:
        """The store refuses all, for three seconds."""
        self._store("away")

    def store_hangs(self) -> None:
        """The store answers nothing, for three seconds."""
        self._store("hanging")

    def _store(self, state: str) -> None:
        self.faults.store = state

        def heal() -> None:
            self.faults.store = "good"
            self.station.store.go_on()

        asyncio.get_running_loop().call_later(3.0, heal)

    def store_unsure(self) -> None:
        """The store does the next work, and says that it did not."""
        self.faults.store = "unsure"

    def word_lost(self) -> None:
        """The next word is lost."""
        self.faults.wire = "one lost"

    def word_lost_with_store_away(self) -> None:
        """The next word is lost, and the store refuses all."""
        self.word_lost()
        self._store("away")

    def wire_cut(self) -> None:
        """No word gets through for a second."""
        self._cut(1.0)

    def wire_cut_long(self) -> None:
        """No word gets through for five seconds."""
        self._cut(5.0)

    def _cut(self, seconds: float) -> None:
        self.faults.wire = "cut"
        asyncio.get_running_loop().call_later(seconds, lambda: setattr(self.faults, "wire", "good"))

    def station_killed(self) -> None:
        """The station's process is killed, and started a second later."""
        self._kill_station()

    def station_killed_with_store_away(self) -> None:
        """The store is away; the station's process is killed before it is back, and started then."""
        self.faults.store = "away"
        asyncio.get_running_loop().call_later(0.6, self._kill_station)

    def _kill_station(self) -> None:
        self.station.kill()
        self.dead.append(self.station)

        def start() -> None:
            self.faults.store = "good"
            self.station = StationProcess(self.path, self.hub, self.faults)

        asyncio.get_running_loop().call_later(1.0, start)

    def robot_killed(self) -> None:
        """The robot's process is killed, and started where the robot stands."""
        self.robot.carrier.is_dead = True
        self._later(self._restart_robot())

    def robot_killed_with_store_away(self) -> None:
        """The store is away when the robot's process is killed, and for long after."""
        self._store("away")
        self.robot_killed()

    async def _restart_robot(self) -> None:
        at = self.robot.position
        await self.robot.kill()
        await asyncio.sleep(0.3)
        self.start_robot(at)

    def _later(self, work: Any) -> None:
        self._task = asyncio.ensure_future(work)


KINDS = (
    Play.store_away,
    Play.store_hangs,
    Play.store_unsure,
    Play.word_lost,
    Play.wire_cut,
    Play.wire_cut_long,
    Play.station_killed,
    Play.station_killed_with_store_away,
    Play.word_lost_with_store_away,
    Play.robot_killed,
    Play.robot_killed_with_store_away,
)


PROMPT = (
    Play.store_away,
    Play.store_hangs,
    Play.store_unsure,
    Play.word_lost,
    Play.word_lost_with_store_away,
)
"""Faults in spite of which a stop is heard at once, or when it is repeated."""


def played(template: Template, tmp_path: Path, story: Callable[[Play], Awaitable[None]]) -> None:
    """Tell a story in simulated time."""
    tmp_path.mkdir(0o700, exist_ok=True)
    path = tmp_path / "station.db"
    shutil.copy(template[0], path)

    async def tell() -> None:
        play = Play(path, template)
        await play.begin()
        try:
            await story(play)
        finally:
            await play.end()
        play.check_silence()

    simulated(tell)


async def stopped_in_the_midst(play: Play, fault: Callable[[Play], None], at: int) -> int:
    """Ask for a stop, with a fault at an await of its path; check what came of it, and return how many awaits there were."""
    play.faults.arm(at, lambda: fault(play))
    play.faults.is_counting = True
    asked = play.now
    asking = asyncio.ensure_future(play.ask(Stop(robot=TAG)))
    answered: list[float] = []
    asking.add_done_callback(lambda _: answered.append(play.now))
    await asyncio.sleep(1.5)
    play.faults.is_counting = False
    await asyncio.sleep(12.0)
    answer: StopAnswer | None = None
    if asking.done():
        answer = asking.result()
        assert answered[0] - asked <= 1.2
    else:
        assert play.dead, "a stop that nobody answers"
        asking.cancel()
    if play.heard is None and answer is None:
        return play.faults.count  # the station was killed before it said anything, to anybody
    assert play.heard is not None or (answer is not None and answer.is_written)
    if fault in PROMPT:
        assert play.heard is not None
        assert play.heard - asked <= 2 * REPEAT_PERIOD
    since = asked + 3.5 if play.heard is None else play.heard
    healed = play.now
    status = await play.monitor()
    assert [one.state for one in status.done[:2]] == ["stopped", "stopped"], status
    assert (status.task, status.waiting) == (None, ())
    task = await play.give(2.0, 2.0)
    await play.until(lambda: play.is_done(task))
    play.check_it_stood(since + STANDS_WITHIN, healed)
    return play.faults.count


@pytest.mark.parametrize(
    "numbers", [FIRST, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["first", "others"]
)
@pytest.mark.parametrize("fault", KINDS, ids=lambda kind: kind.__name__)
def test_from_any_stop_that_was_asked_for_the_robot_stands_and_moves_only_after_a_new_word(
    template: Template, tmp_path: Path, fault: Callable[[Play], None], numbers: range
) -> None:
    """One fault at each await of the path: store, wire, process."""
    counts: list[int] = []
    for number in numbers:

        async def story(play: Play, number: int = number) -> None:
            counts.append(await stopped_in_the_midst(play, fault, number))

        try:
            played(template, tmp_path / str(number), story)
        except Exception as error:
            raise AssertionError(f"with {fault.__name__} at await {number}") from error
    assert max(counts) >= 20, "the path has more awaits than that: the test tries nothing"


def test_without_its_station_a_robot_stands_after_two_seconds_and_goes_on_when_it_is_back(
    template: Template, tmp_path: Path
) -> None:
    """It is not the word of a person: the task waits, and is driven to its end."""

    async def story(play: Play) -> None:
        cut = play.now
        play.wire_cut_long()
        await play.until(lambda: play.seen[-1][1] == 0.0)
        assert 1.7 < play.now - cut <= 2.0 + 2 * STEP
        assert list(play.robot.client.latch.holders) == [GONE]
        await play.until(lambda: play.now - cut > 5.0)
        play.check_it_stood(cut + 2.0 + 2 * STEP, play.now)
        await play.until(lambda: play.seen[-1][1] > 0.0)
        assert list(play.robot.client.latch.holders) == []
        first = (await play.monitor()).task
        assert first is not None
        await play.until(lambda: play.is_done(first.id))

    played(template, tmp_path, story)


def test_a_station_that_does_not_know_the_robot_any_more_is_no_station(
    template: Template, tmp_path: Path
) -> None:
    """Its pulse is heard, but it could not tell the robot to stop: the robot stands until it is in again."""

    async def story(play: Play) -> None:
        sessions = play.robot.client.session

        async def refuse(*_: object) -> bytes:
            return b""

        play.hub.servers = [(key, who, refuse) for key, who, _ in play.hub.servers]
        sessions.is_in = False  # a call was answered as one of nobody's
        left = play.now
        await play.until(lambda: play.seen[-1][1] == 0.0)
        assert play.now - left <= 2.0 + 2 * STEP

    played(template, tmp_path, story)


def test_a_button_on_the_robot_stops_it_and_its_release_does_not_start_it(
    template: Template, tmp_path: Path
) -> None:
    """Nor do tasks that were given while it was pressed; the team reads who holds the robot."""
    button = tmp_path / "button"
    button.write_text("0")

    async def story(play: Play) -> None:
        watching = asyncio.ensure_future(StopButton(button).watch(play.robot.client))
        button.write_text("1")
        pressed = play.now
        await play.until(lambda: play.robot.client.latch.unwritten == () and play.seen[-1][1] == 0.0)
        assert play.now - pressed <= STANDS_WITHIN

        async def is_told() -> bool:
            return (await play.monitor()).values.get("held by") == BUTTON

        await play.until(is_told)
        assert [one.outcome for one in (await play.monitor()).done[:2]] == [
            f"stopped by {BUTTON}, as robot {TAG} says"
        ] * 2
        meanwhile = await play.give(3.0, 3.0)
        button.write_text("0\n")

        async def is_over() -> bool:
            return any(one.id == meanwhile and one.state == "stopped" for one in (await play.monitor()).done)

        await play.until(is_over)
        await play.until(lambda: play.robot.client.latch.unwritten == ())
        play.check_it_stood(pressed + STANDS_WITHIN, play.now)
        task = await play.give(2.0, 2.0)
        await play.until(lambda: play.is_done(task))
        watching.cancel()

    played(template, tmp_path, story)


@pytest.mark.parametrize("content", [b"1", b"", b"2", b"\xff", None])
def test_a_button_that_cannot_be_read_is_pressed(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "button"
    if content is not None:
        path.write_bytes(content)
    assert StopButton(path).is_pressed


def test_a_stop_by_one_who_may_not_is_refused_even_while_the_store_is_away(
    template: Template, tmp_path: Path
) -> None:
    """Who may is known from memory, also of those who have not called yet; nobody else may because of it."""

    async def story(play: Play) -> None:
        play._store("away")
        known = play.station.service.known
        for name, sentence in (("blue commander", "not of your team"), ("red observer", "needs the role")):
            caller = await known.calling(play.template[1][name], is_urgent=True)
            with pytest.raises(Refused, match=sentence):
                await play.station.ask(Stop(robot=TAG), caller)
        with pytest.raises(Refused, match="cannot be used now"):
            await known.calling("no token", is_urgent=True)
        assert play.heard is None
        chief = await known.calling(play.template[1]["chief"], is_urgent=True)
        assert await play.station.ask(Stop(robot=TAG), chief) == StopAnswer(is_written=False, is_heard=True)
        assert list(play.robot.client.latch.holders) == ["chief"]

    played(template, tmp_path, story)


def test_stops_that_cannot_be_written_are_bounded_and_nothing_overtakes_them(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest of a robot are kept: they end all that the older ones would."""
    given = GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}})
    before = little.call(given, "red commander").task

    def away(_: object) -> Future[None]:
        refused: Future[None] = Future()
        refused.set_exception(Refused(Reason.UNAVAILABLE, "the store cannot be used now"))
        return refused

    with monkeypatch.context() as patch:
        patch.setattr(little.service.store, "write", away)
        orders = [
            StopOrder(stop=f"{number:032x}", robot=TAG, by="ann") for number in range(3 * MOST_OF_ROBOT)
        ]
        newest = [little.service.stops.take(one) for one in orders][-1]
        assert len(little.service.stops._stops) == MOST_OF_ROBOT
    after = little.call(given, "red commander").task
    assert newest.last_task == before
    assert little.service.stops._stops == {}
    status = little.call(MonitorRobot(robot=TAG), "red commander")
    assert [(one.id, one.outcome) for one in status.done[:1]] == [(before, "stopped by ann")]
    assert [one.id for one in status.waiting] == [after]


def test_a_stop_is_written_once_however_often_it_is_told(little: Little) -> None:
    order = StopOrder(stop="0" * 32, robot=TAG, by="ann")
    for _ in range(3):
        asyncio.run(little.service.stops.take(order).settled(60.0))
        little.call(GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}}), "chief")
    happened = little.call(Events(limit=1000), "chief").happenings
    audited = little.call(Audit(limit=1000), "chief").entries

    assert sum(one.kind == Happens.STOP for one in happened) == 1
    assert [one.who for one in audited if one.operation == "stop"] == ["ann"]
    assert len(little.call(MonitorRobot(robot=TAG), "chief").waiting) == 3
