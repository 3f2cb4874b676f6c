"""Robots that talk: each robot's node on a network, simulated or of real sockets, with its radio on top of a stack.

The nodes come up when the run begins, so that each knows the whole group. A robot that is added later knows those who
are there then; the others do not learn of it by themselves.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network import Effect, Failure, Network, Node, SimulatedNetwork, Traffic, plan_failures
from kumi.protocols import Stack
from kumi.protocols.stack import AnyLayer
from kumi.robot import Radio
from kumi.robot.radio import Report
from kumi.stage.outcome import Messages

if TYPE_CHECKING:
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


Watch: TypeAlias = Callable[[Traffic], object]
Layers: TypeAlias = Callable[[], Stack] | Sequence[Callable[[], AnyLayer]]
"""Classes of layers, from the top down, or a function that makes the stack of one robot."""


def network_of(simulation: Simulation, on: Sequence[Effect | Network | Sockets]) -> Network | Sockets:
    """Return a network that was made before, or a simulated one with effects."""
    made = [one for one in on if isinstance(one, Network | Sockets)]
    if not made:
        return SimulatedNetwork(simulation, *cast("Sequence[Effect]", on))
    if len(on) > 1:
        raise TypeError(
            "a stage is connected to one network, or by effects such as Constant(0.1), not to both"
        )
    return made[0]


def stack_maker(layers: Layers) -> Callable[[], Stack]:
    """Return what makes the stack of a robot; layers that are none are refused."""
    said: object = layers
    if callable(said):
        make: Callable[[], object] = said
    elif isinstance(said, Sequence) and all(map(callable, said)):
        given = tuple(said)

        def make() -> Stack:
            return Stack(*(layer() for layer in given))
    else:
        raise TypeError(
            "the layers of a stage are classes, as in layers=[InOrder, Acknowledged], or a function that makes a Stack "
            f"for each robot, such as `lambda: Stack(Acknowledged(retry_after=0.5))`, not {layers!r}"
        )
    made = make()
    if not isinstance(made, Stack):
        raise TypeError(
            f"what is given as the layers of a stage makes a Stack for each robot, or is a list such as [Acknowledged]; it made {made!r}"
        )
    return cast("Callable[[], Stack]", make)


class Radios:
    """The radios of a stage's robots, on one simulated network or on real ones; `watch` sees all messages."""

    def __init__(
        self,
        simulation: Simulation,
        network: Network | Sockets,
        stack: Callable[[], Stack],
        watch: Watch | None,
    ) -> None:
        self.sockets = network if isinstance(network, Sockets) else None
        self._networks: list[Network] = [network] if isinstance(network, Network) else []
        self._watch = watch
        if watch is not None and isinstance(network, Network):
            network.watch(watch)
        self._simulation = simulation
        self._stack = stack
        self._nodes: dict[Address, Node] = {}
        self._failures: list[Failure] = []
        self.has_begun = False

    def add(
        self,
        address: Address,
        name: str,
        on_error: Callable[[Exception], None],
        report: Report | None = None,
        moved_in: Callable[[Address, Stack], object] | None = None,
    ) -> Radio:
        """Give a robot a radio.

        `report` hears what its program sends and receives above the layers, `moved_in` of the stack of each life.
        """
        radio = Radio()

        def move_in(node: Node) -> Stack:
            stack = Stack(radio, *self._stack().layers)
            radio.attach(stack, report if len(stack.layers) > 1 else None)
            settled = stack.settle(node)
            if moved_in is not None:
                moved_in(address, settled)
            return settled

        node = Node(
            self._simulation,
            self._network_for(address),
            address,
            group=(address,),
            move_in=move_in,
            name=name,
            salt="" if self.sockets is None else os.urandom(8).hex(),
            on_error=on_error,
        )
        self._nodes[address] = node
        if self.has_begun:
            node.group = tuple(sorted(self._nodes))
            node.start()
        return radio

    @property
    def messages(self) -> Messages:
        """What became of messages so far."""
        dropped: Counter[str] = Counter()
        for network in self._networks:
            dropped.update(network.dropped)
        return Messages(sum(network.sent for network in self._networks), self.arrived, dict(dropped))

    @property
    def arrived(self) -> int:
        """How many messages arrived so far."""
        return sum(network.delivered for network in self._networks)

    def _network_for(self, address: Address) -> Network:
        if self.sockets is None:
            return self._networks[0]
        network = self.sockets.open_for(self._simulation, address)
        if self._watch is not None:
            network.watch(self._watch)
        self._networks.append(network)
        return network

    def fail(self, failures: Iterable[Failure]) -> None:
        """Let radios fail, and come back, as a schedule says."""
        self._failures.extend(failures)

    def begin(self) -> None:
        """Bring all nodes up."""
        if not self.has_begun:
            plan_failures(self._nodes.values(), self._failures)
            self.has_begun = True
            group = tuple(sorted(self._nodes)) if self.sockets is None else self.sockets.group
            for node in self._nodes.values():
                node.group = group
                node.start()

    def end(self, address: Address) -> None:
        """Let a robot's node go down for good."""
        if (node := self._nodes.get(address)) is not None:
            node.retire()
