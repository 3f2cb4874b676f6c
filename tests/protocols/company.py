"""A few nodes with the same stack; all that their top layers tell is kept, with times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network import Constant, Effect, Node, SimulatedNetwork
from kumi.protocols import Layer, Stack


class Company:
    """Nodes 0, 1, …; `told` holds (time, node, *event) of the topmost layer."""

    def __init__(
        self,
        layers: Callable[[], tuple[Layer[*tuple[Any, ...]], ...]],
        *effects: Effect,
        size: int = 3,
        seed: int = 0,
        delay: float = 0.01,
    ) -> None:
        self.simulation = Simulation(seed=seed)
        self.network = SimulatedNetwork(self.simulation, Constant(delay), *effects)
        self.told: list[tuple[Any, ...]] = []
        self._layers = layers
        self.nodes = [
            Node(self.simulation, self.network, address, group=range(size), move_in=self._move_in)
            for address in range(size)
        ]
        for node in self.nodes:
            node.start()

    def _move_in(self, node: Node) -> Stack:
        stack = Stack(*self._layers()).settle(node)

        def hear(*event: Any) -> None:
            self.told.append((round(self.simulation.now, 9), node.address, *event))

        stack.layers[0].listen(hear)
        return stack

    def at(self, time: float, action: Callable[[], object]) -> None:
        self.simulation.schedule(time, action, rank=0)

    def ask(self, time: float, address: Address, what: str, *arguments: Any) -> None:
        """Let something be asked of a node's top layer."""
        self.at(time, lambda: getattr(self.top(address), what)(*arguments))

    def top(self, address: Address) -> Any:
        stack = self.nodes[address].resident
        assert isinstance(stack, Stack)
        return stack.layers[0]

    def layer(self, address: Address, kind: type[Any]) -> Any:
        stack = self.nodes[address].resident
        assert isinstance(stack, Stack)
        return stack[kind]

    def run(self, until: float = 60.0) -> Company:
        self.simulation.run(until=until)
        return self

    def events(self, address: Address) -> list[tuple[Any, ...]]:
        """What a node told, without times."""
        return [tuple(event) for _, node, *event in self.told if node == address]
