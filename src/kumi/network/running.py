"""One node as a process of its own, and how it finds the others: the same code as in the simulation, over real sockets.

`run_node` opens the network, starts the node, and ends cleanly after `until` seconds, at Ctrl-C, or when it is
asked to terminate.

A way is a `Discovery`: it makes known where this process listens, and calls back with each node it finds, also
when one is found at another place. It finds places and nothing else: messages go from process to process, never
through what found them, since a router in between would put them in order unasked.

`SharedFolder` serves processes that see one folder, such as those of one machine. `ZenohDiscovery` serves a local
network, with Eclipse Zenoh, which comes with the optional part `zenoh`.
"""

from __future__ import annotations

import asyncio
import importlib
import math
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from kumi.contract.messages import Address
from kumi.devs import Run, Simulation
from kumi.devs.extras import needing
from kumi.devs.interrupts import served_until_signal
from kumi.network.clock import Clock
from kumi.network.errors import NetworkError, UnknownNode
from kumi.network.node import Node, Resident
from kumi.network.real import Place, RealNetwork, as_peers
from kumi.network.recorded import VERSION, Recording, RecordingHead
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


def head_of(node: Node, network: RealNetwork, seed: int) -> RecordingHead:
    """Return what a recording of this node's run begins with."""
    return RecordingHead(
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


Found: TypeAlias = Callable[[Address, Place], Awaitable[None]]

LOOK_PERIOD = 0.05
"""Seconds between two looks into a folder."""


class Discovery(Protocol):
    """A way to find the nodes of a group."""

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Make a place known and tell of others, until cancelled."""


class SharedFolder:
    """Finds nodes by files in a folder: each is named after an address and holds a host and a port.

    A file stays when its process is killed; the next one at that address replaces it.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Write the own file, and look at those of others again and again."""
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = self._folder / f".{address}"
        beside.write_text(f"{place[0]} {place[1]}")
        beside.replace(self._folder / f"{address}")
        known: dict[Address, Place] = {address: place}
        while True:
            for other, there in self._look().items():
                if known.get(other) != there:
                    known[other] = there
                    await found(other, there)
            await asyncio.sleep(LOOK_PERIOD)

    def _look(self) -> dict[Address, Place]:
        seen: dict[Address, Place] = {}
        for file in sorted(self._folder.iterdir()):
            words = file.read_text().split() if file.name.isdecimal() else []
            if len(words) == 2 and words[1].isdecimal():
                seen[int(file.name)] = (words[0], int(words[1]))
        return seen


class ZenohDiscovery:
    """Finds nodes with Eclipse Zenoh: each keeps a token alive whose name is its address and place.

    `group` keeps several groups on one network apart. `listen` and `connect` are Zenoh's endpoints, such as
    "tcp/10.0.0.7:7447", for networks without multicast; without them Zenoh scouts.
    """

    def __init__(self, group: str = "kumi", *, listen: str | None = None, connect: str | None = None) -> None:
        self._zenoh = _zenoh()
        if not group or set(group) & set("/*$?# "):
            raise NetworkError(f"a group's name is a word without / * $ ? # or blanks, not {group!r}")
        self._group = group
        self._config = self._zenoh.Config()
        if listen is not None or connect is not None:
            self._config.insert_json5("scouting/multicast/enabled", "false")
        for key, endpoint in (("listen/endpoints", listen), ("connect/endpoints", connect)):
            if endpoint is not None:
                self._config.insert_json5(key, f'["{endpoint}"]')

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Declare the own token and tell of each other one."""
        loop = asyncio.get_running_loop()
        seen: asyncio.Queue[str] = asyncio.Queue()

        def token_seen(sample: Any) -> None:  # in a thread of Zenoh's
            if sample.kind == self._zenoh.SampleKind.PUT:
                loop.call_soon_threadsafe(seen.put_nowait, str(sample.key_expr))

        try:
            session = await asyncio.to_thread(self._zenoh.open, self._config)
        except self._zenoh.ZError as error:
            raise NetworkError(f"Zenoh cannot be opened for node {address}: {error}") from error
        liveliness = session.liveliness()
        token = liveliness.declare_token(f"{self._group}/{address}/{place[0]}/{place[1]}")
        listener = liveliness.declare_subscriber(f"{self._group}/*/*/*", token_seen, history=True)
        try:
            while True:
                match (await seen.get()).split("/"):
                    case [_, other, host, port] if other.isdecimal() and port.isdecimal():
                        if int(other) != address:
                            await found(int(other), (host, int(port)))
        finally:
            listener.undeclare()
            token.undeclare()
            await asyncio.to_thread(session.close)


def _zenoh() -> Any:
    with needing("zenoh"):
        return importlib.import_module("zenoh")
