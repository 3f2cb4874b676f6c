"""A node in a process of its own, for the tests of real networks: `python -m tests.network.peer ADDRESS ...`.

It prints a line of JSON for each thing it delivers, and one when it ends.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from kumi.contract.messages import Address, Message
from kumi.network.node import Node
from kumi.network.real import RealNetwork
from kumi.network.running import SharedFolder, run_node
from kumi.network.storage import FileStorage
from kumi.network.tcp import TcpNetwork
from kumi.network.udp import UdpNetwork
from kumi.protocols.guarantees import BestEffortBroadcast
from kumi.protocols.layer import Layer
from kumi.protocols.perfect_links import Acknowledged
from kumi.protocols.reliable import ToEach
from kumi.protocols.stack import Stack


@dataclass(frozen=True, slots=True)
class PeerSaid(Message):
    """What peers tell each other."""

    sender: Address
    number: int


class Talk(Layer[()]):
    """Broadcasts numbers, one every now and then, and reports what it delivers."""

    cast: BestEffortBroadcast

    def __init__(self, count: int, every: float = 0.01, *, is_loud: bool = False) -> None:
        self.count = count
        self.every = every
        self.is_loud = is_loud
        self.got: list[tuple[Address, int]] = []
        self.number = 0

    def begin(self) -> None:
        self.cast.listen(self._got)
        self.node.after(self.every, self._say)

    def _say(self) -> None:
        if self.number < self.count:
            self.cast.broadcast(PeerSaid(self.node.address, self.number))
            self.number += 1
            self.node.after(self.node.chance.uniform(0.0, 2.0 * self.every), self._say)

    def _got(self, message: Message, _sender: Address) -> None:
        assert isinstance(message, PeerSaid)
        self.got.append((message.sender, message.number))
        if self.is_loud:
            report("got", message.sender, message.number)


class LossyUdp(UdpNetwork):
    """Loses one datagram in five on its way out."""

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        if self.simulation.chance("loss").happens(0.2):
            return "loss"
        return super()._transmit(sender, to, data)


NETWORKS: dict[str, type[RealNetwork]] = {"lossy": LossyUdp, "tcp": TcpNetwork, "udp": UdpNetwork}


def stack(node: Node, count: int, every: float = 0.01, *, is_loud: bool = False) -> Stack:
    """Return who lives on the nodes."""
    return Stack(Talk(count, every, is_loud=is_loud), ToEach(), Acknowledged(retry_after=0.1)).settle(node)


def report(*what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def talk(address: Address, nodes: int, network: str, count: int, folder: Path) -> None:
    """Run one node until it is told to stop."""
    outcome = run_node(
        address,
        dict.fromkeys(range(nodes)),
        lambda node: stack(node, count, is_loud=True),
        over=NETWORKS[network],
        discovery=SharedFolder(folder / "places"),
        record=folder / f"{address}.recording",
    )
    report("over", outcome.network.sent, dict(outcome.network.dropped))


def store(path: Path) -> None:
    """Count in a storage, and say each number when it is stored."""
    with FileStorage(path) as storage:
        number = storage.get("number", 0)
        while True:
            number += 1
            storage.put("number", number)
            storage.put(f"square {number % 7}", (number, number * number, "x" * 100))
            report("got", 0, number)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["talk", address, nodes, network, count, folder]:
            talk(int(address), int(nodes), network, int(count), Path(folder))
        case ["store", path]:
            store(Path(path))
