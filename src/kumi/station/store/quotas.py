"""How much may one team, or one robot, keep at a station? So much that no other lacks room for it.

What a team keeps is counted as it comes and goes, so that nobody counts it anew for each file. What is over a quota is refused
with the way to make room.
"""

from __future__ import annotations

from typing import Literal

import sqlalchemy as sql

from kumi.station.refusals import Reason, Refused
from kumi.station.store.schema import media, samples, usage
from kumi.station.store.transaction import Transaction

Kind = Literal["files", "measurements"]
MOST: dict[Kind, int] = {"files": 10 * 1024**3, "measurements": 10_000_000}
"""What a team may keep: bytes of files, and measured values."""
WAYS: dict[Kind, tuple[str, str]] = {
    "files": ("bytes of files", "remove some with `kumi station remove-file NUMBER`"),
    "measurements": ("measurements", "remove a layer with `kumi station remove-layer LAYER TEAM`"),
}


def charge(transaction: Transaction, team: str, kind: Kind, amount: int) -> None:
    """Count what a team keeps from now on, or gives up; refuse what is too much."""
    theirs = sql.and_(usage.c.team == team, usage.c.kind == kind)
    row = transaction.one(sql.select(usage.c.amount).where(theirs))
    used = 0 if row is None else row.amount
    if amount > 0 and used + amount > MOST[kind]:
        what, way = WAYS[kind]
        raise Refused(
            Reason.CONFLICT,
            f"team '{team}' keeps {used} {what}, and {amount} more would be over the {MOST[kind]} allowed: {way}",
        )
    if row is None:
        transaction.run(usage.insert().values(team=team, kind=kind, amount=amount))
    else:
        transaction.run(usage.update().where(theirs).values(amount=max(0, used + amount)))


def count_all(connection: sql.Connection) -> None:
    """Count what all teams keep; for stores that did not count."""
    found = {
        "files": sql.select(media.c.team, sql.func.sum(sql.func.length(media.c.content))).group_by(
            media.c.team
        ),
        "measurements": sql.select(samples.c.team, sql.func.count()).group_by(samples.c.team),
    }
    for kind, counted in found.items():
        for team, amount in connection.execute(counted).all():
            connection.execute(usage.insert().values(team=team, kind=kind, amount=amount))
