"""What happened, in order, for those whom it concerns.

A reader keeps the number of the last entry it saw and asks for those after it. Numbers follow the order of commits, so
nothing is missed and nothing comes twice, whatever was down in between. A reader who was away for so long that entries were
forgotten is told how many.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sql

from kumi.station.answers import AuditAnswer, Happenings, Notices
from kumi.station.callers import Caller
from kumi.station.operations import Operation
from kumi.station.records import AuditEntry, Happening, Record
from kumi.station.requests import Audit, DoneNotices, Events
from kumi.station.service.rows import task_of
from kumi.station.store.retention import forgotten
from kumi.station.store.schema import audit, happenings, tasks
from kumi.station.store.transaction import Transaction

NOT_AUDITED = {"hello", "report_position", "request_task", "locate", "reserve", "release"}
"""What is called again and again, and changes nothing that anybody asked for: refusals alone are written down."""


def events(transaction: Transaction, caller: Caller, request: Events) -> Happenings:
    """Tell what happened to everybody, or to one's own team."""
    found = sql.select(happenings).where(happenings.c.id > request.after)
    if not caller.is_super_user:
        found = found.where(sql.or_(happenings.c.team.is_(None), happenings.c.team == caller.team))
    rows = transaction.all(found.order_by(happenings.c.id).limit(request.limit))
    told = tuple(
        Happening(
            id=row.id,
            at=row.at,
            kind=row.kind,
            team=row.team,
            robot=row.robot,
            data=msgspec.json.decode(row.data),
        )
        for row in rows
    )
    lost = forgotten(transaction)
    return Happenings(
        happenings=told,
        last=told[-1].id if told else max(_until_now(transaction, request.after), lost),
        forgotten=max(0, lost - request.after),
    )


def done_notices(transaction: Transaction, caller: Caller, request: DoneNotices) -> Notices:
    """Tell which of the tasks that the caller gave have ended."""
    found = sql.select(tasks).where(tasks.c.given_by == str(caller), tasks.c.ended_in > request.after)
    rows = transaction.all(found.order_by(tasks.c.ended_in).limit(request.limit))
    last = rows[-1].ended_in if rows else _until_now(transaction, request.after)
    return Notices(tasks=tuple(task_of(row) for row in rows), last=last)


def _until_now(transaction: Transaction, after: int) -> int:
    """Return where a reader goes on who found nothing: not beyond the end of the log."""
    newest = transaction.one(sql.select(sql.func.max(happenings.c.id).label("id")))
    return min(after, (None if newest is None else newest.id) or 0)


def read_audit(transaction: Transaction, _: Caller, request: Audit) -> AuditAnswer:
    """Tell which operations were called, by whom, and what came of them."""
    found = sql.select(audit).where(audit.c.id > request.after).limit(request.limit)
    found = found.order_by(audit.c.id.desc() if request.newest else audit.c.id)
    if request.before is not None:
        found = found.where(audit.c.id < request.before)
    told = (audit.c.who, audit.c.operation, audit.c.about, audit.c.outcome)
    for word in request.words.lower().split():
        found = found.where(
            sql.or_(*(sql.func.lower(column).contains(word, autoescape=True) for column in told))
        )
    entries = tuple(
        AuditEntry(
            id=row.id,
            at=row.at,
            who=row.who,
            operation=row.operation,
            about=row.about,
            outcome=row.outcome,
        )
        for row in transaction.all(found)
    )
    return AuditAnswer(entries=entries, last=entries[-1].id if entries else request.after)


def write_down(
    transaction: Transaction, operation: Operation, request: Record, caller: Caller, outcome: str
) -> None:
    """Keep that an operation was called, by whom, about what, and what came of it."""
    if operation.name in NOT_AUDITED and outcome == "done":
        return
    about = next(
        (str(getattr(request, name)) for name in ("robot", "task", "name", "team") if hasattr(request, name)),
        "",
    )
    transaction.run(
        audit.insert().values(
            at=transaction.now,
            who=str(caller),
            operation=operation.name,
            about=about[:80],
            outcome=outcome,
        )
    )
