"""What happened on a plane, read along while others read it, too?

The journal of a world can be taken once. Here it is taken, read, and handed on to whoever else asks for it, whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from kumi.devs.tracing import steady_repr
from kumi.motion import Piece
from kumi.recording.journal import JournalReader
from kumi.recording.layout import record_length
from kumi.world import World

Words = tuple[float, str, str, str, str]
"""When, what kind of record, who, with which values, and a hash of the bytes, which tells the last bit."""


class Overheard:
    """The journal of a world, for one more reader."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._take, self._keep = world.take_journal, world.keep_journal
        self._is_wanted = False
        self._kept = self._heard = b""
        self._reader = JournalReader()
        self._names: dict[int, str] = {}
        vars(world).update(take_journal=self._taken, keep_journal=self._wanted)
        self._keep(True)

    def _wanted(self, keeps: bool) -> None:
        """Note whether somebody else wants the journal from now on."""
        self._listen()
        self._is_wanted, self._kept = keeps, b""

    def _taken(self) -> bytes:
        """Give somebody else what is new since they last asked."""
        self._listen()
        given, self._kept = self._kept, b""
        return given

    def _listen(self) -> None:
        new = self._take()
        self._heard += new
        if self._is_wanted:
            self._kept += new

    def words(self) -> Iterator[Words]:
        """Go through what is new since the last call."""
        self._listen()
        data, self._heard = self._heard, b""
        at = 0
        while at < len(data):
            raw = data[at : at + record_length(data, at)]
            at += len(raw)
            for record in self._reader.read(raw):
                yield self._written(record, raw)

    def _written(self, record: Any, raw: bytes) -> Words:
        names = [name for name in record.__struct_fields__ if name not in {"time", "body"}]
        values = ", ".join(f"{name}={shown(getattr(record, name))}" for name in names)
        body = getattr(record, "body", None)
        who = "" if body is None else self._name(body)
        return (
            record.time,
            type(record).__name__.lower(),
            who,
            values,
            blake2b(raw, digest_size=6).hexdigest(),
        )

    def _name(self, number: int) -> str:
        if number not in self._names:
            self._names.update({body.number: body.name for body in self._world.bodies})
        return self._names.get(number, f"body {number}")


def shown(value: object) -> str:
    """Return a value of a record as text; a piece of motion by its ends."""
    if isinstance(value, Piece):
        return f"{value.kind} from {value.at(0.0)} to {value.at(value.duration)} in {value.duration!r} s"
    return steady_repr(value)
