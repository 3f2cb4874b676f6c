"""Was all work over when it was said to be?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols.termination import TerminationDetection


class TrulyOver(Monitor):
    """Announced only when all rest and nothing is under way, and then by all.

    It sees all nodes at once: who works, and which messages are under way. Messages of a run differ.
    """

    watches = TerminationDetection

    def __init__(self) -> None:
        self._resting: set[Address] = set()
        self._under_way: dict[Message, tuple[Address, Address]] = {}
        self._announced: dict[Address, float] = {}
        self._nodes: set[Address] = set()

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See who sends, who rests, and who says that all is over."""
        self._nodes.add(address)
        if what == "send":
            message, to = event
            self._under_way[message] = (address, to)
        elif what == "rest":
            self._resting.add(address)
        else:
            self._judge(time, address)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See who gets work."""
        self._resting.discard(address)
        self._under_way.pop(event[0], None)

    def _judge(self, time: float, address: Address) -> None:
        what = f"node {address} said at {time:.3f} s that all work is over"
        working = self._nodes - self._resting
        if working:
            raise broken("announced only when over", what, f"{names(working)} still work")
        for message, (sender, to) in self._under_way.items():
            raise broken("announced only when over", what, f"{message} is under way from {sender} to {to}")
        self._announced[address] = time

    def finish(self, ending: Ending) -> None:
        """If all is over, all have said so."""
        if self._under_way or self._nodes - self._resting:
            return
        missing = [address for address in ending.group if address not in self._announced]
        if missing:
            raise broken("announced in the end", "all work is over", f"{names(missing)} did not say so")
