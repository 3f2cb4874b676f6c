"""Tasks in their order: given, sent, ended.

A robot has one task under way at most, which was sent to it; the others wait by their place. A task that is given now goes
before all that wait; the one under way is then interrupted: the robot is told, ends its straight or turn, and asks for the
next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Done, OfRobot, OfTask, Request, Who, operation
from kumi.station.records import (
    ENDED,
    Happens,
    Number,
    PlaceRecord,
    StationRecord,
    Task,
    TaskOption,
    TaskState,
    Word,
    Words,
)
from kumi.station.refusals import conflict, invalid
from kumi.station.wording import complaint

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import Transaction

MOST_WAITING = 1000
"""Tasks that may wait for one robot."""
MOST_CODE = 16_000_000
"""Letters of code that one robot may have, in tasks that have not ended and in modules."""
CODE = ("run_code", "import_module")
KINDS: dict[str, Any] = {
    "spot": PlaceRecord,
    "spots": Annotated[tuple[PlaceRecord, ...], Meta(min_length=1)],
    "number": float,
    "text": str,
}


class Given(StationRecord, frozen=True, kw_only=True):
    """The number of a task that was given."""

    task: Number


@operation("give_task", Who.COMMANDER, changes=True)
class GiveTask(OfRobot[Given], frozen=True, kw_only=True):
    """Give a robot a task: after those that wait, or now, which interrupts the present one.

    A caller that gets no answer may call again with the same `request`: the task is given once.
    """

    task: Word
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    when: Literal["queue", "now"] = "queue"
    request: Annotated[str, Meta(max_length=64)] = ""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Given:
        """Put a task into a robot's queue."""
        key = f"{caller}\n{self.request}" if self.request else None
        if key is not None:
            before = transaction.one(db.select(db.tasks).where(db.tasks.c.request == key))
            if before is not None:
                _check_same(before, self)
                return Given(task=before.id)
        row = db.robot_row(transaction, self.robot)
        option = _option(self, db.options_of(row))
        _check_arguments(option, self.arguments)
        return _enqueue(transaction, caller, row, self.task, self.arguments, self.when == "now", key)


def _check_same(before: db.Row[Any], request: GiveTask) -> None:
    """Refuse a request that was made before, and meant something else then."""
    given = msgspec.json.decode(msgspec.json.encode(request.arguments))
    known = before.robot, before.name, msgspec.json.decode(before.arguments)
    if known != (request.robot, request.task, given):
        raise conflict(
            f"request '{request.request}' gave task {before.id}, '{before.name}' for robot '{before.robot}', "
            "with other values; use another for another task"
        )


def _enqueue(
    transaction: Transaction,
    caller: Caller,
    robot: db.Row[Any],
    name: str,
    arguments: dict[str, Any],
    is_now: bool,
    key: str | None,
) -> Given:
    still_open = db.select(db.tasks.c.place).where(
        db.tasks.c.robot == robot.tag, db.tasks.c.state.not_in(ENDED)
    )
    places = [row.place for row in transaction.all(still_open)]
    if len(places) >= MOST_WAITING:
        raise conflict(
            f"{len(places)} tasks wait for robot '{robot.tag}' already; at most {MOST_WAITING} may"
        )
    if is_now:
        _interrupt(transaction, robot.tag, f"interrupted by {caller}")
    place = min(places, default=0.0) - 1.0 if is_now else max(places, default=0.0) + 1.0
    number = transaction.insert(
        db.tasks,
        robot=robot.tag,
        name=name,
        arguments=msgspec.json.encode(arguments).decode(),
        state="waiting",
        place=place,
        given_by=str(caller),
        given_at=transaction.now,
        request=key,
    )
    transaction.tell(Happens.TASK_GIVEN, team=robot.team, robot=robot.tag, task=number, name=name, now=is_now)
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


@operation("send_code", Who.COMMANDER, changes=True)
class SendCode(OfRobot[Given], frozen=True, kw_only=True):
    """Give a robot code to run in its sandbox, or a module that adds tasks."""

    name: Word
    code: Annotated[str, Meta(max_length=1_000_000)]
    purpose: Literal["run", "module"] = "run"

    def carry_out(self, transaction: Transaction, caller: Caller) -> Given:
        """Put code into a robot's queue, as a task of its own kind."""
        row = db.robot_row(transaction, self.robot)
        name = "run_code" if self.purpose == "run" else "import_module"
        arguments = {"name": self.name, "code": self.code}
        _check_code(transaction, self.robot, len(self.code))
        return _enqueue(transaction, caller, row, name, arguments, is_now=False, key=None)


def _check_code(transaction: Transaction, tag: str, more: int) -> None:
    """Refuse code that is too much for one robot."""
    kept = db.and_(
        db.tasks.c.robot == tag,
        db.tasks.c.name.in_(CODE),
        db.or_(
            db.tasks.c.state.not_in(ENDED),
            db.and_(db.tasks.c.name == "import_module", db.tasks.c.state == "done"),
        ),
    )
    counted = db.select(db.func.sum(db.func.length(db.tasks.c.arguments))).where(kept)
    used = transaction.connection.execute(counted).scalar() or 0
    if used + more > MOST_CODE:
        raise conflict(
            f"robot '{tag}' has {used} letters of code, in tasks that wait and in modules, and {more} more would be over "
            f"the {MOST_CODE} allowed: cancel tasks, or send modules again that are shorter"
        )


def _drop_code(transaction: Transaction, row: db.Row[Any], state: TaskState) -> None:
    """Keep no code that is not needed any more: of a task that has ended, and of a module that another took the place of."""
    name = msgspec.json.decode(row.arguments)["name"]
    bare = msgspec.json.encode({"name": name, "code": ""}).decode()
    if row.name == "run_code" or state != "done":
        transaction.run(db.tasks.update().where(db.tasks.c.id == row.id).values(arguments=bare))
        return
    older = (
        db.tasks.c.robot == row.robot,
        db.tasks.c.name == "import_module",
        db.tasks.c.state == "done",
        db.tasks.c.id != row.id,
        db.tasks.c.arguments.startswith(bare.removesuffix('"}'), autoescape=True),
    )
    transaction.run(db.tasks.update().where(*older).values(arguments=bare))


@operation("cancel_task", Who.COMMANDER, changes=True)
class CancelTask(OfTask[Done], frozen=True, kw_only=True):
    """Take a task back that has not ended."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Take a task back."""
        row = db.task_row(transaction, self.task)
        assert row is not None
        if row.state in ENDED:
            raise conflict(f"task {self.task} has ended already: {row.state}")
        end(transaction, row, "cancelled", f"cancelled by {caller}")
        return Done()


class NextTask(StationRecord, frozen=True, kw_only=True):
    """The task to do now, or None."""

    task: Task | None


@operation("request_task", Who.ROBOT, changes=True, is_audited=False)
class RequestTask(Request[NextTask], frozen=True, kw_only=True):
    """A robot asks for its next task."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> NextTask:
        """Hand the next task to its robot."""
        return NextTask(task=next_task(transaction, caller.name))


@operation("task_done", Who.ROBOT, changes=True)
class TaskDone(OfTask[NextTask], frozen=True, kw_only=True):
    """A robot ended a task."""

    succeeded: bool = True
    outcome: Words = ""

    def carry_out(self, transaction: Transaction, caller: Caller) -> NextTask:
        """End a task as its robot says, and hand out the next; a second word about an ended task changes nothing."""
        row = db.task_row(transaction, self.task)
        assert row is not None
        if row.state == "waiting":
            raise conflict(f"task {self.task} was not sent to robot '{caller.name}' yet")
        if row.state == "sent":
            end(transaction, row, "done" if self.succeeded else "failed", self.outcome)
        return NextTask(task=next_task(transaction, caller.name))


def next_task(transaction: Transaction, tag: str) -> Task | None:
    """Return the task that was sent to a robot, else send it the next that waits."""
    ours = db.select(db.tasks).where(db.tasks.c.robot == tag)
    sent = transaction.one(ours.where(db.tasks.c.state == "sent"))
    if sent is not None:
        return db.task_of(sent)
    first = transaction.one(ours.where(db.tasks.c.state == "waiting").order_by(db.tasks.c.place).limit(1))
    if first is None:
        return None
    transaction.run(db.tasks.update().where(db.tasks.c.id == first.id).values(state="sent"))
    team = db.robot_row(transaction, tag).team
    transaction.tell(Happens.TASK_SENT, team=team, robot=tag, task=first.id, name=first.name)
    return msgspec.structs.replace(db.task_of(first), state="sent")


def end_all(transaction: Transaction, tag: str, state: TaskState, outcome: str) -> None:
    """End all tasks of a robot that have not ended."""
    still_open = db.select(db.tasks).where(db.tasks.c.robot == tag, db.tasks.c.state.not_in(ENDED))
    for row in transaction.all(still_open.order_by(db.tasks.c.place)):
        end(transaction, row, state, outcome)


def _interrupt(transaction: Transaction, tag: str, outcome: str) -> None:
    sent = transaction.one(db.select(db.tasks).where(db.tasks.c.robot == tag, db.tasks.c.state == "sent"))
    if sent is not None:
        end(transaction, sent, "interrupted", outcome)


def end(transaction: Transaction, row: db.Row[Any], state: TaskState, outcome: str) -> None:
    """End one task, and tell of it."""
    team = db.robot_row(transaction, row.robot).team
    told = transaction.tell(
        Happens.TASK_ENDED,
        team=team,
        robot=row.robot,
        task=row.id,
        name=row.name,
        state=state,
        outcome=outcome,
        given_by=row.given_by,
    )
    transaction.run(
        db.tasks.update()
        .where(db.tasks.c.id == row.id)
        .values(state=state, outcome=outcome, ended_at=transaction.now, ended_in=told)
    )
    if row.name in CODE:
        _drop_code(transaction, row, state)
