"""How does somebody prove who they are?

People by a password, of which only a slow hash is kept; it buys a token. A token is a signed number of a row: worthless
without the row, so it can be revoked, and without the station's own secret, so it cannot be guessed. Robots have a long
random key, of which a quick hash is kept: nobody can try them all.

A few wrong passwords may follow each other; then each under a name from an address makes the next wait twice as long, up to a
minute, right or wrong. So a password is not found by trying; and who guesses at a name keeps nobody out but those at the same
address, for a minute at most. Names that nobody has count alike, so an answer does not tell which names there are. Only the latest
few thousand are remembered: more do not fit in memory, and trying that many takes longer than any wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil, ldexp

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, URLSafeSerializer

from kumi.station.refusals import Reason, Refused

_HASHER = PasswordHasher()
_NOBODYS = f"$argon2id$v=19$m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}${'A' * 22}${'A' * 43}"
"""A hash that no password has; checked for unknown names, so that an answer takes as long whether a name is known or not."""

TOKEN_LIFE = 30 * 24 * 3600.0
"""Seconds for which a token is good where whoever logs in does not choose."""
SHORTEST_LIFE, LONGEST_LIFE = 60.0, 366 * 24 * 3600.0
"""Seconds for which one may choose it to be good."""
CLOCK_ERROR = 24 * 3600.0
"""Seconds by which a clock may go back; a token from later than that would live as long as the clock was wrong."""

FEED = "positioning key"
"""The fact of the store that keeps the hash of the positioning system's key."""
FREE_ATTEMPTS = 5
"""Wrong attempts without a wait."""
LONGEST_WAIT = 60.0
"""Seconds of the longest wait."""
FORGOTTEN = 600.0
"""Seconds after which wrong attempts are forgotten."""
MOST_NAMES = 4096
"""Names with an address whose wrong attempts are remembered."""
NETWORK_BITS = 64
"""Bits of an IPv6 address that tell the network: whoever has one has all addresses in it."""


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


class Attempts:
    """Counts wrong passwords by name and address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[tuple[str, str], tuple[int, float]] = {}

    def begin(self, name: str, address: str) -> None:
        """Count an attempt as wrong until it proves right; refuse it where it comes too soon."""
        tried = name, network_of(address)
        count, last = self._wrong.pop(tried, (0, 0.0))
        now = self._clock()
        if count and now - last > FORGOTTEN:
            count = 0
        wait = (
            0.0
            if count < FREE_ATTEMPTS
            else min(LONGEST_WAIT, ldexp(1.0, count - FREE_ATTEMPTS)) - (now - last)
        )
        self._wrong[tried] = (count, last) if wait > 0.0 else (count + 1, now)
        if len(self._wrong) > MOST_NAMES:
            del self._wrong[next(iter(self._wrong))]
        if wait > 0.0:
            raise Refused(
                Reason.TOO_MANY,
                f"too many wrong passwords for '{name}' from your address: wait {ceil(wait)} s, then try again",
            )

    def succeed(self, name: str, address: str) -> None:
        """Forget the wrong attempts under a name from an address."""
        self._wrong.pop((name, network_of(address)), None)


def network_of(address: str) -> str:
    """Return whose address this is, as far as can be told: all those of an IPv6 network are one's own."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, NETWORK_BITS), strict=False))
