"""Which packets are in a stream of bytes, and which bytes are in none?

The decoder hunts for SYNCH and SFD, reads LENGTH and as many bytes, and checks the CRC. A frame that turns
out damaged is searched again from its second byte on: what a false, over-long LENGTH had swallowed is found,
and a damaged packet costs itself only.

Every byte that is fed comes out once and in order, in a packet or in a damaged stretch; how the stream was
cut into pieces makes no difference. At most `MOST_BYTES` bytes wait for what comes next. `close` ends the
waiting: at the end of a stream, or after a silence in which the rest of a frame would have come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kumi.link.packets import LEAST_LENGTH, MOST_BYTES, START, SYNCH, Control, Packet, crc16

NO_START = "no packet begins here"
CONTROLS = {int(control): control for control in Control}


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes that are no packet, and why."""

    data: bytes
    reason: str


Found: TypeAlias = Packet | Damaged


class Decoder:
    """Finds packets in a stream."""

    def __init__(self) -> None:
        self._pending = b""

    @property
    def pending(self) -> int:
        """How many bytes wait for what comes next."""
        return len(self._pending)

    def feed(self, data: bytes) -> list[Found]:
        """Take the next bytes of the stream; return what they complete."""
        return self._scan(self._pending + data, is_over=False)

    def close(self) -> list[Found]:
        """End the stream; return what was still waiting. The next byte fed begins a new stream."""
        return self._scan(self._pending, is_over=True)

    def _scan(self, stream: bytes, *, is_over: bool) -> list[Found]:
        found: list[Found] = []
        begin = 0
        while begin < len(stream):
            start = stream.find(START, begin)
            if start < 0:
                begin = _skip(stream, begin, _end(stream, is_over), found, is_over)
                break
            if start > begin:
                begin = _skip(stream, begin, start, found, True)
            taken = self._take(stream, begin, found, is_over)
            if taken == 0:
                break
            begin += taken
        self._pending = stream[begin:]
        return found

    def _take(self, stream: bytes, begin: int, found: list[Found], is_over: bool) -> int:
        """Take what begins with SYNCH and SFD; return how many bytes that took, or 0 to wait for more."""
        if len(stream) < begin + 3:
            if is_over:
                found.append(Damaged(stream[begin:], "cut off before its LENGTH"))
            return len(stream) - begin if is_over else 0
        length = stream[begin + 2]
        end = begin + 3 + length
        if length < LEAST_LENGTH:
            return _hunt_on(stream, begin, found, is_over)
        if end > len(stream):
            if not is_over:
                return 0
            reason = f"cut off: its LENGTH is {length}, and {len(stream) - begin - 3} bytes came"
            return _damage(stream, begin, len(stream), reason, found, is_over)
        body, crc = stream[begin + 3 : end - 2], int.from_bytes(stream[end - 2 : end], "big")
        if crc16(body) != crc:
            reason = f"its CRC is {crc:04X}, but its bytes have {crc16(body):04X}"
            return _damage(stream, begin, end, reason, found, is_over)
        control = CONTROLS.get(body[1])
        if control is None:
            found.append(Damaged(stream[begin:end], f"its control 0x{body[1]:02X} is unknown"))
        else:
            found.append(Packet(body[0] >> 4, body[0] & 0xF, control, body[2:]))
        return end - begin


def _end(stream: bytes, is_over: bool) -> int:
    """Return where the bytes end that cannot be the beginning of a packet: a last SYNCH still can."""
    return len(stream) - (stream[-1] == SYNCH and not is_over)


def _skip(
    stream: bytes, begin: int, end: int, found: list[Found], is_whole: bool, reason: str = NO_START
) -> int:
    """Give out bytes that are no packet, in stretches of bounded size; return up to where.

    A stretch that may still grow waits until it is as long as a packet can be.
    """
    while end - begin >= MOST_BYTES or (is_whole and end > begin):
        step = min(MOST_BYTES, end - begin)
        found.append(Damaged(stream[begin : begin + step], reason))
        begin, reason = begin + step, NO_START
    return begin


def _hunt_on(stream: bytes, begin: int, found: list[Found], is_over: bool) -> int:
    """Pass over a start whose LENGTH cannot be, and all up to the next start; it may be still to come."""
    reason = f"its LENGTH is {stream[begin + 2]}, but a packet has at least {LEAST_LENGTH}"
    start = stream.find(START, begin + 2)
    if start >= 0:
        return _skip(stream, begin, start, found, True, reason) - begin
    return _skip(stream, begin, _end(stream, is_over), found, is_over, reason) - begin


def _damage(stream: bytes, begin: int, end: int, reason: str, found: list[Found], is_over: bool) -> int:
    """Give out a damaged frame up to where another packet may begin in it; return how many bytes that are."""
    start = stream.find(START, begin + 2, end)
    if start < 0:
        start = _end(stream[begin:end], is_over and end == len(stream)) + begin
    found.append(Damaged(stream[begin:start], reason))
    return start - begin
