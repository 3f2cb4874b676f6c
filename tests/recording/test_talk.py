"""Pictures and films show who talks to whom, for a moment."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from kumi.geometry import Disc, Point, Pose
from kumi.recording import received_record, sent_record
from kumi.recording.latest import BodyState
from kumi.recording.layout import INSTANT, TIME
from kumi.recording.palette import TypeColours
from kumi.recording.picture import draw_svg
from kumi.recording.scenery import read_scenery
from kumi.recording.sendings import Talk, sendings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kumi.recording import Sent


def at(time: float) -> bytes:
    """Write the record of a time."""
    return bytes([TIME]) + INSTANT.pack(time)


JOURNALS = [
    at(1.0) + sent_record(0, 0, [1], "Word", "a") + received_record(0, 1),
    at(1.5) + received_record(0, 2) + at(2.0) + sent_record(1, 1, [0, 2], "Word", "b"),
]


def numbers(shown: list[Sent]) -> list[int]:
    """Return the numbers of messages."""
    return [one.number for one in shown]


def test_sendings_are_read_in_order_with_their_times() -> None:
    assert [(one.time, one.number, one.receivers) for one in sendings(JOURNALS)] == [
        (1.0, 0, (1,)),
        (2.0, 1, (0, 2)),
    ]
    assert numbers(list(sendings(JOURNALS, 1.9))) == [0]


def test_a_message_is_shown_for_a_moment_from_its_sending() -> None:
    talk = Talk(JOURNALS, 1.0)

    assert [numbers(talk.at(time)) for time in (0.9, 1.0, 1.9, 2.0, 2.1, 3.1)] == [
        [],
        [0],
        [0],
        [0, 1],
        [1],
        [],
    ]


def test_a_picture_has_one_line_for_each_pair_that_talks() -> None:
    states = [BodyState(n, Pose(Point(float(n), 0.0), 0.0), Disc(0.1), is_moving=False) for n in range(3)]
    scenery = read_scenery({})
    talk = [*sendings(JOURNALS), *sendings(JOURNALS)]

    colour = TypeColours().of("Word")
    assert draw_svg(states, scenery, time=0.0).count(colour) == 0
    # The pairs 0-1 and 1-2, and the sample in the legend.
    drawn = draw_svg(states, scenery, time=0.0, talk=talk)
    assert drawn.count(colour) == 3
    assert "4 messages" in drawn
    assert BytesIO(drawn.encode()).read(4) == b"<svg"


def test_a_journal_is_read_no_farther_than_the_instant_that_is_asked_for() -> None:
    """Of a thousand pieces, one a second and none with a message, those up to 3 s are read, and one beyond."""
    read = []

    def pieces() -> Iterator[bytes]:
        for second in range(1000):
            read.append(second)
            yield bytes([TIME]) + INSTANT.pack(float(second))

    talk = Talk(pieces(), 1.0)
    assert (talk.at(3.0), read) == ([], [0, 1, 2, 3, 4])
    assert (talk.at(3.5), read) == ([], [0, 1, 2, 3, 4])
