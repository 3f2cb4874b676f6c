"""How does each side know that a message is from the other, and new?

Robot and station share a secret: the hash of the robot's key. When a robot enters, both add a random part to it, and so have a
key that nobody used before. Each message carries a number and a mark that only this key can make. A message with a wrong
mark, or with a number that was there already, is dropped. Messages are not hidden: use TLS where others can listen.
"""

from __future__ import annotations

from hashlib import blake2b
from hmac import compare_digest
from struct import Struct

from kumi.devs.secrets import new_bytes

_MAC_HEAD = Struct("<Q16s")
_NUMBER = Struct("<IQI")
"""A number and the beginning of a body, as `_whole` has them."""
NONCE = 16
WINDOW = 4096
"""Numbers that are remembered: a message that comes later than so many others is dropped."""

_ALL = (1 << WINDOW) - 1


class Forged(Exception):
    """A message is not from whom it says, or was there before."""


def nonce() -> bytes:
    """Return a random part for a key."""
    return new_bytes(NONCE)


def session_key(secret: bytes, robots: bytes, stations: bytes) -> bytes:
    """Return the key of a session from the shared secret and both random parts."""
    return blake2b(robots + stations, key=secret, digest_size=32, person=b"kumi session").digest()


def mark(secret: bytes, *parts: bytes) -> bytes:
    """Return a mark that only who knows the secret can make of these parts."""
    return blake2b(_whole(*parts), key=secret, digest_size=16).digest()


def _whole(*parts: bytes) -> bytes:
    """Return parts as one, so that no others give the same."""
    return b"".join([piece for part in parts for piece in (len(part).to_bytes(4, "little"), part)])


class _Marks:
    """Makes the marks of what one side says; what is the same for all messages about a subject is done once."""

    def __init__(self, key: bytes, side: bytes) -> None:
        self._key = key
        self._side = side
        self._begun: dict[str, blake2b] = {}

    def mark(self, subject: str, number: int, body: bytes) -> bytes:
        """Return the mark of a message: of its side, subject, number and body."""
        begun = self._begun.get(subject)
        if begun is None:
            begun = blake2b(_whole(self._side, subject.encode()), key=self._key, digest_size=16)
            self._begun[subject] = begun
        made = begun.copy()
        made.update(_NUMBER.pack(8, number, len(body)))
        made.update(body)
        return made.digest()


class Sealer:
    """Seals what one side sends."""

    def __init__(self, key: bytes, side: bytes) -> None:
        self._marks = _Marks(key, side)
        self._number = 0

    def seal(self, subject: str, body: bytes) -> bytes:
        """Return a message about a subject: number, mark, body."""
        self._number += 1
        return _MAC_HEAD.pack(self._number, self._marks.mark(subject, self._number, body)) + body


class Opener:
    """Opens what the other side sent."""

    def __init__(self, key: bytes, side: bytes) -> None:
        self._marks = _Marks(key, side)
        self._highest = 0
        self._seen = 1  # bit n stands for the number n below the highest

    def open(self, subject: str, message: bytes) -> bytes:
        """Return the body of a message about a subject; Forged where it cannot be from the other side, or is old."""
        if len(message) < _MAC_HEAD.size:
            raise Forged("the message is too short")
        number, found = _MAC_HEAD.unpack_from(message)
        body = message[_MAC_HEAD.size :]
        if not compare_digest(found, self._marks.mark(subject, number, body)):
            raise Forged("the mark is wrong")
        below = self._highest - number
        if below < 0:
            self._seen = (self._seen << -below | 1) & _ALL if -below < WINDOW else 1
            self._highest = number
        elif below >= WINDOW or self._seen >> below & 1:
            raise Forged("the message was there before")
        else:
            self._seen |= 1 << below
        return body
