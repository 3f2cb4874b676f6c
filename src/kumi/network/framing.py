"""How is a message found again in a stream of bytes? As a frame: four bytes of length, then so many of the message.

A connection gives bytes in pieces of any size, so they gather in a buffer until a frame is whole. A length beyond what may
come is refused before anything of it is gathered.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

from kumi.network.errors import NetworkError

LENGTH = struct.Struct("!I")


class FrameTooLong(NetworkError):
    """A frame of more bytes than are read was announced."""

    def __init__(self, length: int, most: int) -> None:
        super().__init__(f"a frame of {length} bytes was announced; at most {most} are read")
        self.length = length


def as_frame(data: bytes) -> bytes:
    """Return a message as a frame."""
    return LENGTH.pack(len(data)) + data


def next_frame(buffer: bytearray, most: int) -> bytes | None:
    """Take the first message out of what has come; None while it is not whole."""
    if len(buffer) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack_from(buffer)
    if length > most:
        raise FrameTooLong(length, most)
    end = LENGTH.size + length
    if len(buffer) < end:
        return None
    data = bytes(buffer[LENGTH.size : end])
    del buffer[:end]
    return data


def frames_of(connection: socket.socket, most: int) -> Iterator[bytes]:
    """Wait for the messages of a connection one after another, until the other end closes it."""
    buffer = bytearray()
    while data := connection.recv(1 << 16):
        buffer += data
        while (message := next_frame(buffer, most)) is not None:
            yield message


def notice_silence(connection: socket.socket, *, idle: int, between: int, unconfirmed: int) -> None:
    """Send at once, and have the system give a connection up when the other host is silent, where it can.

    After `idle` seconds without a word it asks three times, `between` seconds apart; what was sent may stay
    unconfirmed for `unconfirmed` seconds.
    """
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", idle),
        ("TCP_KEEPINTVL", between),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 1000 * unconfirmed),
    ):
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
