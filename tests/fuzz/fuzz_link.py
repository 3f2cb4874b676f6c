"""Throws bytes at the link's codec: never an exception, never an accepted bad CRC, never much kept.

Run it with `python tests/fuzz/fuzz_link.py -runs=10000000`; the options are those of libFuzzer. A short run is
part of the tests. The first byte of an input says where the stream is cut into two pieces, the second what it
is: the rest as it is, or with a whole packet, made from its end, put before, into or behind it. Checked is:

- every byte comes out once and in order, in a packet or in a damaged stretch;
- no packet is accepted whose CRC is wrong, by a CRC of our own;
- no more than `MOST_BYTES` bytes wait;
- payloads are read or refused with a PayloadError; a responder and a courier take one stream in eight.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-untyped]  # it has no types

with atheris.instrument_imports():
    from kumi.link.devices import Device, PayloadError, read_answer, read_request
    from kumi.link.packets import MOST_BYTES, Control, Damaged, Decoder, Packet, encode
    from kumi.link.responder import Responder
    from kumi.link.stop_and_wait import StopAndWait

TABLE = []
for value in range(256):
    remainder = value << 8
    for _ in range(8):
        remainder = (remainder << 1 ^ 0x1021 if remainder & 0x8000 else remainder << 1) & 0xFFFF
    TABLE.append(remainder)


class Machine:
    """Devices that take everything."""

    def read(self, _device: Device) -> int:
        return 0

    def write(self, device: Device, value: int) -> None:
        assert device.is_writable
        assert 0 <= value <= 255


def crc_of(data: bytes) -> int:
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 ^ TABLE[crc >> 8 ^ byte]) & 0xFFFF
    return crc


def check(data: bytes) -> None:
    """Check all promises for one input."""
    cut, kind = data[:1] + b"\0", data[1:2] + b"\0"
    check_stream(stream_of(data[2:], kind[0]), cut[0], kind[0] & 0x1C == 0)


def stream_of(data: bytes, kind: int) -> bytes:
    """Return the bytes, in three of four cases with a whole packet among them."""
    if not kind & 3 or len(data) < 4:
        return data
    *rest, control, address = data
    packet = encode(
        Packet(address >> 4, address & 0xF, Control(control % 5), bytes(rest[len(rest) // 2 :])[:251])
    )
    place = {1: 0, 2: len(data), 3: len(data) // 2}[kind & 3]
    return data[:place] + packet + data[place:]


def check_stream(stream: bytes, cut: int, is_for_all: bool) -> None:
    decoder = Decoder()
    found = decoder.feed(stream[:cut])
    assert decoder.pending <= MOST_BYTES
    found += decoder.feed(stream[cut:])
    assert decoder.pending <= MOST_BYTES
    found += decoder.close()
    assert decoder.pending == 0
    whole = b""
    for one in found:
        if isinstance(one, Damaged):
            assert one.data
            whole += one.data
            continue
        written = encode(one)
        assert crc_of(written[3:-2]) == int.from_bytes(written[-2:], "big")
        whole += written
        check_payload(one)
    assert whole == stream
    if is_for_all:
        check_machines(stream)


def check_machines(stream: bytes) -> None:
    Responder(0, Machine()).receive(0.0, stream)
    courier = StopAndWait(0)
    courier.open(0.0)
    courier.receive(0.1, stream)
    courier.tick(courier.deadline)


def check_payload(packet: Packet) -> None:
    for read in (read_request, read_answer):
        try:
            read(packet.payload)
        except PayloadError:
            continue


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
