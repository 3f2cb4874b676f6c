"""A message in words, for people who read a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, cast

from kumi.contract.messages import Message
from kumi.geometry import Point


def content(message: Message) -> str:
    """Write what a message says, for people: its fields in order, lengths to the millimetre."""
    return ", ".join(in_words(getattr(message, field.name)) for field in fields(cast(Any, message)))


def in_words(value: object) -> str:
    """Write a value of a message."""
    match value:
        case Message():
            return f"{type(value).__name__}({content(value)})"
        case Point(x, y):
            return f"[{x:.3f}, {y:.3f}]"
        case float():
            return f"{value:.3f}" if isfinite(value) else str(value)
        case tuple():
            return f"({', '.join(map(in_words, value))})"
        case frozenset():
            return f"{{{', '.join(sorted(map(in_words, value)))}}}"
        case Mapping():
            return f"{{{', '.join(f'{in_words(key)}: {in_words(one)}' for key, one in value.items())}}}"
    return str(value)
