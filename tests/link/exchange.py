"""A courier and a responder with two lines between them, in a time of their own."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from itertools import count

from kumi.link.devices import Device, Entry, Read, Write
from kumi.link.happenings import Answered, Failed, Happening, Transmit
from kumi.link.responder import Responder
from kumi.link.stop_and_wait import FADE, StopAndWait

Fate = Callable[[bytes], list[tuple[float, bytes]]]
"""What comes of a packet: pieces that arrive, each so much later than the one before."""


def unharmed(data: bytes) -> list[tuple[float, bytes]]:
    """Let a packet arrive as it is."""
    return [(0.02, data)]


class Log:
    """Devices that write down what is written, and answer with how much that was."""

    def __init__(self) -> None:
        self.written: list[tuple[Device, int]] = []

    def read(self, _device: Device) -> int:
        return len(self.written)

    def write(self, device: Device, value: int) -> None:
        self.written.append((device, value))


class Exchange:
    """One courier, one robot, and what happens to packets between them; bytes never overtake each other."""

    def __init__(self, there: Fate = unharmed, back: Fate = unharmed, *, fade: float = FADE) -> None:
        self.log = Log()
        self.courier = StopAndWait(0, fade=fade)
        self.responder = Responder(0, self.log)
        self.happened: list[Happening] = []
        self.sent: list[bytes] = []
        self.now = 0.0
        self._fates = {True: there, False: back}
        self._free = {True: 0.0, False: 0.0}
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def ask(self, commands: Iterable[tuple[Entry, ...]]) -> list[int]:
        """Queue commands after a handshake; return their tickets."""
        self._do(self.courier.open(self.now))
        tickets = []
        for entries in commands:
            ticket, happened = self.courier.ask(self.now, entries)
            tickets.append(ticket)
            self._do(happened)
        return tickets

    def run(self, until: float = 1000.0) -> None:
        """Let everything happen until no command waits for an answer."""
        while self.courier.waiting and self.now < until:
            due = min(self.courier.deadline, self.responder.deadline)
            if self._events and self._events[0][0] <= due:
                self.now, _, act = heapq.heappop(self._events)
                act()
            else:
                self.now = due
                self._do(self.courier.tick(self.now))
                self._answer(self.responder.tick(self.now))

    @property
    def answered(self) -> list[int]:
        return [one.ticket for one in self.happened if isinstance(one, Answered)]

    @property
    def failed(self) -> list[int]:
        return [one.ticket for one in self.happened if isinstance(one, Failed)]

    def _do(self, happened: list[Happening]) -> None:
        self.happened += happened
        for one in happened:
            if isinstance(one, Transmit):
                self.sent.append(one.data)
                self._carry(one.data, True)

    def _answer(self, replies: list[bytes]) -> None:
        for data in replies:
            self._carry(data, False)

    def _carry(self, data: bytes, is_there: bool) -> None:
        time = max(self.now, self._free[is_there])
        for wait, piece in self._fates[is_there](data):
            time += wait
            heapq.heappush(self._events, (time, next(self._order), self._arrival(piece, is_there)))
        self._free[is_there] = time

    def _arrival(self, piece: bytes, is_there: bool) -> Callable[[], None]:
        if is_there:
            return lambda: self._answer(self.responder.receive(self.now, piece))
        return lambda: self._do(self.courier.receive(self.now, piece))


def commands_of(numbers: Iterable[int]) -> list[tuple[Entry, ...]]:
    """Make commands that write a motor byte and read the encoder."""
    return [(Write(Device.MOTOR, number), Read(Device.ENCODER)) for number in numbers]
