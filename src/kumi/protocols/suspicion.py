"""Whom a failure detector suspects, and how sure it has become: what all detectors here have in common.

A detector never suspects its own node. Those that wait for a timeout count their own periods, not the time
on the clock, so a clock that jumps does not fool them.
"""

from __future__ import annotations

from math import isfinite

from kumi.contract.messages import Address
from kumi.protocols.guarantees import EventuallyStrong


def positive(name: str, value: float) -> float:
    """Refuse what is no positive finite number."""
    if not (isfinite(value) and value > 0.0):
        raise ValueError(f"{name} is a positive number, not {value!r}")
    return value


class Suspicions(EventuallyStrong):
    """Keeps the set of suspects and tells of each change."""

    def __init__(self) -> None:
        self._suspected: frozenset[Address] = frozenset()

    @property
    def suspected(self) -> frozenset[Address]:
        """Whom it suspects now."""
        return self._suspected

    def _suspect(self, address: Address) -> None:
        if address not in self._suspected:
            self._suspected |= {address}
            self.tell(address, True)

    def _trust(self, address: Address) -> bool:
        """Suspect no longer; return whether that was a mistake."""
        if address not in self._suspected:
            return False
        self._suspected -= {address}
        self.tell(address, False)
        return True
