"""What the code of a task prints: told by its robot piece by piece, kept whole up to a bound, and read while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Done, Means, OfTask, Who, operation
from kumi.station.operations.log import WaitSeconds
from kumi.station.records import ENDED, Happens, Number, StationRecord, Task

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import LogNotice, Transaction

MOST_OUTPUT = 200_000
"""Letters that are kept of what a task printed."""
MOST_PIECE = 20_000
"""Letters that a robot tells at once."""
CUT = f"\n… cut here: a task keeps {MOST_OUTPUT} letters of what it prints\n"
"""The mark where there was more."""


@operation("tell_output", Who.ROBOT, changes=True, is_audited=False)
class TellOutput(OfTask[Done], frozen=True, kw_only=True):
    """A robot tells what the code of its task printed since; a `piece` that is told again counts once."""

    piece: Annotated[str, Meta(min_length=1, max_length=32)]
    text: Annotated[str, Meta(min_length=1, max_length=MOST_PIECE)]

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Keep a piece after those before, as far as there is room."""
        own = db.outputs.c.task == self.task
        row = transaction.one(db.select(db.outputs).where(own))
        before = "" if row is None else row.text
        if len(before) > MOST_OUTPUT or (row is not None and row.piece == self.piece):
            return Done()
        whole = before + self.text.replace("\0", "\ufffd")  # which no text of PostgreSQL can have
        if len(whole) > MOST_OUTPUT:
            whole = whole[:MOST_OUTPUT] + CUT
        values = {"text": whole, "piece": self.piece}
        if row is None:
            transaction.run(db.outputs.insert().values(task=self.task, **values))
        else:
            transaction.run(db.outputs.update().where(own).values(**values))
        team = db.robot_row(transaction, caller.name).team
        transaction.tell(
            Happens.TASK_OUTPUT, team=team, robot=caller.name, task=self.task, letters=len(whole)
        )
        return Done()


class OutputSoFar(StationRecord, frozen=True, kw_only=True):
    """What a task printed after the letters that were read before; `last` is where to go on, `task` how far it has got."""

    text: str
    last: Number
    task: Task


@operation("task_output", Who.OBSERVER, is_audited=False)
class TaskOutput(OfTask[OutputSoFar], frozen=True, kw_only=True):
    """Ask what the code of a task printed, after the first `after` letters.

    Where there is nothing yet, the answer comes when there is, when the task has ended, or after `wait` seconds.
    """

    after: Number = 0
    wait: WaitSeconds = 0.0

    async def serve(self, means: Means, caller: Caller) -> OutputSoFar:
        """Answer when there is something to tell, when the task has ended, or when the caller waits no more."""
        work = self.checked(caller)
        with means.news.expected(self, caller) as waiter:
            while True:
                answer = await means.read(work)
                if answer.text or answer.task.state in ENDED or not await waiter.has_news():
                    return answer

    def concerns(self, told: LogNotice, caller: Caller) -> bool:
        """Tell whether something that happened may be what the caller waits for."""
        is_news = told.kind in (Happens.TASK_OUTPUT, Happens.TASK_ENDED)
        return is_news and told.data.get("task") == self.task

    def carry_out(self, transaction: Transaction, caller: Caller) -> OutputSoFar:
        """Tell what is kept."""
        row = transaction.one(db.select(db.outputs.c.text).where(db.outputs.c.task == self.task))
        text = "" if row is None else row.text
        found = db.task_row(transaction, self.task)
        assert found is not None
        return OutputSoFar(text=text[self.after :], last=len(text), task=db.task_of(found))
