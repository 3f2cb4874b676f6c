"""A failure detector that knows: it looks whether the others are up.

It is of class P wherever it runs in a simulation, and so shows what a protocol does with P under faults that
no real detector of class P bears, such as lost messages. Nodes that crash must stay down.
"""

from __future__ import annotations

from kumi.protocols.guarantees import Perfect
from kumi.protocols.suspicion import Suspicions


class Oracle(Suspicions, Perfect):
    """Suspects who is down, at most `delay` seconds later."""

    def __init__(self, delay: float = 1.0) -> None:
        super().__init__()
        self.delay = delay

    def begin(self) -> None:
        """Look now and then."""
        self._wait()

    def _wait(self) -> None:
        self.node.after(self.node.chance.uniform(0.0, self.delay), self._look)

    def _look(self) -> None:
        receivers = self.node.network._receivers
        for address in self.node.others:
            if not receivers[address].is_up:
                self._suspect(address)
        self._wait()
