"""What do a program in the sandbox and its robot outside say to each other, and how?

The program's side speaks first and waits for an answer, always: it calls its robot, which takes no time, or it waits for an
instant or for something to happen, which does. So at each moment one of the two stands still. What it tells without a question,
such as what is printed, gets no answer. Each word is a line of MessagePack behind its length.
"""

from __future__ import annotations

import struct
from typing import Any, TypeAlias

import msgspec

WORD_HEAD = struct.Struct("<I")
"""The bytes of the word that follows."""
MOST_WORD_BYTES = 1 << 20
"""Bytes of one word of the program's side, at most."""


class Word(msgspec.Struct, frozen=True, array_like=True, tag=True, forbid_unknown_fields=True):
    """Something that crosses."""


# From the program's side.


class MoveWord(Word, frozen=True):
    """Begin a motion; `number` names it when it is over."""

    number: int
    command: Any


class Do(Word, frozen=True):
    """Begin what takes time of a device, such as a reading."""

    number: int
    device: str
    method: str
    arguments: list[Any]


class Cancel(Word, frozen=True):
    """End what was begun, since the program has left it."""

    number: int


class SteerWord(Word, frozen=True):
    """Drive on without being awaited."""

    command: Any


class HaltWord(Word, frozen=True):
    """End the motion under way."""


class Ask(Word, frozen=True):
    """Ask for a fact of a device, or, with arguments, call what takes no time."""

    device: str
    name: str
    arguments: list[Any] | None = None


class Send(Word, frozen=True):
    """Send a message by radio, to all where nobody is named."""

    content: bytes
    to: list[int] | None = None


class WaitWord(Word, frozen=True):
    """Wait up to an instant, or until something happens; `heard` names the signals that somebody listens to."""

    until: float
    heard: list[str]


class Print(Word, frozen=True):
    """Something was printed."""

    text: str


class NoteWord(Word, frozen=True):
    """Something was noted."""

    text: str


class Show(Word, frozen=True):
    """Something is to be shown under a name."""

    name: str
    value: Any


class EndedWord(Word, frozen=True):
    """The program came to its end; `options` are the tasks that its text names."""

    value: str | None
    options: list[dict[str, Any]]


class FailedWord(Word, frozen=True):
    """The program failed, or was none."""

    sentence: str
    trace: str


Question: TypeAlias = MoveWord | Do | Cancel | SteerWord | HaltWord | Ask | Send | WaitWord
Said: TypeAlias = Question | Print | NoteWord | Show | EndedWord | FailedWord


# To the program's side.


class State(Word, frozen=True):
    """Where the body is."""

    x: float
    y: float
    heading: float
    is_moving: bool


class DeviceWord(Word, frozen=True):
    """What a sensor offers: signals, facts, what takes time and what does not."""

    signals: list[str]
    facts: list[str]
    waits: list[str]
    calls: list[str]


class RadioFacts(Word, frozen=True):
    """Whom a robot can talk to."""

    address: int
    group: list[int]
    limit: int | None
    is_reliable: bool
    is_in_order: bool


class OrderWord(Word, frozen=True):
    """What is to be done, and with which robot: `do` is "run", "task" or "describe"."""

    do: str
    name: str
    code: str
    modules: dict[str, str] = {}
    task: str = ""
    arguments: dict[str, Any] = {}
    seed: int = 0
    patience: float = 10.0
    robot: str = "robot"
    number: int = 0
    home: tuple[float, float] = (0.0, 0.0)
    now: float = 0.0
    state: State = State(0.0, 0.0, 0.0, False)
    signals: list[str] = []
    devices: dict[str, DeviceWord] = {}
    radio: RadioFacts | None = None


class AnswerWord(Word, frozen=True):
    """What came of a question, and where the body is now."""

    state: State
    value: Any = None
    error: list[Any] | None = None


class Over(Word, frozen=True):
    """What was begun under a number is over."""

    number: int
    value: Any = None
    error: list[Any] | None = None


class FiredWord(Word, frozen=True):
    """A signal fired."""

    name: str
    value: Any


class CameWord(Word, frozen=True):
    """A message came by radio."""

    sender: int
    content: bytes
    rssi: float | None


class GoWord(Word, frozen=True):
    """It is so late now, and this has happened."""

    time: float
    state: State
    events: list[Over | FiredWord | CameWord]


_encode = msgspec.msgpack.Encoder().encode
decode_said = msgspec.msgpack.Decoder(Said).decode
decode_told = msgspec.msgpack.Decoder(OrderWord | AnswerWord | GoWord).decode


def framed(word: Word) -> bytes:
    """Return a word as it crosses the pipe."""
    data = _encode(word)
    return WORD_HEAD.pack(len(data)) + data
