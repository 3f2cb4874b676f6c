"""Leader election from a failure detector: trust the lowest address that is not suspected (Ω), or not known to have crashed.

`LowestTrusted` is Ω from ◇P. When the detector has become right, all correct nodes suspect the same nodes, and so trust the same one,
which is correct. Before that, leaders may differ and change. Assumes a detector of class ◇P; with ◇S alone
two nodes could trust different ones for ever.

`Monarchical`: the lowest address is the first leader, and when it is known to have crashed the next one follows: what
`LowestTrusted` does becomes perfect leader election with a perfect detector (P). A wrong suspicion would depose a leader who still
reigns. Monarchical leader election in Cachin, Guerraoui and Rodrigues (2011).
"""

from __future__ import annotations

from kumi.contract.messages import Address
from kumi.protocols.guarantees import (
    CRASHES,
    EVERYTHING,
    EventualLeader,
    EventuallyPerfect,
    Perfect,
    PerfectLeader,
)


class LowestTrusted(EventualLeader):
    """Trusts the lowest address that its detector does not suspect."""

    bears = EVERYTHING

    detector: EventuallyPerfect

    def __init__(self) -> None:
        self._leader: Address | None = None

    def begin(self) -> None:
        """Listen to the detector, and name the first leader as soon as anybody can hear it."""
        self.detector.listen(self._changed)
        self.node.after(0.0, self._elect)

    @property
    def leader(self) -> Address:
        """Whom it trusts now."""
        return self.choose() if self._leader is None else self._leader

    def choose(self) -> Address:
        """Return whom to trust by what the detector says now."""
        suspected = self.detector.suspected
        return min(address for address in self.node.group if address not in suspected)

    def _changed(self, _address: Address, _is_suspected: bool) -> None:
        self._elect()

    def _elect(self) -> None:
        leader = self.choose()
        if leader != self._leader:
            self._leader = leader
            self.tell(leader)


class Monarchical(LowestTrusted, PerfectLeader):
    """Elects the lowest address that has not crashed."""

    bears = CRASHES

    detector: Perfect
