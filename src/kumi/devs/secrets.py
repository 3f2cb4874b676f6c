"""What can nobody guess? Secrets: the opposite of chance, which can be repeated.

No run depends on them. They are for keys, tokens and salts.
"""

from __future__ import annotations

import secrets


def new_secret() -> str:
    """Return a secret that nobody can guess, of letters, digits, - and _."""
    return secrets.token_urlsafe(32)


def new_bytes(count: int) -> bytes:
    """Return bytes that nobody can guess."""
    return secrets.token_bytes(count)
