"""Perfect leader election: a new leader only when the one before has crashed.

The lowest address is the first leader, and when it is known to have crashed the next one follows. Assumes a
perfect detector (P): a wrong suspicion would depose a leader who still reigns. Monarchical leader election in
Cachin, Guerraoui and Rodrigues (2011).
"""

from __future__ import annotations

from kumi.contract.messages import Address
from kumi.protocols.guarantees import Perfect, PerfectLeader


class Monarchical(PerfectLeader):
    """Elects the lowest address that has not crashed."""

    detector: Perfect

    def __init__(self) -> None:
        self._leader: Address | None = None

    def begin(self) -> None:
        """Listen to the detector, and announce the first leader as soon as anybody can hear it."""
        self.detector.listen(self._changed)
        self.node.after(0.0, self._elect)

    @property
    def leader(self) -> Address:
        """Who leads now."""
        return self.choose() if self._leader is None else self._leader

    def choose(self) -> Address:
        """Return the lowest address that is not known to have crashed."""
        crashed = self.detector.suspected
        return min(address for address in self.node.group if address not in crashed)

    def _changed(self, _address: Address, _is_suspected: bool) -> None:
        self._elect()

    def _elect(self) -> None:
        leader = self.choose()
        if leader != self._leader:
            self._leader = leader
            self.tell(leader)
