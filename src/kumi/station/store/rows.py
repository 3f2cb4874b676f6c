"""Rows of the store as values of the interface."""

from __future__ import annotations

from itertools import starmap
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.station.records import (
    FoundObject,
    Medium,
    PlaceRecord,
    PoseRecord,
    RobotRecord,
    RobotState,
    Task,
    TaskOption,
)
from kumi.station.refusals import unknown
from kumi.station.store.schema import media, robots, tasks
from kumi.station.store.transaction import Transaction

ROBOT_COLUMNS = (
    robots.c.tag,
    robots.c.team,
    robots.c.kind,
    robots.c.radius,
    robots.c.state,
    robots.c.x,
    robots.c.y,
    robots.c.heading,
    robots.c.seen_at,
)


def robot_row(transaction: Transaction, tag: str) -> sql.Row[Any]:
    """Return a robot's row; refuse a tag that no robot has."""
    row = transaction.one(sql.select(robots).where(robots.c.tag == tag))
    if row is None:
        raise unknown(f"there is no robot '{tag}'")
    return row


def pose_of(row: sql.Row[Any]) -> PoseRecord | None:
    """Return where a robot was last."""
    return None if row.x is None else PoseRecord(x=row.x, y=row.y, heading=row.heading)


def robot_of(row: sql.Row[Any]) -> RobotRecord:
    """Return what everybody may know of a robot."""
    return _robot(*(getattr(row, column.name) for column in ROBOT_COLUMNS))


def _robot(
    tag: str,
    team: str,
    kind: str,
    radius: float,
    state: RobotState,
    x: float | None,
    y: float,
    heading: float,
    seen_at: float | None,
) -> RobotRecord:
    pose = None if x is None else PoseRecord(x=x, y=y, heading=heading)
    return RobotRecord(tag=tag, team=team, kind=kind, radius=radius, state=state, pose=pose, seen_at=seen_at)


def all_robots(transaction: Transaction) -> tuple[RobotRecord, ...]:
    """Return all robots by their tags."""
    found = transaction.all(sql.select(*ROBOT_COLUMNS).order_by(robots.c.tag))
    return tuple(
        starmap(_robot, found)
    )  # by place and not by name: there are many, read several times a second


def options_of(row: sql.Row[Any]) -> tuple[TaskOption, ...]:
    """Return what a robot announced that it can do."""
    return msgspec.json.decode(row.options, type=tuple[TaskOption, ...])


def task_of(row: sql.Row[Any]) -> Task:
    """Return a task."""
    return Task(
        id=row.id,
        robot=row.robot,
        name=row.name,
        arguments=msgspec.json.decode(row.arguments),
        state=row.state,
        outcome=row.outcome,
        given_by=row.given_by,
        given_at=row.given_at,
        ended_at=row.ended_at,
    )


def task_row(transaction: Transaction, number: int) -> sql.Row[Any] | None:
    """Return a task's row, or None."""
    return transaction.one(sql.select(tasks).where(tasks.c.id == number))


def medium_row(transaction: Transaction, number: int, *, content: bool = False) -> sql.Row[Any] | None:
    """Return a file's row with its size, or None."""
    columns = [column for column in media.c if content or column.name != "content"]
    size = sql.func.length(media.c.content).label("size")
    return transaction.one(sql.select(*columns, size).where(media.c.id == number))


def medium_of(row: sql.Row[Any]) -> Medium:
    """Return what is known of a file."""
    return Medium(
        id=row.id,
        name=row.name,
        kind=row.kind,
        size=row.size,
        robot=row.robot,
        team=row.team,
        stored_at=row.stored_at,
    )


def object_of(row: sql.Row[Any]) -> FoundObject:
    """Return something that was discovered."""
    return FoundObject(
        id=row.id,
        name=row.name,
        at=PlaceRecord(x=row.x, y=row.y),
        robot=row.robot,
        team=row.team,
        media=row.medium,
        found_at=row.found_at,
    )


MOVED = {
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
"""Keeps where many robots are in one statement, by the dialect of the database."""
