"""A packed journal gives back every bit, takes little room, and what is damaged is not taken for a journal."""

from __future__ import annotations

import struct
import zlib
from math import inf, nan, pi
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import Disc, Map, Robot, Stage, Wheel
from kumi._core import pack_journal, unpack_journal
from kumi.contract import Blocked
from kumi.recording import RunFile
from kumi.recording.chunks import ChunkKind, Packing, pack, read_head, read_inside
from kumi.recording.layout import JournalError
from kumi.recording.writing import dropped_record, note_record, received_record, sent_record, way_record
from tests.recording.journals import Journal, disc, ellipse, polygon

BODIES = st.sampled_from([0, 1, 2, 200, 70_000, 2**32 - 2])
# Numbers that are likely, and any bits at all.
DOUBLES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, pi, inf, -inf, nan, 5e-324, 1e308]),
    st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]),
)
SHAPES = st.one_of(
    DOUBLES.map(disc),
    st.tuples(DOUBLES, DOUBLES).map(lambda pair: ellipse(*pair)),
    st.lists(st.tuples(DOUBLES, DOUBLES), max_size=4).map(lambda corners: polygon(*corners)),
)
TEXTS = st.text(max_size=20)


def record(tag: bytes, layout: str, *fields: st.SearchStrategy[object]) -> st.SearchStrategy[bytes]:
    """Return records of a tag with any fields."""
    return st.tuples(*fields).map(lambda values: tag + struct.pack("<" + layout, *values))


def doubles(number: int) -> list[st.SearchStrategy[object]]:
    return [DOUBLES] * number


WHOLE = st.integers(0, 2**32 - 1)
RECORDS = st.one_of(
    record(b"T", "d", DOUBLES),
    st.tuples(record(b"A", "I3d", BODIES, *doubles(3)), SHAPES).map(b"".join),
    record(b"R", "IB", BODIES, st.integers(0, 1)),
    st.tuples(record(b"S", "I", BODIES), SHAPES).map(b"".join),
    record(b"J", "I3d", BODIES, *doubles(3)),
    record(b"K", "IB6d", BODIES, st.integers(1, 8), *doubles(6)),
    record(b"M", "I2dB12d", BODIES, *doubles(2), st.integers(0, 1), *doubles(12)),
    record(b"E", "IB3d", BODIES, st.integers(0, 3), *doubles(3)),
    record(b"C", "IIi2d", BODIES, WHOLE, st.integers(-(2**31), 2**31 - 1), *doubles(2)),
    record(b"I", "4I", BODIES, WHOLE, WHOLE, WHOLE),
    record(b"X", "I", WHOLE),
    st.builds(note_record, st.none() | BODIES, TEXTS),
    st.builds(way_record, BODIES, st.just([])),
    st.builds(sent_record, st.integers(0, 2**64 - 1), BODIES, st.lists(BODIES, max_size=3), TEXTS, TEXTS),
    st.builds(received_record, st.integers(0, 2**64 - 1), BODIES),
    st.builds(dropped_record, st.integers(0, 2**64 - 1), BODIES, TEXTS),
)
JOURNALS = st.lists(RECORDS, min_size=1, max_size=30).map(b"".join)


@given(JOURNALS)
def test_any_records_come_back_bit_for_bit(journal: bytes) -> None:
    parts = pack_journal(journal)
    assert parts is not None
    assert unpack_journal(*parts, len(journal)) == journal


@given(JOURNALS, st.data())
def test_what_is_damaged_is_refused_or_is_as_long_as_it_was(journal: bytes, data: st.DataObject) -> None:
    """Any byte may be another one, or the last ones be missing: there is no end but an answer."""
    parts = pack_journal(journal)
    assert parts is not None
    outline, numbers = map(bytearray, parts)
    part = data.draw(st.sampled_from([one for one in (outline, numbers) if one]))
    at = data.draw(st.integers(0, len(part) - 1))
    if data.draw(st.booleans()):
        del part[at:]
    else:
        part[at] ^= data.draw(st.integers(1, 255))
    found = unpack_journal(bytes(outline), bytes(numbers), len(journal))
    assert found is None or len(found) == len(journal)


@given(st.binary(max_size=100))
def test_what_is_no_journal_is_not_packed_as_one(data: bytes) -> None:
    parts = pack_journal(data)
    assert parts is None or unpack_journal(*parts, len(data)) == data


async def wander(robot: Robot) -> None:
    draw = robot.chance.uniform
    while True:
        try:
            await robot.turn(draw(-pi, pi))
            await robot.forward(draw(0.5, 2.0))
        except Blocked:
            continue


def test_a_walk_takes_two_thirds_of_what_compression_alone_makes_of_it(tmp_path: Path) -> None:
    """Thirty robots that turn, go and bump into each other; the state is that of the run."""
    path = tmp_path / "walk.kumi"
    with Stage(Map(6.0, 6.0), seed=1, record=path) as stage:
        for number in range(30):
            place = (0.5 + number % 6, 0.5 + number // 6)
            stage.add(wander, at=place, shape=Disc(0.1), drive=Wheel(speed=1.0, turn_speed=2.0 * pi))
        stage.run(60.0)
        places = [robot.position for robot in stage.robots]

    file = RunFile(path)
    (journal,) = file.journal()
    assert [one.pose.position for one in file.state_at(60.0)] == places
    packed = pack(ChunkKind.JOURNAL, 0.0, journal, Packing.JOURNAL)
    assert 3 * len(packed) < 2 * len(zlib.compress(journal, 1))
    assert path.stat().st_size < len(packed) + 2_000


def test_numbers_that_somebody_chose_are_compressed_too(tmp_path: Path) -> None:
    journal = Journal().time(0.0)
    for body in range(2_000):
        journal.add(body, 0.25 * (body % 50), 0.5 * (body // 50))
    path = tmp_path / "chunk"
    path.write_bytes(pack(ChunkKind.KEYFRAME, 0.0, journal.data, Packing.JOURNAL))

    with path.open("rb") as file:
        head = read_head(file, 0)
        assert head is not None
        assert head.packing is Packing.JOURNAL
        assert read_inside(file, head) == journal.data
    assert path.stat().st_size < len(zlib.compress(journal.data, 1))


def test_bytes_that_are_no_records_are_kept_as_they_are(tmp_path: Path) -> None:
    """So who writes a journal of his own is told by the one who reads it."""
    path = tmp_path / "chunk"
    path.write_bytes(pack(ChunkKind.JOURNAL, 0.0, b"no records", Packing.JOURNAL))
    with path.open("rb") as file:
        head = read_head(file, 0)
        assert head is not None
        assert (head.packing, read_inside(file, head)) == (Packing.ZLIB, b"no records")
    with pytest.raises(JournalError, match="begins no record"):
        list(RunFile(_file_of(tmp_path, b"T" + struct.pack("<d", 0.0) + b"no records")).records())


def _file_of(folder: Path, journal: bytes) -> Path:
    from kumi.recording import RunWriter
    from tests.recording.errands import META

    path = folder / "run.kumi"
    with RunWriter(path, META, snapshot=lambda: b"") as writer:
        writer.write(journal)
    return path
