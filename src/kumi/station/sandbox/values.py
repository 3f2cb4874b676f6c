"""How do commands, readings and errors cross the pipe of the sandbox?

As plain values that name their class: what comes back is of a class on the list here, or is refused. Nothing is run that the
bytes name. Numbers keep every bit, so a program reads in the sandbox what it would read outside.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from kumi.contract import commands, errors, events, readings
from kumi.contract.published import ShownMap, ShownMarks, ShownPath
from kumi.devs import KumiError
from kumi.geometry import Bounds, Point, Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECORDS: dict[str, type[Any]] = {
    one.__name__: one
    for one in (
        *(commands.MoveTo, commands.Forward, commands.Turn, commands.Arc, commands.Follow),
        *(commands.Sample, commands.Track, commands.Steer),
        *(events.Contact, events.Parting, events.Entered, events.Left),
        *(readings.Range, readings.Sighting, readings.LaserScan, readings.Picture, readings.Counts),
        *(readings.Pressed, readings.Low),
        *(Pose, Bounds, ShownMap, ShownPath, ShownMarks),
    )
}
"""The classes that cross, by name; each is made from its fields in order."""
ERRORS: dict[str, type[Exception]] = {
    one.__name__: one
    for one in (
        *(errors.BadGoal, errors.Blocked, errors.Busy, errors.CannotDo, errors.LinkLost, errors.Lost),
        *(errors.OffTarget, readings.NoReading, KumiError),
        *(ValueError, TypeError, AttributeError, OverflowError),
    )
}
NUMBERS = "?bhilqBHILQfd"
"""The kinds of numbers that an array may have."""
MOST_CELLS = 1 << 22
TOUCHED = ("at", "by", "bearing", "number")
"""What a Blocked knows, in order."""


def lower(value: Any) -> Any:
    """Return a value as plain ones that say what they are; TypeError where its class does not cross."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        return value
    if kind is Point:
        return ["point", value.x, value.y]
    if kind in (tuple, list):
        return [kind.__name__, *map(lower, value)]
    if kind is dict:
        return ["dict", *(lower(part) for pair in value.items() for part in pair)]
    if RECORDS.get(kind.__name__) is kind:
        fields = value if isinstance(value, tuple) else [getattr(value, name) for name in _fields(kind)]
        return [kind.__name__, *map(lower, fields)]
    if hasattr(value, "dtype"):
        return _lower_numbers(value)
    raise TypeError(
        f"a {kind.__name__} cannot cross into or out of the sandbox: numbers, text, places and readings can"
    )


def lift(value: Any) -> Any:
    """Return what was lowered; ValueError or TypeError where it is none of that."""
    if not isinstance(value, list):
        return value
    name, *rest = value or [None]
    match name:
        case "point":
            x, y = rest
            return Point(x, y)
        case "tuple":
            return tuple(map(lift, rest))
        case "list":
            return list(map(lift, rest))
        case "dict":
            return {lift(key): lift(one) for key, one in zip(rest[::2], rest[1::2], strict=True)}
        case "array":
            return _lift_numbers(*rest)
    if name not in RECORDS:
        raise ValueError(f"nothing of the kind {str(name)[:40]!r} crosses")
    return RECORDS[name](*map(lift, rest))


def lower_error(error: BaseException) -> list[Any]:
    """Return an error as its class, its words and what it knows; one of a class that does not cross is told in words."""
    if isinstance(error, errors.Blocked):
        return ["Blocked", "", {key: lower(getattr(error, key)) for key in TOUCHED}]
    kind = next((one for one in type(error).__mro__ if ERRORS.get(one.__name__) is one), None)
    if kind is None:
        return ["KumiError", f"{type(error).__name__}: {error}", {}]
    facts = {}
    for key, value in vars(error).items():
        try:
            facts[key] = lower(value)
        except TypeError:
            continue  # such as the frames that an error was noted with
    return [kind.__name__, str(error), facts]


def lift_error(told: Sequence[Any]) -> Exception:
    """Return an error that was lowered."""
    name, words, facts = told
    known = {key: lift(value) for key, value in facts.items()}
    if name == "Blocked":
        return errors.Blocked(*(known[key] for key in TOUCHED))
    kind = ERRORS[name]
    error = kind(words) if hasattr(builtins, name) else kind.__new__(kind)
    error.args = (words,)
    for key, value in known.items():
        setattr(error, key, value)
    return error


def _fields(kind: type[Any]) -> tuple[str, ...]:
    return getattr(kind, "__struct_fields__", None) or tuple(kind.__dataclass_fields__)


def _lower_numbers(value: Any) -> Any:
    if not value.shape:
        return lower(value.item())
    if value.dtype.char not in NUMBERS:
        raise TypeError(f"an array of {value.dtype} cannot cross into or out of the sandbox: numbers can")
    return ["array", value.dtype.char, list(value.shape), value.tobytes()]


def _lift_numbers(kind: str, shape: list[int], data: bytes) -> NDArray[Any]:
    import numpy as np  # Late: most programs read no arrays.

    if len(kind) != 1 or kind not in NUMBERS or min(shape, default=0) < 0:
        raise ValueError("that is no array of numbers")
    if prod(shape) > MOST_CELLS:
        raise ValueError(f"an array that crosses has {MOST_CELLS} numbers at most")
    return np.frombuffer(data, np.dtype(kind)).reshape(shape)
