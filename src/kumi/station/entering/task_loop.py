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
"""How a task is done: with the robot, the client and the arguments; it returns the outcome in words."""


class TaskFailed(Exception):
    """A task cannot be done, for a reason in words: unwalkable, no path, no camera."""


async def run_tasks(robot: Robot, client: TaskClient, tasks: Mapping[str, Doing]) -> None:
    """Do what the station gives, for ever."""
    while True:
        if client.waiting is None:
            await client.given.next()
        task, client.waiting = client.waiting, None
        if task is not None and client.may_begin(task):
            client.doing = task
            await _do(robot, client, tasks, task)


async def _do(robot: Robot, client: TaskClient, tasks: Mapping[str, Doing], task: Task) -> None:
    doing = tasks.get(task.name)
    if doing is None:
        can = ", ".join(tasks)
        client.end(task, succeeded=False, outcome=f"unknown task '{task.name}': this robot can {can}")
        return
    with until(client.cut) as cut:
        try:
            outcome = await doing(robot, client, task.arguments)
        except TaskInterrupted:
            client.forget()
            return
        except TaskFailed as failed:
            client.end(task, succeeded=False, outcome=str(failed))
            return
        except Blocked as blocked:
            client.end(task, succeeded=False, outcome=str(blocked))
            return
        except Lost:
            raise
        except Exception as error:  # noqa: BLE001 - a task may be anybody's code; the robot goes on
            robot.stop()
            client.end(task, succeeded=False, outcome=f"{type(error).__name__}: {error}")
            return
    if cut.is_cut:
        robot.stop()
        client.forget()
    else:
        client.end(task, succeeded=True, outcome=outcome)


async def reports(
    robot: Robot, client: TaskClient, period: float, facts: Callable[[], dict[str, Any]] = dict
) -> None:
    """Tell where the robot is, and what else is known of it, again and again."""
    while True:
        at = robot.position
        client.tell_position(PoseRecord(x=at.x, y=at.y, heading=robot.heading), facts())
        await sleep(period)
