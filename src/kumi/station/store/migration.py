"""How does a store of an older kumi become one of this kumi? Step by step, from each format to the next, in one transaction.

A step changes what both databases have; tables that are new have been made before. A store of a newer kumi is refused.
Each step has a test that begins with a store of its format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sql

from kumi.station.store.quotas import count_all
from kumi.station.store.schema import COMMITS, FORMAT, HAD_PEOPLE, facts, metadata, people


def migrate(connection: sql.Connection, where: str) -> int:
    """Bring a store to the format of this kumi; return which it had, this one where the store is new."""
    found = None
    if sql.inspect(connection).has_table(facts.name):
        found = connection.execute(sql.select(facts.c.value).where(facts.c.name == "format")).scalar()
    if found is not None and not (found.isdecimal() and 1 <= int(found) <= FORMAT):
        raise ValueError(
            f"the store at {where} has format {found}; this kumi reads formats 1 to {FORMAT}: use a newer one"
        )
    metadata.create_all(connection)
    if found is None:
        values = {"format": str(FORMAT), COMMITS: "0"}
        connection.execute(facts.insert(), [{"name": name, "value": value} for name, value in values.items()])
        return FORMAT
    for number in range(int(found), FORMAT):
        STEPS[number](connection)
    connection.execute(facts.update().where(facts.c.name == "format").values(value=str(FORMAT)))
    return int(found)


COLUMNS_OF_2 = (
    "ALTER TABLE teams ADD COLUMN is_removed BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE people ADD COLUMN is_locked BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE people ADD COLUMN has_first_password BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE people ADD COLUMN moves_to VARCHAR(64) REFERENCES teams (name)",
    "ALTER TABLE tokens ADD COLUMN life FLOAT DEFAULT 2592000.0 NOT NULL",
)


def _from_1(connection: sql.Connection) -> None:
    """People have locks, first passwords and moves; commits and what teams keep are counted; that there were people is remembered."""
    for column in COLUMNS_OF_2:
        connection.execute(sql.text(column))
    connection.execute(facts.insert().values(name=COMMITS, value="0"))
    if connection.execute(sql.select(people.c.name).limit(1)).first() is not None:
        connection.execute(facts.insert().values(name=HAD_PEOPLE, value="yes"))
    count_all(connection)


STEPS: Mapping[int, Callable[[sql.Connection], None]] = {1: _from_1}
"""What brings a store from a format to the next."""
