"""What does a packet look like on the link?

    SYNCH 0x55 | SFD 0x7E | LENGTH | ADDRESS | CONTROL | PAYLOAD ... | CRC high | CRC low

LENGTH counts what follows it: ADDRESS, CONTROL, PAYLOAD and the two bytes of the CRC, so it is 4 at least
and 255 at most. ADDRESS holds the sender in its high half and the receiver in its low half; the computer is
0xF, robots count from 0x0. The CRC is CRC-16-CCITT (polynomial 0x1021, initial value 0xFFFF) over ADDRESS,
CONTROL and PAYLOAD.

Nothing here reads or writes a port. Source: Taşdelen (2008), section 6.
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass
from enum import IntEnum

from kumi.devs.errors import KumiError

SYNCH = 0x55
SFD = 0x7E
START = bytes((SYNCH, SFD))
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
    return START + bytes((len(body) + 2,)) + body + crc16(body).to_bytes(2, "big")
