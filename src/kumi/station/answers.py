"""What a station answers to each request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from kumi.station.map_changes import MapChanges
from kumi.station.records import (
    LARGEST,
    AuditEntry,
    ContestEntry,
    FoundObject,
    Happening,
    Length,
    Medium,
    Name,
    Number,
    Person,
    Pose,
    Record,
    Robot,
    Sample,
    Task,
    TaskOption,
    Words,
)


class Done(Record, frozen=True, kw_only=True):
    """The operation was carried out."""


class Station(Record, frozen=True, kw_only=True):
    """Which station this is, and which interface it serves."""

    name: Words
    interface: int
    version: str


class Token(Record, frozen=True, kw_only=True):
    """What proves who calls; keep it secret."""

    token: str


class Welcomed(Record, frozen=True, kw_only=True):
    """The robot is in: its tag, where it is, the map it needs, and the task that waits for it."""

    tag: Name
    pose: Pose | None
    map_version: Number
    task: Task | None


class Module(Record, frozen=True, kw_only=True):
    """Code of a team that adds tasks to a robot."""

    name: Words
    code: str


class Modules(Record, frozen=True, kw_only=True):
    """The modules that a robot has taken, in the order in which it did."""

    modules: tuple[Module, ...]


class NextTask(Record, frozen=True, kw_only=True):
    """The task to do now, or None."""

    task: Task | None


class Corrected(Record, frozen=True, kw_only=True):
    """Where the station believes the robot to be."""

    pose: Pose


class Stored(Record, frozen=True, kw_only=True):
    """The number of a file that is now kept."""

    medium: Number


class Marked(Record, frozen=True, kw_only=True):
    """The number of the object on the map."""

    object: Number


class MapAnswer(Record, frozen=True, kw_only=True):
    """The map as a table like that of a scenario file, or what changed in it; neither when it is not newer."""

    version: Number
    map: dict[str, Any] | None
    objects: tuple[FoundObject, ...]
    robots: tuple[Robot, ...]
    changes: MapChanges | None = None


class MapVersion(Record, frozen=True, kw_only=True):
    """The number of the map that is now in use."""

    version: Number


class Robots(Record, frozen=True, kw_only=True):
    """All robots that the station knows."""

    robots: tuple[Robot, ...]


class TaskOptions(Record, frozen=True, kw_only=True):
    """What a robot can do."""

    options: tuple[TaskOption, ...]


class Given(Record, frozen=True, kw_only=True):
    """The number of a task that was given."""

    task: Number


class Happenings(Record, frozen=True, kw_only=True):
    """Entries of the log in order; `last` is where to go on.

    `forgotten` tells how many entries after the asked one, of all teams, are not kept any more.
    """

    happenings: tuple[Happening, ...]
    last: Number
    forgotten: Number = 0


class Notices(Record, frozen=True, kw_only=True):
    """Ended tasks in the order in which they ended."""

    tasks: tuple[Task, ...]
    last: Number


class FoundObjects(Record, frozen=True, kw_only=True):
    """What was discovered."""

    objects: tuple[FoundObject, ...]


class Layer(Record, frozen=True, kw_only=True):
    """What was measured, the newest last."""

    samples: tuple[Sample, ...]


class LayerNames(Record, frozen=True, kw_only=True):
    """The layers in which something was measured."""

    names: tuple[Words, ...]


class MediumContent(Record, frozen=True, kw_only=True):
    """A stored file."""

    about: Medium
    content: bytes


class RobotKey(Record, frozen=True, kw_only=True):
    """What proves that a robot is the one it says; told once."""

    robot: Name
    key: str


class ContestEntries(Record, frozen=True, kw_only=True):
    """The code of the teams that entered a contest."""

    entries: tuple[ContestEntry, ...]


class KeptBoard(Record, frozen=True, kw_only=True):
    """The board of a contest, as `kumi contest` writes it."""

    content: bytes


class BoardNames(Record, frozen=True, kw_only=True):
    """The contests that have a board."""

    names: tuple[Words, ...]


class FeedKey(Record, frozen=True, kw_only=True):
    """What a positioning system proves itself with; told once."""

    key: str


class People(Record, frozen=True, kw_only=True):
    """Who may use the station, which teams there are, and how many tokens of each user are worth something."""

    people: tuple[Person, ...]
    teams: tuple[Name, ...] = ()
    tokens: Mapping[str, Number] = {}


class AuditAnswer(Record, frozen=True, kw_only=True):
    """Operations in the order in which they were answered, or the latest first; `last` is the last of these."""

    entries: tuple[AuditEntry, ...]
    last: Number


class Standing(Record, frozen=True, kw_only=True):
    """A place that a robot holds, or as much of it as others leave."""

    x: Length
    y: Length
    radius: Annotated[float, Meta(ge=0.0, le=LARGEST + 1.0)]


class Reserved(Record, frozen=True, kw_only=True):
    """Whether a robot may drive a piece of its way, and which places nearby others hold."""

    state: Literal["granted", "waiting", "refused"]
    others: tuple[Standing, ...] = ()
