"""Robots enter, tell what they can do and where they are, and leave.

A robot that comes back finds its tasks as they were: one that it had been sent is sent again, since it may have died
while doing it. A robot knows the numbers of the tasks it ended, and so does not do one twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Done, Means, OfRobot, OfTeam, Request, Who, operation
from kumi.station.operations.maps import map_version
from kumi.station.operations.people import check_is_team
from kumi.station.operations.tasks import end_all, next_task
from kumi.station.people.names import NamesTaken
from kumi.station.people.secrets import key_hash
from kumi.station.records import (
    ENDED,
    Happens,
    Name,
    Number,
    PoseRecord,
    Radius,
    RobotRecord,
    RobotState,
    RobotStatus,
    StationRecord,
    Task,
    TaskOption,
    Words,
)
from kumi.station.refusals import invalid

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.positioning.positioning import LastReport
    from kumi.station.store.transaction import Transaction

MOST_ENROLLED = 1000
"""Robots that are enrolled at once."""
LAST_DONE = 20
"""Ended tasks that the monitor tells of."""


class RobotKey(StationRecord, frozen=True, kw_only=True):
    """What proves that a robot is the one it says; told once."""

    robot: Name
    key: str


@operation("enrol_robot", Who.COMMANDER, changes=True)
class EnrolRobot(OfTeam[RobotKey], frozen=True, kw_only=True):
    """Let a robot enter from now on, under a name that becomes its tag."""

    robot: Name

    def carry_out(self, transaction: Transaction, caller: Caller) -> RobotKey:
        """Make a robot known, and its key."""
        return _enrolled(transaction, self.team, (self.robot,))[0]


class RobotKeys(StationRecord, frozen=True, kw_only=True):
    """What proves that robots are those they say; told once."""

    keys: tuple[RobotKey, ...]


@operation("enrol_robots", Who.COMMANDER, changes=True)
class EnrolRobots(OfTeam[RobotKeys], frozen=True, kw_only=True):
    """Let many robots enter from now on: all of these, or, where one is refused, none."""

    robots: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MOST_ENROLLED)]

    def carry_out(self, transaction: Transaction, caller: Caller) -> RobotKeys:
        """Make robots known, and their keys."""
        return RobotKeys(keys=_enrolled(transaction, self.team, self.robots))


def _enrolled(transaction: Transaction, team: str, tags: tuple[str, ...]) -> tuple[RobotKey, ...]:
    """Make robots known to a team; return their keys in order."""
    check_is_team(transaction, team)
    names = NamesTaken("robot", (row.tag for row in transaction.all(db.select(db.robots.c.tag))))
    for tag in tags:
        names.take(tag)
    keys = tuple(RobotKey(robot=tag, key=db.new_secret()) for tag in tags)
    for one in keys:
        transaction.run(db.robots.insert().values(tag=one.robot, team=team, key=key_hash(one.key)))
        transaction.tell(Happens.ROBOT_ENROLLED, team=None, robot=one.robot, owner=team)
    return keys


@operation("remove_robot", Who.COMMANDER, changes=True)
class RemoveRobot(OfRobot[Done], frozen=True, kw_only=True):
    """Let a robot enter no more; its tasks that have not ended are cancelled."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Forget a robot."""
        end_all(transaction, self.robot, "cancelled", f"the robot was removed by {caller}")
        transaction.run(db.robots.delete().where(db.robots.c.tag == self.robot))
        transaction.tell(Happens.ROBOT_REMOVED, team=None, robot=self.robot)
        return Done()


class Welcomed(StationRecord, frozen=True, kw_only=True):
    """The robot is in: its tag, where it is, the map it needs, and the task that waits for it."""

    tag: Name
    pose: PoseRecord | None
    map_version: Number
    task: Task | None


@operation("welcome", Who.ROBOT, changes=True)
class Welcome(Request[Welcomed], frozen=True, kw_only=True):
    """A robot enters, or comes back; options that are not told stay as they were."""

    kind: Words = "robot"
    radius: Radius = 0.15
    pose: PoseRecord | None = None
    options: tuple[TaskOption, ...] | None = None

    async def serve(self, means: Means, caller: Caller) -> Welcomed:
        """Reckon with where the robot says it is, and let it in."""
        if self.pose is not None:
            means.positioning.begin(caller.name, self.pose)
        return await super().serve(means, caller)

    def carry_out(self, transaction: Transaction, caller: Caller) -> Welcomed:
        """Let a robot in."""
        row = db.robot_row(transaction, caller.name)
        pose = self.pose or db.pose_of(row)
        values: dict[str, Any] = {
            "kind": self.kind,
            "radius": self.radius,
            "state": "connected",
            "controller": transaction.process,
            "seen_at": transaction.now,
        }
        if self.options is not None:
            _check_options(self.options)
            values["options"] = msgspec.json.encode(self.options).decode()
        if pose is not None:
            values |= {"x": pose.x, "y": pose.y, "heading": pose.heading}
        transaction.run(db.robots.update().where(db.robots.c.tag == caller.name).values(**values))
        transaction.tell(
            Happens.ROBOT_ENTERED,
            team=None,
            robot=caller.name,
            body=self.kind,
            controller=transaction.process,
        )
        return Welcomed(
            tag=caller.name,
            pose=pose,
            map_version=map_version(transaction),
            task=next_task(transaction, caller.name),
        )


@operation("task_options", Who.ROBOT, changes=True)
class TellTaskOptions(Request[Done], frozen=True, kw_only=True):
    """A robot announces the tasks it can do, in place of those announced before."""

    options: tuple[TaskOption, ...]

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Keep what a robot can do."""
        _check_options(self.options)
        text = msgspec.json.encode(self.options).decode()
        transaction.run(db.robots.update().where(db.robots.c.tag == caller.name).values(options=text))
        names = [option.name for option in self.options]
        transaction.tell(Happens.TASK_OPTIONS, team=caller.team, robot=caller.name, names=names)
        return Done()


def _check_options(options: tuple[TaskOption, ...]) -> None:
    names = [option.name for option in options]
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"the task '{name}' is announced twice; a robot announces each once")


class Module(StationRecord, frozen=True, kw_only=True):
    """Code of a team that adds tasks to a robot."""

    name: Words
    code: str


class Modules(StationRecord, frozen=True, kw_only=True):
    """The modules that a robot has taken, in the order in which it did."""

    modules: tuple[Module, ...]


@operation("list_modules", Who.ROBOT)
class ListModules(Request[Modules], frozen=True, kw_only=True):
    """A robot that was started anew asks for the modules that it had taken."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Modules:
        """Tell which modules a robot has taken; of those with one name the newest."""
        theirs = (
            db.tasks.c.robot == caller.name,
            db.tasks.c.name == "import_module",
            db.tasks.c.state == "done",
        )
        found: dict[str, str] = {}
        for row in transaction.all(
            db.select(db.tasks.c.arguments).where(*theirs).order_by(db.tasks.c.ended_in)
        ):
            module = msgspec.json.decode(row.arguments)
            found.pop(module["name"], None)
            found[module["name"]] = module["code"]
        return Modules(modules=tuple(Module(name=name, code=code) for name, code in found.items()))


class Corrected(StationRecord, frozen=True, kw_only=True):
    """Where the station believes the robot to be."""

    pose: PoseRecord


@operation("report_position", Who.ROBOT, changes=True, is_audited=False)
class ReportPosition(Request[Corrected], frozen=True, kw_only=True):
    """A robot tells where it believes it is, and what else its team may know."""

    pose: PoseRecord
    values: dict[str, Any] = msgspec.field(default_factory=dict)

    async def serve(self, means: Means, caller: Caller) -> Corrected:
        """Correct where the robot is, and keep that."""
        pose = means.positioning.report(caller.name, self.pose)
        return await means.written(self, caller, lambda it: self.kept(it, caller, pose))

    def kept(self, transaction: Transaction, caller: Caller, pose: PoseRecord) -> Corrected:
        """Keep where a robot is, as it was corrected, and what else it told."""
        values = {"x": pose.x, "y": pose.y, "heading": pose.heading, "seen_at": transaction.now}
        facts = msgspec.json.encode(self.values).decode()
        ours = db.robots.update().where(db.robots.c.tag == caller.name)
        transaction.run(ours.values(**values, facts=facts))
        return Corrected(pose=pose)


@operation("disconnect", Who.ROBOT, changes=True)
class Disconnect(Request[Done], frozen=True, kw_only=True):
    """A robot leaves."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Let a robot out; its tasks wait for it."""
        set_state(transaction, caller.name, "away", Happens.ROBOT_LEFT)
        return Done()


def set_state(transaction: Transaction, tag: str, state: RobotState, kind: Happens) -> None:
    """Keep whether a robot is there, and that it was heard here."""
    heard = {"state": state, "controller": transaction.process}
    transaction.run(db.robots.update().where(db.robots.c.tag == tag).values(**heard))
    transaction.tell(kind, team=None, robot=tag, controller=transaction.process)


class RobotList(StationRecord, frozen=True, kw_only=True):
    """All robots that the station knows."""

    robots: tuple[RobotRecord, ...]


@operation("list_robots", Who.OBSERVER)
class ListRobots(Request[RobotList], frozen=True, kw_only=True):
    """Ask for all robots."""

    async def serve(self, means: Means, caller: Caller) -> RobotList:
        """Tell all robots, as they were at most 0.1 s ago."""
        return await means.noted(self, caller, RobotList(robots=await means.known.robots()))


@operation("monitor", Who.OBSERVER)
class MonitorRobot(OfRobot[RobotStatus], frozen=True, kw_only=True):
    """Ask for all that is known of a robot."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> RobotStatus:
        """Tell all that is known of a robot."""
        row = db.robot_row(transaction, self.robot)
        ours = db.select(db.tasks).where(db.tasks.c.robot == self.robot)
        still_open = transaction.all(ours.where(db.tasks.c.state.not_in(ENDED)).order_by(db.tasks.c.place))
        done = transaction.all(
            ours.where(db.tasks.c.state.in_(ENDED)).order_by(db.tasks.c.ended_in.desc()).limit(LAST_DONE)
        )
        sent = [db.task_of(one) for one in still_open if one.state == "sent"]
        return RobotStatus(
            robot=db.robot_of(row),
            task=sent[0] if sent else None,
            waiting=tuple(db.task_of(one) for one in still_open if one.state == "waiting"),
            done=tuple(db.task_of(one) for one in done),
            options=db.options_of(row),
            values=msgspec.json.decode(row.facts),
        )


class TaskOptions(StationRecord, frozen=True, kw_only=True):
    """What a robot can do."""

    options: tuple[TaskOption, ...]


@operation("possible_tasks", Who.OBSERVER)
class PossibleTasks(OfRobot[TaskOptions], frozen=True, kw_only=True):
    """Ask what a robot can do."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> TaskOptions:
        """Tell what a robot can do."""
        return TaskOptions(options=db.options_of(db.robot_row(transaction, self.robot)))


def write_positions(transaction: Transaction, positions: Mapping[str, LastReport]) -> None:
    """Keep where many robots are, in one statement: Python's lock would be taken and given back for each row otherwise."""
    rows = [
        {
            "tag": tag,
            "x": one.pose.x,
            "y": one.pose.y,
            "heading": one.pose.heading,
            "facts": _text(one.values),
            "seen_at": one.at,
        }
        for tag, one in positions.items()
    ]
    values = {"rows": msgspec.json.encode(rows).decode()}
    transaction.connection.execute(db.MOVED[transaction.connection.dialect.name], values)


def _text(values: dict[str, Any]) -> str:
    """Return what a robot told as text; nothing where it cannot be one: others must not lose their places for it."""
    try:
        return msgspec.json.encode(values).decode()
    except (TypeError, ValueError, RecursionError):
        return "{}"
