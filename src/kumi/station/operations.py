"""What can be asked of a station, by whom, and about what?

The list below is the interface. The HTTP service, its description, the clients, the command line, the check of rights
and their tests are made from it, so nothing can be offered that is not listed, and nothing listed goes unchecked.

An operation that is `about` a robot, a task or a file, as its request says, belongs to a team: the one of that thing. Only
members of that team may call it, with the role it asks for or a higher one; super-users may call all. `changes` says whether the
operation alters what the station keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, get_args

from kumi.station.records import Record
from kumi.station.requests import (
    AddPerson,
    AddTeam,
    Audit,
    CancelTask,
    Disconnect,
    DoneNotices,
    EnrolRobot,
    EnterContest,
    Events,
    GetBoard,
    GetLayer,
    GetMap,
    GetMedium,
    GiveTask,
    Hello,
    KeepBoard,
    ListBoards,
    ListEntries,
    ListLayers,
    ListModules,
    ListObjects,
    ListPeople,
    ListRobots,
    Locate,
    LogIn,
    LogOut,
    MakeFeedKey,
    MarkObject,
    Measure,
    MonitorRobot,
    OfMedium,
    OfRobot,
    OfTask,
    OfTeam,
    PossibleTasks,
    Release,
    RemoveRobot,
    ReportPosition,
    Request,
    RequestTask,
    Reserve,
    RevokeTokens,
    SendCode,
    SetMap,
    SetRole,
    Stop,
    StoreFile,
    TaskDone,
    TellTaskOptions,
    Welcome,
)

INTERFACE = 1
"""The version of this list; a station serves clients of its own version."""


class Who(Enum):
    """Who may call an operation."""

    ANYONE = auto()
    ROBOT = auto()
    MEMBER = auto()  # a robot or a user
    OBSERVER = auto()  # a user with this role or a higher one
    COMMANDER = auto()
    SUPER_USER = auto()
    POSITIONING = auto()  # a positioning system, or a super-user


class About(Enum):
    """Whose team an operation concerns."""

    NOTHING = auto()
    ITSELF = auto()  # the robot that calls
    ROBOT = auto()
    TASK = auto()
    MEDIUM = auto()
    TEAM = auto()


_ABOUT: dict[type[Record], About] = {
    OfRobot: About.ROBOT,
    OfTask: About.TASK,
    OfMedium: About.MEDIUM,
    OfTeam: About.TEAM,
}


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked of a station."""

    name: str
    request: type[Request[Any]]
    who: Who
    changes: bool = False

    @property
    def about(self) -> About:
        """Whose team it concerns, which its request tells."""
        for kind, about in _ABOUT.items():
            if issubclass(self.request, kind):
                return about
        return About.ITSELF if self.who is Who.ROBOT else About.NOTHING

    @property
    def answer(self) -> type[Record]:
        """The type of what it answers, which its request names."""
        found: type[Record] = get_args(self.request.__orig_bases__[0])[0]  # type: ignore[attr-defined]
        return found

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return (self.request.__doc__ or "").strip().splitlines()[0]


OPERATIONS = (
    Operation("hello", Hello, Who.ANYONE),
    Operation("log_in", LogIn, Who.ANYONE, changes=True),
    Operation("log_out", LogOut, Who.OBSERVER, changes=True),
    Operation("welcome", Welcome, Who.ROBOT, changes=True),
    Operation("task_options", TellTaskOptions, Who.ROBOT, changes=True),
    Operation("list_modules", ListModules, Who.ROBOT),
    Operation("request_task", RequestTask, Who.ROBOT, changes=True),
    Operation("report_position", ReportPosition, Who.ROBOT, changes=True),
    Operation("task_done", TaskDone, Who.ROBOT, changes=True),
    Operation("store_file", StoreFile, Who.ROBOT, changes=True),
    Operation("mark_object", MarkObject, Who.ROBOT, changes=True),
    Operation("measure", Measure, Who.ROBOT, changes=True),
    Operation("reserve", Reserve, Who.ROBOT),
    Operation("release", Release, Who.ROBOT),
    Operation("disconnect", Disconnect, Who.ROBOT, changes=True),
    Operation("get_map", GetMap, Who.MEMBER),
    Operation("list_robots", ListRobots, Who.OBSERVER),
    Operation("monitor", MonitorRobot, Who.OBSERVER),
    Operation("possible_tasks", PossibleTasks, Who.OBSERVER),
    Operation("give_task", GiveTask, Who.COMMANDER, changes=True),
    Operation("cancel_task", CancelTask, Who.COMMANDER, changes=True),
    Operation("stop", Stop, Who.COMMANDER, changes=True),
    Operation("send_code", SendCode, Who.COMMANDER, changes=True),
    Operation("events", Events, Who.OBSERVER),
    Operation("done_notices", DoneNotices, Who.OBSERVER),
    Operation("list_objects", ListObjects, Who.OBSERVER),
    Operation("get_layer", GetLayer, Who.MEMBER),
    Operation("list_layers", ListLayers, Who.MEMBER),
    Operation("get_medium", GetMedium, Who.OBSERVER),
    Operation("enrol_robot", EnrolRobot, Who.COMMANDER, changes=True),
    Operation("remove_robot", RemoveRobot, Who.COMMANDER, changes=True),
    Operation("enter_contest", EnterContest, Who.COMMANDER, changes=True),
    Operation("list_entries", ListEntries, Who.SUPER_USER),
    Operation("keep_board", KeepBoard, Who.SUPER_USER, changes=True),
    Operation("get_board", GetBoard, Who.OBSERVER),
    Operation("list_boards", ListBoards, Who.OBSERVER),
    Operation("locate", Locate, Who.POSITIONING),
    Operation("make_feed_key", MakeFeedKey, Who.SUPER_USER, changes=True),
    Operation("set_map", SetMap, Who.SUPER_USER, changes=True),
    Operation("add_team", AddTeam, Who.SUPER_USER, changes=True),
    Operation("add_person", AddPerson, Who.SUPER_USER, changes=True),
    Operation("set_role", SetRole, Who.SUPER_USER, changes=True),
    Operation("revoke_tokens", RevokeTokens, Who.SUPER_USER, changes=True),
    Operation("list_people", ListPeople, Who.SUPER_USER),
    Operation("audit", Audit, Who.SUPER_USER),
)
"""All that a station does for others."""

BY_NAME = {operation.name: operation for operation in OPERATIONS}
BY_REQUEST: dict[type[Record], Operation] = {operation.request: operation for operation in OPERATIONS}
