"""What is a fault, and which kinds are there?

A fault happens at an instant, or lasts from `time` until `until`. Printed, an entry says in words what
happens; its repr is Python that makes it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self

from kumi.contract.messages import Address
from kumi.devs import Chance
from kumi.network import Node

SHORTEST = 0.05
"""Seconds; no window is made shorter than this when a schedule is shrunk."""

ONE, SEVERAL = ("node", "of"), ("link", "side", "at")
"""The fields of faults that hold addresses."""


class FaultGround(Protocol):
    """Where faults happen."""

    @property
    def nodes(self) -> Sequence[Node]:
        """All nodes, by address."""

    def disturb(self, fault: MessageFault) -> None:
        """Let a fault act on messages from now on."""

    def withdraw(self, fault: MessageFault) -> None:
        """Let it act no more."""

    def suspect_wrongly(self, at: Address, of: Address, duration: float) -> bool:
        """Let a node suspect another one; False if it is down."""

    def count(self, kind: str) -> None:
        """Count a fault that did happen."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something goes wrong at an instant."""

    kind: ClassVar[str]
    time: float

    @property
    def end(self) -> float:
        """When it is over; what happens at an instant is over at once."""
        return self.time

    @property
    def involved(self) -> tuple[Address, ...]:
        """The nodes it is about; nobody where it is about all."""
        return ()

    def begin(self, ground: FaultGround) -> None:
        """Let it happen."""

    def stop(self, ground: FaultGround) -> None:
        """Let it be over."""

    def renamed(self, names: Mapping[Address, Address]) -> Self:
        """Return the same fault of other nodes."""
        changes: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ONE and value is not None:
                changes[field.name] = names[value]
            elif field.name in SEVERAL and value is not None:
                changes[field.name] = tuple(names[address] for address in value)
        return replace(self, **changes)

    def simpler(self) -> Iterator[Fault]:
        """Give entries that are simpler, the simplest first; one may fail as well."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Lasting(Fault):
    """A fault that lasts for a while."""

    until: float

    @property
    def end(self) -> float:
        """When it is over."""
        return self.until

    def simpler(self) -> Iterator[Fault]:
        """Give it with a shorter window."""
        length = self.until - self.time
        for share in (0.25, 0.5, 0.75):
            if length * share >= SHORTEST:
                yield replace(self, until=round(self.time + length * share, 3))
                if length * (1.0 - share) >= SHORTEST / 2:
                    yield replace(self, time=round(self.until - length * share, 3))

    def _window(self) -> str:
        return f"{self.time:.3f} to {self.until:.3f} s"


@dataclass(frozen=True, slots=True)
class MessageFault(Lasting):
    """A fault of messages on their way."""

    def begin(self, ground: FaultGround) -> None:
        """Act on messages."""
        ground.disturb(self)

    def stop(self, ground: FaultGround) -> None:
        """Act on messages no more."""
        ground.withdraw(self)

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> tuple[float, ...] | None:
        """Return how much later each copy comes; none: it is lost. None: the message is not touched."""
        raise NotImplementedError
