"""What the nodes of `Raft` say to each other, and what it puts into a log by itself."""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Message
from kumi.protocols.stored_log import Entry


@dataclass(frozen=True, slots=True)
class VoteWanted(Message):
    """The sender stands for election; its log ends so."""

    term: int
    last: int
    last_term: int


@dataclass(frozen=True, slots=True)
class Vote(Message):
    """Whether the sender has voted for the receiver in this term."""

    term: int
    yes: bool


@dataclass(frozen=True, slots=True)
class Append(Message):
    """Entries that follow on the place `before`, from the leader of the term; perhaps none."""

    term: int
    before: int
    before_term: int
    entries: tuple[Entry, ...]
    committed: int


@dataclass(frozen=True, slots=True)
class Appended(Message):
    """Yes: the log agrees with the leader's up to the place. No: not even there, try from the place on."""

    term: int
    yes: bool
    place: int


@dataclass(frozen=True, slots=True)
class Install(Message):
    """The state that stands for all entries up to a place."""

    term: int
    place: int
    place_term: int
    state: object


@dataclass(frozen=True, slots=True)
class Forwarded(Message):
    """A command for the leader."""

    command: object


@dataclass(frozen=True, slots=True)
class Blank(Message):
    """What a new leader adds, so that entries of earlier terms can be committed."""


@dataclass(frozen=True, slots=True)
class Restored(Message):
    """Told in place of all commands up to its own place: the state after them."""

    state: object
