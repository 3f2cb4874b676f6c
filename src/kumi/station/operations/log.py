"""What happened, in order, for those whom it concerns.

A reader keeps the number of the last entry it saw and asks for those after it. Numbers follow the order of commits, so
nothing is missed and nothing comes twice, whatever was down in between. A reader who was away for so long that entries were
forgotten is told how many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Limit, Means, Request, Who, operation
from kumi.station.records import AuditEntry, Happening, Happens, Number, StationRecord, Task

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import LogNotice, Transaction

LONGEST_WAIT = 30.0
"""Seconds that a request may wait for something to happen."""
WaitSeconds = Annotated[float, Meta(ge=0.0, le=LONGEST_WAIT)]


class Happenings(StationRecord, frozen=True, kw_only=True):
    """Entries of the log in order; `last` is where to go on.

    `forgotten` tells how many entries after the asked one, of all teams, are not kept any more.
    """

    happenings: tuple[Happening, ...]
    last: Number
    forgotten: Number = 0


@operation("events", Who.OBSERVER)
class Events(Request[Happenings], frozen=True, kw_only=True):
    """Ask what happened after entry `after` of the log: all that concerns one's own team, or nobody's.

    A request for entries after the end of the log is answered with its end. Where there is nothing yet, the answer comes
    when there is, or after `wait` seconds.
    """

    after: Number = 0
    limit: Limit = 100
    wait: WaitSeconds = 0.0

    async def serve(self, means: Means, caller: Caller) -> Happenings:
        """Answer when there is something to tell, or when the caller waits no more."""
        return await means.noted(self, caller, await _awaited(self, means, caller))

    def concerns(self, told: LogNotice, caller: Caller) -> bool:
        """Tell whether something that happened may be what the caller waits for."""
        return caller.is_super_user or told.team is None or told.team == caller.team

    def carry_out(self, transaction: Transaction, caller: Caller) -> Happenings:
        """Tell what happened to everybody, or to one's own team."""
        found = db.select(db.happenings).where(db.happenings.c.id > self.after)
        if not caller.is_super_user:
            found = found.where(db.or_(db.happenings.c.team.is_(None), db.happenings.c.team == caller.team))
        rows = transaction.all(found.order_by(db.happenings.c.id).limit(self.limit))
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
        lost = db.forgotten(transaction)
        return Happenings(
            happenings=told,
            last=told[-1].id if told else max(_until_now(transaction, self.after), lost),
            forgotten=max(0, lost - self.after),
        )


class Notices(StationRecord, frozen=True, kw_only=True):
    """Ended tasks in the order in which they ended."""

    tasks: tuple[Task, ...]
    last: Number


@operation("done_notices", Who.OBSERVER)
class DoneNotices(Request[Notices], frozen=True, kw_only=True):
    """Ask which of the tasks one gave have ended since entry `after` of the log.

    Where there is none yet, the answer comes when there is, or after `wait` seconds.
    """

    after: Number = 0
    limit: Limit = 100
    wait: WaitSeconds = 0.0

    async def serve(self, means: Means, caller: Caller) -> Notices:
        """Answer when there is something to tell, or when the caller waits no more."""
        return await means.noted(self, caller, await _awaited(self, means, caller))

    def concerns(self, told: LogNotice, caller: Caller) -> bool:
        """Tell whether something that happened may be what the caller waits for."""
        is_own = caller.is_super_user or told.team == caller.team
        return is_own and told.kind == Happens.TASK_ENDED and told.data.get("given_by") == str(caller)

    def carry_out(self, transaction: Transaction, caller: Caller) -> Notices:
        """Tell which of the tasks that the caller gave have ended: of robots of the team that the caller has now."""
        found = db.select(db.tasks).where(
            db.tasks.c.given_by == str(caller), db.tasks.c.ended_in > self.after
        )
        if not caller.is_super_user:
            own = db.select(db.robots.c.tag).where(db.robots.c.team == caller.team)
            found = found.where(db.tasks.c.robot.in_(own))
        rows = transaction.all(found.order_by(db.tasks.c.ended_in).limit(self.limit))
        last = rows[-1].ended_in if rows else _until_now(transaction, self.after)
        return Notices(tasks=tuple(db.task_of(row) for row in rows), last=last)


def _until_now(transaction: Transaction, after: int) -> int:
    """Return where a reader goes on who found nothing: not beyond the end of the log."""
    newest = transaction.one(db.select(db.func.max(db.happenings.c.id).label("id")))
    return min(after, (None if newest is None else newest.id) or 0)


class AuditAnswer(StationRecord, frozen=True, kw_only=True):
    """Operations in the order in which they were answered, or the latest first; `last` is the last of these."""

    entries: tuple[AuditEntry, ...]
    last: Number


@operation("audit", Who.SUPER_USER)
class Audit(Request[AuditAnswer], frozen=True, kw_only=True):
    """Ask which operations were called after entry `after`, or for the newest before entry `before`, latest first.

    With `words`, returns only entries whose caller, operation, subject or result contain every word.
    """

    after: Number = 0
    limit: Limit = 100
    newest: bool = False
    before: Number | None = None
    words: Annotated[str, Meta(max_length=200)] = ""

    def carry_out(self, transaction: Transaction, caller: Caller) -> AuditAnswer:
        """Tell which operations were called, by whom, and what came of them."""
        found = db.select(db.audit).where(db.audit.c.id > self.after).limit(self.limit)
        found = found.order_by(db.audit.c.id.desc() if self.newest else db.audit.c.id)
        if self.before is not None:
            found = found.where(db.audit.c.id < self.before)
        told = (db.audit.c.who, db.audit.c.operation, db.audit.c.about, db.audit.c.outcome)
        for word in self.words.lower().split():
            found = found.where(
                db.or_(*(db.func.lower(column).contains(word, autoescape=True) for column in told))
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
        return AuditAnswer(entries=entries, last=entries[-1].id if entries else self.after)


async def _awaited(request: Events | DoneNotices, means: Means, caller: Caller) -> Any:
    """Read when there is something to read, or when the caller waits no more."""
    work = request.checked(caller)
    if request.wait == 0.0:
        return await means.read(work)
    with means.news.expected(request, caller) as waiter:
        while True:
            answer: Any = await means.read(work)
            if answer.last != request.after or not await waiter.has_news():
                return answer
