"""What users ask about robots and their tasks, and about what happened."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kumi.station.answers import Done, Given, Happenings, Notices, RobotKey, Robots, TaskOptions
from kumi.station.records import Monitor, Name, Number, Word
from kumi.station.requests.request import Limit, OfRobot, OfTask, OfTeam, Request

LONGEST_WAIT = 30.0
"""Seconds that a request may wait for something to happen."""
Patience = Annotated[float, Meta(ge=0.0, le=LONGEST_WAIT)]


class ListRobots(Request[Robots], frozen=True, kw_only=True):
    """Ask for all robots."""


class MonitorRobot(OfRobot[Monitor], frozen=True, kw_only=True):
    """Ask for all that is known of a robot."""


class PossibleTasks(OfRobot[TaskOptions], frozen=True, kw_only=True):
    """Ask what a robot can do."""


class GiveTask(OfRobot[Given], frozen=True, kw_only=True):
    """Give a robot a task: after those that wait, or now, which interrupts the present one.

    A caller that gets no answer may call again with the same `request`: the task is given once.
    """

    task: Word
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    when: Literal["queue", "now"] = "queue"
    request: Annotated[str, Meta(max_length=64)] = ""


class CancelTask(OfTask[Done], frozen=True, kw_only=True):
    """Take a task back that has not ended."""


class Stop(OfRobot[Done], frozen=True, kw_only=True):
    """Stop a robot at once; what it does and what waits for it ends."""


class SendCode(OfRobot[Given], frozen=True, kw_only=True):
    """Give a robot code to run in its sandbox, or a module that adds tasks."""

    name: Word
    code: Annotated[str, Meta(max_length=1_000_000)]
    purpose: Literal["run", "module"] = "run"


class Events(Request[Happenings], frozen=True, kw_only=True):
    """Ask what happened after entry `after` of the log: all that concerns one's own team, or nobody's.

    Whoever asks for what comes after the end of the log is told where it ends. Where there is nothing yet, the answer comes
    when there is, or after `wait` seconds.
    """

    after: Number = 0
    limit: Limit = 100
    wait: Patience = 0.0


class DoneNotices(Request[Notices], frozen=True, kw_only=True):
    """Ask which of the tasks one gave have ended since entry `after` of the log.

    Where there is none yet, the answer comes when there is, or after `wait` seconds.
    """

    after: Number = 0
    limit: Limit = 100
    wait: Patience = 0.0


class EnrolRobot(OfTeam[RobotKey], frozen=True, kw_only=True):
    """Let a robot enter from now on, under a name that becomes its tag."""

    robot: Name


class RemoveRobot(OfRobot[Done], frozen=True, kw_only=True):
    """Let a robot enter no more; its tasks that have not ended are cancelled."""
