"""What happened, in order, as typed records.

The kernel reports each step of a run. Any function of one record can be a sink; with no sink attached,
no record is made. Apart from sinks, the kernel keeps a hash of everything it would report: two runs
with equal hashes did the same things at the same times with the same values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO, TypeAlias


@dataclass(frozen=True, slots=True)
class Record:
    """Something that happened at a time; `source` is the path of who did it."""

    time: float
    source: str


@dataclass(frozen=True, slots=True)
class Internal(Record):
    """A model changed at its planned instant, or a task went on."""


@dataclass(frozen=True, slots=True)
class External(Record):
    """A model changed because input came."""


@dataclass(frozen=True, slots=True)
class Confluent(Record):
    """A model changed because input came at its planned instant."""


@dataclass(frozen=True, slots=True)
class ModelOutput(Record):
    """A model sent a value; `source` is the port."""

    value: object


@dataclass(frozen=True, slots=True)
class Injected(Record):
    """A value came from outside the run; `source` is the port."""

    value: object


@dataclass(frozen=True, slots=True)
class Fired(Record):
    """A signal fired; `source` is its name."""

    value: object


@dataclass(frozen=True, slots=True)
class Started(Record):
    """A task began."""


@dataclass(frozen=True, slots=True)
class TaskEnded(Record):
    """A task ended: 'done', 'cut', or the name of the error."""

    how: str


@dataclass(frozen=True, slots=True)
class ModelAdded(Record):
    """A model entered the run."""


@dataclass(frozen=True, slots=True)
class Removed(Record):
    """A model left the run."""


@dataclass(frozen=True, slots=True)
class Coupling(Record):
    """A coupling was made while running; `source` names both ports."""


@dataclass(frozen=True, slots=True)
class Uncoupling(Record):
    """A coupling was undone while running; `source` names both ports."""


@dataclass(frozen=True, slots=True)
class ProgramNote(Record):
    """A program wrote something down."""

    value: object


@dataclass(frozen=True, slots=True)
class Sending(Record):
    """A message was sent; `source` is the network."""

    value: object


@dataclass(frozen=True, slots=True)
class MessageArrival(Record):
    """A message arrived: the number of its sending, and the receiver; `source` is the network."""

    value: object


Sink: TypeAlias = Callable[[Record], object]

_PLAIN: dict[str, type[Record]] = {
    "i": Internal,
    "e": External,
    "c": Confluent,
    "s": Started,
    "a": ModelAdded,
    "r": Removed,
    "k": Coupling,
    "u": Uncoupling,
}
_VALUED: dict[str, Callable[[float, str, object], Record]] = {
    "o": ModelOutput,
    "j": Injected,
    "f": Fired,
    "n": ProgramNote,
    "m": Sending,
    "g": MessageArrival,
    "x": lambda time, source, how: TaskEnded(time, source, str(how)),
}


class Sinks:
    """Turns what the engine reports into records, and gives each to every sink in turn."""

    def __init__(self) -> None:
        self.sinks: list[Sink] = []

    def __call__(self, tag: str, time: float, source: str, value: object) -> None:
        """Take what the engine reports."""
        plain = _PLAIN.get(tag)
        record = plain(time, source or "") if plain else _VALUED[tag](time, source or "", value)
        for sink in self.sinks:
            sink(record)


class TextLog:
    """A sink that writes one line a record; the lines of equal runs are equal, byte for byte."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __call__(self, record: Record) -> None:
        """Write one record."""
        self._file.write(line(record) + "\n")


def line(record: Record) -> str:
    """Write a record as one line: time, kind, source, value."""
    words = [repr(record.time), type(record).__name__.lower(), record.source]
    if isinstance(record, ModelOutput | Injected | Fired | ProgramNote | Sending | MessageArrival):
        words.append(steady_repr(record.value))
    elif isinstance(record, TaskEnded):
        words.append(record.how)
    return " ".join(word for word in words if word)


def steady_repr(value: object) -> str:
    """Write a value so that equal runs write equal text: without addresses, sets in order."""
    kind = type(value)
    if isinstance(value, set | frozenset):
        return f"{kind.__name__}({{{', '.join(sorted(map(steady_repr, value)))}}})"
    if kind is list:
        assert isinstance(value, list)
        return f"[{', '.join(map(steady_repr, value))}]"
    if kind is tuple:
        assert isinstance(value, tuple)
        return f"({', '.join(map(steady_repr, value))}{',' if len(value) == 1 else ''})"
    if kind is dict:
        assert isinstance(value, dict)
        return f"{{{', '.join(f'{steady_repr(k)}: {steady_repr(v)}' for k, v in value.items())}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (f"{f.name}={steady_repr(getattr(value, f.name))}" for f in dataclasses.fields(value))
        return f"{kind.__qualname__}({', '.join(fields)})"
    return f"<{kind.__qualname__}>" if kind.__repr__ is object.__repr__ else repr(value)
