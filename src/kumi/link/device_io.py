"""What does a program ask of the devices of a packet robot?

A panel is asked: entries to read and write go out, the answer comes back, in simulated time or in real time.
A `Remote` is one. Calibration and the control program are written against it, so they run on an emulated
robot within a simulation as they do on a robot at a port.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from kumi.devs import now
from kumi.link.devices import RANGERS, READABLE, Answer, Device, Entry, Read, Write

WRAP = 1 << 16
"""The encoder's answer has two bytes: it begins again at 0 after so many counts."""


class Panel(Protocol):
    """The devices of one robot."""

    def ask(self, *entries: Entry) -> Awaitable[Answer]:
        """Read and write devices; LinkLost where no answer comes."""


@dataclass(frozen=True)
class Readout:
    """All that a robot tells, as raw numbers; `time` is the middle between asking and hearing."""

    time: float
    rangers: tuple[int, ...]
    potentiometer: int
    counts: int
    """Counted on past the two bytes of the encoder."""
    switches: int


class Dials:
    """Reads everything from a panel, and counts the encoder on past its two bytes."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._raw: int | None = None
        self._counts = 0

    async def read(self, *writes: Write) -> Readout:
        """Write what is given, read all, and wait for the answer."""
        asked = now()
        answer = await self._panel.ask(*writes, *(Read(device) for device in READABLE))
        return Readout(
            (asked + now()) / 2,
            tuple(answer[device] for device in RANGERS),
            answer[Device.POTENTIOMETER],
            self.count_on(answer[Device.ENCODER]),
            answer[Device.SWITCHES],
        )

    def count_on(self, raw: int) -> int:
        """Return the whole count for what the encoder answered."""
        if self._raw is not None:
            self._counts += counts_between(self._raw, raw)
        self._raw = raw
        return self._counts


def counts_between(before: int, after: int) -> int:
    """Return how far the encoder counted from one answer to the next: the shorter way round."""
    return (after - before + WRAP // 2) % WRAP - WRAP // 2
