"""A backup has all that a station kept at one instant, and comes back as a file or on a server; older formats are migrated."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sql

from kumi.devs.chance import stream
from kumi.station.callers import STATION
from kumi.station.client import Client, StationGone
from kumi.station.operations.finds import GetLayer, GetMedium, StoreFile
from kumi.station.operations.people import AddTeam, ListPeople, LogIn
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import RequestTask, TaskDone
from kumi.station.refusals import Refused
from kumi.station.service.service import Service
from kumi.station.store.backup import SKIPPED_NUMBERS, backup, restore
from kumi.station.store.engines import server_engine
from kumi.station.store.migration import STEPS
from kumi.station.store.schema import FORMAT, facts
from kumi.station.store.store import StationStore
from tests.station.conftest import PASSWORD, Little
from tests.station.fray import Template, go
from tests.station.postgres import MISSING, server
from tests.station.processes import running
from tests.station.test_soundness import content, flipped
from tests.waiting import free_port, wait_for

FORMATS = Path(__file__).parent / "formats"
needs_server = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


@pytest.fixture
def address() -> Iterator[str]:
    """A database of PostgreSQL, which is empty."""
    with server() as one:
        yield one.url


def kept(url: str) -> dict[str, list[object]]:
    """Return all rows of a store, but those of processes that run."""
    store = StationStore(url)
    try:
        return content(store) | {"processes": []}
    finally:
        store.close()


def at(folder: Path) -> str:
    folder.mkdir(mode=0o700, exist_ok=True)
    return f"sqlite:///{folder / 'station.db'}"


def lived_in(little: Little) -> str:
    """Have something of each kind in a store, and return where it is."""
    given = [little.call(go(float(number)), "red commander").task for number in range(5)]
    little.call(RequestTask(), "red robot")
    little.call(TaskDone(task=given[0], outcome="'well' \\ done ✓"), "red robot")
    little.call(StoreFile(name="film", content=bytes(range(256))), "red robot")
    return little.service.store.url


def test_what_is_restored_is_what_was_kept(little: Little, tmp_path: Path) -> None:
    url = lived_in(little)
    backup(url, tmp_path / "all")
    restore(tmp_path / "all", at(tmp_path / "new"))

    assert kept(at(tmp_path / "new")) == kept(url)
    assert stat.S_IMODE((tmp_path / "all").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.glob("all*")) == ["all"]


@needs_server
def test_a_backup_goes_from_a_file_to_a_server_and_back(little: Little, tmp_path: Path, address: str) -> None:
    url = lived_in(little)
    backup(url, tmp_path / "of-file")
    restore(tmp_path / "of-file", address)
    assert kept(address) == kept(url)
    backup(address, tmp_path / "of-server")
    restore(tmp_path / "of-server", at(tmp_path / "new"))
    assert kept(at(tmp_path / "new")) == kept(url)

    store = StationStore(address)
    given = Little(Service(store), little.tokens, little.keys).call(go(1.0), "red commander").task
    store.close()
    assert given > SKIPPED_NUMBERS


def test_no_number_means_two_things_after_a_restore(little: Little, tmp_path: Path) -> None:
    """What was given after the backup is gone, and its numbers are not given again: of tasks, and of tokens."""
    url = lived_in(little)
    backup(url, tmp_path / "all")
    lost_task = little.call(go(1.0), "red commander").task
    lost_token = little.call(LogIn(name="chief", password=PASSWORD)).token
    restore(tmp_path / "all", at(tmp_path / "new"))
    store = StationStore(at(tmp_path / "new"))
    again = Little(Service(store), little.tokens, little.keys)
    for _ in range(3):
        again.call(LogIn(name="red observer", password=PASSWORD))

    with pytest.raises(Refused, match="this token is not valid"):
        again.service.known.caller(lost_token)
    assert again.call(go(1.0), "red commander").task > lost_task + 1000
    store.close()


def test_a_flipped_byte_of_a_backup_is_told(little: Little, tmp_path: Path) -> None:
    backup(lived_in(little), tmp_path / "all")
    chance, size = stream(6, "backup"), (tmp_path / "all").stat().st_size
    for position in [*range(0, 100, 7), *(chance.integer(0, size - 1) for _ in range(30))]:
        shutil.copy(tmp_path / "all", tmp_path / "flipped")
        flipped(tmp_path / "flipped", position, chance.integer(0, 7))
        with pytest.raises(ValueError, match=r"is damaged|is not a backup"):
            restore(tmp_path / "flipped", at(tmp_path / "new"))
        assert list((tmp_path / "new").iterdir()) == []


def test_nothing_is_written_over(little: Little, tmp_path: Path) -> None:
    url = lived_in(little)
    backup(url, tmp_path / "all")
    with pytest.raises(FileExistsError, match="all is there already; name a new file"):
        backup(url, tmp_path / "all")
    with pytest.raises(FileExistsError, match=r"there is a store at .* already"):
        restore(tmp_path / "all", url)
    with pytest.raises(FileNotFoundError, match="there is no store at"):
        backup(at(tmp_path / "none"), tmp_path / "more")
    assert list((tmp_path / "none").iterdir()) == []


@pytest.mark.slow
def test_a_station_is_backed_up_while_it_runs_and_works_again_elsewhere(
    template: Template, tmp_path: Path
) -> None:
    """All that was answered before the backup is in it, on the command line, while others write."""
    folder, new = tmp_path / "station", tmp_path / "new"
    folder.mkdir(0o700)
    shutil.copy(template[0], folder)
    made: list[str] = []
    with running(folder, free_port()) as station:

        def write() -> None:
            try:
                with Client(station.url, template[1]["chief"]) as user:
                    while True:
                        name = f"team {len(made)}"
                        user.call(AddTeam(team=name))
                        made.append(name)
            except StationGone:
                return

        writer = threading.Thread(target=write)
        writer.start()
        wait_for(lambda: len(made) > 20)
        before = list(made)
        said = command("--data", folder, "backup", tmp_path / "all")
        station.kill()
        writer.join()
    assert f"keeps is in {tmp_path / 'all'}" in said
    command("--data", new, "restore", tmp_path / "all")
    with running(new, free_port()) as station, Client(station.url, template[1]["chief"]) as user:
        assert set(before) <= set(user.call(ListPeople()).teams)


def command(*words: object) -> str:
    whole = [sys.executable, "-m", "kumi", "station", *map(str, words)]
    return subprocess.run(whole, check=True, capture_output=True, text=True).stdout


def test_there_is_a_store_of_each_older_format() -> None:
    assert sorted(STEPS) == list(range(1, FORMAT))
    for number in STEPS:
        assert (FORMATS / f"{number}.sqlite.sql").exists()
        assert (FORMATS / f"{number}.postgresql.sql").exists()


@pytest.mark.parametrize("number", range(1, FORMAT))
def test_a_store_of_an_older_format_is_migrated_in_a_file(number: int, tmp_path: Path) -> None:
    url = at(tmp_path / "old")
    with closing(sqlite3.connect(tmp_path / "old" / "station.db")) as connection:
        connection.executescript("PRAGMA journal_mode=WAL;" + (FORMATS / f"{number}.sqlite.sql").read_text())
    (tmp_path / "old" / "station.db").chmod(0o600)
    check_migrated(url)
    StationStore(at(tmp_path / "new")).close()
    assert columns(url) == columns(at(tmp_path / "new"))


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


@needs_server
@pytest.mark.parametrize("number", range(1, FORMAT))
def test_a_store_of_an_older_format_is_migrated_on_a_server(number: int, address: str) -> None:
    engine = server_engine(sql.make_url(address))
    with engine.begin() as connection:
        connection.exec_driver_sql((FORMATS / f"{number}.postgresql.sql").read_text())
    engine.dispose()
    check_migrated(address)


def check_migrated(url: str) -> None:
    """What was kept is there, and the station works; a second start finds nothing to do."""
    for _ in range(2):
        store = StationStore(url)
        little = Little(Service(store))
        little.tokens["chief"] = little.call(LogIn(name="chief", password=PASSWORD)).token
        seen = little.call(MonitorRobot(robot="red robot"), "chief")
        first = [seen.task, *seen.waiting][-1]
        assert first is not None
        assert first.arguments == {"at": {"x": 1, "y": 2}}
        assert little.call(GetMedium(medium=1), "chief").content == b"f\0lm"
        assert [one.value for one in little.call(GetLayer(layer="heat"), "chief").samples] == [3.0]
        little.call(AddTeam(team=f"team {store.process}"), STATION)
        with store.reading() as transaction:
            found = {row.name: row.value for row in transaction.all(sql.select(facts))}
        assert found["format"] == str(FORMAT)
        assert found["had people"] == "yes"
        store.close()


def test_a_store_of_a_newer_format_is_refused_as_it_is(tmp_path: Path) -> None:
    store = StationStore(at(tmp_path / "new"))
    store.write(lambda it: it.run(facts.update().where(facts.c.name == "format").values(value="99"))).result()
    store.close()

    with pytest.raises(ValueError, match=f"has format 99; this kumi reads formats 1 to {FORMAT}"):
        StationStore(at(tmp_path / "new"))
