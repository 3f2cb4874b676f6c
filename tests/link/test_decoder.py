"""The decoder finds every whole packet, accepts no damaged one, and keeps little."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.link.packets import COMPUTER, MOST_BYTES, Control, Damaged, Decoder, Found, Packet, encode
from tests.link.test_packets import crc_bit_by_bit, packets

HELLO = Packet(COMPUTER, 0, Control.HELLO)
READ = Packet(COMPUTER, 0, Control.ACK, bytes.fromhex("07 06 08"))

# Bytes in which packets, their beginnings and garbage are all likely.
streams = st.lists(
    st.one_of(
        packets.map(encode),
        st.binary(max_size=40),
        st.sampled_from(
            [b"\x55", b"\x7e", b"\x55\x7e", b"\x55\x7e\x02", b"\x55\x7e\xff", b"\x55\x7e\x04\xf0"]
        ),
    ),
    max_size=12,
).map(b"".join)


def decode(data: bytes) -> list[Found]:
    decoder = Decoder()
    return decoder.feed(data) + decoder.close()


def written(found: list[Found]) -> bytes:
    return b"".join(one.data if isinstance(one, Damaged) else encode(one) for one in found)


@given(st.lists(packets, max_size=8))
def test_what_was_encoded_is_decoded(sent: list[Packet]) -> None:
    decoder = Decoder()

    assert decoder.feed(b"".join(map(encode, sent))) == sent
    assert decoder.close() == []


@given(streams)
def test_every_byte_comes_out_once_and_in_order(data: bytes) -> None:
    assert written(decode(data)) == data


@given(streams, st.data())
def test_how_the_stream_is_cut_makes_no_difference(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=10)))
    decoder = Decoder()
    found: list[Found] = []
    for begin, end in pairwise([0, *cuts, len(data)]):
        found += decoder.feed(data[begin:end])

    assert found + decoder.close() == decode(data)


@given(streams)
def test_no_packet_with_a_bad_crc_is_accepted_and_little_is_kept(data: bytes) -> None:
    decoder = Decoder()
    for byte in data:
        for found in decoder.feed(bytes((byte,))):
            if isinstance(found, Packet):
                whole = encode(found)
                assert crc_bit_by_bit(whole[3:-2]) == int.from_bytes(whole[-2:], "big")
        assert decoder.pending <= MOST_BYTES


@given(packets, packets, st.integers(0, 300), st.integers(1, 255))
def test_a_damaged_packet_costs_itself_only(before: Packet, after: Packet, place: int, flip: int) -> None:
    """One byte of a packet between two others is flipped; if its start survives, both others do."""
    middle = bytearray(encode(READ))
    middle[place % len(middle)] ^= flip

    found = decode(encode(before) + bytes(middle) + encode(after))

    assert found[0] == before
    assert after in found
    assert READ not in found


def test_packets_swallowed_by_a_false_length_are_found_again() -> None:
    """A HELLO whose LENGTH became 0xFF waits for 255 bytes, in which there are two whole packets."""
    swallowing = bytes.fromhex("55 7E FF F0 04 4E 4A")
    decoder = Decoder()

    assert decoder.feed(swallowing + encode(READ) + encode(HELLO)) == []
    assert decoder.close() == [
        Damaged(swallowing, "cut off: its LENGTH is 255, and 21 bytes came"),
        READ,
        HELLO,
    ]


def test_packets_swallowed_by_a_false_length_are_found_when_it_is_full() -> None:
    swallowing = bytes.fromhex("55 7E FF F0 04 4E 4A")
    packet = encode(HELLO)

    found = Decoder().feed(swallowing + packet * 40)

    assert [one for one in found if isinstance(one, Packet)] == [HELLO] * 40
    assert isinstance(found[0], Damaged)
    assert found[0].data == swallowing


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("55 7E 04 F0 04 4E 4B", "its CRC is 4E4B, but its bytes have 4E4A"),
        ("55 7E 03 F0 04 4E 4A", "its LENGTH is 3, but a packet has at least 4"),
        ("55 7E 04 F0 04", "cut off: its LENGTH is 4, and 2 bytes came"),
        ("55 7E", "cut off before its LENGTH"),
        ("55", "no packet begins here"),
        ("00 01 02", "no packet begins here"),
    ],
)
def test_damage_is_told_in_words(data: str, reason: str) -> None:
    assert decode(bytes.fromhex(data)) == [Damaged(bytes.fromhex(data), reason)]


def test_a_control_that_is_unknown_is_damage_even_with_a_right_crc() -> None:
    body = bytes.fromhex("F0 09")
    frame = bytes.fromhex("55 7E 04") + body + crc_bit_by_bit(body).to_bytes(2, "big")

    assert decode(frame) == [Damaged(frame, "its control 0x09 is unknown")]


def test_a_frame_with_a_bad_crc_is_told_at_once() -> None:
    """A robot answers ERROR to it, and cannot wait for the next packet to do so."""
    assert len(Decoder().feed(bytes.fromhex("55 7E 04 F0 04 4E 4B"))) == 1
