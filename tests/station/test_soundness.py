"""A store that is damaged, or lost its end, says so; what is whole is opened without a word."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sqlite3
import stat
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import sqlalchemy as sql

from kumi.devs.chance import stream
from kumi.station.callers import STATION
from kumi.station.client import Client
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.people import AddTeam, ListPeople
from kumi.station.records import Happens
from kumi.station.store.page_sums import log_size
from kumi.station.store.schema import facts, metadata, people
from kumi.station.store.soundness import FOLD_BYTES
from kumi.station.store.store import StationStore
from tests.station.conftest import Little
from tests.station.fray import Template
from tests.station.processes import running
from tests.waiting import PATIENCE, beside, free_port

FLIPS = 60


def opened(folder: Path, *, accept_damage: bool = False) -> StationStore:
    return StationStore(f"sqlite:///{folder / 'station.db'}", accept_damage=accept_damage)


def content(store: StationStore) -> dict[str, list[object]]:
    """Return all that a store keeps, besides what it counts itself."""
    with store.reading() as transaction:
        rows = {
            table.name: sorted(map(tuple, transaction.all(sql.select(table))), key=repr)
            for table in metadata.sorted_tables
        }
    rows["facts"] = [row for row in rows["facts"] if row[0] != "commits"]
    return rows  # type: ignore[return-value]


def flipped(path: Path, position: int, bit: int) -> None:
    """Change one bit of a file."""
    whole = bytearray(path.read_bytes())
    whole[position] ^= 1 << bit
    path.write_bytes(whole)


@pytest.fixture
def clean(little: Little) -> Path:
    """A folder with a store that was closed, with a file in it."""
    little.call(StoreFile(name="film", content=bytes(range(256)) * 200), "red robot")
    little.service.store.close()
    return folder_of(little)


def folder_of(little: Little) -> Path:
    return Path(little.service.store.url.removeprefix("sqlite:///")).parent


@pytest.fixture
def killed(little: Little, tmp_path: Path) -> Path:
    """A folder as it is after a kill: what was committed last is in the log alone."""
    for number in range(30):
        little.call(AddTeam(team=f"team {number}"), STATION)
    folder = tmp_path / "killed"
    folder.mkdir(0o700)
    for path in folder_of(little).glob("station.db*"):
        shutil.copy(path, folder)
    (folder / "station.db-shm").unlink()  # nobody has it open there
    assert (folder / "station.db-wal").stat().st_size > 0
    return folder


def copied(folder: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target


@pytest.mark.parametrize("name", ["station.db", "station.db-sums", "station.db-last"])
def test_a_flipped_byte_of_a_closed_store_is_never_silence(clean: Path, tmp_path: Path, name: str) -> None:
    """At any place of any of its files: the start is refused, and stays refused."""
    chance = stream(3, name)
    size = (clean / name).stat().st_size
    for _ in range(FLIPS if name == "station.db" else 10):
        folder = copied(clean, tmp_path / "flipped")
        position, bit = chance.integer(0, size - 1), chance.integer(0, 7)
        flipped(folder / name, position, bit)
        for _ in range(2):
            with pytest.raises((OSError, ValueError), match=r"station\.db"):
                opened(folder).close()


def test_a_flipped_byte_of_the_log_is_never_silence(killed: Path, little: Little, tmp_path: Path) -> None:
    """Wherever it is, the start is refused, or all that was committed is there."""
    chance, told = stream(4, "log"), 0
    size = (killed / "station.db-wal").stat().st_size
    expected = content(little.service.store)
    for _ in range(FLIPS):
        folder = copied(killed, tmp_path / "flipped")
        flipped(folder / "station.db-wal", chance.integer(0, size - 1), chance.integer(0, 7))
        try:
            store = opened(folder)
        except OSError:
            told += 1
            with pytest.raises(OSError, match="lost"):
                opened(folder)
            continue
        assert content(store) == expected
        store.close()

    assert told > FLIPS // 2, "what was flipped was not in use: the test tries nothing"


def test_what_is_whole_is_opened_without_a_word(killed: Path, caplog: pytest.LogCaptureFixture) -> None:
    """First after the kill, then after a clean end."""
    caplog.clear()
    for _ in range(3):
        with caplog.at_level(logging.WARNING):
            opened(killed).close()

    assert caplog.records == []


@pytest.mark.parametrize("rest", [0, 10_000])
def test_a_lost_end_of_the_log_is_told(killed: Path, rest: int) -> None:
    os.truncate(killed / "station.db-wal", rest)

    with pytest.raises(OSError, match=r"its end is lost: it has .* commits, and had"):
        opened(killed)


def test_a_log_that_was_folded_in_and_cut_is_told(little: Little, tmp_path: Path) -> None:
    """Old pages of the log would hide newer ones of the file, and the number of the last commit may be right."""
    store = little.service.store
    for number in range(10):
        little.call(AddTeam(team=f"team {number}"), STATION)
    store._soundness.fold(store._writers)
    folder = copied(tmp_path, tmp_path.parent / f"{tmp_path.name}-cut")
    (folder / "station.db-shm").unlink()
    for size in (5000, 30_000):
        shutil.copy(tmp_path / "station.db-wal", folder)
        os.truncate(folder / "station.db-wal", size)
        with pytest.raises(OSError, match="lost"):
            opened(folder)


def test_damage_may_be_accepted_and_is_told_no_more(clean: Path, caplog: pytest.LogCaptureFixture) -> None:
    flipped(clean / "station.db", (clean / "station.db").stat().st_size - 100, 3)
    with pytest.raises(OSError, match=r"pages are not as they were written: .*--accept-damage"):
        opened(clean)

    opened(clean, accept_damage=True).close()
    assert "accepted" in caplog.text
    opened(clean).close()


def test_an_older_store_in_place_of_a_newer_one_is_told(clean: Path, tmp_path: Path) -> None:
    before = copied(clean, tmp_path / "before")
    store = opened(clean)
    store.write(lambda it: it.tell(Happens.MAP_CHANGED, team=None)).result()
    store.close()
    shutil.copy(before / "station.db", clean)

    with pytest.raises(OSError, match=r"lost|not as they were written"):
        opened(clean)


def test_the_log_is_folded_in_now_and_then_also_while_others_read(tmp_path: Path) -> None:
    """There is no moment without a reader, and the log begins anew all the same."""
    store, is_over, most = opened(tmp_path), threading.Event(), 0

    def read() -> None:
        with ExitStack() as before:
            while not is_over.is_set():
                with ExitStack() as now:
                    now.enter_context(store.reading()).one(sql.select(facts))
                    before.close()
                    before.push(now.pop_all())

    with beside(read, read):
        for _ in range(1500):
            store.write(lambda it: it.tell(Happens.MAP_CHANGED, team=None)).result()
            most = max(most, log_size(tmp_path / "station.db"))
        is_over.set()
    store.close()

    assert FOLD_BYTES <= most < 3 * FOLD_BYTES
    opened(tmp_path).close()


@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_after_a_clean_end_all_is_in_the_one_file(template: Template, tmp_path: Path, way: int) -> None:
    folder = tmp_path / "station"
    folder.mkdir(0o700)
    shutil.copy(template[0], folder)
    with running(folder, free_port()) as station:
        with Client(station.url, template[1]["chief"]) as user:
            user.call(AddTeam(team="late"))
        station.process.send_signal(way)
        station.process.wait(PATIENCE)

    assert {path.name for path in folder.iterdir()} == {
        f"station.db{end}" for end in ("", "-sums", "-last", "-spare")
    }
    with closing(sqlite3.connect(folder / "station.db")) as connection:
        assert ("late",) in connection.execute("SELECT name FROM teams").fetchall()


@pytest.mark.slow
def test_after_kills_a_store_is_whole(template: Template, tmp_path: Path) -> None:
    folder = tmp_path / "station"
    folder.mkdir(0o700)
    shutil.copy(template[0], folder)
    for number in range(5):
        with running(folder, free_port()) as station, Client(station.url, template[1]["chief"]) as user:
            for one in range(number * 20):
                user.call(AddTeam(team=f"{number}-{one}"))
            station.kill()
    with running(folder, free_port()) as station, Client(station.url, template[1]["chief"]) as user:
        assert len(user.call(ListPeople()).teams) == 2 + 20 * 10


@pytest.mark.slow
def test_several_processes_fold_one_log_and_leave_a_whole_store(template: Template, tmp_path: Path) -> None:
    folder = tmp_path / "station"
    folder.mkdir(0o700)
    shutil.copy(template[0], folder)
    with running(folder, free_port()) as one, running(folder, free_port()) as two:
        with Client(one.url, template[1]["chief"]) as first, Client(two.url, template[1]["chief"]) as second:
            for number in range(400):
                first.call(AddTeam(team=f"first {number}"))
                second.call(AddTeam(team=f"second {number}"))
        two.kill()
    store = opened(folder)
    assert len(content(store)["teams"]) == 2 + 800
    store.close()


def test_a_new_super_user_is_never_made_where_there_were_people(tmp_path: Path) -> None:
    """Neither where the store is gone, nor where its people are."""
    folder = tmp_path / "station"
    with running(folder, free_port()) as station:
        station.process.send_signal(signal.SIGINT)
        station.process.wait(PATIENCE)
    password = (folder / "admin-password").read_text()
    gone = copied(folder, tmp_path / "gone")
    (gone / "station.db").unlink()
    empty = copied(folder, tmp_path / "empty")
    (empty / "admin-password").unlink()
    store = opened(empty)
    store.write(lambda it: it.run(people.delete())).result()
    store.close()

    for where, said in ((gone, "its end is lost"), (empty, "there were people in the store")):
        with pytest.raises(AssertionError, match=said), running(where, free_port()):
            pass
    assert (gone / "admin-password").read_text() == password
    assert list(empty.glob("admin-password*")) == []


def test_all_that_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask: files have mode 600, in a folder with mode 700."""
    folder = tmp_path / "station"
    before = os.umask(0)
    try:
        with running(folder, free_port()):
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    finally:
        os.umask(before)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {"station.db", "station.db-wal", "station.db-sums", "station.db-last", "admin-password"} <= set(
        modes
    )
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("name", ["", "station.db", "station.db-wal", "station.db-sums", "admin-password"])
def test_what_is_open_to_others_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "station"
    opened(folder).close()
    for one in ("station.db-wal", "admin-password"):
        (folder / one).touch(0o600)
    (folder / name).chmod(0o755 if not name else 0o644)

    with (
        pytest.raises(AssertionError, match=r"is open to others \(mode (755|644)\)"),
        running(folder, free_port()),
    ):
        pass
    (folder / name).chmod(0o700 if not name else 0o600)
    (folder / "admin-password").unlink()
    with running(folder, free_port()):
        pass
