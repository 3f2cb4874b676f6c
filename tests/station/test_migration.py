"""A store of an older format is made one of this format when it is opened, and nothing in it is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql

from kumi.station.operations.people import ListPeople, LogIn
from kumi.station.people.secrets import hashed
from kumi.station.service.service import Service
from kumi.station.store.schema import FORMAT, facts
from kumi.station.store.store import StationStore
from tests.station.conftest import PASSWORD, Little, hashed_quickly
from tests.station.postgres import MISSING, Server, server

FORMAT_1 = (
    "CREATE TABLE facts (name VARCHAR(64) NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name))",
    "CREATE TABLE teams (name VARCHAR(64) NOT NULL, PRIMARY KEY (name))",
    """CREATE TABLE people (name VARCHAR(64) NOT NULL, password TEXT NOT NULL, team VARCHAR(64), role VARCHAR(16) NOT NULL,
    PRIMARY KEY (name), FOREIGN KEY(team) REFERENCES teams (name))""",
    """CREATE TABLE tokens (id {number}, person VARCHAR(64) NOT NULL, made_at FLOAT NOT NULL,
    FOREIGN KEY(person) REFERENCES people (name) ON DELETE CASCADE)""",
    "INSERT INTO facts VALUES ('format', '1'), ('secret', 'told to nobody')",
    "INSERT INTO teams VALUES ('red')",
    "INSERT INTO people VALUES ('chief', '{password}', NULL, 'super-user'), ('ana', '{password}', 'red', 'commander')",
    "INSERT INTO tokens (person, made_at) VALUES ('ana', {now})",
)
"""Those tables of format 1 that later ones altered, with two users."""
NUMBER = {"sqlite": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "postgresql": "BIGSERIAL PRIMARY KEY"}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'station.db'}"
    if MISSING is not None:
        pytest.skip(MISSING)
    found: Server = request.getfixturevalue("database")
    return found.url


@pytest.fixture
def database() -> Iterator[Server]:
    """A PostgreSQL server of its own."""
    with server() as one:
        yield one


def columns(url: str) -> dict[str, set[tuple[str, str, bool]]]:
    """Return the columns of all tables."""
    engine = sql.create_engine(url)
    found = sql.inspect(engine)
    told = {
        table: {(one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns(table)}
        for table in found.get_table_names()
    }
    engine.dispose()
    return told


def test_a_store_of_format_1_keeps_its_people_and_their_tokens(url: str, tmp_path: Path) -> None:
    StationStore(f"sqlite:///{tmp_path / 'new.db'}").close()
    encoding = {} if url.startswith("sqlite") else {"client_encoding": "utf8"}
    engine = sql.create_engine(url, connect_args=encoding)
    with engine.begin() as connection, hashed_quickly():
        told = {"number": NUMBER[engine.dialect.name], "password": hashed(PASSWORD)}
        now = StationStore(f"sqlite:///{tmp_path / 'new.db'}").clock()
        for one in FORMAT_1:
            connection.exec_driver_sql(one.format(now=now, **told))
    engine.dispose()

    for _ in range(2):
        store = StationStore(url)
        little = Little(Service(store))
        little.tokens = {"ana": little.service.known.signer.token(1)}
        assert (little.caller("ana").name, little.caller("ana").team) == ("ana", "red")
        little.tokens["chief"] = little.call(LogIn(name="chief", password=PASSWORD)).token
        told_of = little.call(ListPeople(), "chief")
        assert [(one.name, one.role, one.is_locked) for one in told_of.people] == [
            ("ana", "commander", False),
            ("chief", "super-user", False),
        ]
        assert told_of.teams == ("red",)
        with store.reading() as transaction:
            kept = transaction.one(facts.select().where(facts.c.name == "format"))
        assert kept is not None
        assert kept.value == str(FORMAT)
        store.close()
    if url.startswith("sqlite"):
        assert columns(url) == columns(f"sqlite:///{tmp_path / 'new.db'}")


@pytest.mark.parametrize("found", ["0", str(FORMAT + 1), "nine"])
def test_a_store_of_a_format_that_is_not_known_is_refused_and_stays(found: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'station.db'}"
    store = StationStore(url)
    store.write(
        lambda it: it.run(facts.update().where(facts.c.name == "format").values(value=found))
    ).result()
    store.close()
    before = columns(url)

    with pytest.raises(ValueError, match=f"has format {found}; this kumi reads format {FORMAT}"):
        StationStore(url)
    assert columns(url) == before
