"""Messages in a run file: sendings, arrivals and losses come back as they were written."""

from __future__ import annotations

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from kumi.recording import (
    Dropped,
    JournalReader,
    Received,
    Sent,
    TextLogWriter,
    dropped_record,
    received_record,
    sent_record,
)
from kumi.recording.bodies import Bodies

SAMPLE = "0.031 p1 messages e r p6 p0,p1,p2 GOTO [673.296, 211.928]"
numbers = st.integers(0, 2**32 - 1)
counts = st.integers(0, 2**64 - 1)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(counts, numbers, st.lists(numbers, max_size=5), words, words, numbers, words)
def test_what_is_written_is_read_back(
    number: int, sender: int, receivers: list[int], kind: str, content: str, receiver: int, reason: str
) -> None:
    journal = (
        sent_record(number, sender, receivers, kind, content)
        + received_record(number, receiver)
        + dropped_record(number, receiver, reason)
    )

    assert list(JournalReader(2.5).read(journal)) == [
        Sent(2.5, number, sender, tuple(receivers), kind, content),
        Received(2.5, number, receiver),
        Dropped(2.5, number, receiver, reason),
    ]


def test_messages_do_not_touch_the_state_of_bodies() -> None:
    journal = sent_record(0, 1, [2], "Word", "hi") + received_record(0, 2) + dropped_record(0, 2, "loss")
    bodies = Bodies()

    assert bodies.take(journal) == len(journal)
    assert len(bodies) == 0


def test_the_lines_of_messages_have_the_form_of_spec_10() -> None:
    out = StringIO()
    log = TextLogWriter(out)
    log.write(b"T" + bytes(8) + sent_record(5, 6, [0, 1, 2], "GOTO", "[673.296, 211.928]"))
    log.write(received_record(5, 1) + dropped_record(5, 2, "loss"))

    sent, received, dropped = out.getvalue().splitlines()
    assert sent == "0.000 p6 messages e s p6 p0,p1,p2 GOTO [673.296, 211.928]"
    assert received == SAMPLE.replace("0.031", "0.000")
    assert dropped == "0.000 p2 messages e d p6 p0,p1,p2 GOTO [673.296, 211.928] (loss)"


def test_a_line_is_one_line_whatever_a_message_says() -> None:
    out = StringIO()
    TextLogWriter(out).write(sent_record(0, 0, [1], "Word", "two\nlines"))

    assert out.getvalue() == "0.000 p0 messages e s p0 p1 Word two\\nlines\n"


def test_of_a_very_long_message_the_middle_is_left_out() -> None:
    out = StringIO()
    TextLogWriter(out).write(b"T" + bytes(8) + sent_record(5, 6, [0], "Plan", "a" * 1000 + "b" * 1000))

    assert out.getvalue() == (
        f"0.000 p6 messages e s p6 p0 Plan {'a' * 200} ...(1600 characters)... {'b' * 200}\n"
    )
