"""A few nodes with the same stack on a network that does what a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.network import Constant, Effect, Flight, Node, Onward, SimulatedNetwork
from kumi.protocols import Broadcast, Layer, Links, Stack


@dataclass(frozen=True, slots=True)
class Uttered(Message):
    text: str

    def __repr__(self) -> str:
        return self.text


Word = Uttered
"""What tests call it; on a wire a class goes by its own name, which no other message may have."""


class Fate:
    """An effect that asks a function how much longer a message takes; None loses it."""

    is_reliable = False
    is_in_order = False

    def __init__(self, of: Callable[[Flight], float | None]) -> None:
        self.of = of

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        def carry(flight: Flight, delay: float) -> None:
            longer = self.of(flight)
            if longer is None:
                network.drop(flight, "fate")
            else:
                onward(flight, delay + longer)

        return carry


class Group:
    """Nodes 0, 1, … that keep all that the top layer of their stack tells, in `heard`, with times."""

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
        self.heard: list[tuple[float, Address, str, Address]] = []
        self.sent: list[tuple[float, Address, Address]] = []
        self.network.watch(self._watch)
        self._layers = layers
        self.nodes = [
            Node(self.simulation, self.network, address, group=range(size), move_in=self._move_in)
            for address in range(size)
        ]
        for node in self.nodes:
            node.start()

    def _move_in(self, node: Node) -> Stack:
        stack = Stack(*self._layers()).settle(node)

        def hear(message: object, sender: Address = node.address) -> None:
            text = message.text if isinstance(message, Uttered) else repr(message)
            self.heard.append((round(self.simulation.now, 9), node.address, text, sender))

        stack.layers[0].listen(hear)
        return stack

    def _watch(self, traffic: Any) -> None:
        if type(traffic).__name__ == "MessageSent":
            self.sent.append((round(traffic.time, 9), traffic.sender, traffic.receivers[0]))

    def at(self, time: float, action: Callable[[], object]) -> None:
        self.simulation.schedule(time, action, rank=0)

    def layer(self, address: Address, kind: type[Any]) -> Any:
        stack = self.nodes[address].resident
        assert isinstance(stack, Stack)
        return stack[kind]

    def send(self, address: Address, text: str, to: Address) -> None:
        self.layer(address, Links).send(Uttered(text), to)

    def broadcast(self, address: Address, text: str) -> None:
        self.layer(address, Broadcast).broadcast(Uttered(text))

    def send_at(self, time: float, address: Address, text: str, to: Address) -> None:
        self.at(time, lambda: self.send(address, text, to))

    def broadcast_at(self, time: float, address: Address, text: str) -> None:
        self.at(time, lambda: self.broadcast(address, text))

    def run(self, until: float = 100.0) -> None:
        self.simulation.run(until=until)

    def words(self, address: Address) -> list[str]:
        """What a node heard, in order."""
        return [text for _, receiver, text, _ in self.heard if receiver == address]
