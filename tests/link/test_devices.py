"""Payloads name devices and values, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.link.devices import (
    READABLE,
    Answer,
    Device,
    DeviceValue,
    Entry,
    PayloadError,
    Read,
    Write,
    answer_payload,
    answers,
    read_answer,
    read_request,
    request_payload,
)

reads = st.sampled_from(READABLE).map(Read)
writes = st.builds(Write, st.sampled_from([Device.MOTOR, Device.SERVO]), st.integers(0, 255))
requests = st.lists(reads | writes, max_size=80).map(tuple)


def test_the_request_of_the_seed() -> None:
    """All rangers, potentiometer and encoder, motor 0x68 and servo 0x76."""
    entries = [Read(Device(address)) for address in range(8)]

    payload = request_payload([*entries, Write(Device.MOTOR, 0x68), Write(Device.SERVO, 0x76)])

    assert payload == bytes.fromhex("00 01 02 03 04 05 06 07 80 68 81 76")


def test_a_reading_has_two_bytes_in_an_answer_and_a_writing_one() -> None:
    values = [
        DeviceValue(Device.IR_FRONT, 0x0279),
        DeviceValue(Device.ENCODER, 65535),
        DeviceValue(Device.MOTOR, 140),
    ]

    assert answer_payload(values) == bytes.fromhex("00 02 79 07 FF FF 80 8C")


@given(requests)
def test_a_request_is_read_as_it_was_written(entries: tuple[Entry, ...]) -> None:
    assert read_request(request_payload(entries)) == entries


@given(requests, st.data())
def test_an_answer_is_read_as_it_was_written(entries: tuple[Entry, ...], data: st.DataObject) -> None:
    values = tuple(
        DeviceValue(one.device, one.value if isinstance(one, Write) else data.draw(st.integers(0, 65535)))
        for one in entries
    )

    answer = read_answer(answer_payload(values))

    assert answer == Answer(values)
    assert answers(answer, entries)


@given(requests, requests)
def test_an_answer_fits_one_request_only(entries: tuple[Entry, ...], others: tuple[Entry, ...]) -> None:
    values = tuple(DeviceValue(one.device, one.value if isinstance(one, Write) else 7) for one in entries)

    assert answers(Answer(values), others) == (entries == others)


@given(st.binary(max_size=60))
def test_a_payload_is_read_or_refused_with_a_sentence(payload: bytes) -> None:
    said = []
    for read in (read_request, read_answer):
        try:
            read(payload)
        except PayloadError as error:
            said.append(str(error))

    assert all(sentence.startswith(("byte", "the payload ends")) for sentence in said)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(PayloadError, match="byte 1 of the payload, 0x0A, is no device"):
        read_request(bytes.fromhex("00 0A"))
    with pytest.raises(PayloadError, match="the payload ends within MOTOR, at byte 1"):
        read_request(bytes.fromhex("00 80"))
    with pytest.raises(PayloadError, match="ENCODER is read, not written"):
        Write(Device.ENCODER, 1)
    with pytest.raises(PayloadError, match="MOTOR is written, not read"):
        Read(Device.MOTOR)
    with pytest.raises(PayloadError, match="MOTOR takes a byte from 0 to 255, not 256"):
        Write(Device.MOTOR, 256)
    with pytest.raises(PayloadError, match="at most 251 bytes each"):
        request_payload([Read(Device.ENCODER)] * 84)
