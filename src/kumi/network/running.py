"""One node as a process of its own: the same code as in the simulation, in real time and over real sockets.

`run_node` opens the network, starts the node, and ends cleanly after `until` seconds, at Ctrl-C, or when it is
asked to terminate.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kumi.contract.messages import Address
from kumi.devs import Run, Simulation
from kumi.devs.interrupts import served_until_signal
from kumi.network.clock import Clock
from kumi.network.discovery import Discovery
from kumi.network.errors import NetworkError, UnknownNode
from kumi.network.node import Node, Resident
from kumi.network.real import Place, RealNetwork, as_peers
from kumi.network.recorded import VERSION, Head, Recording
from kumi.network.storage import Storage
from kumi.network.udp import UdpNetwork
from kumi.network.wire import encode_value


@dataclass(frozen=True)
class RealRun:
    """What came of a real run."""

    run: Run[None]
    node: Node
    network: RealNetwork


def run_node(
    address: Address,
    peers: Mapping[Address, Place | None],
    move_in: Callable[[Node], Resident],
    *,
    over: type[RealNetwork] = UdpNetwork,
    until: float = math.inf,
    discovery: Discovery | None = None,
    storage: Storage | None = None,
    clock: Clock | None = None,
    record: Path | str | None = None,
    seed: int | None = None,
) -> RealRun:
    """Run one node in this process. `move_in` is what `Node` takes, such as `Stack(...).settle`.

    `peers` says where each node is, this one included; None is left to the discovery. Without a seed each run
    has a new one, as it must: a node that comes back must not draw what it drew before.
    """
    work = serve_node(
        address,
        peers,
        move_in,
        over=over,
        until=until,
        discovery=discovery,
        storage=storage,
        clock=clock,
        record=record,
        seed=seed,
    )
    return asyncio.run(work)


async def serve_node(
    address: Address,
    peers: Mapping[Address, Place | None],
    move_in: Callable[[Node], Resident],
    *,
    over: type[RealNetwork] = UdpNetwork,
    until: float = math.inf,
    discovery: Discovery | None = None,
    storage: Storage | None = None,
    clock: Clock | None = None,
    record: Path | str | None = None,
    seed: int | None = None,
    opened: Callable[[Node], object] | None = None,
) -> RealRun:
    """Run one node inside an asyncio program, as `run_node` does; `opened` is told when its sockets are open."""
    check_node(address, as_peers(peers), move_in, over)
    if seed is None:
        seed = int.from_bytes(os.urandom(7))
    with ExitStack() as stack:
        simulation = stack.enter_context(Simulation(seed=seed))
        network = over(simulation, peers)
        node = Node(simulation, network, address, group=peers, move_in=move_in, clock=clock, storage=storage)
        recording = None
        if record is not None:
            recording = network.recorder = Recording(record, head_of(node, network, seed))
            stack.callback(recording.close)
        async with network:
            if opened is not None:
                opened(node)
            if discovery is not None:
                if network.place[0] in {"0.0.0.0", "::"}:  # noqa: S104  # refused, not used
                    raise NetworkError(
                        "others find a node by its host, so with discovery it listens at one host"
                    )
                network.start(discovery.run(address, network.place, network.meet))
            with served_until_signal(simulation.stop):
                node.start()
                run = await simulation.run_async(until=until, pace=1.0, open_ended=True)
            if recording is not None:
                recording.over(simulation.now)
            simulation.close()
    return RealRun(run, node, network)


def check_node(address: object, peers: Mapping[Address, Place | None], move_in: object, over: object) -> None:
    """Refuse a node that cannot be run."""
    if address not in peers:
        raise UnknownNode(f"node {address!r} is not among the peers, which are {', '.join(map(str, peers))}")
    if isinstance(move_in, type) or not callable(move_in):
        raise TypeError(
            f"what lives on a node is made by a function of the node, such as lambda node: Stack(...).settle(node), "
            f"not by {move_in!r}"
        )
    if not (isinstance(over, type) and issubclass(over, RealNetwork)):
        raise TypeError(f"a node runs over a class of real networks, such as UdpNetwork, not over {over!r}")


def head_of(node: Node, network: RealNetwork, seed: int) -> Head:
    """Return what a recording of this node's run begins with."""
    return Head(
        version=VERSION,
        address=node.address,
        group=node.group,
        name=node.name,
        seed=seed,
        limit=network.limit,
        is_reliable=network.is_reliable,
        is_in_order=network.is_in_order,
        offset=node.clock.offset,
        rate=node.clock.rate,
        storage={name: encode_value(node.storage.get(name)) for name in node.storage},
    )
