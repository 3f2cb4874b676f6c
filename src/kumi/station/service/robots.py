"""Robots enter, tell what they can do and where they are, and leave.

A robot that comes back finds its tasks as they were: one that it had been sent is sent again, since it may have died
while doing it. A robot knows the numbers of the tasks it ended, and so does not do one twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.devs.secrets import new_secret
from kumi.station.answers import Corrected, Done, Module, Modules, NextTask, RobotKey, TaskOptions, Welcomed
from kumi.station.callers import Caller
from kumi.station.floor.last_report import Heard
from kumi.station.people.secrets import key_hash
from kumi.station.records import ENDED, Monitor, Pose, TaskOption
from kumi.station.refusals import conflict, invalid, unknown
from kumi.station.requests import (
    Disconnect,
    EnrolRobot,
    MonitorRobot,
    PossibleTasks,
    RemoveRobot,
    TellTaskOptions,
    Welcome,
)
from kumi.station.service.queue import end_all, next_task
from kumi.station.service.rows import options_of, pose_of, robot_of, robot_row, task_of
from kumi.station.service.work_space import map_version
from kumi.station.store.schema import robots, tasks, teams
from kumi.station.store.transaction import Transaction

LAST_DONE = 20
"""Ended tasks that the monitor tells of."""


def enrol_robot(transaction: Transaction, _: Caller, request: EnrolRobot) -> RobotKey:
    """Make a robot known, and its key."""
    if transaction.one(sql.select(teams).where(teams.c.name == request.team)) is None:
        raise unknown(f"there is no team '{request.team}'")
    if transaction.one(sql.select(robots.c.tag).where(robots.c.tag == request.robot)) is not None:
        raise conflict(f"there is a robot '{request.robot}' already; choose another name, or remove it first")
    key = new_secret()
    transaction.run(robots.insert().values(tag=request.robot, team=request.team, key=key_hash(key)))
    transaction.tell("robot_enrolled", team=None, robot=request.robot, owner=request.team)
    return RobotKey(robot=request.robot, key=key)


def remove_robot(transaction: Transaction, caller: Caller, request: RemoveRobot) -> Done:
    """Forget a robot."""
    end_all(transaction, request.robot, "cancelled", f"the robot was removed by {caller}")
    transaction.run(robots.delete().where(robots.c.tag == request.robot))
    transaction.tell("robot_removed", team=None, robot=request.robot)
    return Done()


def welcome(transaction: Transaction, caller: Caller, request: Welcome) -> Welcomed:
    """Let a robot in."""
    row = robot_row(transaction, caller.name)
    pose = request.pose or pose_of(row)
    values: dict[str, Any] = {
        "kind": request.kind,
        "radius": request.radius,
        "state": "connected",
        "controller": transaction.process,
        "seen_at": transaction.now,
    }
    if request.options is not None:
        _check_options(request.options)
        values["options"] = msgspec.json.encode(request.options).decode()
    if pose is not None:
        values |= {"x": pose.x, "y": pose.y, "heading": pose.heading}
    transaction.run(robots.update().where(robots.c.tag == caller.name).values(**values))
    transaction.tell(
        "robot_entered", team=None, robot=caller.name, body=request.kind, controller=transaction.process
    )
    return Welcomed(
        tag=caller.name,
        pose=pose,
        map_version=map_version(transaction),
        task=next_task(transaction, caller.name),
    )


def task_options(transaction: Transaction, caller: Caller, request: TellTaskOptions) -> Done:
    """Keep what a robot can do."""
    _check_options(request.options)
    text = msgspec.json.encode(request.options).decode()
    transaction.run(robots.update().where(robots.c.tag == caller.name).values(options=text))
    names = [option.name for option in request.options]
    transaction.tell("task_options", team=caller.team, robot=caller.name, names=names)
    return Done()


def _check_options(options: tuple[TaskOption, ...]) -> None:
    names = [option.name for option in options]
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"the task '{name}' is announced twice; a robot announces each once")


def report_position(
    transaction: Transaction, caller: Caller, pose: Pose, values: dict[str, Any]
) -> Corrected:
    """Keep where a robot is, as it was corrected, and what else it told."""
    transaction.run(
        robots.update()
        .where(robots.c.tag == caller.name)
        .values(
            x=pose.x,
            y=pose.y,
            heading=pose.heading,
            seen_at=transaction.now,
            facts=msgspec.json.encode(values).decode(),
        )
    )
    return Corrected(pose=pose)


def write_positions(transaction: Transaction, positions: Mapping[str, Heard]) -> None:
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
    transaction.connection.execute(_MOVED[transaction.connection.dialect.name], values)


def _text(values: dict[str, Any]) -> str:
    """Return what a robot told as text; nothing where it cannot be one: others must not lose their places for it."""
    try:
        return msgspec.json.encode(values).decode()
    except (TypeError, ValueError, RecursionError):
        return "{}"


_MOVED = {
    "sqlite": sql.text(
        "UPDATE robots SET x = json_extract(told.value, '$.x'), y = json_extract(told.value, '$.y'), "
        "heading = json_extract(told.value, '$.heading'), facts = json_extract(told.value, '$.facts'), "
        "seen_at = json_extract(told.value, '$.seen_at') "
        "FROM json_each(:rows) AS told WHERE robots.tag = json_extract(told.value, '$.tag')"
    ),
    "postgresql": sql.text(
        "UPDATE robots SET x = told.x, y = told.y, heading = told.heading, facts = told.facts, seen_at = told.seen_at "
        "FROM json_to_recordset(:rows) AS told(tag text, x float8, y float8, heading float8, facts text, seen_at float8) "
        "WHERE robots.tag = told.tag"
    ),
}


def disconnect(transaction: Transaction, caller: Caller, _: Disconnect) -> Done:
    """Let a robot out; its tasks wait for it."""
    set_state(transaction, caller.name, "away", "robot_left")
    return Done()


def set_state(transaction: Transaction, tag: str, state: str, kind: str) -> None:
    """Keep whether a robot is there, and that it was heard here."""
    heard = {"state": state, "controller": transaction.process}
    transaction.run(robots.update().where(robots.c.tag == tag).values(**heard))
    transaction.tell(kind, team=None, robot=tag, controller=transaction.process)


def monitor(transaction: Transaction, _: Caller, request: MonitorRobot) -> Monitor:
    """Tell all that is known of a robot."""
    row = robot_row(transaction, request.robot)
    ours = sql.select(tasks).where(tasks.c.robot == request.robot)
    still_open = transaction.all(ours.where(tasks.c.state.not_in(ENDED)).order_by(tasks.c.place))
    done = transaction.all(
        ours.where(tasks.c.state.in_(ENDED)).order_by(tasks.c.ended_in.desc()).limit(LAST_DONE)
    )
    sent = [task_of(one) for one in still_open if one.state == "sent"]
    return Monitor(
        robot=robot_of(row),
        task=sent[0] if sent else None,
        waiting=tuple(task_of(one) for one in still_open if one.state == "waiting"),
        done=tuple(task_of(one) for one in done),
        options=options_of(row),
        values=msgspec.json.decode(row.facts),
    )


def possible_tasks(transaction: Transaction, _: Caller, request: PossibleTasks) -> TaskOptions:
    """Tell what a robot can do."""
    return TaskOptions(options=options_of(robot_row(transaction, request.robot)))


def list_modules(transaction: Transaction, caller: Caller, _: object) -> Modules:
    """Tell which modules a robot has taken; of those with one name the newest."""
    theirs = tasks.c.robot == caller.name, tasks.c.name == "import_module", tasks.c.state == "done"
    found: dict[str, str] = {}
    for row in transaction.all(sql.select(tasks.c.arguments).where(*theirs).order_by(tasks.c.ended_in)):
        module = msgspec.json.decode(row.arguments)
        found.pop(module["name"], None)
        found[module["name"]] = module["code"]
    return Modules(modules=tuple(Module(name=name, code=code) for name, code in found.items()))


def request_task(transaction: Transaction, caller: Caller, _: object) -> NextTask:
    """Hand the next task to its robot."""
    return NextTask(task=next_task(transaction, caller.name))
