"""How does a value get from a port here to a port on another machine?

As MessagePack, never pickle. Plain values say themselves what they are, as in kumi's messages: numbers, text,
bytes, None, points, messages, tuples, lists, sets and mappings. Dataclasses, msgspec structs and enumerations
are written by the name of their class and their fields; they must be among the types of the ports that are
coupled over the border, or among the types of their fields. A value comes out as it went in, down to the
difference between 3 and 3.0, since results must not depend on where a model runs.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.msgpack import Decoder, Encoder, Ext

from kumi.contract.messages import Message
from kumi.devs import PortError
from kumi.distributed.partition import DistributedError
from kumi.network.codecs import Codecs
from kumi.network.errors import NetworkError
from kumi.network.schema import Schema, Unfit

RECORD, MEMBER, MUTABLE_SET = 16, 17, 18
"""The codes of extensions that messages do not have."""

_pack = Encoder().encode
_open = Decoder().decode


class ValueSchema(Schema):
    """Writes and reads values of the classes that cross between parts."""

    def __init__(self, declared: Iterable[object]) -> None:
        messages = Codecs(is_proving=False)
        super().__init__(messages.write, messages.read)
        self._classes: dict[str, type] = {}
        self._learnt: set[type] = set()
        for one in declared:
            self._learn(one)

    def _learn(self, declared: object) -> None:
        for inner in typing.get_args(declared):
            self._learn(inner)
        if not isinstance(declared, type) or not _is_record(declared):
            return
        name = declared.__qualname__  # without the module: a program is __main__ here and imported there
        if self._classes.setdefault(name, declared) is not declared:
            raise DistributedError(
                f"two classes named {name} cross between parts, one of {declared.__module__} and one of "
                f"{self._classes[name].__module__}; rename one"
            )
        if declared in self._learnt:
            return
        self._learnt.add(declared)
        if not issubclass(declared, enum.Enum):
            try:
                hints = typing.get_type_hints(declared)
            except NameError as error:
                raise DistributedError(
                    f"an annotation of the class {name} is not understood: {error}"
                ) from error
            for hint in hints.values():
                self._learn(hint)

    def write(self, value: object, port: str) -> bytes:
        """Write a value that leaves on a port."""
        try:
            return _pack(self.lower(value))
        except (Unfit, NetworkError, OverflowError, msgspec.MsgspecError, RecursionError) as error:
            raise PortError(
                f"the value {value!r} cannot go from port '{port}' to another part: {error}"
            ) from error

    def read(self, data: bytes, port: str) -> object:
        """Read a value that arrives at a port."""
        try:
            return self.lift(_open(data))
        except (Unfit, NetworkError, msgspec.MsgspecError, TypeError, ValueError, KeyError) as error:
            raise PortError(f"what came for port '{port}' from another part is no value: {error}") from error

    def lower(self, value: Any) -> Any:
        """Bring a value down to MessagePack."""
        kind = type(value)
        if kind is set:
            return Ext(MUTABLE_SET, _pack([self.lower(one) for one in value]))
        if not _is_record(kind):
            return super().lower(value)
        name = kind.__qualname__
        if self._classes.get(name) is not kind:
            raise Unfit(f"the class {name} is not among the types of the ports")
        if isinstance(value, enum.Enum):
            return Ext(MEMBER, _pack((name, value.name)))
        return Ext(RECORD, _pack((name, [self.lower(getattr(value, field)) for field in _fields(kind)])))

    def _lift_extension(self, code: int, data: bytes) -> Any:
        if code == MUTABLE_SET:
            return {self.lift(one) for one in _open(data)}
        if code not in {RECORD, MEMBER}:
            return super()._lift_extension(code, data)
        name, inner = _open(data)
        kind: Any = self._classes.get(name)
        if kind is None:
            raise Unfit(f"the class {name} is not among the types of the ports here")
        if code == MEMBER:
            return kind[inner]
        values = {field: self.lift(one) for field, one in zip(_fields(kind), inner, strict=True)}
        if issubclass(kind, msgspec.Struct):
            return kind(**values)
        made = object.__new__(kind)  # as it was, whatever its __init__ would do
        for field, value in values.items():
            object.__setattr__(made, field, value)
        return made


def _is_record(kind: type) -> bool:
    if issubclass(kind, Message):
        return False
    return dataclasses.is_dataclass(kind) or issubclass(kind, msgspec.Struct | enum.Enum)


def _fields(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    found: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    return found
