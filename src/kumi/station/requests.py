"""What can be asked of a station: one frozen value for each operation, which knows the type of its answer."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from kumi.station.answers import (
    AuditAnswer,
    BoardNames,
    ContestEntries,
    Corrected,
    Done,
    FeedKey,
    FoundObjects,
    Given,
    Happenings,
    KeptBoard,
    Layer,
    LayerNames,
    MapAnswer,
    MapVersion,
    Marked,
    MediumContent,
    NextTask,
    Notices,
    People,
    RobotKey,
    Robots,
    Station,
    Stored,
    TaskOptions,
    Token,
    Welcomed,
)
from kumi.station.records import (
    Angle,
    Monitor,
    Name,
    Number,
    Pose,
    Record,
    RoleName,
    Sample,
    Spot,
    TaskOption,
    Word,
    Words,
)

Limit = Annotated[int, Meta(ge=1, le=1000)]
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes in the largest file that a station takes."""

A_co = TypeVar("A_co", bound=Record, covariant=True)


class Request(Record, Generic[A_co], frozen=True, kw_only=True):
    """Something to ask of a station, which answers with an `A_co`."""


class Hello(Request[Station], frozen=True, kw_only=True):
    """Ask which station this is."""


class LogIn(Request[Token], frozen=True, kw_only=True):
    """Trade a name and a password for a token."""

    name: Name
    password: Annotated[str, Meta(min_length=1, max_length=1000)]


class LogOut(Request[Done], frozen=True, kw_only=True):
    """Make the token that this call came with worthless."""


class Welcome(Request[Welcomed], frozen=True, kw_only=True):
    """A robot enters, or comes back; options that are not told stay as they were."""

    kind: Words = "robot"
    radius: Annotated[float, Meta(gt=0.0, le=100.0)] = 0.15
    pose: Pose | None = None
    options: tuple[TaskOption, ...] | None = None


class TellTaskOptions(Request[Done], frozen=True, kw_only=True):
    """A robot announces the tasks it can do, in place of those announced before."""

    options: tuple[TaskOption, ...]


class RequestTask(Request[NextTask], frozen=True, kw_only=True):
    """A robot asks for its next task."""


class ReportPosition(Request[Corrected], frozen=True, kw_only=True):
    """A robot tells where it believes to be, and what else its team may know."""

    pose: Pose
    values: dict[str, Any] = msgspec.field(default_factory=dict)


class TaskDone(Request[NextTask], frozen=True, kw_only=True):
    """A robot ended a task."""

    task: Number
    succeeded: bool = True
    outcome: Words = ""


class StoreFile(Request[Stored], frozen=True, kw_only=True):
    """A robot stores a file; `content` travels as base64 in JSON."""

    name: Name
    kind: Words = "application/octet-stream"
    content: bytes


class MarkObject(Request[Marked], frozen=True, kw_only=True):
    """A robot marks something that it discovered."""

    name: Words
    at: Spot
    medium: Number | None = None


class Measure(Request[Done], frozen=True, kw_only=True):
    """A robot adds what it measured to a named layer of the map."""

    layer: Word
    samples: Annotated[tuple[Sample, ...], Meta(min_length=1, max_length=10_000)]


class Disconnect(Request[Done], frozen=True, kw_only=True):
    """A robot leaves."""


class GetMap(Request[MapAnswer], frozen=True, kw_only=True):
    """Ask for the map, if it is newer than `since`; `around` and `reach` ask for the piece there.

    With `changes` only what changed is told, where the station can tell it.
    """

    since: Number = 0
    around: Spot | None = None
    reach: Annotated[float, Meta(gt=0.0, le=1e6)] = 10.0
    changes: bool = False


class SetMap(Request[MapVersion], frozen=True, kw_only=True):
    """Replace the map of the work space, by a table like that of a scenario file, or by the text of a map file."""

    map: dict[str, Any] | None = None
    text: Annotated[str, Meta(max_length=4_000_000)] | None = None


class ListRobots(Request[Robots], frozen=True, kw_only=True):
    """Ask for all robots."""


class MonitorRobot(Request[Monitor], frozen=True, kw_only=True):
    """Ask for all that is known of a robot."""

    robot: Name


class PossibleTasks(Request[TaskOptions], frozen=True, kw_only=True):
    """Ask what a robot can do."""

    robot: Name


class GiveTask(Request[Given], frozen=True, kw_only=True):
    """Give a robot a task: after those that wait, or now, which interrupts the present one.

    A caller that gets no answer may call again with the same `request`: the task is given once.
    """

    robot: Name
    task: Word
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    when: Literal["queue", "now"] = "queue"
    request: Annotated[str, Meta(max_length=64)] = ""


class CancelTask(Request[Done], frozen=True, kw_only=True):
    """Take a task back that has not ended."""

    task: Number


class Stop(Request[Done], frozen=True, kw_only=True):
    """Stop a robot at once; what it does and what waits for it ends."""

    robot: Name


class SendCode(Request[Given], frozen=True, kw_only=True):
    """Give a robot code to run in its sandbox, or a module that adds tasks."""

    robot: Name
    name: Word
    code: Annotated[str, Meta(max_length=1_000_000)]
    purpose: Literal["run", "module"] = "run"


class Events(Request[Happenings], frozen=True, kw_only=True):
    """Ask what happened after entry `after` of the log: all that concerns one's own team, or nobody's."""

    after: Number = 0
    limit: Limit = 100


class DoneNotices(Request[Notices], frozen=True, kw_only=True):
    """Ask which of the tasks one gave have ended since entry `after` of the log."""

    after: Number = 0
    limit: Limit = 100


class ListObjects(Request[FoundObjects], frozen=True, kw_only=True):
    """Ask for what one's team discovered."""


class GetLayer(Request[Layer], frozen=True, kw_only=True):
    """Ask for what one's team measured."""

    layer: Word
    limit: Annotated[int, Meta(ge=1, le=100_000)] = 10_000


class ListLayers(Request[LayerNames], frozen=True, kw_only=True):
    """Ask in which layers one's team measured something."""


class GetMedium(Request[MediumContent], frozen=True, kw_only=True):
    """Ask for a stored file."""

    medium: Number


class EnrolRobot(Request[RobotKey], frozen=True, kw_only=True):
    """Let a robot enter from now on, under a name that becomes its tag."""

    robot: Name
    team: Name


class RemoveRobot(Request[Done], frozen=True, kw_only=True):
    """Let a robot enter no more; its tasks that have not ended are cancelled."""

    robot: Name


class EnterContest(Request[Done], frozen=True, kw_only=True):
    """Enter a team in a contest with its code, in place of code that it sent before."""

    name: Word
    team: Name
    code: Annotated[str, Meta(max_length=1_000_000)]


class ListEntries(Request[ContestEntries], frozen=True, kw_only=True):
    """Ask for the code of all teams that entered a contest."""

    name: Word


class KeepBoard(Request[Done], frozen=True, kw_only=True):
    """Show everybody the board of a contest, in place of the one before; `content` is the board as JSON."""

    name: Word
    content: bytes


class GetBoard(Request[KeptBoard], frozen=True, kw_only=True):
    """Ask for the board of a contest."""

    name: Word


class ListBoards(Request[BoardNames], frozen=True, kw_only=True):
    """Ask which contests have a board."""


class MakeFeedKey(Request[FeedKey], frozen=True, kw_only=True):
    """Make the key with which a positioning system tells where robots are; the one before is worthless then."""


class Locate(Request[Done], frozen=True, kw_only=True):
    """A positioning system tells where it sees a robot; `error` is its standard deviation in metres."""

    robot: Name
    at: Spot
    heading: Angle | None = None
    error: Annotated[float, Meta(gt=0.0, le=100.0)] = 0.05


class AddTeam(Request[Done], frozen=True, kw_only=True):
    """Make a team."""

    team: Name


class AddPerson(Request[Done], frozen=True, kw_only=True):
    """Let somebody use the station."""

    name: Name
    password: Annotated[str, Meta(min_length=8, max_length=1000)]
    team: Name | None = None
    role: RoleName = "observer"


class SetRole(Request[Done], frozen=True, kw_only=True):
    """Give a user another role; tokens stay valid, rights change at once."""

    name: Name
    role: RoleName


class RevokeTokens(Request[Done], frozen=True, kw_only=True):
    """Make all tokens of a user worthless."""

    name: Name


class ListPeople(Request[People], frozen=True, kw_only=True):
    """Ask who may use the station."""


class Audit(Request[AuditAnswer], frozen=True, kw_only=True):
    """Ask which operations were called after entry `after`."""

    after: Number = 0
    limit: Limit = 100
