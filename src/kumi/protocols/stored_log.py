"""A list of entries that survives crashes: what of the log one node of `Raft` keeps in its storage.

Places count from 1. Entries up to `start` have been put together into a state and are gone; those after it
are kept one by one. The storage is written so that a crash between two writes leaves a log that was there
before or after, or the one before without entries that were to go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kumi.contract.messages import Message
from kumi.network import Storage


@dataclass(frozen=True, slots=True)
class LogEntry(Message):
    """A command, and the term in which a leader took it up."""

    term: int
    command: object


class StoredLog:
    """The entries of one node."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.start: int
        self.start_term: int
        self.state: object
        self.start, self.start_term, self.state = storage.get("raft start", (0, 0, None))
        last = storage.get("raft last", 0)
        self._entries: list[LogEntry] = [
            storage.get(f"raft {place}") for place in range(self.start + 1, last + 1)
        ]

    @property
    def last(self) -> int:
        """The place of the last entry, or 0."""
        return self.start + len(self._entries)

    @property
    def last_term(self) -> int:
        """The term of the last entry."""
        return self._entries[-1].term if self._entries else self.start_term

    def __getitem__(self, place: int) -> LogEntry:
        """Return the entry at a place after `start`."""
        assert place > self.start
        return self._entries[place - self.start - 1]

    def term_at(self, place: int) -> int | None:
        """Return the term of the entry at a place; None where there is none, or none any more."""
        if place == self.start:
            return self.start_term
        return self[place].term if self.start < place <= self.last else None

    def after(self, place: int, most: int) -> tuple[LogEntry, ...]:
        """Return the entries after a place from `start` on, so many at most."""
        assert place >= self.start
        return tuple(self._entries[place - self.start : place - self.start + most])

    def append(self, entries: Iterable[LogEntry]) -> None:
        """Add entries at the end."""
        before = self.last
        for entry in entries:
            self._entries.append(entry)
            self._storage.put(f"raft {self.last}", entry)
        if self.last > before:
            self._storage.put("raft last", self.last)

    def cut(self, place: int) -> None:
        """Drop the entry at a place and all after it."""
        last = self.last
        del self._entries[place - self.start - 1 :]
        self._storage.put("raft last", self.last)
        self._forget(place, last)

    def compact(self, place: int, state: object) -> None:
        """Drop the entries up to a place; the state stands for them."""
        term, start = self.term_at(place), self.start
        assert term is not None
        del self._entries[: place - start]
        self._begin_at(place, term, state)
        self._forget(start + 1, place)

    def install(self, place: int, term: int, state: object) -> None:
        """Take a state from elsewhere; entries after it are kept if they fit."""
        if self.term_at(place) == term:
            self.compact(place, state)
            return
        if self.last >= place:
            self.cut(place)  # it and those after it would be taken for entries after the state
        start, last = self.start, self.last
        self._entries.clear()
        self._begin_at(place, term, state)
        self._storage.put("raft last", place)
        self._forget(start + 1, last)

    def _begin_at(self, place: int, term: int, state: object) -> None:
        self.start, self.start_term, self.state = place, term, state
        self._storage.put("raft start", (place, term, state))

    def _forget(self, first: int, last: int) -> None:
        for place in range(first, last + 1):
            self._storage.remove(f"raft {place}")
