"""What stands for the result of a scene: one hash of all that happened, or of all that was counted.

Numbers are written so that another last bit is another text. What is not known here is refused: the text of an object
may tell its address, or round its numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from kumi.geometry import Point

if TYPE_CHECKING:
    from kumi.stage import Stage

SIZE = 16


def content_hash(*values: Any) -> str:
    """Return the hash of values by what they hold, to the last bit."""
    return blake2b(written(values).encode(), digest_size=SIZE).hexdigest()


def written(value: Any) -> str:
    """Return a value as text that holds all of it."""
    match value:
        case None | bool() | int() | float() | str() | bytes():
            return repr(value)
        case np.generic():
            return written(value.item())
        case np.ndarray():
            return f"{value.shape}{value.dtype}{blake2b(np.ascontiguousarray(value).tobytes(), digest_size=SIZE).hexdigest()}"
        case Point(x=x, y=y):
            return f"({x!r}, {y!r})"
        case Mapping():
            return f"{{{', '.join(f'{written(key)}: {written(one)}' for key, one in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(written, value))}]"
    return f"{type(value).__name__}{written(fields_of(value))}"


def fields_of(value: Any) -> list[Any]:
    """Return what a record holds."""
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    if dataclasses.is_dataclass(value):
        return [getattr(value, one.name) for one in dataclasses.fields(value)]
    raise TypeError(f"nothing is known of how to write {value!r}")


def staged_hash(stage: Stage, until: float = 60.0) -> str:
    """Run a stage and return one hash of its trace and of its journal: every motion, contact and note."""
    with stage:
        stage.world.keep_journal(True)
        outcome = stage.run(until)
        return content_hash(outcome.trace_hash, stage.world.take_journal(), stage.world.snapshot())
