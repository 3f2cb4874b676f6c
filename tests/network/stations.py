"""Nodes for tests that only write down what arrives, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.network.network import MessageDropped, MessageReceived, MessageSent, Traffic
from kumi.network.simulated import Effect, SimulatedNetwork


@dataclass(frozen=True, slots=True)
class Say(Message):
    """A message with a number."""

    n: int = 0


class Station:
    """Writes down what arrives: time, receiver, sender, message."""

    def __init__(self, net: Net, address: Address) -> None:
        self.is_up = True
        self.net = net
        self.address = address

    def arrive(self, message: Message, sender: Address) -> None:
        self.net.log.append((self.net.simulation.now, self.address, sender, message))
        for act in self.net.acts.get(self.address, ()):
            act(message, sender)


class Net:
    """A network with stations 0 to n - 1, and a log of arrivals."""

    def __init__(
        self,
        *effects: Effect,
        nodes: int | Iterable[Address] = 4,
        seed: int = 0,
        limit: int | None = None,
        size: Callable[[Message], int] = lambda _: 100,
        simulation: Simulation | None = None,
    ) -> None:
        self.simulation = Simulation(seed=seed) if simulation is None else simulation
        self.network = SimulatedNetwork(self.simulation, *effects, limit=limit, size=size)
        self.log: list[tuple[float, Address, Address, Message]] = []
        self.acts: dict[Address, list[Callable[[Message, Address], object]]] = {}
        self.traffic: list[Traffic] = []
        self.network.watch(self.traffic.append)
        self.stations = {
            address: Station(self, address) for address in (range(nodes) if isinstance(nodes, int) else nodes)
        }
        for address, station in self.stations.items():
            self.network.join(address, station)

    def at(self, time: float, act: Callable[[], object]) -> None:
        """Do something at a time."""
        self.simulation.schedule(time, act, rank=3)

    def send_at(self, time: float, sender: Address, to: Address, message: Message | None = None) -> None:
        """Send something at a time."""
        self.at(time, lambda: self.network.send(sender, to, Say() if message is None else message))

    def broadcast_at(self, time: float, sender: Address, message: Message | None = None) -> None:
        """Tell all something at a time."""
        self.at(time, lambda: self.network.broadcast(sender, Say() if message is None else message))

    def run(self, until: float = 1e9) -> None:
        """Let everything happen."""
        self.simulation.run(until=until)

    @property
    def arrivals(self) -> list[tuple[float, Address]]:
        """When something arrived, and where."""
        return [(time, to) for time, to, _, _ in self.log]

    @property
    def numbers(self) -> list[int]:
        """The numbers that were said, in the order of their arrival."""
        return [message.n for _, _, _, message in self.log if isinstance(message, Say)]

    @property
    def drops(self) -> list[tuple[float, Address, str]]:
        """When something was dropped, for whom, and why."""
        return [
            (one.time, one.receiver, one.reason) for one in self.traffic if isinstance(one, MessageDropped)
        ]

    def check_conservation(self) -> None:
        """Every flight arrived, was dropped, or is under way; and was told of."""
        network = self.network
        sent = [one for one in self.traffic if isinstance(one, MessageSent)]
        flights = sum(len(one.receivers) for one in sent)
        extra = flights - len(sent)
        assert network.sent == len(sent)
        assert (
            network.delivered
            == sum(isinstance(one, MessageReceived) for one in self.traffic)
            == len(self.log)
        )
        assert sum(network.dropped.values()) == len(self.drops)
        assert network.sent + network.copies == network.delivered + len(self.drops) + network.under_way
        assert network.copies >= extra
        assert network.under_way >= 0
