"""At the wrong rate a receiver hears other bytes, as on a real line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.link.line import misread
from kumi.link.packets import Decoder, Packet
from kumi.link.ports import BAUD_RATES

HELLO = bytes.fromhex("55 7E 04 F0 04 4E 4A")


@given(st.binary(max_size=40), st.sampled_from(BAUD_RATES))
def test_at_the_same_rate_every_byte_is_heard(data: bytes, rate: int) -> None:
    assert misread(data, rate, rate) == data


def test_at_half_the_rate_the_receiver_sees_every_second_bit() -> None:
    """0x00 at 19200 is nine bits of 0 and then 1: at 9600 four and a half, the start, three zeros, and ones."""
    assert misread(b"\x00", 19200, 9600) == bytes((0b11111000,))


def test_at_twice_the_rate_every_bit_is_seen_twice() -> None:
    """0xFF is one bit of 0: heard as a start bit and a first bit of 0."""
    assert misread(b"\xff", 9600, 19200) == bytes((0b11111110,))


@pytest.mark.parametrize(("sent", "heard"), [(9600, 115200), (115200, 9600), (9600, 19200), (57600, 38400)])
def test_no_packet_comes_through_at_the_wrong_rate(sent: int, heard: int) -> None:
    decoder = Decoder()
    found = decoder.feed(misread(HELLO * 20, sent, heard)) + decoder.close()

    assert not any(isinstance(one, Packet) for one in found)


@given(st.binary(max_size=60), st.sampled_from(BAUD_RATES), st.sampled_from(BAUD_RATES))
def test_what_is_heard_is_bounded_by_the_time_it_takes(data: bytes, sent: int, heard: int) -> None:
    assert len(misread(data, sent, heard)) <= len(data) * max(1.0, heard / sent) + 1
