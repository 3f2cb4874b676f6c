"""Tasks in their order: given, sent, ended.

A robot has one task under way at most, which was sent to it; the others wait by their place. A task that is given now goes
before all that wait; the one under way is then interrupted: the robot is told, ends its straight or turn, and asks for the
next.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import sqlalchemy as sql
from msgspec import Meta

from kumi.station.answers import Done, Given, NextTask
from kumi.station.callers import Caller
from kumi.station.records import ENDED, Spot, Task, TaskOption
from kumi.station.refusals import conflict, invalid
from kumi.station.requests import CancelTask, GiveTask, SendCode, Stop, TaskDone
from kumi.station.service.rows import options_of, robot_row, task_of, task_row
from kumi.station.store.schema import tasks
from kumi.station.store.transaction import Transaction
from kumi.station.wording import complaint

MOST_WAITING = 1000
"""Tasks that may wait for one robot."""
KINDS: dict[str, Any] = {
    "spot": Spot,
    "spots": Annotated[tuple[Spot, ...], Meta(min_length=1)],
    "number": float,
    "text": str,
}


def give_task(transaction: Transaction, caller: Caller, request: GiveTask) -> Given:
    """Put a task into a robot's queue."""
    key = f"{caller}\n{request.request}" if request.request else None
    if key is not None:
        before = transaction.one(sql.select(tasks).where(tasks.c.request == key))
        if before is not None:
            _check_same(before, request)
            return Given(task=before.id)
    row = robot_row(transaction, request.robot)
    option = _option(request, options_of(row))
    _check_arguments(option, request.arguments)
    return _enqueue(transaction, caller, row, request.task, request.arguments, request.when == "now", key)


def _check_same(before: sql.Row[Any], request: GiveTask) -> None:
    """Refuse a request that was made before, and meant something else then."""
    given = msgspec.json.decode(msgspec.json.encode(request.arguments))
    known = before.robot, before.name, msgspec.json.decode(before.arguments)
    if known != (request.robot, request.task, given):
        raise conflict(
            f"request '{request.request}' gave task {before.id}, '{before.name}' for robot '{before.robot}', "
            "with other values; use another for another task"
        )


def send_code(transaction: Transaction, caller: Caller, request: SendCode) -> Given:
    """Put code into a robot's queue, as a task of its own kind."""
    row = robot_row(transaction, request.robot)
    name = "run_code" if request.purpose == "run" else "import_module"
    arguments = {"name": request.name, "code": request.code}
    return _enqueue(transaction, caller, row, name, arguments, is_now=False, key=None)


def _enqueue(
    transaction: Transaction,
    caller: Caller,
    robot: sql.Row[Any],
    name: str,
    arguments: dict[str, Any],
    is_now: bool,
    key: str | None,
) -> Given:
    still_open = sql.select(tasks.c.place).where(tasks.c.robot == robot.tag, tasks.c.state.not_in(ENDED))
    places = [row.place for row in transaction.all(still_open)]
    if len(places) >= MOST_WAITING:
        raise conflict(
            f"{len(places)} tasks wait for robot '{robot.tag}' already; at most {MOST_WAITING} may"
        )
    if is_now:
        _interrupt(transaction, robot.tag, f"interrupted by {caller}")
    place = min(places, default=0.0) - 1.0 if is_now else max(places, default=0.0) + 1.0
    number = transaction.insert(
        tasks,
        robot=robot.tag,
        name=name,
        arguments=msgspec.json.encode(arguments).decode(),
        state="waiting",
        place=place,
        given_by=str(caller),
        given_at=transaction.now,
        request=key,
    )
    transaction.tell("task_given", team=robot.team, robot=robot.tag, task=number, name=name, now=is_now)
    return Given(task=number)


def _option(request: GiveTask, options: tuple[TaskOption, ...]) -> TaskOption:
    for option in options:
        if option.name == request.task:
            return option
    can = ", ".join(option.name for option in options) or "nothing yet"
    raise invalid(f"unknown task '{request.task}': robot '{request.robot}' can {can}")


def _check_arguments(option: TaskOption, arguments: dict[str, Any]) -> None:
    """Refuse arguments that the robot did not ask for, or of another kind."""
    wanted = {parameter.name: parameter.kind for parameter in option.parameters}
    for name in arguments:
        if name not in wanted:
            raise invalid(
                f"task '{option.name}' takes no '{name}'; it takes {', '.join(wanted) or 'nothing'}"
            )
    for name, kind in wanted.items():
        if name not in arguments:
            raise invalid(f"task '{option.name}' needs '{name}', which is a {kind}")
        try:
            msgspec.convert(arguments[name], KINDS[kind])
        except msgspec.ValidationError as error:
            raise invalid(f"task '{option.name}' does not take this: {complaint(error, name)}") from None


def next_task(transaction: Transaction, tag: str) -> Task | None:
    """Return the task that was sent to a robot, else send it the next that waits."""
    ours = sql.select(tasks).where(tasks.c.robot == tag)
    sent = transaction.one(ours.where(tasks.c.state == "sent"))
    if sent is not None:
        return task_of(sent)
    first = transaction.one(ours.where(tasks.c.state == "waiting").order_by(tasks.c.place).limit(1))
    if first is None:
        return None
    transaction.run(tasks.update().where(tasks.c.id == first.id).values(state="sent"))
    team = robot_row(transaction, tag).team
    transaction.tell("task_sent", team=team, robot=tag, task=first.id, name=first.name)
    return msgspec.structs.replace(task_of(first), state="sent")


def task_done(transaction: Transaction, caller: Caller, request: TaskDone) -> NextTask:
    """End a task as its robot says, and hand out the next; a second word about an ended task changes nothing."""
    row = task_row(transaction, request.task)
    assert row is not None
    if row.state == "waiting":
        raise conflict(f"task {request.task} was not sent to robot '{caller.name}' yet")
    if row.state == "sent":
        end(transaction, row, "done" if request.succeeded else "failed", request.outcome)
    return NextTask(task=next_task(transaction, caller.name))


def cancel_task(transaction: Transaction, caller: Caller, request: CancelTask) -> Done:
    """Take a task back."""
    row = task_row(transaction, request.task)
    assert row is not None
    if row.state in ENDED:
        raise conflict(f"task {request.task} has ended already: {row.state}")
    end(transaction, row, "cancelled", f"cancelled by {caller}")
    return Done()


def stop(transaction: Transaction, caller: Caller, request: Stop) -> Done:
    """End all that a robot does and has to do."""
    row = robot_row(transaction, request.robot)
    transaction.tell("stop", team=row.team, robot=request.robot, by=str(caller))
    end_all(transaction, request.robot, "stopped", f"stopped by {caller}")
    return Done()


def end_all(transaction: Transaction, tag: str, state: str, outcome: str) -> None:
    """End all tasks of a robot that have not ended."""
    still_open = sql.select(tasks).where(tasks.c.robot == tag, tasks.c.state.not_in(ENDED))
    for row in transaction.all(still_open.order_by(tasks.c.place)):
        end(transaction, row, state, outcome)


def _interrupt(transaction: Transaction, tag: str, outcome: str) -> None:
    sent = transaction.one(sql.select(tasks).where(tasks.c.robot == tag, tasks.c.state == "sent"))
    if sent is not None:
        end(transaction, sent, "interrupted", outcome)


def end(transaction: Transaction, row: sql.Row[Any], state: str, outcome: str) -> None:
    """End one task, and tell of it."""
    team = robot_row(transaction, row.robot).team
    told = transaction.tell(
        "task_ended",
        team=team,
        robot=row.robot,
        task=row.id,
        name=row.name,
        state=state,
        outcome=outcome,
        given_by=row.given_by,
    )
    transaction.run(
        tasks.update()
        .where(tasks.c.id == row.id)
        .values(state=state, outcome=outcome, ended_at=transaction.now, ended_in=told)
    )
