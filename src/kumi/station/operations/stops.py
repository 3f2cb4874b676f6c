"""A stop: a person asks for it, a button on the robot, or the robot itself tells of one that the station does not know.

A stop goes to the robot from what is known in memory, and the robot keeps it. Each has a number of its own, so it is written once,
however often and by whomever it is told. When it is written, all tasks that the robot was given before have ended, and it is
known up to which number: only a task with a higher one is a new word, which lets the robot move again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Means, OfRobot, Request, Who, check_team, operation
from kumi.station.operations.tasks import end, end_all
from kumi.station.records import ENDED, Happens, Number, StationRecord
from kumi.station.unwritten_stop import StopOrder

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import Transaction

ANSWER_TIMEOUT = 1.0
"""Seconds after which a stop is answered that could not be written until then."""
MOST_REPORTED = 100
"""Stops that a robot tells of at once."""
StopId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Holder = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""Who stopped a robot, or what."""


class StopAnswer(StationRecord, frozen=True, kw_only=True):
    """The robot was told to stop. `is_heard`: it has said that it heard it; `is_written`: the stop is on disk.

    A stop that is not written yet is repeated until the robot has heard it, and written as soon as that is possible.
    """

    is_written: bool
    is_heard: bool


class ReportedStop(StationRecord, frozen=True, kw_only=True):
    """A stop that a robot keeps: by whom, and which task it cut."""

    stop: StopId
    by: Holder
    task: Number | None = None


class WrittenStop(StationRecord, frozen=True, kw_only=True):
    """A stop that is written, and the number of the last task that may not be driven after it."""

    stop: StopId
    last_task: Number


class StopsWritten(StationRecord, frozen=True, kw_only=True):
    """Those stops, of the ones that a robot told of, that are written."""

    stops: tuple[WrittenStop, ...]


def how_stopped(stopped: StopAnswer) -> str:
    """Return what became of a robot that was to stop, in words that follow its name."""
    if stopped.is_written:
        return "is stopped"
    return (
        "is stopped, not yet written down"
        if stopped.is_heard
        else "was told to stop and has not answered yet; this is not yet written down"
    )


def new_stop() -> str:
    """Return what tells a stop from all others."""
    return uuid4().hex


@operation("stop", Who.COMMANDER, changes=True, is_urgent=True)
class Stop(OfRobot[StopAnswer], frozen=True, kw_only=True):
    """Stop a robot at once; what it does and what waits for it ends, and it stands until it is given something new.

    The answer does not wait for the disk: it tells whether the stop is written yet.
    """

    async def serve(self, means: Means, caller: Caller) -> StopAnswer:
        """Tell the robot before anything is read or written; nothing that may hang is waited for."""
        check_team((await means.known.whose(self.robot)).team, caller, f"robot '{self.robot}'")
        stop = means.stop(StopOrder(stop=new_stop(), robot=self.robot, by=str(caller)))
        return StopAnswer(is_written=await stop.settled(ANSWER_TIMEOUT), is_heard=stop.is_heard)


@operation("report_stops", Who.ROBOT, changes=True, is_audited=False, is_urgent=True)
class ReportStops(Request[StopsWritten], frozen=True, kw_only=True):
    """A robot tells which stops it keeps that are not written as far as it knows."""

    stops: Annotated[tuple[ReportedStop, ...], Meta(max_length=MOST_REPORTED)]

    async def serve(self, means: Means, caller: Caller) -> StopsWritten:
        """Take what is new, and tell which are written."""
        said = f", as {caller} says"
        told = [
            StopOrder(stop=one.stop, robot=caller.name, by=f"{one.by}{said}", task=one.task)
            for one in self.stops
        ]
        taken = [means.stop(one, is_heard=True) for one in told]
        await asyncio.gather(*(one.settled(ANSWER_TIMEOUT) for one in taken))
        written = [(one.order.stop, one.last_task) for one in taken]
        return StopsWritten(
            stops=tuple(WrittenStop(stop=stop, last_task=last) for stop, last in written if last is not None)
        )


def write_stop(transaction: Transaction, order: StopOrder) -> int:
    """Write a stop, unless it is written; return the number of the last task that may not be driven after it."""
    if order.task is not None:
        cut = db.task_row(transaction, order.task)
        if cut is not None and cut.robot == order.robot and cut.state not in ENDED:
            end(transaction, cut, "stopped", f"stopped by {order.by}")
    written = transaction.one(db.select(db.stops.c.last_task).where(db.stops.c.stop == order.stop))
    if written is not None:
        return int(written.last_task)
    robot = transaction.one(db.select(db.robots.c.team).where(db.robots.c.tag == order.robot))
    if robot is None:
        return 0  # it was removed: it has no tasks, and gets none
    newest = db.select(db.func.max(db.tasks.c.id)).where(db.tasks.c.robot == order.robot)
    last: int = transaction.connection.execute(newest).scalar() or 0
    told = transaction.tell(
        Happens.STOP, team=robot.team, robot=order.robot, by=order.by, stop=order.stop, last_task=last
    )
    transaction.run(
        db.stops.insert().values(stop=order.stop, robot=order.robot, last_task=last, told_in=told)
    )
    end_all(transaction, order.robot, "stopped", f"stopped by {order.by}")
    transaction.run(
        db.audit.insert().values(
            at=transaction.now, who=order.by[:80], operation="stop", about=order.robot[:80], outcome="done"
        )
    )
    return last
