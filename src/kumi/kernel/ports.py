"""Which values may pass a port, and which ports fit together.

A port is declared with a class, a union of classes, or `object` for anything. As in type hints, a port
for `float` accepts `int`. Of a generic alias such as `list[int]` only the class is checked.
"""

from __future__ import annotations

import types
import typing
from typing import Any

from kumi._core import InPort, OutPort
from kumi.kernel.errors import PortError, StructureError

Port = InPort[Any] | OutPort[Any]


def accepted_classes(declared: object) -> tuple[type, ...] | None:
    """Give the classes a port of this type accepts, or None for all."""
    if declared is object or declared is Any:
        return None
    if declared is None:
        return (type(None),)
    if declared is float:
        return (float, int)
    origin = typing.get_origin(declared)
    if origin is None and isinstance(declared, type):
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
