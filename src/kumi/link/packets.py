"""What does a packet look like on the link, and which packets are in a stream of bytes?

SYNCH 0x55 | SFD 0x7E | LENGTH | ADDRESS | CONTROL | PAYLOAD ... | CRC high | CRC low

LENGTH counts what follows it: ADDRESS, CONTROL, PAYLOAD and the two bytes of the CRC, so it is 4 at least
and 255 at most. ADDRESS holds the sender in its high half and the receiver in its low half; the computer is
0xF, robots count from 0x0. The CRC is CRC-16-CCITT (polynomial 0x1021, initial value 0xFFFF) over ADDRESS,
CONTROL and PAYLOAD.

Nothing here reads or writes a port. Source: Taşdelen (2008), section 6.

The decoder hunts for SYNCH and SFD, reads LENGTH and as many bytes, and checks the CRC. A frame that turns
out damaged is searched again from its second byte on: what a false, over-long LENGTH had swallowed is found,
and a damaged packet costs itself only.

Every byte that is fed comes out once and in order, in a packet or in a damaged stretch; how the stream was
cut into pieces makes no difference. At most `MOST_BYTES` bytes wait for what comes next. `close` ends the
waiting: at the end of a stream, or after a silence in which the rest of a frame would have come.
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from kumi.devs.errors import KumiError

SYNCH = 0x55
SFD = 0x7E
PACKET_START = bytes((SYNCH, SFD))
"""How every packet begins."""

COMPUTER = 0xF
"""The address of the computer."""

LEAST_LENGTH = 4
MOST_LENGTH = 0xFF
MOST_PAYLOAD = MOST_LENGTH - LEAST_LENGTH
MOST_BYTES = 3 + MOST_LENGTH
"""How long a packet can be, from SYNCH to the last byte of the CRC."""


class Control(IntEnum):
    """What a packet is for."""

    ACK = 0x00
    """The last packet arrived; from the computer also: here is something new."""
    NACK = 0x01
    """No answer came in time: here is the last packet again."""
    COLLISION = 0x02
    """A robot touched something; from robots only."""
    ERROR = 0x03
    """Bytes came that are no packet, or a payload that makes no sense."""
    HELLO = 0x04
    """A handshake: the robot answers with the same packet."""


class PacketError(KumiError, ValueError):
    """A packet that cannot be: an address, a control or a payload out of range."""


@dataclass(frozen=True, slots=True)
class Packet:
    """What one side says to the other."""

    sender: int
    receiver: int
    control: Control
    payload: bytes = b""

    def __post_init__(self) -> None:
        for name, address in (("sender", self.sender), ("receiver", self.receiver)):
            if not 0 <= address <= 0xF:
                raise PacketError(f"the {name} of a packet is an address from 0x0 to 0xF, not {address!r}")
        if not isinstance(self.control, Control):
            raise PacketError(f"the control of a packet is a Control, not {self.control!r}")
        if len(self.payload) > MOST_PAYLOAD:
            raise PacketError(
                f"a payload has at most {MOST_PAYLOAD} bytes, but this one has {len(self.payload)}"
            )


def crc16(data: bytes) -> int:
    """Return the CRC-16-CCITT of bytes, beginning at 0xFFFF."""
    return crc_hqx(data, 0xFFFF)


def encode(packet: Packet) -> bytes:
    """Return the bytes of a packet as they go over the link."""
    body = bytes((packet.sender << 4 | packet.receiver, packet.control)) + packet.payload
    return PACKET_START + bytes((len(body) + 2,)) + body + crc16(body).to_bytes(2, "big")


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
            start = stream.find(PACKET_START, begin)
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
    start = stream.find(PACKET_START, begin + 2)
    if start >= 0:
        return _skip(stream, begin, start, found, True, reason) - begin
    return _skip(stream, begin, _end(stream, is_over), found, is_over, reason) - begin


def _damage(stream: bytes, begin: int, end: int, reason: str, found: list[Found], is_over: bool) -> int:
    """Give out a damaged frame up to where another packet may begin in it; return how many bytes that are."""
    start = stream.find(PACKET_START, begin + 2, end)
    if start < 0:
        start = _end(stream[begin:end], is_over and end == len(stream)) + begin
    found.append(Damaged(stream[begin:start], reason))
    return start - begin
