"""How is a field of a message written and checked, going by its annotation?

A `FieldCodec` has a schema that msgspec checks while it parses, and, where the value is none of MessagePack's own,
a way down to such a value and a way up again.

A value of no stated type, `object`, says itself what it is: messages, places, sets, lists and mappings become
extensions, each with a code of its own, and tuples become arrays.
"""

from __future__ import annotations

import enum
import struct
import types
from collections import abc
from collections.abc import Callable
from dataclasses import dataclass
from types import GenericAlias
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin

from msgspec.msgpack import Decoder, Encoder, Ext

from kumi.contract.messages import Message
from kumi.geometry import Point

MESSAGE, POINT, SET, LIST, MAPPING = 1, 2, 3, 4, 5
"""The codes of the extensions."""

_COORDINATES = struct.Struct("<dd")
_SCALARS = frozenset({int, float, bool, str, bytes, types.NoneType})
_TUPLES = frozenset({tuple, abc.Sequence})
_SETS = frozenset({frozenset, abc.Set})
_MAPPINGS = frozenset({dict, abc.Mapping})
_pack = Encoder().encode
_items = Decoder(list[Any]).decode
_pairs = Decoder(list[tuple[Any, Any]]).decode

Way = Callable[[Any], Any]


class Unfit(Exception):
    """A value, or an annotation, that has no place in a message."""


@dataclass(frozen=True, slots=True)
class FieldCodec:
    """How one field is written: what the parser checks, the way down and the way up."""

    schema: Any
    lower: Way | None = None
    lift: Way | None = None


class Schema:
    """Makes parts from annotations; how whole messages are written and read comes from outside."""

    def __init__(self, write: Callable[[Message], bytes], read: Callable[[bytes], Message]) -> None:
        self._write = write
        self._read = read

    def part(self, annotation: Any) -> FieldCodec:
        """Return how a field with this annotation is written."""
        if annotation is None:  # inside of another annotation, where nobody made a type of it
            return self.part(types.NoneType)
        if isinstance(annotation, NewType):
            return self.part(annotation.__supertype__)
        if annotation in {object, Any} or isinstance(annotation, TypeVar):
            return FieldCodec(Any, self.lower, self.lift)
        origin = get_origin(annotation) or annotation
        if origin in {Union, types.UnionType}:
            return self._union(annotation)
        if origin in _TUPLES:
            return self._tuple(annotation)
        if origin in _SETS:
            return self._set(annotation)
        if origin in _MAPPINGS:
            return self._mapping(annotation)
        return self._single(annotation)

    def _single(self, annotation: Any) -> FieldCodec:
        if annotation in _SCALARS or get_origin(annotation) is Literal:
            return FieldCodec(annotation)
        if annotation is Point:
            return FieldCodec(tuple[float, float], tuple, _as_point)
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return FieldCodec(annotation)
        if isinstance(annotation, type) and issubclass(annotation, Message):
            return FieldCodec(Ext, self.lower, self._lift_and_check(annotation))
        raise Unfit(
            f"is annotated {name_of(annotation)}, which no wire carries; there are numbers, str, bytes, None, Point, "
            "messages, object, and tuples, frozensets and mappings of these"
        )

    def _union(self, annotation: Any) -> FieldCodec:
        members = get_args(annotation)
        if _SCALARS.issuperset(members) and not {str, bytes}.issubset(
            members
        ):  # msgspec takes one of the two
            return FieldCodec(annotation)
        others = [member for member in members if member is not types.NoneType]
        if len(others) == 1 and others != [object]:
            part = self.part(others[0])
            return FieldCodec(part.schema | None, _unless_none(part.lower), _unless_none(part.lift))
        for member in others:
            self.part(member)  # refuses one that no wire carries
        return FieldCodec(Any, self.lower, self._lift_and_check(annotation))

    def _tuple(self, annotation: Any) -> FieldCodec:
        match get_args(annotation):
            case ():
                return self._tuple(tuple[object, ...])
            case (inner, last) if last is ...:
                return self._many(inner, tuple)
            case (inner,) if get_origin(annotation) is abc.Sequence:
                return self._many(inner, tuple)
            case members:
                parts = [self.part(member) for member in members]
                schema = GenericAlias(tuple, tuple(part.schema for part in parts))
                return FieldCodec(
                    schema,
                    _each([part.lower for part in parts]),
                    _each([part.lift for part in parts]),
                )

    def _set(self, annotation: Any) -> FieldCodec:
        (inner,) = get_args(annotation) or (object,)
        return self._many(inner, frozenset)

    def _many(self, annotation: Any, kind: type[tuple[Any, ...] | frozenset[Any]]) -> FieldCodec:
        inner = self.part(annotation)
        of = (inner.schema, ...) if kind is tuple else (inner.schema,)
        if inner.lower is None and inner.lift is None:
            return FieldCodec(GenericAlias(kind, of))
        lower, lift = inner.lower or _same, inner.lift or _same
        return FieldCodec(
            GenericAlias(list, (inner.schema,)),
            lambda many: [lower(one) for one in many],
            lambda many: kind([lift(one) for one in many]),
        )

    def _mapping(self, annotation: Any) -> FieldCodec:
        key, value = get_args(annotation) or (object, object)
        keys, values = self.part(key), self.part(value)
        if key in {int, str} and values.lower is None and values.lift is None:
            return FieldCodec(GenericAlias(dict, (key, values.schema)), dict)
        lower_key, lower_value = keys.lower or _same, values.lower or _same
        lift_key, lift_value = keys.lift or _same, values.lift or _same
        return FieldCodec(
            GenericAlias(list, (GenericAlias(tuple, (keys.schema, values.schema)),)),
            lambda mapping: [(lower_key(one), lower_value(other)) for one, other in mapping.items()],
            lambda pairs: {lift_key(one): lift_value(other) for one, other in pairs},
        )

    def _lift_and_check(self, annotation: Any) -> Way:
        def lift(value: Any) -> Any:
            lifted = self.lift(value)
            if not fits(lifted, annotation):
                raise Unfit(f"expected {name_of(annotation)}, got {type(lifted).__name__}")
            return lifted

        return lift

    def lower(self, value: Any) -> Any:
        """Bring any value of a message down to one of MessagePack that says what it is."""
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is tuple:
            return [self.lower(one) for one in value]
        if isinstance(value, Message):
            return Ext(MESSAGE, self._write(value))
        if kind is Point:
            return Ext(POINT, _COORDINATES.pack(value.x, value.y))
        if isinstance(value, abc.Set):
            return Ext(SET, _pack([self.lower(one) for one in value]))
        if kind is list:
            return Ext(LIST, _pack([self.lower(one) for one in value]))
        if isinstance(value, abc.Mapping):
            return Ext(MAPPING, _pack([(self.lower(one), self.lower(other)) for one, other in value.items()]))
        raise Unfit(f"a {kind.__name__} is no value of a message")

    def lift(self, value: Any) -> Any:
        """Bring what says what it is up again."""
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is list:
            return tuple([self.lift(one) for one in value])
        if kind is Ext:
            return self._lift_extension(value.code, value.data)
        raise Unfit(f"a {kind.__name__} is no value of a message")

    def _lift_extension(self, code: int, data: bytes) -> Any:
        match code:
            case 1:
                return self._read(data)
            case 2 if len(data) == _COORDINATES.size:
                return Point(*_COORDINATES.unpack(data))
            case 3:
                return frozenset([self.lift(one) for one in _items(data)])
            case 4:
                return [self.lift(one) for one in _items(data)]
            case 5:
                return {self.lift(one): self.lift(other) for one, other in _pairs(data)}
        raise Unfit(f"an extension with the code {code} and {len(data)} bytes is no value of a message")


def fits(value: Any, annotation: Any) -> bool:
    """Tell whether a value is what an annotation says."""
    if annotation is None:
        return value is None
    if annotation in {object, Any} or isinstance(annotation, TypeVar):
        return True
    if isinstance(annotation, NewType):
        return fits(value, annotation.__supertype__)
    origin, members = get_origin(annotation) or annotation, get_args(annotation)
    if origin in {Union, types.UnionType}:
        return any(fits(value, member) for member in members)
    if origin is Literal:
        return any(value == member and type(value) is type(member) for member in members)
    if origin is float:
        return type(value) in {int, float}
    if origin in _SCALARS:
        return type(value) is origin
    if not isinstance(value, origin):
        return False
    return not members or _inside_fits(value, origin, members)


def _inside_fits(value: Any, origin: Any, members: tuple[Any, ...]) -> bool:
    if origin in _MAPPINGS:
        return all(fits(one, members[0]) and fits(other, members[1]) for one, other in value.items())
    if origin is tuple and members[-1] is not ...:
        return len(value) == len(members) and all(map(fits, value, members))
    return all(fits(one, members[0]) for one in value)


def _each(ways: list[Way | None]) -> Way | None:
    if not any(ways):
        return None
    return lambda values: tuple([way(one) if way else one for way, one in zip(ways, values, strict=True)])


def _unless_none(way: Way | None) -> Way | None:
    return None if way is None else lambda value: None if value is None else way(value)


def _same(value: Any) -> Any:
    return value


def _as_point(pair: tuple[float, float]) -> Point:
    return Point(*pair)


def name_of(annotation: Any) -> str:
    """Write an annotation for an error."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
