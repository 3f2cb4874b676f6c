"""How do lines of text get to a robot and back?

A text line is a wire whose bytes are cut into lines. When the wire is gone, an empty line is sent now and then
until something is answered; then the robot is back. What telnet programs agree upon between themselves is
taken out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from kumi.devs import Simulation
from kumi.link.er1_dialect import END, without_telnet
from kumi.link.ports import open_port
from kumi.link.wires import PortWire, Wire

RECONNECT_PERIOD = 0.5
"""Seconds from one try to reach a robot that is gone to the next."""
LONGEST_LINE = 4096
"""Bytes; what has no end by then is no line, and is dropped."""


class TextWire(Protocol):
    """Lines of text to and from a robot."""

    def open(self, told: Callable[[str], object], changed: Callable[[bool], object]) -> None:
        """Begin: `told` gets each line within the run, `changed` whether the robot can be reached."""

    def send(self, line: str) -> None:
        """Send a line, if the robot can be reached."""


class TextLine:
    """Lines of text over a wire of bytes. Close it at the end."""

    def __init__(self, simulation: Simulation, wire: Wire) -> None:
        self._simulation = simulation
        self._wire = wire
        self._rest = b""
        self._is_there = True
        self._told: Callable[[str], object] = lambda _line: None
        self._changed: Callable[[bool], object] = lambda _is_there: None

    @classmethod
    def to(cls, simulation: Simulation, host: str, port: int) -> TextLine:
        """Connect to a host and port; PortError where nobody answers."""
        return cls(simulation, PortWire(simulation, partial(open_port, f"socket://{host}:{port}")))

    def open(self, told: Callable[[str], object], changed: Callable[[bool], object]) -> None:
        """Begin to listen."""
        self._told, self._changed = told, changed
        changed(True)
        self._wire.listen(self)

    def send(self, line: str) -> None:
        """Send a line."""
        self._wire.write((line + END).encode())

    def close(self) -> None:
        """Let the wire go."""
        self._wire.close()

    def heard(self, data: bytes) -> None:
        """Take bytes from the wire."""
        *lines, rest = without_telnet(self._rest + data).split(b"\n")
        self._rest = rest if len(rest) <= LONGEST_LINE else b""
        for line in lines:
            if self._is_there:
                self._told(line.decode(errors="replace").strip())
            else:  # the answer to an empty line
                self._is_there = True
                self._changed(True)

    def gone(self, reason: str) -> None:
        """Take note that the wire is gone, and try to reach the robot."""
        del reason
        self._rest = b""
        if self._is_there:
            self._is_there = False
            self._changed(False)
            self._try()

    def _try(self) -> None:
        if not self._is_there:
            self.send("")
            self._simulation.schedule(self._simulation.now + RECONNECT_PERIOD, self._try)
