"""What is told to and by a station: values that cross its interface.

All are frozen and typed, and refuse fields they do not know. Lengths are in metres, angles in radians, times in seconds
since 1970 by the station's clock. A number that is not finite is refused by its bounds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

FARTHEST_COORDINATE = 1e6
"""Metres from the origin within which a work space lies."""

Length = Annotated[float, Meta(ge=-FARTHEST_COORDINATE, le=FARTHEST_COORDINATE)]
LEAST_RADIUS, MOST_RADIUS = 0.001, 100.0
"""Metres that a robot is wide to each side, at least and at most."""
Radius = Annotated[float, Meta(ge=LEAST_RADIUS, le=MOST_RADIUS)]
Reach = Annotated[float, Meta(ge=LEAST_RADIUS, le=MOST_RADIUS + 1.0)]
"""Metres to each side of a path: those of a robot, with some room around it."""
Angle = Annotated[float, Meta(ge=-1e4, le=1e4)]
Name = Annotated[
    str,
    Meta(
        min_length=1, max_length=64, pattern=r"^[^\s/\x00-\x1f\x7f]([^/\x00-\x1f\x7f]*[^\s/\x00-\x1f\x7f])?$"
    ),
]
"""Any letters but slashes and control characters, without spaces at the ends."""
Word = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$")]
Words = Annotated[str, Meta(max_length=2000)]
Number = Annotated[int, Meta(ge=0, le=2**53)]


class StationRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value that crosses the interface."""


class Station(StationRecord, frozen=True, kw_only=True):
    """Which station this is, and which interface it serves."""

    name: Words
    interface: int
    version: str


class PoseRecord(StationRecord, frozen=True, kw_only=True):
    """Where something is, and which way it looks."""

    x: Length
    y: Length
    heading: Angle = 0.0


class PlaceRecord(StationRecord, frozen=True, kw_only=True):
    """A place without a direction."""

    x: Length
    y: Length


ParameterKind = Literal["spot", "spots", "number", "text"]


class Parameter(StationRecord, frozen=True, kw_only=True):
    """One thing that a task wants to know."""

    name: Word
    kind: ParameterKind
    about: Words = ""


class TaskOption(StationRecord, frozen=True, kw_only=True):
    """A task that a robot can do."""

    name: Word
    about: Words = ""
    parameters: tuple[Parameter, ...] = ()


class Task(StationRecord, frozen=True, kw_only=True):
    """A task that was given to a robot, and what became of it."""

    id: Number
    robot: Name
    name: Word
    arguments: dict[str, Any]
    state: TaskState
    outcome: Words
    given_by: str
    given_at: float
    ended_at: float | None


TaskState = Literal["waiting", "sent", "done", "failed", "interrupted", "stopped", "cancelled"]
ENDED = ("done", "failed", "interrupted", "stopped", "cancelled")
"""States that a task does not leave."""

RobotState = Literal["connected", "lost", "away"]


class RobotRecord(StationRecord, frozen=True, kw_only=True):
    """What everybody may know of a robot."""

    tag: Name
    team: Name
    kind: Words
    radius: Annotated[float, Meta(gt=0.0, le=MOST_RADIUS)]
    state: RobotState
    pose: PoseRecord | None
    seen_at: float | None


class RobotStatus(StationRecord, frozen=True, kw_only=True):
    """What its team knows of a robot."""

    robot: RobotRecord
    task: Task | None
    waiting: tuple[Task, ...]
    done: tuple[Task, ...]
    options: tuple[TaskOption, ...]
    values: dict[str, Any]


class FoundObject(StationRecord, frozen=True, kw_only=True):
    """Something that a robot discovered, with what it filmed of it."""

    id: Number
    name: Words
    at: PlaceRecord
    robot: Name
    team: Name
    media: Number | None
    found_at: float


class SampleRecord(StationRecord, frozen=True, kw_only=True):
    """What a robot measured at a place."""

    at: PlaceRecord
    value: Annotated[float, Meta(ge=-1e12, le=1e12)]


class Medium(StationRecord, frozen=True, kw_only=True):
    """A file that a robot stored: a picture, a film, a log."""

    id: Number
    name: Words
    kind: Words
    size: Number
    robot: Name
    team: Name
    stored_at: float


class Happens(StrEnum):
    """What can happen at a station: the kinds of entries of its log."""

    ROBOT_ENROLLED = "robot_enrolled"
    ROBOT_REMOVED = "robot_removed"
    ROBOT_ENTERED = "robot_entered"
    ROBOT_LEFT = "robot_left"
    ROBOT_LOST = "robot_lost"
    ROBOT_FOUND = "robot_found"
    TASK_OPTIONS = "task_options"
    TASK_GIVEN = "task_given"
    TASK_SENT = "task_sent"
    TASK_OUTPUT = "task_output"
    TASK_ENDED = "task_ended"
    STOP = "stop"
    OBJECT_FOUND = "object_found"
    FILE_STORED = "file_stored"
    MEASURED = "measured"
    MAP_CHANGED = "map_changed"
    FLOOR_KEPT = "floor_kept"
    RIGHTS_CHANGED = "rights_changed"
    CONTEST_ENTERED = "contest_entered"
    CONTEST_OVER = "contest_over"


class Happening(StationRecord, frozen=True, kw_only=True):
    """An entry of the station's ordered log; `id` rises by at least one with each."""

    id: Number
    at: float
    kind: Word
    team: str | None
    robot: str | None
    data: dict[str, Any]


class Person(StationRecord, frozen=True, kw_only=True):
    """A user of the station; `team` is None for a super-user who belongs to none, `moves_to` where no move was offered."""

    name: Name
    team: str | None
    role: RoleName
    is_locked: bool = False
    has_first_password: bool = False
    moves_to: str | None = None


class ContestEntry(StationRecord, frozen=True, kw_only=True):
    """The code with which a team enters a contest."""

    team: Name
    code: str
    given_by: str
    given_at: float


RoleName = Literal["observer", "commander", "team-head", "super-user"]


class AuditEntry(StationRecord, frozen=True, kw_only=True):
    """One operation that somebody asked for, with what came of it."""

    id: Number
    at: float
    who: str
    operation: str
    about: str
    outcome: str
