"""Tasks are kept in order, handed out one at a time, and each ends once."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.station.operations.log import DoneNotices, Events
from kumi.station.operations.robots import Disconnect, MonitorRobot, TellTaskOptions, Welcome
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import CancelTask, GiveTask, RequestTask, TaskDone
from kumi.station.records import Parameter, TaskOption
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import Alone
from tests.station.conftest import GO_TO, Little

ROBOT = "red robot"
FOLLOW = TaskOption(name="followPath", parameters=(Parameter(name="path", kind="spots"),))


def give(little: Little, *, x: float = 0.0, **more: Any) -> int:
    """Give the red robot somewhere to go."""
    request = GiveTask(robot=ROBOT, task="goTo", arguments={"at": {"x": x, "y": 0.0}}, **more)
    return little.call(request, "red commander").task


def test_tasks_come_in_the_order_given(little: Little) -> None:
    first, second = give(little), give(little)

    assert little.call(RequestTask(), ROBOT).task.id == first  # type: ignore[union-attr]
    assert little.call(TaskDone(task=first), ROBOT).task.id == second  # type: ignore[union-attr]
    assert little.call(TaskDone(task=second), ROBOT).task is None


def test_a_task_given_now_interrupts_and_comes_first(little: Little) -> None:
    under_way, waiting = give(little), give(little)
    little.call(RequestTask(), ROBOT)

    urgent = give(little, when="now")

    assert little.call(RequestTask(), ROBOT).task.id == urgent  # type: ignore[union-attr]
    monitor = little.call(MonitorRobot(robot=ROBOT), "red observer")
    assert [task.id for task in monitor.waiting] == [waiting]
    assert [(task.id, task.state) for task in monitor.done] == [(under_way, "interrupted")]


def test_the_same_request_twice_gives_one_task(little: Little) -> None:
    assert give(little, request="r-1") == give(little, request="r-1")
    assert len(little.call(MonitorRobot(robot=ROBOT), "red observer").waiting) == 1


def test_a_request_that_was_used_for_another_task_is_refused(little: Little) -> None:
    first = give(little, request="r-1")

    with pytest.raises(
        Refused, match=f"request 'r-1' gave task {first}, 'goTo' for robot 'red robot'"
    ) as caught:
        give(little, x=3.0, request="r-1")

    assert caught.value.reason is Reason.CONFLICT
    assert give(little, request="r-1") == first


def test_a_robot_that_comes_back_gets_its_task_again(little: Little) -> None:
    number = give(little)
    little.call(RequestTask(), ROBOT)
    little.call(Disconnect(), ROBOT)

    assert little.call(Welcome(), ROBOT).task.id == number  # type: ignore[union-attr]


def test_ending_a_task_twice_changes_nothing(little: Little) -> None:
    number = give(little)
    little.call(RequestTask(), ROBOT)
    little.call(TaskDone(task=number, outcome="there"), ROBOT)

    little.call(TaskDone(task=number, succeeded=False, outcome="again"), ROBOT)

    done = little.call(MonitorRobot(robot=ROBOT), "red observer").done
    assert [(task.state, task.outcome) for task in done] == [("done", "there")]


def test_stop_ends_what_is_done_and_what_waits_and_halts_first(little: Little) -> None:
    order: list[str] = []
    little.again(others=Alone(lambda stop, _: order.append(stop.robot)))
    little.service.store.listen(lambda told: order.extend(one.kind for one in told))
    first, second = give(little), give(little)
    little.call(RequestTask(), ROBOT)
    order.clear()

    little.call(Stop(robot=ROBOT), "red commander")

    assert order == [ROBOT, "stop", "task_ended", "task_ended"]
    done = little.call(MonitorRobot(robot=ROBOT), "red observer").done
    assert {task.id: task.state for task in done} == {first: "stopped", second: "stopped"}
    assert little.call(RequestTask(), ROBOT).task is None


def test_who_gave_a_task_is_told_of_its_end_once(little: Little) -> None:
    number = give(little)
    little.call(CancelTask(task=number), "red commander")

    notices = little.call(DoneNotices(), "red commander")
    assert [(task.id, task.state) for task in notices.tasks] == [(number, "cancelled")]
    assert little.call(DoneNotices(after=notices.last), "red commander").tasks == ()
    assert little.call(DoneNotices(), "blue commander").tasks == ()


def test_events_of_a_team_are_its_own(little: Little) -> None:
    give(little)

    ours = little.call(Events(limit=1000), "red observer").happenings
    theirs = little.call(Events(limit=1000), "blue observer").happenings

    assert "task_given" in [one.kind for one in ours]
    assert "task_given" not in [one.kind for one in theirs]
    assert "robot_entered" in [one.kind for one in theirs]


@pytest.mark.parametrize(
    ("task", "arguments", "said"),
    [
        ("fly", {}, "unknown task 'fly': robot 'red robot' can goTo, followPath"),
        ("goTo", {}, "task 'goTo' needs 'at', which is a spot"),
        ("goTo", {"at": {"x": 1, "y": 2}, "fast": 1}, "task 'goTo' takes no 'fast'; it takes at"),
        ("goTo", {"at": [1, 2]}, "task 'goTo' does not take this: 'at' must be an object, not a list"),
        ("goTo", {"at": {"x": None, "y": 2}}, "'at.x' must be a number, not nothing"),
        ("goTo", {"at": {"x": 1e99, "y": 2}}, "'at.x' must be a number of at most 1000000"),
        ("followPath", {"path": []}, "'path' must be a list of at least 1 entry"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused_in_one_sentence(
    little: Little, task: str, arguments: dict[str, Any], said: str
) -> None:
    little.call(TellTaskOptions(options=(GO_TO, FOLLOW)), ROBOT)
    with pytest.raises(Refused) as caught:
        little.call(GiveTask(robot=ROBOT, task=task, arguments=arguments), "red commander")

    assert said in str(caught.value)
