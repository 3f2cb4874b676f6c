"""How does somebody prove who they are?

People by a password, of which only a slow hash is kept; it buys a token. A token is a signed number of a row: worthless
without the row, so it can be revoked, and without the station's own secret, so it cannot be guessed. Robots have a long
random key, of which a quick hash is kept: nobody can try them all.
"""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, URLSafeSerializer

_HASHER = PasswordHasher()
_NOBODYS = f"$argon2id$v=19$m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}${'A' * 22}${'A' * 43}"
"""A hash that no password has; checked for unknown names, so that an answer takes as long whether a name is known or not."""

TOKEN_LIFE = 30 * 24 * 3600.0
"""Seconds for which a token is good."""
CLOCK_ERROR = 24 * 3600.0
"""Seconds by which a clock may go back; a token from later than that would live as long as the clock was wrong."""

FEED = "positioning key"
"""The fact of the store that keeps the hash of the positioning system's key."""


def hashed(password: str) -> str:
    """Return the hash to keep of a password; slow on purpose."""
    return _HASHER.hash(password)


def is_right(password: str, kept: str | None) -> bool:
    """Return whether a password is the one whose hash was kept; None is for a name that nobody has."""
    try:
        _HASHER.verify(kept or _NOBODYS, password)
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


def key_hash(key: str) -> bytes:
    """Return the hash to keep of a robot's key."""
    return sha256(key.encode()).digest()


def is_key(key: str, kept: bytes) -> bool:
    """Return whether a key is the one whose hash was kept."""
    return compare_digest(key_hash(key), kept)


class Signer:
    """Makes and reads tokens with a station's own secret."""

    def __init__(self, secret: str) -> None:
        self._serializer = URLSafeSerializer(secret, salt="kumi token")

    def token(self, number: int) -> str:
        """Return the token for a row."""
        return str(self._serializer.dumps(number))

    def number(self, token: str) -> int | None:
        """Return the row of a token, or None where it was not made here."""
        try:
            number = self._serializer.loads(token)
        except BadSignature:
            return None
        return number if isinstance(number, int) else None
