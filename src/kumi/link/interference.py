"""What happens to bytes on their way?

Interference drops bytes, flips a bit, repeats bytes and makes them late, each with its own probability. Bytes
never overtake each other: a line of bytes has no other order. All chance comes from its own
random numbers, so a run can be repeated.

A radio damages packets, not single bytes: `for_packets` gives the probabilities with which about a given
share of packets of a given size is damaged.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.devs import Chance
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
