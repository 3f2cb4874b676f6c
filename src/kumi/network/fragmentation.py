"""How does a message that is larger than a datagram travel in datagrams?

As numbered pieces, each small enough for one packet of any usual network. Every piece names the message by its
length and a digest of its bytes, so pieces need no order, and those of a message that is sent again, which are
the same, fill the gaps that the first ones left. A message of which a piece is missing does not arrive.

What comes is not trusted: of each peer only so many messages and bytes wait for their missing pieces, and none
for longer than `PATIENCE` seconds after the last piece of it came; then they are dropped, and that is told.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from kumi.contract.messages import Address
from kumi.network.errors import Malformed, TooLarge

MARK = b"kp"
HEAD = struct.Struct("!2sII16sIH")
"""What goes before each piece: a mark, sender, receiver, the digest of the message, its length, and which piece."""
PIECE = 1200 - HEAD.size
"""Bytes of a message in one piece, so that a datagram takes 1,200."""
MOST_MESSAGES = 16
"""How many messages of one peer wait for missing pieces."""
PATIENCE = 30.0
"""Seconds that a message waits for its next piece."""


class Piece(NamedTuple):
    """A part of a message, and which one of which message."""

    sender: Address
    to: Address
    digest: bytes
    length: int
    number: int
    data: bytes


def digest_of(message: bytes) -> bytes:
    """Return the name that the pieces of a message have in common."""
    return blake2b(message, digest_size=16).digest()


def cut(sender: Address, to: Address, message: bytes) -> Iterator[bytes]:
    """Cut a message into datagrams."""
    digest, length = digest_of(message), len(message)
    for number, start in enumerate(range(0, length, PIECE)):
        yield HEAD.pack(MARK, sender, to, digest, length, number) + message[start : start + PIECE]


def read(datagram: bytes, limit: int) -> Piece:
    """Read a piece of a message that takes at most `limit` bytes; raises Malformed or TooLarge."""
    if len(datagram) <= HEAD.size:
        raise Malformed(f"{len(datagram)} bytes are no piece of a message")
    _, sender, to, digest, length, number = HEAD.unpack_from(datagram)
    if length > limit:
        raise TooLarge(f"a piece of a message of {length} bytes came; at most {limit} are read")
    size, expected = len(datagram) - HEAD.size, min(PIECE, length - number * PIECE)
    if size != expected:
        raise Malformed(
            f"piece {number} of a message of {length} bytes has {size} bytes, which cannot be right"
        )
    return Piece(sender, to, digest, length, number, datagram[HEAD.size :])


class Unfinished:
    """The messages of one peer that wait for missing pieces, those that were added to last at the end."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._parts: dict[tuple[Address, Address, bytes, int], dict[int, bytes]] = {}
        self._touched: dict[tuple[Address, Address, bytes, int], float] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._parts)

    def put(self, piece: Piece, now: float) -> bytes | None:
        """Take a piece; return the message if it was the last one. Raises Malformed if the pieces do not fit."""
        which = piece.sender, piece.to, piece.digest, piece.length
        parts = self._parts.setdefault(which, {})
        if piece.number not in parts:
            parts[piece.number] = piece.data
            self._size += len(piece.data)
        self._touched.pop(which, None)
        self._touched[which] = now
        if len(parts) * PIECE < piece.length:
            return None
        self._drop(which)
        message = b"".join(parts[number] for number in range(len(parts)))
        if digest_of(message) != piece.digest:
            raise Malformed(f"the pieces of a message of {piece.length} bytes do not fit each other")
        return message

    def drop_old(self, now: float) -> int:
        """Drop what waits for too long and what is too much, the oldest first; return how many messages."""
        dropped = 0
        for which, touched in tuple(self._touched.items()):
            is_much = len(self._parts) > MOST_MESSAGES or self._size > self._most_bytes
            if not is_much and now - touched < PATIENCE:
                break
            self._drop(which)
            dropped += 1
        return dropped

    def _drop(self, which: tuple[Address, Address, bytes, int]) -> None:
        del self._touched[which]
        self._size -= sum(map(len, self._parts.pop(which).values()))
