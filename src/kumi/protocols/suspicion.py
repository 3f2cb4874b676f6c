"""Whom does a failure detector suspect, how sure has it become, and what if it is made to err?

A detector never suspects its own node. Those that wait for a timeout count their own periods, not the time
on the clock, so a clock that jumps does not fool them.

Protocols that use a detector must stand its mistakes, and a good detector makes too few of them to show
that they do. `Mistaken` lies above a detector and adds mistakes: about each node, one every `recurrence`
seconds on average (T_MR), lasting `duration` seconds on average (T_M), both exponentially distributed, until
`until` seconds after it began. `suspect_wrongly` adds a single one.

Since mistakes end, what was ◇P or ◇S below still is; P is not. It never suspects its own node.
"""

from __future__ import annotations

from math import inf, isfinite

from kumi.contract.messages import Address
from kumi.network import Timer
from kumi.protocols.guarantees import WITH_CRASHES, EventuallyPerfect, EventuallyStrong


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


class Mistaken(Suspicions, EventuallyPerfect):
    """Suspects whom the detector below suspects, and others for a while."""

    bears = WITH_CRASHES

    detector: EventuallyPerfect

    def __init__(self, recurrence: float = inf, duration: float = 1.0, until: float = inf) -> None:
        super().__init__()
        if not recurrence > 0.0:
            raise ValueError(f"recurrence is a positive number of seconds, or inf, not {recurrence!r}")
        self.recurrence = recurrence
        self.duration = positive("duration", duration)
        self.until = until
        self._ends: dict[Address, Timer] = {}
        self._is_over = False

    def begin(self) -> None:
        """Listen to the detector, and plan mistakes."""
        self.detector.listen(self._changed)
        if self.recurrence < inf:
            for address in self.node.others:
                self._plan(address)
            if self.until < inf:
                self.node.after(self.until, self._stop)

    def suspect_wrongly(self, address: Address, duration: float) -> None:
        """Suspect a node for so many seconds, whatever the detector says; itself it never does."""
        if address == self.node.address:
            return
        earlier = self._ends.pop(address, None)
        if earlier is not None:
            earlier.cancel()
        self._ends[address] = self.node.after(duration, lambda: self._repent(address))
        self._suspect(address)

    def _plan(self, address: Address) -> None:
        self.node.after(self.node.chance.exponential(self.recurrence), lambda: self._err(address))

    def _err(self, address: Address) -> None:
        if not self._is_over:
            self.suspect_wrongly(address, self.node.chance.exponential(self.duration))
            self._plan(address)

    def _repent(self, address: Address) -> None:
        self._ends.pop(address, None)
        if address not in self.detector.suspected:
            self._trust(address)

    def _stop(self) -> None:
        self._is_over = True

    def _changed(self, address: Address, is_suspected: bool) -> None:
        if is_suspected:
            self._suspect(address)
        elif address not in self._ends:
            self._trust(address)
