"""What happens on a link, as the sender tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kumi.link.devices import Answer


@dataclass(frozen=True, slots=True)
class Transmit:
    """Bytes to write to the port."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    """A command was carried out, and this was the answer."""

    ticket: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """A command was not answered; it was carried out once or not at all."""

    ticket: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reached:
    """The robot answered the handshake."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The robot does not answer, and why that may be; told once until it is reached again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Collided:
    """The robot touched something; with its switches, where it told them."""

    switches: int | None


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something came that was not meant: damage, traffic of others, an answer that came late or twice."""

    reason: str


Happening: TypeAlias = Transmit | Answered | Failed | Reached | Unreachable | Collided | Ignored
