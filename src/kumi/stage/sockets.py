"""Robots that talk over real sockets: one network for each robot that this process runs.

Without places for the peers all robots run here, each with a socket of its own on this machine, at a port
that the system chooses. With places, the other robots are other processes, here or elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # asyncio comes with a real network, and most runs have none
    from collections.abc import Mapping
    from contextlib import AsyncExitStack

    from kumi.contract.messages import Address
    from kumi.devs import Simulation
    from kumi.network import RealNetwork
    from kumi.network.real import Place


class Sockets:
    """The real networks of a run, all of one kind, for so many robots in all."""

    def __init__(
        self, kind: type[RealNetwork], robots: int, peers: Mapping[Address, Place] | None = None
    ) -> None:
        self._kind = kind
        self._peers: dict[Address, Place | None] = dict.fromkeys(range(robots))
        self._peers |= peers or {}
        self.networks: dict[Address, RealNetwork] = {}

    @property
    def group(self) -> tuple[Address, ...]:
        """All robots, wherever they run."""
        return tuple(sorted(self._peers))

    def open_for(self, simulation: Simulation, address: Address) -> RealNetwork:
        """Make the network of a robot."""
        self.networks[address] = network = self._kind(simulation, self._peers, name=f"network of {address}")
        return network

    async def open(self, stack: AsyncExitStack) -> None:
        """Open all sockets, and let the robots of this process find each other."""
        for network in self.networks.values():
            await stack.enter_async_context(network)
        for address, network in self.networks.items():
            if self._peers[address] is None:
                for other, its_network in self.networks.items():
                    if other != address:
                        await its_network.meet(address, network.place)
