"""How is all that a station keeps put into one file, while it runs, and how does it come back?

A backup is all rows of all tables at one instant, in a SQLite database behind one line that says what it is and has the hash of
the rest: a flipped byte makes it worthless, and that is said. It is the same from a file and from a PostgreSQL server, and is
restored into either; so it is also the way from one to the other. One of an older format is migrated when it is restored.

What happened after the backup is gone, but robots and people remember numbers of it: of tasks they did, of tokens, of maps. So
after a restore, new numbers begin far beyond those of the backup, and none means two things. The logs go on without a gap,
since what is kept of them is counted from their newest entry.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sql

from kumi.station.store.engines import server_engine
from kumi.station.store.schema import COMMITS, WRITER_LOCK, audit, facts, happenings, metadata, processes
from kumi.station.store.soundness import SIDES
from kumi.station.store.store import StationStore

FIRST_WORDS = b"kumi station backup, sha256 "
HEADER_BYTES = len(FIRST_WORDS) + 64 + 1
CHUNK = 1024 * 1024
"""Bytes that are copied at a time."""
ROWS_AT_ONCE = 1000
"""Rows that are copied at a time, where they are small."""
SKIPPED_NUMBERS = 1_000_000
"""Numbers that are left out after a restore: more than were given since the backup."""
KEPT = [table for table in metadata.sorted_tables if table is not processes]
NUMBERED = [table for table in KEPT if table.autoincrement_column is not None]


def backup(url: str, file: Path) -> None:
    """Put all that a store keeps into a new file, for its owner alone; the station may run."""
    if not is_store(url):
        raise FileNotFoundError(f"there is no store at {url}")
    if file.exists():
        raise FileExistsError(f"{file} is there already; name a new file")
    rows, early = (file.with_name(f"{file.name}.{end}") for end in ("rows", "part"))
    try:
        for one in (rows, early):
            os.close(os.open(one, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        store = StationStore(url)
        try:
            with store.snapshot() as source, _written(rows) as target:
                _copy(source, target)
                _set_numbers(target, _numbers(source))
        finally:
            store.close()
        _seal(rows, early)
        early.rename(file)
    finally:
        for one in (rows, early):
            one.unlink(missing_ok=True)


def restore(file: Path, url: str) -> None:
    """Make a store of a backup, where there is none."""
    made = sql.make_url(url)
    if is_store(url):
        raise FileExistsError(
            f"there is a store at {url} already: move it away, with the files beside it, or name another place"
        )
    if made.get_backend_name() == "sqlite":
        database = Path(str(made.database))
        early = database.with_name(f"{database.name}.restored")
        try:
            _unseal(file, early)
            _skip_numbers(early)
            for side in SIDES:
                Path(f"{database}{side}").unlink(missing_ok=True)
            early.rename(database)
        finally:
            early.unlink(missing_ok=True)
        StationStore(url).close()  # which migrates it, and takes its sums
    else:
        _restore_to_server(file, url)


def is_store(url: str) -> bool:
    """Tell whether there is a store."""
    made = sql.make_url(url)
    if made.get_backend_name() == "sqlite":
        return Path(str(made.database)).exists()
    engine = server_engine(made)
    try:
        with engine.connect() as connection:
            return sql.inspect(connection).has_table(facts.name)
    except sql.exc.DBAPIError as error:
        raise OSError(f"cannot open the store at {url}: {str(error.orig).splitlines()[0]}") from error
    finally:
        engine.dispose()


def _restore_to_server(file: Path, url: str) -> None:
    with TemporaryDirectory(dir=file.parent, prefix=f"{file.name}.") as folder:
        rows = Path(folder) / "rows"
        _unseal(file, rows)
        _skip_numbers(rows)
        source = StationStore(f"sqlite:///{rows}")
        engine = server_engine(sql.make_url(url))
        try:
            with source.snapshot() as kept, engine.begin() as target:
                target.execute(WRITER_LOCK)
                metadata.create_all(target)
                _copy(kept, target)
                _set_numbers(target, _numbers(kept))
        finally:
            source.close()
            engine.dispose()


@contextmanager
def _written(path: Path) -> Iterator[sql.Connection]:
    """Make the tables in a new SQLite database, and fill them in one transaction."""
    engine = sql.create_engine(f"sqlite:///{path}")
    try:
        with engine.begin() as connection:
            metadata.create_all(connection)
            yield connection
    finally:
        engine.dispose()


def _copy(source: sql.Connection, target: sql.Connection) -> None:
    for table in KEPT:
        is_large = any(isinstance(column.type, sql.LargeBinary) for column in table.columns)
        at_once = 1 if is_large else ROWS_AT_ONCE
        found = source.execution_options(stream_results=True).execute(sql.select(table))
        for rows in found.mappings().partitions(at_once):
            target.execute(table.insert(), [dict(row) for row in rows])


def _numbers(connection: sql.Connection) -> dict[str, int]:
    """Return the last number that was given in each table, whether its row is there or not."""
    if connection.dialect.name == "sqlite":
        return {
            row.name: row.seq for row in connection.execute(sql.text("SELECT name, seq FROM sqlite_sequence"))
        }
    found = {}
    for table in NUMBERED:
        given = connection.execute(sql.text(f"SELECT last_value, is_called FROM {_sequence(table)}")).one()  # noqa: S608 - names of ours
        found[table.name] = given.last_value if given.is_called else 0
    return found


def _set_numbers(connection: sql.Connection, numbers: dict[str, int]) -> None:
    for table in NUMBERED:
        given = {"name": table.name, "number": numbers.get(table.name, 0)}
        if connection.dialect.name == "sqlite":
            connection.execute(sql.text("DELETE FROM sqlite_sequence WHERE name = :name"), given)
            connection.execute(sql.text("INSERT INTO sqlite_sequence VALUES (:name, :number)"), given)
        elif given["number"]:
            connection.execute(sql.select(sql.func.setval(_sequence(table), given["number"])))


def _sequence(table: sql.Table) -> str:
    assert table.autoincrement_column is not None
    return f"{table.name}_{table.autoincrement_column.name}_seq"


def _skip_numbers(path: Path) -> None:
    """Leave numbers out, so that none of before means something else now; commits are so many more, too."""
    skipped = [table.name for table in NUMBERED if table not in (happenings, audit)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # as a store has it: its first page stays as it is
        for name in skipped:
            found = connection.execute(
                "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (name,)
            ).fetchone()[0]
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            last = (name, (found or 0) + SKIPPED_NUMBERS)
            connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", last)
        more = "UPDATE facts SET value = CAST(value AS INTEGER) + ? WHERE name = ?"
        connection.execute(more, (SKIPPED_NUMBERS, COMMITS))
        connection.commit()


def _seal(rows: Path, file: Path) -> None:
    """Write the first line and the database behind it, and wait until it is on disk."""
    with rows.open("rb") as source, file.open("r+b") as out:
        out.write(FIRST_WORDS.ljust(HEADER_BYTES - 1) + b"\n")
        found = sha256()
        while chunk := source.read(CHUNK):
            found.update(chunk)
            out.write(chunk)
        out.seek(0)
        out.write(FIRST_WORDS + found.hexdigest().encode())
        out.flush()
        os.fsync(out.fileno())


def _unseal(file: Path, rows: Path) -> None:
    """Write the database of a backup to a new file for its owner alone; refuse what is no backup, or damaged."""
    with (
        file.open("rb") as source,
        os.fdopen(os.open(rows, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out,
    ):
        line = source.read(HEADER_BYTES)
        if not line.startswith(FIRST_WORDS) or len(line) != HEADER_BYTES:
            raise ValueError(f"{file} is not a backup of a station, which `kumi station backup` writes")
        found = sha256()
        while chunk := source.read(CHUNK):
            found.update(chunk)
            out.write(chunk)
        if line != FIRST_WORDS + found.hexdigest().encode() + b"\n":
            raise ValueError(f"{file} is damaged: its bytes are not those that were written")
        out.flush()
        os.fsync(out.fileno())
