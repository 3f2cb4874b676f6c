"""A journal is read as it was written, and what is none is refused."""

from __future__ import annotations

import pytest

from kumi.geometry import Ellipse, Point, Polygon, Pose
from kumi.recording.bodies import Bodies
from kumi.recording.journal import JournalReader
from kumi.recording.layout import JournalError
from kumi.recording.records import (
    BORDER,
    Added,
    Commanded,
    CommandKind,
    Ended,
    Ending,
    Gone,
    Jumped,
    Leaving,
    Moves,
    Note,
    Record,
    Resized,
    Touched,
)
from tests.recording.journals import Journal, ellipse, line, polygon


def test_every_record_is_read_as_it_was_written() -> None:
    journal = (
        Journal()
        .time(0.5)
        .add(1, 1.0, 2.0, 0.25, polygon((0.0, 0.0), (2.0, 0.0), (0.0, 1.0)))
        .resize(1, ellipse(2.0, 1.0))
        .jump(1, 3.0, 4.0, 0.5)
        .command(1, CommandKind.ARC, (5.0, 6.0), 0.1, 0.2, 0.3, 0.4)
        .time(0.75)
        .end(1, 1.0, 1.0, 1.0, Ending.CONTACT)
        .touch(1, 7.0, 8.0, other=2)
        .touch(1, 7.0, 8.0, obstacle=BORDER)
        .note(None, "größer")
        .gone(1)
    )

    assert list(JournalReader().read(journal.data)) == [
        Added(
            0.5, 1, Pose(Point(1.0, 2.0), 0.25), Polygon((Point(0.0, 0.0), Point(2.0, 0.0), Point(0.0, 1.0)))
        ),
        Resized(0.5, 1, Ellipse(4.0, 2.0)),
        Jumped(0.5, 1, Pose(Point(3.0, 4.0), 0.5)),
        Commanded(0.5, 1, CommandKind.ARC, Point(5.0, 6.0), 0.1, 0.2, 0.3, 0.4),
        Ended(0.75, 1, Ending.CONTACT, Pose(Point(1.0, 1.0), 1.0)),
        Touched(0.75, 1, 2, None, Point(7.0, 8.0)),
        Touched(0.75, 1, None, BORDER, Point(7.0, 8.0)),
        Note(0.75, None, "größer"),
        Gone(0.75, 1, Leaving.REMOVED),
    ]


def test_a_piece_of_motion_is_read_with_its_clock() -> None:
    """On slow terrain the clock goes at half its pace: after 2 s it has gone on by 1."""
    journal = Journal().time(3.0).move(1, line(0.0, 0.0, 0.0, 10.0, 2.0), rate=0.5, since=1.0)
    (moves,) = JournalReader().read(journal.data)

    assert isinstance(moves, Moves)
    assert moves.clock(5.0) == 2.0
    assert moves.pose(5.0) == Pose(Point(4.0, 0.0), 0.0)


def test_what_is_no_journal_is_refused() -> None:
    with pytest.raises(JournalError, match="byte 9 of a journal begins no record: there is none with tag 63"):
        list(JournalReader().read(Journal().time(0.0).data + b"?"))
    with pytest.raises(JournalError, match="byte 38 of a journal begins no shape: there is none of kind 7"):
        list(JournalReader().read(Journal().time(0.0).add(1, 0.0, 0.0, shape=b"\x07").data))
    for journal in (Journal().end(1, 0.0, 0.0), Journal().note(1, "hello"), Journal().add(1, 0.0, 0.0)):
        for length in range(1, len(journal.data)):
            with pytest.raises(JournalError, match="cut short"):
                list(JournalReader().read(journal.data[:length]))
    with pytest.raises(JournalError, match="byte 0 of a journal is of body 3, which was never added"):
        Bodies().take(Journal().jump(3, 0.0, 0.0).data)
    with pytest.raises(JournalError, match="cut short"):
        Bodies().take(Journal().time(0.0).add(1, 0.0, 0.0).end(1, 0.0, 0.0).data[:-1])


def test_records_are_values() -> None:
    records: list[Record] = [Note(1.0, None, "a"), Gone(1.0, 2, Leaving.FELL)]

    assert records == [Note(1.0, None, "a"), Gone(1.0, 2, Leaving.FELL)]
    with pytest.raises(AttributeError):
        records[0].time = 2.0  # type: ignore[misc]
