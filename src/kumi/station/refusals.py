"""Why was an operation not carried out?

Each refusal says what, where and what is allowed, in one sentence. Its reason is a word that programs can tell apart.
"""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """The kinds of refusal, with the status that HTTP knows each by."""

    INVALID = 422
    NOT_KNOWN = 401
    FORBIDDEN = 403
    UNKNOWN = 404
    CONFLICT = 409
    TOO_LARGE = 413
    FIRST_PASSWORD = 428
    TOO_MANY = 429
    UNAVAILABLE = 503


class Refused(Exception):
    """An operation was not carried out, and nothing changed."""

    def __init__(self, reason: Reason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


def unknown(sentence: str) -> Refused:
    """There is no such thing."""
    return Refused(Reason.UNKNOWN, sentence)


def forbidden(sentence: str) -> Refused:
    """The caller may not."""
    return Refused(Reason.FORBIDDEN, sentence)


def invalid(sentence: str) -> Refused:
    """The request does not make sense."""
    return Refused(Reason.INVALID, sentence)


def conflict(sentence: str) -> Refused:
    """Not as things stand now."""
    return Refused(Reason.CONFLICT, sentence)
