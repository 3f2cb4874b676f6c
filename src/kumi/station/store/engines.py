"""Connections to the database of a store: to a file, one to read with and one to write with; to a server, one for both."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql

PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "wal_autocheckpoint=0",  # the store folds its log in itself, with the sums of its pages
    "journal_size_limit=0",  # so that the log is as long as it looks
)
"""What is said to SQLite on each connection."""


def engines(url: sql.URL) -> tuple[sql.Engine, sql.Engine]:
    """Return engines to read and to write with."""
    if url.get_backend_name() != "sqlite":
        engine = server_engine(url)
        return engine, engine
    return _sqlite(url, "BEGIN"), _sqlite(url, "BEGIN IMMEDIATE")


def server_engine(url: sql.URL) -> sql.Engine:
    """Return an engine for a database server."""
    settings = {"client_encoding": "utf8", "connect_timeout": 5}
    return sql.create_engine(url, pool_pre_ping=True, connect_args=settings)


def _sqlite(url: sql.URL, begin: str) -> sql.Engine:
    engine = sql.create_engine(url, connect_args={"timeout": 30.0, "check_same_thread": False})

    @sql.event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @sql.event.listens_for(engine, "begin")
    def on_begin(connection: sql.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
