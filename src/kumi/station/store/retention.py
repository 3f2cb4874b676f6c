"""How does a store stay bounded, however long a station runs? Of each log it keeps the newest entries, so many and no more.

Old entries go some at a time, so that nobody waits long for the writer. How far the log of what happened was forgotten is
kept, so a reader whose cursor is older is told how many entries it missed. Files, discovered objects, maps and measurements
are what a station is for: they stay.
"""

from __future__ import annotations

import sqlalchemy as sql

from kumi.station.records import ENDED
from kumi.station.store.schema import audit, facts, happenings, stops, tasks
from kumi.station.store.transaction import Transaction

LEAST_ENTRIES = 1000
"""Entries that a store keeps at least."""
ENTRIES_PER_TRANSACTION = 2000
"""Entries that are forgotten in one transaction."""
FORGOTTEN = "forgotten"
"""The fact that tells the last entry of the log that is not kept any more."""


def forget(transaction: Transaction, keep: int) -> bool:
    """Forget some entries that are older than the newest so many of their kind; return whether there are more."""
    is_over = _ended_in(transaction)
    counts = [
        _forget(transaction, audit, audit.c.id, keep),
        _forget(transaction, happenings, happenings.c.id, keep),
        _forget(transaction, tasks, tasks.c.ended_in, keep, is_over),
        _forget(transaction, stops, stops.c.told_in, keep),
    ]
    return max(counts) == ENTRIES_PER_TRANSACTION


def _ended_in(transaction: Transaction) -> sql.ColumnElement[bool]:
    """Return which tasks may be forgotten: those that ended before the log was forgotten."""
    return sql.and_(tasks.c.state.in_(ENDED), tasks.c.ended_in <= forgotten(transaction))


def _forget(
    transaction: Transaction,
    table: sql.Table,
    order: sql.ColumnElement[int],
    keep: int,
    also: sql.ColumnElement[bool] | None = None,
) -> int:
    newest = transaction.connection.execute(sql.select(sql.func.max(order))).scalar()
    if newest is None:
        return 0
    old = order <= newest - keep if also is None else sql.and_(order <= newest - keep, also)
    bound = transaction.connection.execute(
        sql.select(order).where(old).order_by(order).limit(ENTRIES_PER_TRANSACTION)
    ).scalars()
    numbers = list(bound)
    if numbers:
        transaction.run(table.delete().where(sql.and_(old, order <= numbers[-1])))
        if table is happenings:
            transaction.run(facts.delete().where(facts.c.name == FORGOTTEN))
            transaction.run(facts.insert().values(name=FORGOTTEN, value=str(numbers[-1])))
    return len(numbers)


def forgotten(transaction: Transaction) -> int:
    """Return the number of the last entry of the log that is not kept any more; 0 where all are."""
    row = transaction.one(sql.select(facts.c.value).where(facts.c.name == FORGOTTEN))
    return 0 if row is None else int(row.value)
