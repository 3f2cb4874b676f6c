"""What every check has to say and to look at: promises, frozen values, and chance from elsewhere."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

import msgspec
import numpy as np

from kumi.geometry import Point

PLAIN = (bool, int, float, complex, str, bytes, Point, Enum, BaseException, type(None))


def demand(holds: bool, sentence: str) -> None:
    """Raise AssertionError with a sentence where a promise does not hold."""
    if not holds:
        raise AssertionError(sentence)


def what_can_change(value: Any) -> str | None:
    """Return in words what of a value can be changed by whoever holds it, or None if it is frozen."""
    if isinstance(value, PLAIN):
        return None
    if isinstance(value, tuple | frozenset):
        return next(filter(None, map(what_can_change, value)), None)
    if isinstance(value, np.ndarray):
        return "an array that can be written to" if value.flags.writeable else None
    if isinstance(value, msgspec.Struct):
        if not value.__struct_config__.frozen:
            return f"a {type(value).__name__} that is not frozen"
        return _in_fields(value, value.__struct_fields__)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if not type(value).__dataclass_params__.frozen:  # type: ignore[attr-defined]
            return f"a {type(value).__name__} that is not frozen"
        return _in_fields(value, tuple(field.name for field in dataclasses.fields(value)))
    return f"a {type(value).__name__}"


def _in_fields(value: Any, names: tuple[str, ...]) -> str | None:
    return next(filter(None, (what_can_change(getattr(value, name)) for name in names)), None)


@contextmanager
def no_other_chance(who: str) -> Iterator[None]:
    """Refuse draws from the generators that a whole process shares."""
    before = _shared_states()
    yield
    for name, state in _shared_states().items():
        demand(
            repr(before.get(name, state)) == repr(state),
            f"{who} draws from {name}, which the whole process shares; draw from the body's chance alone",
        )


def _shared_states() -> dict[str, object]:
    """Return the states of those shared generators that somebody has loaded."""
    states: dict[str, object] = {}
    if (module := sys.modules.get("random")) is not None:
        states["random"] = module.getstate()
    kind, keys, *rest = np.random.get_state(legacy=True)
    states["numpy.random"] = [kind, np.asarray(keys).tobytes(), *rest]
    return states
