"""Does each field of a message hold what its annotation says?

Every message is asked this when it is sent, on a simulated network as on a real one, so the answer has to be quick.
For each class a function is compiled that accepts the usual: what a wire would bring back just as it is, without
the sender being able to change it afterwards. What it does not accept may still be right, such as a list for a tuple,
or 3 for 3.0; the wire decides about that, and what it would bring back is what the receivers get.
"""

from __future__ import annotations

import enum
import types
from collections import abc
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from msgspec.msgpack import Encoder

from kumi.contract.messages import Message
from kumi.geometry import Point
from kumi.network.errors import NetworkError
from kumi.network.schema import fits, name_of

SCALARS = frozenset({int, float, bool, str, bytes, types.NoneType})
LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 64) - 1
"""The whole numbers that a wire carries."""
BOUNDED = frozenset({int, str})
"""Types of which a wire does not carry all values: large numbers, and texts with lone surrogates."""

_pack = Encoder(enc_hook=lambda _other: None).encode

BOUNDS = {int: f" and {LEAST_INTEGER} <= {{0}} <= {MOST_INTEGER}", str: " and ({0}.isascii() or packs({0}))"}
"""What a test of a type has to ask besides."""

Accepts = Callable[[Any], bool]


def annotations_of(kind: type[Message]) -> dict[str, Any]:
    """Return the annotations of the fields that a message of a class is made of."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(cast(Any, kind)) if field.init}


class Acceptance:
    """The compiled functions of all classes; each is made when a message of its class first comes.

    `prove` raises NetworkError for a class that no wire carries.
    """

    def __init__(self, prove: Callable[[type[Message]], object]) -> None:
        self.ready: dict[type, Accepts] = {}
        self._prove = prove

    def __call__(self, message: Message) -> bool:
        """Tell whether all fields hold just what they should, those of messages inside included."""
        accepts = self.ready.get(type(message))
        if accepts is None:
            accepts = self.ready[type(message)] = self._compiled(type(message))
        try:
            return accepts(message)
        except RecursionError:  # messages in messages without end
            return False

    def _compiled(self, kind: type[Message]) -> Accepts:
        try:
            self._prove(kind)
        except NetworkError:
            return _nothing  # the wire says why
        writer = FieldWriter(self)
        tests = [writer.test(annotation, f"m.{name}") for name, annotation in annotations_of(kind).items()]
        return writer.function("m", " and ".join(tests) or "True")

    def plain(self, value: Any) -> bool:
        """Tell whether a value of no stated type is one that a message may hold."""
        kind = type(value)
        if kind is int:
            return bool(LEAST_INTEGER <= value <= MOST_INTEGER)
        if kind is str:
            return value.isascii() or packs(value)
        if kind in SCALARS or kind is Point:
            return True
        if kind is tuple:
            return all(map(self.plain, value))
        return isinstance(value, Message) and self(value)


def _nothing(_message: Any) -> bool:
    return False


class FieldWriter:
    """Writes the test of a value by its annotation, as an expression of Python with names for what it uses."""

    def __init__(self, acceptance: Acceptance) -> None:
        self._acceptance = acceptance
        self._names: dict[str, Any] = {"accepted": acceptance, "plain": acceptance.plain, "packs": packs}

    def function(self, argument: str, expression: str) -> Accepts:
        """Compile an expression."""
        made: Accepts = eval(f"lambda {argument}: {expression}", self._names)  # noqa: S307  # all of it is ours
        return made

    def _name(self, value: Any) -> str:
        name = f"n{len(self._names)}"
        self._names[name] = value
        return name

    def test(self, annotation: Any, value: str) -> str:
        """Write the test of a value, which is an expression itself."""
        if isinstance(annotation, NewType):
            return self.test(annotation.__supertype__, value)
        if annotation in {object, Any} or isinstance(annotation, TypeVar):
            return f"plain({value})"
        origin = get_origin(annotation) or annotation
        if origin in {Union, types.UnionType}:
            return f"({' or '.join(self.test(member, value) for member in get_args(annotation))})"
        exact = exact_types(annotation)
        if exact is not None:
            return self._is_of(exact, value) + BOUNDS.get(annotation, "").format(value)
        if origin is Literal:
            choices = get_args(annotation)
            is_of = self._is_of(frozenset(map(type, choices)), value)
            return f"{is_of} and {value} in {self._name(choices)}"
        if origin is tuple:
            return self._tuple(annotation, value)
        if origin in {abc.Sequence, frozenset, abc.Set}:
            return self._many(annotation, tuple if origin is abc.Sequence else frozenset, value)
        if isinstance(annotation, type) and issubclass(annotation, Message):
            is_kind = f"isinstance({value}, {self._name(annotation)})"
            return f"{is_kind} and accepted({value})"
        return "False"  # the wire decides; mappings can be changed, and are copied by it

    def _is_of(self, kinds: frozenset[type], value: str) -> str:
        if len(kinds) == 1:
            return f"type({value}) is {self._name(next(iter(kinds)))}"
        return f"type({value}) in {self._name(kinds)}"

    def _tuple(self, annotation: Any, value: str) -> str:
        match get_args(annotation):
            case () | (_, types.EllipsisType()):
                return self._many(annotation, tuple, value)
            case members:
                tests = [self.test(member, f"{value}[{place}]") for place, member in enumerate(members)]
                return " and ".join([f"type({value}) is tuple", f"len({value}) == {len(members)}", *tests])

    def _many(self, annotation: Any, kind: type, value: str) -> str:
        inner = (get_args(annotation) or (object,))[0]
        return f"type({value}) is {self._name(kind)} and {self._all(inner, value)}"

    def _all(self, annotation: Any, values: str) -> str:
        exact = exact_types(annotation)
        if exact is not None:
            bound = f" and packs({values})" if exact & BOUNDED else ""
            return f"{self._name(exact)}.issuperset(map(type, {values})){bound}"
        test = self.function("v", self.test(annotation, "v"))
        return f"all(map({self._name(test)}, {values}))"


def packs(value: Any) -> bool:
    """Tell whether all numbers and texts in a value are such as a wire carries."""
    try:
        _pack(value)
    except (OverflowError, ValueError):
        return False
    return True


def exact_types(annotation: Any) -> frozenset[type] | None:
    """Return the types a value may have, where nothing but its type and the bounds of that matter."""
    if get_origin(annotation) in {Union, types.UnionType}:
        members = [exact_types(member) for member in get_args(annotation)]
        return None if None in members else frozenset().union(*cast("list[frozenset[type]]", members))
    if annotation is None:
        return frozenset({types.NoneType})
    is_enum = isinstance(annotation, type) and issubclass(annotation, enum.Enum)
    return frozenset({annotation}) if annotation in SCALARS or annotation is Point or is_enum else None


def misfit(message: Message) -> str | None:
    """Say which field does not hold what its annotation says, also of a message inside, if that can be told."""
    try:
        return _first_misfit(message)
    except RecursionError:
        return None


def _first_misfit(message: Message) -> str | None:
    for name, annotation in annotations_of(type(message)).items():
        value = getattr(message, name)
        if not fits(value, annotation):
            return f"the field '{name}' of {type(message).__qualname__} takes {name_of(annotation)}, not {value!r}"
        for inside in _messages_in(value):
            words = _first_misfit(inside)
            if words is not None:
                return words
    return None


def _messages_in(value: Any) -> Iterator[Message]:
    if isinstance(value, Message):
        yield value
    elif isinstance(value, tuple | list | abc.Set):
        for one in value:
            yield from _messages_in(one)
    elif isinstance(value, abc.Mapping):
        for one, other in value.items():
            yield from _messages_in(one)
            yield from _messages_in(other)
