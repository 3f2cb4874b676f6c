"""Faults of nodes: down for good or for a while, standing still, wrong about others, wrong about the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from kumi.checking.fault import Fault, FaultGround, Lasting
from kumi.contract.messages import Address


@dataclass(frozen=True, slots=True)
class Crash(Fault):
    """A node goes down and stays down."""

    kind = "crash"
    node: Address

    @property
    def involved(self) -> tuple[Address, ...]:
        """The node."""
        return (self.node,)

    def begin(self, ground: FaultGround) -> None:
        """Crash."""
        node = ground.nodes[self.node]
        if node.is_up:
            ground.count(self.kind)
            node.crash()

    def __str__(self) -> str:
        return f"{self.time:.3f} s: node {self.node} crashes"


@dataclass(frozen=True, slots=True)
class CrashMidSend(Crash):
    """A node goes down in the middle of what it does, when it has sent so many more messages."""

    kind = "crash-mid-send"
    sends: int

    def begin(self, ground: FaultGround) -> None:
        """Wait for the messages; who sees the crash counts it."""
        node = ground.nodes[self.node]
        if node.is_up:
            node.crash_after_sends(self.sends)

    def simpler(self) -> Iterator[Fault]:
        """Crash at once."""
        yield Crash(self.time, self.node)
        for sends in range(self.sends):
            yield replace(self, sends=sends)

    def __str__(self) -> str:
        return f"{self.time:.3f} s: node {self.node} crashes when it has sent {self.sends} more"


@dataclass(frozen=True, slots=True)
class Recovery(Lasting):
    """A node goes down and comes back with what it stored."""

    kind = "recovery"
    forget: ClassVar[bool] = False
    node: Address

    @property
    def involved(self) -> tuple[Address, ...]:
        """The node."""
        return (self.node,)

    def begin(self, ground: FaultGround) -> None:
        """Crash."""
        node = ground.nodes[self.node]
        if node.is_up:
            ground.count(self.kind)
            node.crash()

    def stop(self, ground: FaultGround) -> None:
        """Come back."""
        node = ground.nodes[self.node]
        if not node.is_up:
            node.restart(forget=self.forget)

    def __str__(self) -> str:
        memory = "with nothing" if self.forget else "with what it stored"
        return f"{self._window()}: node {self.node} is down, and comes back {memory}"


@dataclass(frozen=True, slots=True)
class Amnesia(Recovery):
    """A node goes down and comes back with an empty storage."""

    kind = "amnesia"
    forget: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Pause(Lasting):
    """A node stands still, like a process that was stopped, and goes on as if nothing had been."""

    kind = "pause"
    node: Address

    @property
    def involved(self) -> tuple[Address, ...]:
        """The node."""
        return (self.node,)

    def begin(self, ground: FaultGround) -> None:
        """Stand still."""
        node = ground.nodes[self.node]
        if node.is_up and not node.is_paused:
            ground.count(self.kind)
            node.pause()

    def stop(self, ground: FaultGround) -> None:
        """Go on."""
        ground.nodes[self.node].resume()

    def __str__(self) -> str:
        return f"{self._window()}: node {self.node} stands still"


@dataclass(frozen=True, slots=True)
class WrongSuspicion(Lasting):
    """Some nodes suspect another one for a while, without a reason."""

    kind = "suspicion"
    at: tuple[Address, ...]
    of: Address

    @property
    def involved(self) -> tuple[Address, ...]:
        """Those who suspect, and the one they do."""
        return (*self.at, self.of)

    def begin(self, ground: FaultGround) -> None:
        """Make the mistake; the detector takes it back itself."""
        for address in self.at:
            if ground.suspect_wrongly(address, self.of, self.until - self.time):
                ground.count(self.kind)

    def simpler(self) -> Iterator[Fault]:
        """Let fewer be wrong."""
        if len(self.at) > 1:
            for left_out in self.at:
                yield replace(self, at=tuple(node for node in self.at if node != left_out))
        yield from Lasting.simpler(self)

    def __str__(self) -> str:
        who = ", ".join(map(str, self.at))
        return f"{self._window()}: node {self.of} is wrongly suspected by {who}"


@dataclass(frozen=True, slots=True)
class Skew(Lasting):
    """A node's clock jumps by some seconds, and then runs at a rate of its own; what it is off by stays."""

    kind = "skew"
    node: Address
    rate: float = 1.0
    jump: float = 0.0

    @property
    def involved(self) -> tuple[Address, ...]:
        """The node."""
        return (self.node,)

    def begin(self, ground: FaultGround) -> None:
        """Jump, and change the rate."""
        ground.count(self.kind)
        ground.nodes[self.node].clock.jump(self.jump)
        self._set_rate(ground, self.time, self.rate)

    def stop(self, ground: FaultGround) -> None:
        """Run as it should."""
        self._set_rate(ground, self.until, 1.0)

    def _set_rate(self, ground: FaultGround, time: float, rate: float) -> None:
        clock = ground.nodes[self.node].clock
        shown = clock.at(time)
        clock.rate = rate
        clock.jump(shown - clock.at(time))

    def simpler(self) -> Iterator[Fault]:
        """Only jump, or only drift."""
        if self.rate != 1.0 and self.jump != 0.0:
            yield replace(self, rate=1.0)
            yield replace(self, jump=0.0)
        yield from Lasting.simpler(self)

    def __str__(self) -> str:
        words = [f"jumps by {self.jump:+g} s"] if self.jump else []
        words += [f"runs at {self.rate:g} times the right speed"] if self.rate != 1.0 else []
        return f"{self._window()}: the clock of node {self.node} {' and '.join(words) or 'is right'}"
