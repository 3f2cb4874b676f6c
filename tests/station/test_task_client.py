"""What a robot's errands are given, after whatever the station said in whatever order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from kumi.station.entering import task_client
from kumi.station.entering.stop_latch import MOST_KNOWN, StopLatch
from kumi.station.entering.task_client import GONE, TaskClient, TaskInterrupted
from kumi.station.operations.maps import GetMap
from kumi.station.operations.stops import ReportedStop, ReportStops, StopsWritten, WrittenStop
from kumi.station.operations.tasks import TaskDone
from kumi.station.records import Task
from kumi.station.wire.messages import HaltNow, TasksChanged
from tests.waiting import until


def task(number: int) -> Task:
    """Return a task by its number."""
    return Task(
        id=number,
        robot="red",
        name="go",
        arguments={},
        state="sent",
        outcome="",
        given_by="ann",
        given_at=0.0,
        ended_at=None,
    )


class Line:
    """Stands for the session with a station that wants one task, or none, done."""

    def __init__(self, *_: object, entered: Any, told: Any, refused: Any) -> None:
        self.entered, self.told = entered, told
        self.robot, self.is_in = "red", True
        self.wanted: Task | None = None
        self.done: list[TaskDone] = []
        self.written: dict[str, int] = {}
        self.reported: list[ReportedStop] = []

    async def call(self, request: object) -> Any:
        """Answer as the station would."""
        if isinstance(request, TaskDone):
            self.done.append(request)
        if isinstance(request, ReportStops):
            self.reported = list(request.stops)
            written = [one for one in self.reported if one.stop in self.written]
            return StopsWritten(
                stops=tuple(WrittenStop(stop=one.stop, last_task=self.written[one.stop]) for one in written)
            )
        return SimpleNamespace(map={}, changes=None, version=1) if isinstance(request, GetMap) else self

    @property
    def task(self) -> Task | None:
        """What the station wants done."""
        return self.wanted


class Desk:
    """A client on such a line; the agenda of the robot is a list of what was put on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(task_client, "StationSession", Line)
        self.agenda: list[Any] = []
        self.client = TaskClient(None, "red", "key", self, welcome=lambda: None)  # type: ignore[arg-type, return-value]
        self.line: Any = self.client.session

    def inject(self, _signal: object, value: Any) -> None:
        """Note what the errands hear: the number of a task, or why they are cut."""
        self.agenda.append(value.id if isinstance(value, Task) else value)

    async def want(self, number: int | None) -> None:
        """Let the station want a task, or none, and wait until the robot has asked."""
        self.line.wanted = None if number is None else task(number)
        self.line.told(TasksChanged())
        await self.heard()

    async def heard(self) -> None:
        """Wait until all that was begun is over."""
        await until(lambda: len(asyncio.all_tasks()) == 1)

    def begin(self) -> None:
        """Take up what waits, as errands do."""
        task, self.client.waiting = self.client.waiting, None
        if task is not None and self.client.may_begin(task):
            self.client.doing = task

    def is_driven(self, number: int) -> bool:
        """Tell whether a task is handed over, and begins."""
        self.agenda.clear()
        self.client._take(task(number))
        if self.agenda != [number]:
            return False
        self.begin()
        return self.client.doing is not None

    def is_interrupted(self) -> bool:
        """Tell whether the errands would leave what they do between two motions."""
        try:
            self.client.checkpoint()
        except TaskInterrupted:
            self.client.forget()
            return True
        return False


Story = Callable[[Desk], Awaitable[None]]


def played(monkeypatch: pytest.MonkeyPatch, story: Story) -> None:
    """Play a story at a desk that has entered and knows the map."""

    async def play() -> None:
        desk = Desk(monkeypatch)
        await desk.line.entered(SimpleNamespace(task=None, map_version=1))
        await desk.heard()
        await story(desk)

    asyncio.run(play())


def test_a_task_is_given_once_however_often_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(desk: Desk) -> None:
        await desk.want(1)
        await desk.want(1)
        desk.begin()
        await desk.want(1)

        assert desk.agenda == [1]
        assert not desk.is_interrupted()

    played(monkeypatch, story)


def halt(number: int, by: str, last_task: int | None = None) -> HaltNow:
    """Return the word of a stop by its number."""
    return HaltNow(f"{number:032x}", by, last_task)


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_task_that_was_cut_or_waited_when_the_robot_was_stopped_is_never_driven(
    monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    """The station hands it out again, since it does not know of the stop; a task with a higher number is the new word."""

    async def story(desk: Desk) -> None:
        await desk.want(1)
        if is_begun:
            desk.begin()
        desk.line.told(halt(1, "ann"))
        await until(lambda: bool(desk.line.reported))
        assert desk.agenda == [1, "stopped by ann"]
        assert desk.line.reported == [ReportedStop(stop=f"{1:032x}", by="ann", task=1 if is_begun else None)]
        desk.client.forget()
        assert not desk.is_driven(1)
        assert not desk.is_driven(2)
        desk.line.written[f"{1:032x}"] = 1
        await desk.heard()
        assert not desk.is_driven(1)
        assert list(desk.client.latch.holders) == ["ann"]
        assert desk.is_driven(2)
        assert list(desk.client.latch.holders) == []

    played(monkeypatch, story)


def test_a_word_of_a_stop_that_comes_late_or_again_stops_nothing_that_was_given_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(desk: Desk) -> None:
        desk.line.told(halt(1, "ann", last_task=4))
        await desk.heard()
        await desk.want(5)
        desk.begin()
        for word in (halt(1, "ann"), halt(1, "ann", last_task=4), halt(2, "bob", last_task=3)):
            desk.line.told(word)
        await desk.heard()

        assert desk.agenda == ["stopped by ann", 5]
        assert desk.client.doing == task(5)

    played(monkeypatch, story)


def test_stops_of_two_persons_a_button_and_the_absence_of_the_station_compose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each holds for itself: the robot drives when none of them does."""

    async def story(desk: Desk) -> None:
        latch = desk.client.latch
        desk.line.told(halt(1, "ann", last_task=1))
        desk.line.told(halt(2, "bob", last_task=3))
        latch.hold(GONE)
        desk.client.hold("the stop button")
        pressed = latch.unwritten[-1].stop
        desk.line.written[pressed] = 5
        await desk.heard()
        assert list(latch.holders) == ["ann", "bob", "the stop button", GONE]
        assert not desk.is_driven(9)
        latch.release(GONE)
        assert not desk.is_driven(9)
        desk.client.release("the stop button")
        released = latch.unwritten[-1].stop
        assert released != pressed
        desk.line.written[released] = 9  # what was given while it was pressed is no word to move now
        await desk.heard()
        assert not desk.is_driven(9)
        assert desk.is_driven(10)
        assert list(latch.holders) == []

    played(monkeypatch, story)


def test_a_button_that_stays_pressed_is_one_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(desk: Desk) -> None:
        for _ in range(3):
            desk.client.hold("the stop button")
        assert len(desk.client.latch.unwritten) == 1
        desk.client.close()

    played(monkeypatch, story)


def test_a_robot_cannot_be_told_to_stop_sooner_than_it_can_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_client, "StationSession", Line)
    with pytest.raises(ValueError, match=r"at the earliest, not 0\.2 s"):
        TaskClient(None, "red", "key", None, welcome=lambda: None, stop_after=0.2)  # type: ignore[arg-type, return-value]


def test_the_latch_remembers_a_bounded_number_of_stops() -> None:
    latch = StopLatch()
    for number in range(3 * MOST_KNOWN):
        latch.stop(f"{number:032x}", "ann", number)
        latch.written(f"{number:032x}", number)
        latch.begin(number + 1)

    assert len(latch._known) == MOST_KNOWN
    assert latch._cut == set()
    assert not latch.allows(3 * MOST_KNOWN - 1)


@pytest.mark.parametrize("other", [None, 2])
def test_a_task_under_way_is_left_once_for_another_or_none(
    monkeypatch: pytest.MonkeyPatch, other: int | None
) -> None:
    async def story(desk: Desk) -> None:
        await desk.want(1)
        desk.begin()
        await desk.want(other)

        assert desk.is_interrupted()
        assert not desk.is_interrupted()
        assert (desk.client.waiting, desk.agenda) == (other and task(other), [1])

    played(monkeypatch, story)


def test_a_task_that_is_wanted_again_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(desk: Desk) -> None:
        await desk.want(1)
        desk.begin()
        await desk.want(None)
        await desk.want(1)

        assert not desk.is_interrupted()
        assert desk.agenda == [1]

    played(monkeypatch, story)


@pytest.mark.parametrize("under_way", [None, 1])
def test_a_task_that_is_not_wanted_any_more_is_not_begun(
    monkeypatch: pytest.MonkeyPatch, under_way: int | None
) -> None:
    """As before it was wanted: whatever is under way goes on."""

    async def story(desk: Desk) -> None:
        if under_way is not None:
            await desk.want(under_way)
            desk.begin()
        await desk.want(2)
        await desk.want(under_way)

        assert desk.client.waiting is None
        assert not desk.is_interrupted()

    played(monkeypatch, story)


def test_a_task_whose_end_is_on_the_way_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the station has heard of it; then a task of that number is another."""

    async def story(desk: Desk) -> None:
        await desk.want(1)
        desk.begin()
        desk.line.is_in = False
        desk.client.end(task(1), succeeded=True, outcome="x" * 3000)
        await desk.line.entered(SimpleNamespace(task=task(1), map_version=1))
        desk.line.is_in = True
        desk.line.wanted = task(2)
        await desk.heard()

        assert desk.agenda == [1, 2]
        assert desk.line.done == [TaskDone(task=1, succeeded=True, outcome="x" * 2000)]
        desk.begin()
        desk.client.end(task(2), succeeded=False, outcome="")
        await desk.heard()
        assert desk.agenda == [1, 2, 2]

    played(monkeypatch, story)


@pytest.mark.parametrize(("wanted", "is_cut"), [(None, True), (2, True), (1, False)])
def test_who_comes_back_is_cut_if_something_else_is_wanted(
    monkeypatch: pytest.MonkeyPatch, wanted: int | None, is_cut: bool
) -> None:
    async def story(desk: Desk) -> None:
        await desk.want(1)
        desk.begin()
        await desk.line.entered(SimpleNamespace(task=wanted and task(wanted), map_version=1))
        await desk.heard()

        assert desk.agenda == [1, *["it was taken back meanwhile"] * is_cut]

    played(monkeypatch, story)
