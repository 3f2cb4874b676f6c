"""What is stored is there after a crash: in simulated nodes, and in processes that are killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kumi.geometry import Point
from kumi.network.errors import NetworkError, NotAMessage
from kumi.network.storage import MAGIC, SPARE_BYTES, FaultyStorage, FileStorage, Storage, WriteFailed
from tests.network.peer import PeerSaid
from tests.network.processes import Peer

VALUES = [
    7,
    2.5,
    None,
    "text",
    b"raw",
    (1, ("a", None)),
    [1, [2]],
    {"a": {1: (2,)}},
    frozenset({1, 2}),
    Point(1, 2),
    PeerSaid(1, 2),
    [PeerSaid(1, 2), (3, PeerSaid(4, 5))],
]


@pytest.fixture(params=["memory", "file", "faulty"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "file":
        with FileStorage(tmp_path / "storage") as made:
            yield made
    else:
        yield Storage() if request.param == "memory" else FaultyStorage()


# What all storages have in common.


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_is_put_can_be_got(storage: Storage, value: object) -> None:
    storage.put("name", value)

    assert storage.get("name") == value


def test_names_are_kept_apart_and_forgotten_one_by_one_or_together(storage: Storage) -> None:
    storage.put("a", 1)
    storage.put("b", 2)
    storage.put("a", 3)
    storage.put("c", None)
    storage.remove("b")
    storage.remove("nothing")

    assert {name: storage.get(name) for name in storage} == {"a": 3, "c": None}
    assert len(storage) == 2
    assert storage.get("b") is None
    assert storage.get("b", "default") == "default"

    storage.clear()
    assert list(storage) == []


def test_nobody_changes_what_is_stored_from_outside(storage: Storage) -> None:
    given = [1, [2]]
    storage.put("list", given)
    given.append(3)
    got = storage.get("list")
    got[1].append(4)

    assert storage.get("list") == [1, [2]]


# On disk.


def test_what_was_put_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with FileStorage(tmp_path / "storage") as storage:
        for place, value in enumerate(VALUES):
            storage.put(f"{place}", value)
        storage.put("0", "anew")
        storage.remove("1")

    with FileStorage(tmp_path / "storage") as storage:
        assert storage.get("0") == "anew"
        assert storage.get("1", "gone") == "gone"
        assert [storage.get(f"{place}") for place in range(2, len(VALUES))] == VALUES[2:]


def test_what_a_killed_process_had_stored_is_there(tmp_path: Path) -> None:
    """A process that has put and said 1, 2, 3 … is killed, twice: the number is the last it said, or later."""
    last = 0
    for _ in range(2):
        peer = Peer("store", tmp_path / "storage")
        peer.wait_until(lambda peer: len(peer.got) >= 100)
        peer.kill()
        numbers = [number for _, number in peer.got]
        with FileStorage(tmp_path / "storage") as storage:
            stored = storage.get("number")
            squares = [storage.get(name) for name in storage if name.startswith("square")]
        assert numbers[0] in {last + 1, last + 2}  # the first process may have been killed before it said so
        assert stored in {numbers[-1], numbers[-1] + 1}
        assert [square for number, square, _ in squares] == [number**2 for number, _, _ in squares]
        last = numbers[-1]


def test_a_write_that_was_cut_short_leaves_the_value_before(tmp_path: Path) -> None:
    """At whichever byte the file ends, each value is the old or the new one, and storing goes on."""
    path = tmp_path / "storage"
    with FileStorage(path) as storage:
        storage.put("value", "old")
        before = path.stat().st_size
        storage.put("value", "new" * 10)
    data = path.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        with FileStorage(path) as storage:
            expected = "new" * 10 if length == len(data) else "old" if length >= before else None
            assert storage.get("value") == expected
            storage.put("more", length)
        with FileStorage(path) as storage:
            assert (storage.get("value"), storage.get("more")) == (expected, length)


def test_a_damaged_end_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "storage"
    with FileStorage(path) as storage:
        storage.put("a", 1)
        storage.put("b", 2)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)

    with FileStorage(path) as storage:
        assert {name: storage.get(name) for name in storage} == {"a": 1}


def test_damage_before_the_last_write_is_told(tmp_path: Path) -> None:
    """Whichever bit of the first two writes is flipped, the third is not left out without a word."""
    path = tmp_path / "storage"
    with FileStorage(path) as storage:
        empty = path.stat().st_size
        storage.put("a", 1)
        storage.put("b", 2)
        sound = path.stat().st_size
        storage.put("vote", 3)
    data = path.read_bytes()
    for bit in range(8 * empty, 8 * sound):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(
            NetworkError, match=r"storage is damaged at byte \d+, and there are whole writes after"
        ):
            FileStorage(path)
        assert path.read_bytes() == damaged, "it is not changed"


def test_a_file_that_is_mostly_old_is_written_anew(tmp_path: Path) -> None:
    """Two hundred writes of a kilobyte to one name; the file stays below 70 kB, and others are kept."""
    path = tmp_path / "storage"
    with FileStorage(path) as storage:
        storage.put("kept", "for ever")
        for number in range(200):
            storage.put("big", (number, "x" * 1000))
            assert path.stat().st_size < 70_000
            copy = Path(shutil.copy(path, tmp_path / "copy"))  # as if the process ended here
            with FileStorage(copy) as crashed:
                assert crashed.get("big") == (number, "x" * 1000)

    with FileStorage(path) as storage:
        assert storage.get("kept") == "for ever"
        assert storage.get("big") == (199, "x" * 1000)


def test_a_write_that_the_disk_refuses_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "storage"
    with FileStorage(path) as storage:
        storage.put("a", 1)

        def full(_opened: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(WriteFailed, match=r"'a' could not be stored in .*No space left"):
                storage.put("a", 2)
        assert storage.get("a") == 1
        storage.put("b", 3)

    with FileStorage(path) as storage:
        assert {name: storage.get(name) for name in storage} == {"a": 1, "b": 3}


def test_wrong_use_of_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "storage"
    storage = FileStorage(path)
    with pytest.raises(NetworkError, match="is in use by another process"):
        FileStorage(path)
    with pytest.raises(NotAMessage, match="a complex is no value"):
        storage.put("z", 1j)
    storage.close()
    with pytest.raises(WriteFailed, match=r"the storage .* is closed"):
        storage.put("a", 1)
    path.write_bytes(b"a diary of more than a line")
    with pytest.raises(NetworkError, match="is no storage of a node"):
        FileStorage(path)
    assert len(MAGIC) < SPARE_BYTES


# A disk that fails.


def test_a_faulty_storage_refuses_writes_when_told() -> None:
    storage = FaultyStorage()
    storage.put("a", 1)
    storage.fail_next(2)

    for _ in range(2):
        with pytest.raises(WriteFailed, match="'a' could not be stored"):
            storage.put("a", 2)
    assert storage.get("a") == 1
    storage.put("a", 3)
    assert storage.get("a") == 3


def test_a_faulty_storage_loses_the_last_writes_when_told() -> None:
    """Of four writes the last three are kept in mind, so at most three are lost."""
    storage = FaultyStorage()
    storage.delay_writes(3)
    for number in range(4):
        storage.put("a", number)
    storage.remove("a")

    assert storage.lose_last() == 1
    assert storage.get("a") == 3
    assert storage.lose_last(9) == 2
    assert storage.get("a") == 1
