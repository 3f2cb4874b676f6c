"""How do bytes get from a line into a run, and back?

A `Wire` is one end of a line, seen from inside a run: bytes are written at once and heard at an instant of
the run. `crossed` gives both ends of a line that is only simulated: nothing but the run's own time passes.
`PortWire` is a real port: a thread reads it and brings what comes into a run that follows the wall clock.
`SlowWire` puts an emulated line around an end: each byte takes its time, and interference may damage it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

from kumi.devs import NoRun, Simulation
from kumi.link.line import Line
from kumi.link.ports import LinkPortError, Port, PortGone

POLL = 0.1
"""Seconds for which the reading thread waits at a time; so long may closing take."""

REOPEN = 0.5
"""Seconds between two tries to open a port that is gone."""


class Listener(Protocol):
    """The receiver at the end of a wire."""

    def heard(self, data: bytes) -> None:
        """Take bytes."""

    def gone(self, reason: str) -> None:
        """Take note that the port is gone; it is tried again."""


class Wire(Protocol):
    """One end of a line, inside a run."""

    def listen(self, listener: Listener) -> None:
        """Tell from now on what comes."""

    def write(self, data: bytes) -> None:
        """Give bytes to the line."""

    def close(self) -> None:
        """Let the line go."""


class CrossedWire:
    """One end of a line within a run; what is written here is heard at the other end at the same instant."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._other: CrossedWire = self
        self._listener: Listener | None = None
        self.is_cut = False
        """Whether the cable is pulled: what is written is lost."""

    def listen(self, listener: Listener) -> None:
        """Tell from now on what comes."""
        self._listener = listener

    def write(self, data: bytes) -> None:
        """Let the other end hear bytes, after all else of this instant."""
        other = self._other
        if not (self.is_cut or other.is_cut):
            self._simulation.schedule(self._simulation.now, partial(other._hear, data))

    def _hear(self, data: bytes) -> None:
        if self._listener is not None:
            self._listener.heard(data)

    def close(self) -> None:
        """Hear nothing any more."""
        self._listener = None


def crossed(simulation: Simulation) -> tuple[CrossedWire, CrossedWire]:
    """Return both ends of a line within a run."""
    one, other = CrossedWire(simulation), CrossedWire(simulation)
    one._other, other._other = other, one
    return one, other


class SlowWire:
    """A wire whose bytes take their time, in and out."""

    def __init__(self, simulation: Simulation, wire: Wire, incoming: Line, outgoing: Line) -> None:
        self._simulation = simulation
        self._wire = wire
        self._incoming, self._outgoing = incoming, outgoing
        self._listener: Listener | None = None
        self._is_closed = False

    def listen(self, listener: Listener) -> None:
        """Tell from now on what comes."""
        self._listener = listener
        self._wire.listen(self)

    def heard(self, data: bytes) -> None:
        """Take bytes that were sent, and tell of them when they have arrived."""
        if self._listener is not None:
            self._carry(self._incoming, data, self._listener.heard)

    def gone(self, reason: str) -> None:
        """Pass it on."""
        if self._listener is not None:
            self._listener.gone(reason)

    def write(self, data: bytes) -> None:
        """Give bytes to the line, which passes each on in its time."""
        self._carry(self._outgoing, data, self._wire.write)

    def _carry(self, line: Line, data: bytes, told: Callable[[bytes], None]) -> None:
        for arrival in line.send(self._simulation.now, data):
            self._simulation.schedule(arrival.time, partial(self._arrive, told, arrival.data))

    def _arrive(self, told: Callable[[bytes], None], data: bytes) -> None:
        if not self._is_closed:
            told(data)

    def close(self) -> None:
        """Let the line go; what is on its way is lost."""
        self._is_closed = True
        self._wire.close()


class PortWire:
    """A real port, for a run that follows the wall clock.

    `open_` opens the port; it is called again when the port is gone, until it succeeds. The first opening
    happens at once, and what it raises is raised.
    """

    def __init__(self, simulation: Simulation, open_: Callable[[], Port]) -> None:
        self._simulation = simulation
        self._open = open_
        self._port: Port | None = open_()
        self._listener: Listener | None = None
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, name="kumi-link", daemon=True)

    def listen(self, listener: Listener) -> None:
        """Tell from now on what comes."""
        self._listener = listener
        if not self._thread.is_alive() and not self._closing.is_set():
            self._thread.start()

    def write(self, data: bytes) -> None:
        """Give bytes to the port; to one that is gone, nothing is written."""
        with self._lock:
            port = self._port
        if port is None:
            return
        try:
            port.write(data)
        except PortGone as error:
            self._lose(port, str(error))

    def close(self) -> None:
        """Close the port and end the thread."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(10 * POLL)
        with self._lock:
            port, self._port = self._port, None
        if port is not None:
            port.close()

    def _read(self) -> None:
        """Read until the wire is closed; runs in a thread of its own."""
        while not self._closing.is_set():
            with self._lock:
                port = self._port
            if port is None:
                self._reopen()
                continue
            try:
                data = port.read(POLL)
            except PortGone as error:
                self._lose(port, str(error))
                continue
            if data:
                self._bring(partial(self._tell, data))

    def _lose(self, port: Port, reason: str) -> None:
        with self._lock:
            if self._port is not port:
                return
            self._port = None
        port.close()
        self._bring(partial(self._tell_gone, reason))

    def _reopen(self) -> None:
        if self._closing.wait(REOPEN):
            return
        try:
            port = self._open()
        except LinkPortError:
            return
        with self._lock:
            self._port = port

    def _bring(self, action: Callable[[], None]) -> None:
        try:
            self._simulation.bring(lambda time: self._simulation.schedule(time, action))
        except NoRun:  # the run is over
            self._closing.set()

    def _tell(self, data: bytes) -> None:
        if self._listener is not None and not self._closing.is_set():
            self._listener.heard(data)

    def _tell_gone(self, reason: str) -> None:
        if self._listener is not None and not self._closing.is_set():
            self._listener.gone(reason)
