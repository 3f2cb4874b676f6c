"""A robot at the other end of a link, for programs: ask it, and wait for the answer.

A remote is a stop-and-wait sender in a run: it writes what the sender wants to send to a wire, and tells it what comes
and what time it is. Programs `await remote.ask(...)`; models and bodies `submit` and are called back. What
goes wrong comes as `LinkLost`, with the reason; `lost` and `found` tell when the robot goes and comes back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

from kumi.contract import LinkLost
from kumi.devs import Event, Signal, Simulation
from kumi.link.devices import Answer, Entry, answer_size, request_payload
from kumi.link.happenings import (
    Answered,
    Collided,
    Failed,
    Happening,
    Ignored,
    Reached,
    Transmit,
    Unreachable,
)
from kumi.link.line import BITS_A_BYTE
from kumi.link.stop_and_wait import FADE, StopAndWait
from kumi.link.wires import Wire

FRAME = 7
"""Bytes of a packet around its payload."""

Outcome: TypeAlias = Answer | LinkLost


class Remote:
    """A packet robot at the other end of a wire.

    `timeout`, `fade` and `again` are those of the `StopAndWait`.
    """

    def __init__(
        self,
        simulation: Simulation,
        wire: Wire,
        address: int = 0,
        *,
        baud: int = 9600,
        timeout: float = 0.2,
        fade: float = FADE,
        again: float = 0.5,
        name: str | None = None,
    ) -> None:
        self.simulation = simulation
        self.name = f"robot {address}" if name is None else name
        self.fade = fade
        self.lost: Signal[LinkLost] = Signal(f"{self.name}.lost")
        self.found: Signal[None] = Signal(f"{self.name}.found")
        self.collisions: Signal[int | None] = Signal(f"{self.name}.collisions")
        """Each report of a collision, with the switches where the robot told them."""
        self.ignored: Counter[str] = Counter()
        """What came and was not meant, and how often."""
        self._sender = StopAndWait(address, baud=baud, timeout=timeout, fade=fade, again=again)
        self._byte_time = BITS_A_BYTE / baud
        self._wire = wire
        self._done: dict[int, Callable[[Outcome], object]] = {}
        self._timer: Event | None = None
        self._watchers: list[Callable[[Happening], object]] = []
        self._is_open = False
        self._why = ""  # it cannot be reached, for those who ask then

    @property
    def address(self) -> int:
        """The address of the robot."""
        return self._sender.robot

    @property
    def is_connected(self) -> bool:
        """Whether the robot answered last."""
        return self._sender.is_open

    @property
    def waiting(self) -> int:
        """How many questions have no answer yet."""
        return self._sender.waiting

    def line_times(self, entries: Iterable[Entry]) -> tuple[float, float]:
        """Return how many seconds the bytes of a request and of its answer take on the line."""
        asked = tuple(entries)
        sizes = len(request_payload(asked)), answer_size(asked)
        there, back = (self._byte_time * (FRAME + size) for size in sizes)
        return there, back

    def watch(self, told: Callable[[Happening], object]) -> None:
        """Tell of everything that happens on this link."""
        self._watchers.append(told)

    def open(self) -> None:
        """Begin with a handshake; `found` tells when it is answered. Only the first call does something."""
        if not self._is_open:
            self._is_open = True
            self._wire.listen(self)
            self._do(self._sender.open(self.simulation.now))

    async def connect(self) -> None:
        """Open, and wait until the robot answers; one that does not raises LinkLost."""
        self.open()
        if not self.is_connected:
            answer = await (self.found | self.lost).next()
            if isinstance(answer, LinkLost):
                raise answer

    async def ask(self, *entries: Entry) -> Answer:
        """Read and write devices; wait for the answer, or raise LinkLost."""
        ready: Signal[Outcome] = Signal(f"the answer of {self.name}", once=True)
        outcome = self._submit(entries, ready.fire, first=False) or await ready.next()
        if isinstance(outcome, LinkLost):
            raise outcome
        return outcome

    def submit(
        self, entries: Iterable[Entry], done: Callable[[Outcome], object], *, first: bool = False
    ) -> None:
        """Read and write devices; `done` gets the answer, or why there is none. `first` goes before others."""
        outcome = self._submit(entries, done, first=first)
        if outcome is not None:
            done(outcome)

    def _submit(
        self, entries: Iterable[Entry], done: Callable[[Outcome], object], *, first: bool
    ) -> Outcome | None:
        ticket, happenings = self._sender.ask(self.simulation.now, entries, first=first)
        for happening in happenings:
            if isinstance(happening, Failed) and happening.ticket == ticket:
                return LinkLost(self._why or happening.reason)
        self._done[ticket] = done
        self._do(happenings)
        return None

    def heard(self, data: bytes) -> None:
        """Take bytes from the wire."""
        self._do(self._sender.receive(self.simulation.now, data))

    def gone(self, reason: str) -> None:
        """Take note that the port is gone."""
        self._do(self._sender.interrupt(self.simulation.now, reason))

    def close(self) -> None:
        """End the link; what has no answer yet gets LinkLost."""
        self._do(self._sender.close())
        self._wire.close()

    def _tick(self) -> None:
        self._timer = None
        self._do(self._sender.tick(self.simulation.now))

    def _do(self, happenings: list[Happening]) -> None:
        for happening in happenings:
            for told in self._watchers:
                told(happening)
            match happening:
                case Transmit(data):
                    self._wire.write(data)
                case Answered(ticket, answer):
                    self._finish(ticket, answer)
                case Failed(ticket, reason):
                    self._finish(ticket, LinkLost(reason))
                case Reached():
                    self._why = ""
                    self.found.fire(None)
                case Unreachable(reason):
                    self._why = reason
                    self.lost.fire(LinkLost(reason))
                case Collided(switches):
                    self.collisions.fire(switches)
                case Ignored(reason):
                    self.ignored[_kind(reason)] += 1
        self._plan()

    def _finish(self, ticket: int, outcome: Outcome) -> None:
        done = self._done.pop(ticket, None)
        if done is not None:
            done(outcome)

    def _plan(self) -> None:
        """Let the sender be told the time when it wants to."""
        deadline = self._sender.deadline
        if self._timer is not None:
            self._timer.withdraw()
            self._timer = None
        if deadline < math.inf:
            self._timer = self.simulation.schedule(max(deadline, self.simulation.now), self._tick)


def _kind(reason: str) -> str:
    """Return what was wrong without the numbers in it, so that a stranger cannot make the list grow."""
    return reason.split(":", maxsplit=1)[0].lstrip("0123456789 ")
