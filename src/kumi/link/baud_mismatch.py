"""What does a receiver hear that listens at another rate than the sender sends?

On the line each byte is a start bit of 0, eight data bits from the lowest, and a stop bit of 1; between bytes
the line is at 1. The receiver waits for a 0 and then looks at the line in the middle of each of its own bit
times. Where it finds no stop bit, it drops the byte. So the wrong rate gives other bytes, and fewer or more
of them, as a real line does.
"""

from __future__ import annotations

from kumi.link.line import BITS_A_BYTE


def misread(data: bytes, sent_at: int, heard_at: int) -> bytes:
    """Return what a receiver at one rate makes of bytes that were sent without a pause at another."""
    if sent_at == heard_at:
        return data
    step = sent_at / heard_at  # bits of the sender in one bit time of the receiver
    length = BITS_A_BYTE * len(data)
    heard = bytearray()
    at = 0.0
    while (start := _falling(data, at)) < length:
        bits = [_level(data, start + step * (bit + 1.5)) for bit in range(8)]
        is_framed = _level(data, start + step * 9.5) == 1 and _level(data, start + step * 0.5) == 0
        if is_framed:
            heard.append(sum(bit << place for place, bit in enumerate(bits)))
        at = start + step * 9.5
    return bytes(heard)


def _level(data: bytes, at: float) -> int:
    """Return the level of the line at a time in bits of the sender."""
    number, bit = divmod(int(at), BITS_A_BYTE)
    if number >= len(data) or bit == BITS_A_BYTE - 1:
        return 1
    return 0 if bit == 0 else data[number] >> (bit - 1) & 1


def _falling(data: bytes, at: float) -> float:
    """Return when the line is at 0 next, in whole bits of the sender unless it is already."""
    length = BITS_A_BYTE * len(data)
    while at < length and _level(data, at) == 1:
        at = float(int(at) + 1)
    return at
