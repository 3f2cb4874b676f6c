"""What a random program does, as data; two interpreters read it: the kernel and the reference."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sleep:
    """Wait for so many seconds."""

    duration: float


@dataclass(frozen=True)
class Fire:
    """Fire the signal of this number."""

    signal: int


@dataclass(frozen=True)
class Next:
    """Wait for the next event of a signal, or of either of two."""

    signals: tuple[int, ...]


@dataclass(frozen=True)
class Fail:
    """Raise an error."""


@dataclass(frozen=True)
class CutBlock:
    """Cut the block of tasks around, if there is one."""


@dataclass(frozen=True)
class Careless:
    """Do something, and go on after any error (a cut is none)."""

    body: tuple[Act, ...]


@dataclass(frozen=True)
class Scope:
    """Do something until, or unless, one of some signals fires or so many seconds are over."""

    raises: bool
    signals: tuple[int, ...]
    limit: float | None
    body: tuple[Act, ...]


@dataclass(frozen=True)
class Together:
    """Start some tasks beside each other, and do something meanwhile."""

    tasks: tuple[tuple[Act, ...], ...]
    body: tuple[Act, ...] = field(default=())


Act = Sleep | Fire | Next | Fail | CutBlock | Careless | Scope | Together

SIGNALS = 3


class Oops(Exception):
    """What Fail raises."""


def shown(error: BaseException) -> object:
    """Write an error so that two can be compared."""
    if isinstance(error, BaseExceptionGroup):
        return [shown(inner) for inner in error.exceptions]
    return type(error).__name__
