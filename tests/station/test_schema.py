"""The tables of a station: numbers are never used twice, and what may be missing is known."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Column, Table, create_engine

from kumi.station.store.schema import metadata

NUMBERED = [table for table in metadata.sorted_tables if table.autoincrement_column is not None]
MAY_BE_MISSING = {
    "people.team",
    "people.moves_to",
    *(f"robots.{name}" for name in ("x", "y", "heading", "seen_at")),
    *(f"tasks.{name}" for name in ("ended_at", "ended_in", "request")),
    "objects.medium",
    *(f"happenings.{name}" for name in ("team", "robot")),
}
"""Columns of what a station may not know: who has no team, whom no team was offered, where a robot is that it never saw, what has not ended."""


def a_value(column: Column[Any]) -> object:
    """Return some value that goes into a column."""
    kind = column.type.python_type
    return {str: "x", bytes: b"x", float: 1.0, int: 1, bool: True}[kind]


def number_of_a_new_row(connection: Any, table: Table) -> int:
    """Put a row into a table, and return the number that it got."""
    row = {
        column.name: a_value(column) for column in table.columns if column is not table.autoincrement_column
    }
    return int(connection.execute(table.insert(), row).inserted_primary_key[0])


def test_there_are_tables_with_numbers() -> None:
    assert {"tasks", "happenings"} <= {table.name for table in NUMBERED}


@pytest.mark.parametrize("table", NUMBERED, ids=str)
def test_a_number_that_was_given_is_not_given_again(table: Table) -> None:
    """Whoever keeps the number of a row that is gone does not find another one under it."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as connection:
        first = number_of_a_new_row(connection, table)
        connection.execute(table.delete())
        assert number_of_a_new_row(connection, table) == first + 1
    engine.dispose()


def test_only_what_is_known_to_may_be_missing() -> None:
    assert {
        str(column) for table in metadata.sorted_tables for column in table.columns if column.nullable
    } == MAY_BE_MISSING
