"""Is a synchronised clock as right as it says?"""

from __future__ import annotations

from kumi.checking.monitors import Ending, Monitor, broken
from kumi.contract.messages import Address
from kumi.network import Node
from kumi.protocols import Observation
from kumi.protocols.clock_sync import Cristian, SynchronizedClock

ROUNDING = 1e-9
"""Seconds by which floating-point numbers may be off."""


class AsRightAsItSays(Monitor):
    """The error of each clock against the true one of the server is within its bound, at any time.

    Judged whenever something is told anywhere, for all nodes. In the end every bound is below `goal`.
    """

    watches = SynchronizedClock

    def __init__(self, goal: float = 1.0) -> None:
        self.goal = goal
        self._clocks: dict[Address, Cristian] = {}

    def observe(self, seen: Observation) -> None:
        """Judge all clocks."""
        assert isinstance(seen.layer, Cristian)
        self._clocks[seen.address] = seen.layer
        self._judge(seen.time)

    def crashed(self, time: float, address: Address) -> None:
        """Judge no clock of a node that is down."""
        self._clocks.pop(address, None)

    def _judge(self, time: float) -> None:
        for address, clock in self._clocks.items():
            truth = server_of(clock).clock.at(time)
            wrong = abs(clock.now - truth)
            if wrong > clock.error + ROUNDING:
                raise broken(
                    "as right as it says",
                    f"at {time:.3f} s node {address} takes the server's time for {clock.now:.6f} s",
                    f"it is {truth:.6f} s",
                    f"so it is wrong by {wrong:.6f} s, and said {clock.error:.6f} s at most",
                )

    def finish(self, ending: Ending) -> None:
        """All are synchronised."""
        self._judge(ending.time)
        for address in sorted(ending.up):
            clock = self._clocks.get(address)
            if clock is not None and clock.error <= self.goal:
                continue
            if clock is None and address == ending.group[0]:
                continue  # the server asks nobody
            bound = "no bound" if clock is None else f"a bound of {clock.error:.3f} s"
            raise broken("synchronised in the end", f"node {address} has {bound} at {ending.time:g} s")


def server_of(clock: Cristian) -> Node:
    """Return the node whose clock counts."""
    assert clock.server is not None
    server = clock.node.network._receivers[clock.server]
    assert isinstance(server, Node)
    return server
