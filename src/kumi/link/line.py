"""When does a byte arrive?

A line carries one byte after the other: with a start bit, eight data bits and a stop bit each takes ten bit
times. What is sent while the line is busy waits its turn, and arrives a `latency` after its last bit has left.
`Interference` may damage it on the way.

A line is one direction; it holds no clock, and is told the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kumi.devs import Chance
from kumi.link.interference import CLEAN, Interference
from kumi.link.ports import check_baud

BITS_A_BYTE = 10
"""A start bit, eight data bits, a stop bit."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Bytes, and when the last of them has arrived."""

    time: float
    data: bytes


class Line:
    """One direction of a serial line."""

    def __init__(
        self,
        baud: int = 9600,
        interference: Interference = CLEAN,
        chance: Chance | None = None,
        *,
        latency: float = 0.0,
    ) -> None:
        if chance is None and not interference.is_clean:
            raise ValueError("a line with interference that does something needs random numbers of its own")
        if not 0.0 <= latency < inf:
            raise ValueError(f"the latency of a line is a number of seconds >= 0, not {latency!r}")
        self.byte_time = BITS_A_BYTE / check_baud(baud)
        self.latency = latency
        self.interference = interference
        self._chance = chance
        self._free = 0.0

    def send(self, now: float, data: bytes) -> list[Arrival]:
        """Send bytes now, or as soon as the line is free; return what arrives when, in order.

        The bytes of a clean line arrive together with the last of them.
        """
        time = max(self._free, now)
        chance = self._chance
        if chance is None or self.interference.is_clean:
            self._free = time + self.byte_time * len(data)
            return [Arrival(self._free + self.latency, data)] if data else []
        arrivals = []
        for byte in data:
            came, wait = self.interference.carry(byte, chance)
            time += self.byte_time * max(1, len(came)) + wait
            if came:
                arrivals.append(Arrival(time + self.latency, came))
        self._free = time
        return arrivals
