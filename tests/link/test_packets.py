"""Packets are written as the fourth seed says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.link.packets import COMPUTER, MOST_PAYLOAD, Control, Packet, PacketError, crc16, encode

packets = st.builds(
    Packet,
    st.integers(0, 15),
    st.integers(0, 15),
    st.sampled_from(Control),
    st.binary(max_size=MOST_PAYLOAD),
)


def crc_bit_by_bit(data: bytes) -> int:
    """CRC-16-CCITT by the definition: the remainder of a division, one bit at a time."""
    remainder = 0xFFFF
    for byte in data:
        remainder ^= byte << 8
        for _ in range(8):
            remainder = (remainder << 1 ^ 0x1021 if remainder & 0x8000 else remainder << 1) & 0xFFFF
    return remainder


def test_hello_from_the_computer_to_robot_0_is_that_of_the_seed() -> None:
    assert encode(Packet(COMPUTER, 0, Control.HELLO)) == bytes.fromhex("55 7E 04 F0 04 4E 4A")


def test_reading_all_and_writing_motor_and_servo_has_the_crc_of_the_seed() -> None:
    payload = bytes.fromhex("00 01 02 03 04 05 06 07 80 68 81 76")

    assert encode(Packet(COMPUTER, 0, Control.ACK, payload)) == (
        bytes.fromhex("55 7E 10 F0 00") + payload + bytes.fromhex("E0 E1")
    )


def test_the_check_value_of_the_crc_is_the_one_in_every_catalogue() -> None:
    """CRC-16/CCITT-FALSE of "123456789" is 0x29B1."""
    assert crc16(b"123456789") == 0x29B1


@given(st.binary(max_size=300))
def test_the_crc_is_the_remainder_of_the_division(data: bytes) -> None:
    assert crc16(data) == crc_bit_by_bit(data)


@given(packets)
def test_length_counts_all_that_follows_it(packet: Packet) -> None:
    data = encode(packet)

    assert data[2] == len(data) - 3 == len(packet.payload) + 4


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ((16, 0, Control.ACK), "the sender of a packet is an address from 0x0 to 0xF, not 16"),
        ((0, -1, Control.ACK), "the receiver of a packet is an address from 0x0 to 0xF, not -1"),
        ((0, 1, 7), "the control of a packet is a Control, not 7"),
        ((0, 1, Control.ACK, bytes(252)), "a payload has at most 251 bytes, but this one has 252"),
    ],
    ids=str,
)
def test_a_packet_that_cannot_be_is_refused(given_: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(PacketError) as refused:
        Packet(*given_)  # type: ignore[arg-type]

    assert str(refused.value) == sentence
