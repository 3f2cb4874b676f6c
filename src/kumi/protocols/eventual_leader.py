"""Ω from ◇P: trust the lowest address that is not suspected.

When the detector has become right, all correct nodes suspect the same nodes, and so trust the same one,
which is correct. Before that, leaders may differ and change. Assumes a detector of class ◇P; with ◇S alone
two nodes could trust different ones for ever.
"""

from __future__ import annotations

from kumi.contract.messages import Address
from kumi.protocols.bears import EVERYTHING
from kumi.protocols.guarantees import EventualLeader, EventuallyPerfect


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
