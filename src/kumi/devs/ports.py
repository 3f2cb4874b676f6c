"""Which values may pass a port, and which ports fit together.

A port is declared with a class, a union of classes, or `object` for anything. As in type hints, a port
for `float` accepts `int`. Of a generic alias such as `list[int]` only the class is checked.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any, TypeVar

from kumi._core import InPort, OutPort, provide
from kumi.devs.errors import PortError, StructureError

Port = InPort[Any] | OutPort[Any]
K = TypeVar("K")


def accepted_classes(declared: object) -> tuple[type, ...] | None:
    """Give the classes a port of this type accepts, or None for all."""
    if declared is object or declared is Any:
        return None
    if declared is None:
        return (type(None),)
    if declared is float:
        return (float, int)
    origin = typing.get_origin(declared)
    if origin is typing.Annotated:
        return accepted_classes(typing.get_args(declared)[0])
    if origin is None and isinstance(declared, type) and _can_be_checked(declared):
        return (declared,)
    if origin is typing.Union or origin is types.UnionType:
        parts = [accepted_classes(part) for part in typing.get_args(declared)]
        if any(part is None for part in parts):
            return None
        return tuple(dict.fromkeys(kind for part in parts if part for kind in part))
    if isinstance(origin, type):
        return (origin,)
    raise StructureError(
        f"a port carries a class, a union of classes, or object, but was declared with {declared!r}"
    )


provide("accepted_classes", accepted_classes)


def check_types(source: Port, target: Port) -> None:
    """Raise unless everything the source may send is accepted by the target."""
    allowed = _classes(target)
    if allowed is None:
        return
    given = _classes(source)
    if given is None or not all(issubclass(kind, allowed) for kind in given):
        raise StructureError(
            f"cannot couple '{source.path}' to '{target.path}': "
            f"it sends {type_name(source.type)}, but {type_name(target.type)} is accepted"
        )


def _can_be_checked(declared: type) -> bool:
    is_loose_protocol = getattr(declared, "_is_protocol", False) and not getattr(
        declared, "_is_runtime_protocol", False
    )
    return not is_loose_protocol and not typing.is_typeddict(declared)


class Wires:
    """Pairs of coupled ports in the order they were coupled, found by source and by owner.

    A pair can be there several times. Nothing here takes longer the more other pairs there are.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int], int] = {}
        self._by_source: dict[int, dict[int, tuple[Port, Port]]] = {}
        self._by_owner: dict[int, dict[tuple[int, int], tuple[Port, Port]]] = {}

    def __iter__(self) -> Iterator[tuple[Port, Port]]:
        """Give all pairs, one that is there twice twice."""
        for pairs in self._by_source.values():
            for source, target in pairs.values():
                yield from [(source, target)] * self._counts[id(source), id(target)]

    def add(self, source: Port, target: Port) -> None:
        """Add a pair once more."""
        key = id(source), id(target)
        self._counts[key] = self._counts.get(key, 0) + 1
        self._by_source.setdefault(id(source), {})[id(target)] = source, target
        for port in (source, target):
            self._by_owner.setdefault(id(port.owner), {})[key] = source, target

    def remove(self, source: Port, target: Port) -> bool:
        """Remove a pair once; False if it is not there."""
        key = id(source), id(target)
        count = self._counts.get(key, 0)
        if count > 1:
            self._counts[key] = count - 1
        elif count == 1:
            del self._counts[key]
            _discard(self._by_source, id(source), id(target))
            for port in (source, target):
                _discard(self._by_owner, id(port.owner), key)
        return count > 0

    def at(self, model: object) -> list[tuple[Port, Port]]:
        """Give the pairs with a port of this model."""
        pairs = self._by_owner.get(id(model), {})
        return [pair for key, pair in pairs.items() for _ in range(self._counts[key])]

    def targets(self, source: Port) -> list[Port]:
        """Give the ports this one is coupled to."""
        return [target for _, target in self._by_source.get(id(source), {}).values()]


def _discard(index: dict[int, dict[K, tuple[Port, Port]]], first: int, second: K) -> None:
    found = index.get(first)
    if found is not None:
        found.pop(second, None)
        if not found:
            del index[first]


def type_name(declared: object) -> str:
    """Name a declared type for a message."""
    return declared.__name__ if isinstance(declared, type) else str(declared)


def _classes(port: Port) -> tuple[type, ...] | None:
    accepted = port.accepted
    return (accepted,) if isinstance(accepted, type) else accepted


def check_value(port: Port, value: object) -> None:
    """Raise unless the port accepts the value."""
    classes = _classes(port)
    if classes is not None and not isinstance(value, classes):
        raise PortError(f"port '{port.path}' carries {type_name(port.type)}, but was given {value!r}")
