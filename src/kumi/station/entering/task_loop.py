"""What does a robot do in a station? One task after the other, and nothing in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from kumi.contract.errors import Blocked, Lost
from kumi.devs import sleep, until
from kumi.robot import Robot
from kumi.station.entering.task_client import TaskClient, TaskInterrupted
from kumi.station.records import PoseRecord, Task

Doing = Callable[[Robot, TaskClient, dict[str, Any]], Awaitable[str]]
"""How a task is done: with the robot, the desk and the arguments; it returns the outcome in words."""


class TaskFailed(Exception):
    """A task cannot be done, for a reason in words: unwalkable, no path, no camera."""


async def errands(robot: Robot, desk: TaskClient, tasks: Mapping[str, Doing]) -> None:
    """Do what the station gives, for ever."""
    while True:
        if desk.waiting is None:
            await desk.given.next()
        task, desk.waiting = desk.waiting, None
        if task is not None:
            desk.doing = task
            await _do(robot, desk, tasks, task)


async def _do(robot: Robot, desk: TaskClient, tasks: Mapping[str, Doing], task: Task) -> None:
    doing = tasks.get(task.name)
    if doing is None:
        can = ", ".join(tasks)
        desk.end(task, succeeded=False, outcome=f"unknown task '{task.name}': this robot can {can}")
        return
    with until(desk.cut) as cut:
        try:
            outcome = await doing(robot, desk, task.arguments)
        except TaskInterrupted:
            desk.forget()
            return
        except TaskFailed as failed:
            desk.end(task, succeeded=False, outcome=str(failed))
            return
        except Blocked as blocked:
            desk.end(task, succeeded=False, outcome=str(blocked))
            return
        except Lost:
            raise
        except Exception as error:  # noqa: BLE001 - a task may be anybody's code; the robot goes on
            robot.stop()
            desk.end(task, succeeded=False, outcome=f"{type(error).__name__}: {error}")
            return
    if cut.is_cut:
        robot.stop()
        desk.forget()
    else:
        desk.end(task, succeeded=True, outcome=outcome)


async def reports(
    robot: Robot, desk: TaskClient, period: float, facts: Callable[[], dict[str, Any]] = dict
) -> None:
    """Tell where the robot is, and what else is known of it, again and again."""
    while True:
        at = robot.position
        desk.tell_position(PoseRecord(x=at.x, y=at.y, heading=robot.heading), facts())
        await sleep(period)
