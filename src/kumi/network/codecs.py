"""How are the messages of each class written and read? One codec a class, made when it is first needed.

On the wire a class has its name alone, not that of its module: a program is `__main__` here and imported there.
So no two classes of messages that are in use may have the same. Those of kumi itself have the name of their
module before their own, as in `raft.Vote`, and are in nobody's way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from operator import attrgetter
from types import GenericAlias
from typing import Any, TypeVar, cast, get_type_hints

import msgspec
from msgspec.msgpack import Decoder, Encoder

from kumi.contract.messages import Message
from kumi.network.errors import Malformed, NotAMessage, SameName
from kumi.network.schema import FieldCodec, Schema, Unfit

M = TypeVar("M", bound=Message)

_pack = Encoder().encode
_open = Decoder(tuple[str, msgspec.Raw]).decode


class Codec:
    """Writes and reads the messages of one class."""

    def __init__(self, kind: type[Message], schema: Schema) -> None:
        self.kind = kind
        self.name = wire_name(kind)
        own = [field for field in fields(cast(Any, kind)) if field.init]
        try:
            hints = get_type_hints(kind)
        except NameError as error:
            raise NotAMessage(f"an annotation of the class {self.name} is not understood: {error}") from error
        self._names = tuple(field.name for field in own)
        self._is_by_name = any(field.kw_only for field in own)
        parts = [self._part(schema, name, hints[name]) for name in self._names]
        self._get = attrgetter(*self._names) if len(own) > 1 else None
        self._lowers = [(place, part.lower) for place, part in enumerate(parts) if part.lower]
        self._lifts = [(place, part.lift) for place, part in enumerate(parts) if part.lift]
        whole = GenericAlias(tuple, tuple(part.schema for part in parts))
        try:
            self._parse: Callable[[Any], tuple[Any, ...]] = Decoder(whole).decode
        except TypeError as error:  # such as an enumeration of numbers and texts
            raise NotAMessage(f"no wire carries the fields of {self.name}: {error}") from error

    def _part(self, schema: Schema, name: str, annotation: Any) -> FieldCodec:
        try:
            return schema.part(annotation)
        except Unfit as error:
            raise NotAMessage(f"the field '{name}' of {self.name} {error}") from error

    def write(self, message: Message) -> bytes:
        """Write a message of this class."""
        values: Any
        if self._get is not None:
            values = self._get(message)
        else:
            values = [getattr(message, name) for name in self._names]
        if self._lowers:
            values = list(values)
            for place, lower in self._lowers:
                values[place] = lower(values[place])
        return _pack((self.name, values))

    def read(self, data: Any) -> Message:
        """Read the fields, and make the message of them."""
        try:
            values: Any = self._parse(data)
            if self._lifts:
                values = list(values)
                for place, lift in self._lifts:
                    values[place] = lift(values[place])
        except (msgspec.MsgspecError, Unfit, UnicodeDecodeError) as error:
            raise Malformed(f"a packet is no {self.name}: {error}") from error
        if self._is_by_name:
            return self.kind(**dict(zip(self._names, values, strict=True)))
        return self.kind(*values)


class Codecs:
    """The codecs of all classes.

    The first message of each class is read back as soon as it is written, if `is_proving`: fields that are not
    what their annotations say, and names that two classes have, show at once and where they are made.
    """

    def __init__(self, *, is_proving: bool) -> None:
        self.schema = Schema(self.write, self.read)
        self._is_proving = is_proving
        self._ready: dict[type[Message], Codec] = {}
        self._named: dict[str, Codec] = {}

    def write(self, message: Message) -> bytes:
        """Write a message of any class."""
        kind = type(message)
        codec = self._ready.get(kind)
        if codec is not None:
            return codec.write(message)
        codec = self._make(kind)
        data = codec.write(message)
        if self._is_proving:
            self._prove(codec, data)
        self._ready[kind] = codec
        return data

    def codec(self, kind: type[Message]) -> Codec:
        """Return the codec of a class."""
        return self._ready.get(kind) or self._make(kind)

    def read_back(self, message: M) -> M:
        """Write a message and read it back; raises what either raises."""
        codec = self.codec(type(message))
        return cast(M, codec.read(_open(codec.write(message))[1]))

    def read(self, data: bytes) -> Message:
        """Read a message of any class."""
        name, inner = _open(data)
        codec = self._named.get(name)
        if codec is None:
            kind = class_named(name)
            if kind is None:
                raise Malformed(f"a packet is a {name[:60]!r}, and no class of messages here has that name")
            codec = self._named[name] = self._make(kind)
        return codec.read(inner)

    def _make(self, kind: type[Message]) -> Codec:
        if not _is_message(kind):
            raise NotAMessage(
                f"a message is a frozen dataclass that is a kumi Message, not a {kind.__name__}"
            )
        return Codec(kind, self.schema)

    def _prove(self, codec: Codec, data: bytes) -> None:
        kind = codec.kind
        named = class_named(codec.name)
        if named is not None and named is not kind:
            raise _clash(codec.name, kind.__module__, named.__module__)
        try:
            codec.read(_open(data)[1])
        except Malformed as error:
            raise NotAMessage(f"a {codec.name} does not fit the annotations of its class: {error}") from error
        self._named[codec.name] = codec  # in place of an earlier class of that name in the same module


def class_named(name: str) -> type[Message] | None:
    """Return the class of messages with a name; raises NetworkError if there are two."""
    match [*classes().get(name, {}).items()]:
        case []:
            return None
        case [(_, kind)]:
            return kind
        case [(module, _), (other, _), *_]:
            raise _clash(name, module, other)
    raise AssertionError


def wire_name(kind: type[Message]) -> str:
    """Return what stands for a class on the wire."""
    package, _, module = kind.__module__.rpartition(".")
    if package == "kumi.protocols":
        return f"{module}.{kind.__qualname__}"
    inside = kind.__module__.removeprefix("kumi.")
    return kind.__qualname__ if inside == kind.__module__ else f"{inside}.{kind.__qualname__}"


def classes() -> dict[str, dict[str, type[Message]]]:
    """Return all classes of messages there are: by name, then by module; the newest of each."""
    found: dict[str, dict[str, type[Message]]] = {}
    for kind in _below(Message):
        if _is_message(kind):
            found.setdefault(wire_name(kind), {})[kind.__module__] = kind
    return found


def _below(kind: type[Message]) -> Iterator[type[Message]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _is_message(kind: type) -> bool:
    parameters = kind.__dict__.get("__dataclass_params__")
    return issubclass(kind, Message) and parameters is not None and parameters.frozen


def _clash(name: str, one: str, other: str) -> SameName:
    if one == other:
        return SameName(f"the class {name} of a message was defined anew in {one} since the message was made")
    return SameName(
        f"two classes of messages have the name {name}, one in {one} and one in {other}; "
        "on a wire only the name tells them apart, so rename one"
    )
