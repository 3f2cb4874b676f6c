"""What a handler holds while it carries out an operation: the database at one instant, and a place to tell what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.station.records import Happens
from kumi.station.store.schema import happenings


@dataclass(frozen=True)
class LogNotice:
    """Something that happened, with its number in the log."""

    id: int
    at: float
    kind: str
    team: str | None
    robot: str | None
    data: dict[str, Any]


@dataclass
class Transaction:
    """A connection within a transaction, the instant that counts as now, and the name of the process that asks."""

    connection: sql.Connection
    now: float
    process: str = ""
    told: list[LogNotice] = field(default_factory=list)
    has_changed: bool = False

    def one(self, statement: sql.Select[Any]) -> sql.Row[Any] | None:
        """Return the first row, or None."""
        return self.connection.execute(statement).first()

    def all(self, statement: sql.Select[Any]) -> list[sql.Row[Any]]:
        """Return all rows."""
        return list(self.connection.execute(statement).fetchall())

    def run(self, statement: sql.Executable, rows: list[dict[str, Any]] | None = None) -> int:
        """Change something; return how many rows."""
        self.has_changed = True
        return self.connection.execute(statement, rows).rowcount

    def insert(self, table: sql.Table, **values: Any) -> int:
        """Add a row, and return its number."""
        self.has_changed = True
        key = self.connection.execute(table.insert().values(**values)).inserted_primary_key
        assert key is not None
        return int(key[0])

    def tell(self, kind: Happens, *, team: str | None, robot: str | None = None, **data: Any) -> int:
        """Add to the ordered log; team None is for everybody. Return the number of the entry."""
        text = msgspec.json.encode(data).decode()
        number = self.insert(happenings, at=self.now, kind=kind, team=team, robot=robot, data=text)
        self.told.append(LogNotice(number, self.now, kind, team, robot, data))
        return number
