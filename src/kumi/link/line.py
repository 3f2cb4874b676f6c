"""When does a byte arrive, and what happens to it on its way?

A line carries one byte after the other: with a start bit, eight data bits and a stop bit each takes ten bit
times. What is sent while the line is busy waits its turn, and arrives a `latency` after its last bit has left.
`Interference` may damage it on the way.

A line is one direction; it holds no clock, and is told the time.

Interference drops bytes, flips a bit, repeats bytes and makes them late, each with its own probability. Bytes
never overtake each other: a line of bytes has no other order. All chance comes from its own
random numbers, so a run can be repeated.

A radio damages packets, not single bytes: `for_packets` gives the probabilities with which about a given
share of packets of a given size is damaged.

On the line each byte is a start bit of 0, eight data bits from the lowest, and a stop bit of 1; between bytes
the line is at 1. The receiver waits for a 0 and then looks at the line in the middle of each of its own bit
times. Where it finds no stop bit, it drops the byte. So the wrong rate gives other bytes, and fewer or more
of them, as a real line does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kumi.devs import Chance
from kumi.link.ports import check_baud
from kumi.maths import pow


@dataclass(frozen=True)
class Interference:
    """How likely it is, for each byte, that something happens to it.

    `late` is how likely a byte is late; it is then late by up to `delay` seconds, and so is all behind it.
    """

    drop: float = 0.0
    flip: float = 0.0
    repeat: float = 0.0
    late: float = 0.0
    delay: float = 0.05

    def __post_init__(self) -> None:
        for name in ("drop", "flip", "repeat", "late"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(
                    f"the {name} of interference is a probability from 0 to 1, not {getattr(self, name)!r}"
                )
        if not 0.0 <= self.delay < float("inf"):
            raise ValueError(f"the delay of interference is a number of seconds >= 0, not {self.delay!r}")

    @classmethod
    def for_packets(cls, damaged: float, size: int = 16) -> Interference:
        """Return interference that damages that share of packets of so many bytes: half drops, half flips."""
        if not 0.0 <= damaged < 1.0:
            raise ValueError(f"a share of damaged packets is a number from 0 to below 1, not {damaged!r}")
        each = 1.0 - pow(1.0 - damaged, 1.0 / size)
        return cls(drop=each / 2, flip=each / 2)

    @property
    def is_clean(self) -> bool:
        """Whether nothing ever happens."""
        return not (self.drop or self.flip or self.repeat or self.late)

    def carry(self, byte: int, chance: Chance) -> tuple[bytes, float]:
        """Return what comes of a byte, and by how many seconds it is late."""
        wait = chance.uniform(0.0, self.delay) if self.late and chance.happens(self.late) else 0.0
        if self.drop and chance.happens(self.drop):
            return b"", wait
        if self.flip and chance.happens(self.flip):
            byte ^= 1 << int(chance.uniform(0.0, 8.0))
        if self.repeat and chance.happens(self.repeat):
            return bytes((byte, byte)), wait
        return bytes((byte,)), wait


CLEAN = Interference()
"""Shared, since it keeps nothing."""


BITS_A_BYTE = 10
"""A start bit, eight data bits, a stop bit."""


@dataclass(frozen=True, slots=True)
class ByteArrival:
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

    def send(self, now: float, data: bytes) -> list[ByteArrival]:
        """Send bytes now, or as soon as the line is free; return what arrives when, in order.

        The bytes of a clean line arrive together with the last of them.
        """
        time = max(self._free, now)
        chance = self._chance
        if chance is None or self.interference.is_clean:
            self._free = time + self.byte_time * len(data)
            return [ByteArrival(self._free + self.latency, data)] if data else []
        arrivals = []
        for byte in data:
            came, wait = self.interference.carry(byte, chance)
            time += self.byte_time * max(1, len(came)) + wait
            if came:
                arrivals.append(ByteArrival(time + self.latency, came))
        self._free = time
        return arrivals


def misread(data: bytes, sent_at: int, heard_at: int) -> bytes:
    """Return what a receiver at one rate makes of bytes that were sent without a pause at another."""
    if sent_at == heard_at:
        return data
    step = sent_at / heard_at  # bits of the sender in one bit time of the receiver
    length = BITS_A_BYTE * len(data)
    heard = bytearray()
    at = 0.0
    while (start := _falling(data, at)) < length:
        bits = [_level(data, start + step * (bit + 1.5)) for bit in range(8)]
        is_framed = _level(data, start + step * 9.5) == 1 and _level(data, start + step * 0.5) == 0
        if is_framed:
            heard.append(sum(bit << place for place, bit in enumerate(bits)))
        at = start + step * 9.5
    return bytes(heard)


def _level(data: bytes, at: float) -> int:
    """Return the level of the line at a time in bits of the sender."""
    number, bit = divmod(int(at), BITS_A_BYTE)
    if number >= len(data) or bit == BITS_A_BYTE - 1:
        return 1
    return 0 if bit == 0 else data[number] >> (bit - 1) & 1


def _falling(data: bytes, at: float) -> float:
    """Return when the line is at 0 next, in whole bits of the sender unless it is already."""
    length = BITS_A_BYTE * len(data)
    while at < length and _level(data, at) == 1:
        at = float(int(at) + 1)
    return at
