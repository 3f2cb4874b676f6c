"""How is a message written as bytes, read back without trusting them, and told in words in a log?

The annotations of a message's class are its schema. A message is written as its class's name and its
fields in order, in MessagePack; when it is read, each field is checked against its annotation, and what
does not fit is `Malformed`, whatever the bytes are. Nothing is ever run that the bytes name: a name only
chooses among the classes of messages that this program has imported.

Fields whose annotation says what they hold, such as `int`, `tuple[str, ...]` or `Point`, are checked while
they are parsed. Where it does not, as in `Message`, `object` or `int | Point`, the value says itself what it
is, as an extension of MessagePack.

A message read back equals the one written. Whole numbers have 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar, cast

from msgspec.msgpack import Decoder, Encoder

from kumi.contract.messages import Message
from kumi.geometry import Point
from kumi.network.codecs import Codecs
from kumi.network.errors import Malformed, NotAMessage, TooLarge
from kumi.network.fields import Acceptance, misfit
from kumi.network.schema import Unfit

MOST_WIRE_BYTES = 1 << 24
"""Bytes; what is larger is not read, unless the reader says otherwise."""

M = TypeVar("M", bound=Message)

_codecs = Codecs(is_proving=True)
_sizers = Codecs(is_proving=False)
_accepted = Acceptance(_sizers.codec)
accepting = _accepted.ready
"""The functions that accept messages whose fields hold just what they should, by class; see `fitted`."""
_pack = Encoder().encode
_unpack = Decoder(Any).decode
_UNWRITABLE = (Unfit, TypeError, AttributeError, OverflowError, RecursionError, ValueError)


def fitted(message: M) -> M:
    """Return a message as it is read back from a wire: itself, if its fields hold just what they should.

    One that could not be written and read back is refused, such as one with a field of another type. Two classes
    with one name raise SameName where they matter, for messages inside another one.
    """
    if _accepted(message):
        return message
    try:
        return _sizers.read_back(message)
    except Malformed as error:
        raise NotAMessage(
            misfit(message) or f"a {type(message).__qualname__} does not fit: {error}"
        ) from error
    except _UNWRITABLE as error:
        raise NotAMessage(misfit(message) or _unwritable(message, error)) from error


def encode(message: Message, limit: int | None = None) -> bytes:
    """Write a message as bytes, at most `limit` of them."""
    message = fitted(message)
    try:
        data = _codecs.write(message)
    except _UNWRITABLE as error:
        raise NotAMessage(_unwritable(message, error)) from error
    if limit is not None and len(data) > limit:
        raise TooLarge(f"a {type(message).__qualname__} takes {len(data)} bytes; at most {limit} are allowed")
    return data


def decode(data: bytes, limit: int = MOST_WIRE_BYTES) -> Message:
    """Read a message back; raises Malformed or TooLarge, and nothing else, whatever the bytes."""
    if len(data) > limit:
        raise TooLarge(f"a packet of {len(data)} bytes came; at most {limit} are read")
    try:
        return _codecs.read(data)
    except Malformed:
        raise
    except Exception as error:  # a class may check its fields itself, and refuse them with any error
        raise Malformed(f"{len(data)} bytes are no message: {error}") from error


def encoded_size(message: Message) -> int:
    """Return how many bytes a message takes on a wire."""
    try:
        return len(_sizers.write(message))
    except _UNWRITABLE as error:
        raise NotAMessage(_unwritable(message, error)) from error


def _unwritable(message: Message, error: Exception) -> str:
    return f"a {type(message).__qualname__} cannot be written for a wire: {error}"


def copied(message: M) -> M:
    """Return an equal message that shares nothing with this one, as if it had been sent."""
    copy = _codecs.read(encode(message))
    assert isinstance(copy, type(message))
    return copy


def encode_value(value: object) -> bytes:
    """Write a plain value or a message, such as a node stores, so that it says itself what it is."""
    try:
        return _pack(_codecs.schema.lower(value))
    except _UNWRITABLE as error:
        raise NotAMessage(f"a {type(value).__qualname__} cannot be written: {error}") from error


def decode_value(data: bytes) -> object:
    """Read back what `encode_value` wrote; raises Malformed, and nothing else, whatever the bytes."""
    try:
        return _codecs.schema.lift(_unpack(data))
    except Malformed:
        raise
    except Exception as error:  # as in `decode`
        raise Malformed(f"{len(data)} bytes are no value: {error}") from error


def content(message: Message) -> str:
    """Write what a message says, for people: its fields in order, lengths to the millimetre.

    What a layer has wrapped, which is the field `inside`, is written as `Question(3, 5)`; other messages in it are parts
    of what it says, and written as `Zone[([1.000, 2.000]), 0.500]`.
    """
    written = []
    for field in fields(cast(Any, message)):
        value = getattr(message, field.name)
        is_wrapped = field.name == INSIDE and isinstance(value, Message)
        written.append(f"{type(value).__name__}({content(value)})" if is_wrapped else in_words(value))
    return ", ".join(written)


INSIDE = "inside"
"""The field of a message of a layer that holds what it wraps."""


def in_words(value: object) -> str:
    """Write a value of a message."""
    match value:
        case Message():
            return f"{type(value).__name__}[{content(value)}]"
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
