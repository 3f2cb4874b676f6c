"""What a robot's errands are given, after whatever the station said in whatever order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from kumi.station.entering import task_client
from kumi.station.entering.task_client import TaskClient, TaskInterrupted
from kumi.station.operations.maps import GetMap
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

    def __init__(self, *_: object, entered: Any, told: Any, lost: Any) -> None:
        self.entered, self.told, self.lost = entered, told, lost
        self.robot, self.is_in = "red", True
        self.wanted: Task | None = None
        self.done: list[TaskDone] = []

    async def call(self, request: object) -> Any:
        """Answer as the station would."""
        if isinstance(request, TaskDone):
            self.done.append(request)
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
        self.client.doing, self.client.waiting = self.client.waiting, None

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


def test_a_task_that_waited_when_the_robot_was_halted_is_given_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(desk: Desk) -> None:
        await desk.want(1)
        desk.line.told(HaltNow())
        await desk.want(1)

        assert desk.agenda == [1, "stopped", 1]

    played(monkeypatch, story)


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


def test_a_lost_station_stops_the_robot_unless_it_is_back_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(desk: Desk) -> None:
        loop = asyncio.get_running_loop()
        alarms: list[asyncio.TimerHandle] = []
        later = loop.call_later

        def noted(*given: Any) -> asyncio.TimerHandle:
            alarms.append(later(*given))
            return alarms[-1]

        monkeypatch.setattr(loop, "call_later", noted)
        desk.line.lost()
        await desk.line.entered(SimpleNamespace(task=None, map_version=1))
        desk.line.lost()
        (back, away) = alarms[:2]

        assert (back.cancelled(), away.cancelled()) == (True, False)
        assert away.when() - loop.time() <= 2.0
        desk.client.close()
        assert away.cancelled()

    played(monkeypatch, story)
