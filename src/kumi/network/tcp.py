"""A real network over TCP: in order between two processes, until a connection breaks.

Each process opens a connection to each of its peers and sends on it; it receives on those that the peers open.
A broken connection is opened again, at first at once and then less and less often. What was under way when it
broke is lost, so the network is not reliable: perfect links with numbers and acknowledgements go on top.

A connection begins with a greeting that names a node, and is taken only from the host where that node is known
to be. The port says nothing, so whoever can open connections from that host can pass for the node.

A peer that sends faster than this node takes is not read until there is room; its own queue fills then, and what
finds no room there is dropped and counted.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Mapping
from contextlib import suppress

from kumi.contract.messages import Address
from kumi.kernel import Simulation
from kumi.network.errors import NetworkError
from kumi.network.real import HEAD, Place, RealNetwork, Recorder, framed, numeric
from kumi.network.wire import LARGEST

GREETING = struct.Struct("!6sHI")
"""A mark, the version, and the address of who greets."""
HELLO, VERSION = b"kumi-t", 1
LENGTH = struct.Struct("!I")

MOST_FRAMES = 1024
"""How many messages wait for a peer at most."""
MOST_BYTES = 1 << 22
"""How many bytes wait for a peer at most, beyond the first message."""
FIRST_PAUSE, LAST_PAUSE = 0.05, 2.0
"""Seconds from one try to connect to the next; each is twice the one before."""
PATIENCE = 5.0
"""Seconds that a connection and a greeting may take."""
STRANGERS = 64
"""How many connections may be without a greeting at a time."""


class TcpNetwork(RealNetwork):
    """Keeps a connection to each peer. Put `Acknowledged` on top, for what is lost when one breaks."""

    is_in_order = True
    limit = LARGEST

    def __init__(
        self,
        simulation: Simulation,
        peers: Mapping[Address, Place | None],
        *,
        limit: int | None = None,
        recorder: Recorder | None = None,
        name: str = "network",
    ) -> None:
        super().__init__(simulation, peers, limit=limit, recorder=recorder, name=name)
        self.connections = 0  # how many were opened to peers so far
        self.strangers = 0
        self._server: asyncio.Server | None = None
        self._family = 0
        self._hosts: dict[Address, str] = {}
        self._outgoing: dict[Address, Outgoing] = {}
        self._incoming: dict[Address, Incoming] = {}
        self._early: dict[Address, Incoming] = {}  # connections of nodes that have yet to be found
        self._open_ones: set[Incoming] = set()

    @property
    def place(self) -> Place:
        """Where this process listens; known once the network is open."""
        if self._server is None:
            raise NetworkError("the network is not open; use it in an `async with` block")
        host, port = self._server.sockets[0].getsockname()[:2]
        return host, port

    async def _open(self, home: Place) -> None:
        self._family, (host, port) = await numeric(home, kind=socket.SOCK_STREAM)
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: Incoming(self), host, port, family=self._family)
        except OSError as error:
            raise NetworkError(f"port {port} of {host} cannot be used: {error}") from error

    async def _meet(self, address: Address, place: Place) -> None:
        _, numbers = await numeric(place, kind=socket.SOCK_STREAM, family=self._family)
        self._hosts[address] = numbers[0]
        known = self._outgoing.get(address)
        if known is None:
            known = self._outgoing[address] = Outgoing(numbers)
            self.start(self._keep_connected(address, known))
        known.place = numbers
        early = self._early.pop(address, None)
        if early is not None:
            early.judge(address)

    async def _close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for one in tuple(self._open_ones):
            one.close()
        if server is not None:
            await server.wait_closed()
        await asyncio.sleep(0)  # the connections end in the next turn of the loop

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        outgoing = self._outgoing.get(to)
        if self._server is None:
            return "the network is closed"
        if outgoing is None:
            return f"node {to} has not been found"
        if not outgoing.put(LENGTH.pack(HEAD.size + len(data)) + framed(sender, to, data)):
            return f"too much waits for node {to}"
        return None

    async def _keep_connected(self, address: Address, outgoing: Outgoing) -> None:
        """Connect, send what waits, and begin again when the connection breaks."""
        assert self._loop is not None
        own = min(self._receivers)
        pause = FIRST_PAUSE / 2.0
        while True:
            begun = self._loop.time()
            try:
                async with asyncio.timeout(PATIENCE):
                    reader, writer = await asyncio.open_connection(*outgoing.place, family=self._family)
            except OSError as error:  # a TimeoutError, too
                self.complaints[f"no connection to node {address}"] = str(error) or "no answer"
            else:
                self.connections += 1
                try:
                    await outgoing.serve(reader, writer, GREETING.pack(HELLO, VERSION, own))
                except OSError as error:
                    self.complaints[f"no connection to node {address}"] = str(error)
                finally:
                    writer.transport.abort()
            pause = FIRST_PAUSE if self._loop.time() - begun > LAST_PAUSE else min(2.0 * pause, LAST_PAUSE)
            await asyncio.sleep(pause)

    def _went_on(self) -> None:
        for address, incoming in self._incoming.items():
            if incoming.is_held and not self._inbox.is_full(address):
                incoming.go_on()

    def greeted(self, incoming: Incoming, address: Address) -> bool | None:
        """Judge a greeting: True is welcome, False is not, None is to wait until the node has been found.

        The newest connection of a peer replaces the one before.
        """
        if address in self.peers and address not in self._hosts and address not in self._receivers:
            self._replace(self._early, address, incoming)
            return None
        if self._hosts.get(address) != incoming.host:
            self.complain("from nobody on the list", f"{incoming.host} greeted as node {address}")
            return False
        self._replace(self._incoming, address, incoming)
        return True

    def _replace(self, group: dict[Address, Incoming], address: Address, incoming: Incoming) -> None:
        before = group.get(address)
        group[address] = incoming
        if before is not None:
            before.close()

    def came(self, incoming: Incoming) -> bool:
        """Count a new connection; False if too many have not greeted."""
        self._open_ones.add(incoming)
        if self.strangers >= STRANGERS:
            self.complain("too many connections without a greeting", f"{incoming.host} opened another one")
            return False
        self.strangers += 1
        return True

    def gone(self, incoming: Incoming, address: Address | None) -> None:
        """Forget a connection."""
        self._open_ones.discard(incoming)
        for group in (self._incoming, self._early):
            if address is not None and group.get(address) is incoming:
                del group[address]

    def framed(self, sender: Address, frame: bytes) -> bool:
        """Take a frame; False if no more of them should come now."""
        self._arrived(sender, frame)
        return not self._inbox.is_full(sender)


class Outgoing:
    """What waits for a peer."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._work = asyncio.Event()

    def put(self, frame: bytes) -> bool:
        """Let a frame wait; False if too much waits already."""
        if len(self._frames) >= MOST_FRAMES or self._size >= MOST_BYTES:
            return False
        self._frames.append(frame)
        self._size += len(frame)
        self._work.set()
        return True

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, greeting: bytes
    ) -> None:
        """Send what waits until the connection breaks."""
        notice_silence(writer)
        writer.write(greeting)
        closed = asyncio.ensure_future(reader.read(1))  # a peer says nothing here; it only closes
        try:
            while not closed.done():
                if self._frames:
                    batch = b"".join(self._frames)
                    self._frames.clear()
                    self._size = 0
                    writer.write(batch)
                    await writer.drain()
                    continue
                self._work.clear()
                work = asyncio.ensure_future(self._work.wait())
                try:
                    await asyncio.wait((closed, work), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    work.cancel()
        finally:
            closed.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await closed


class Incoming(asyncio.Protocol):
    """A connection that a peer opened: bytes cut into frames."""

    def __init__(self, network: TcpNetwork) -> None:
        self._network = network
        self._buffer = bytearray()
        self._claimed: Address | None = None
        self._sender: Address | None = None
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._is_counted = False
        self.host = ""
        self.is_held = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a greeting, but not for long."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.host = (transport.get_extra_info("peername") or [""])[0]  # it may be closed again already
        self._is_counted = self._network.came(self)
        if not self._is_counted:
            transport.abort()
            return
        self._deadline = asyncio.get_running_loop().call_later(PATIENCE, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._count_no_more()
        self._network.gone(self, self._claimed)

    def data_received(self, data: bytes) -> None:
        """Cut what came into frames."""
        self._buffer += data
        if self._claimed is None:
            self._greet()
        self._cut()

    def _greet(self) -> None:
        if len(self._buffer) < GREETING.size:
            return
        mark, version, address = GREETING.unpack_from(self._buffer)
        del self._buffer[: GREETING.size]
        if (mark, version) != (HELLO, VERSION):
            self._network.complain("from nobody on the list", f"{self.host} did not greet")
            self.close()
        else:
            self._claimed = address
            self.judge(address)

    def judge(self, address: Address) -> None:
        """Take the peer for the node it says it is, or do not, or read no more until that is known."""
        assert self._transport is not None
        match self._network.greeted(self, address):
            case True:
                self._sender = address
                self._count_no_more()
                self.go_on()
            case False:
                self.close()
            case None:
                self.is_held = True
                self._transport.pause_reading()

    def _cut(self) -> None:
        buffer, network, sender = self._buffer, self._network, self._sender
        while sender is not None and not self.is_held and len(buffer) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(buffer)
            if length > network.limit + HEAD.size:
                network.complain(
                    f"too large a message from node {sender}",
                    f"a frame of {length} bytes was announced; at most {network.limit} are read",
                )
                self.close()
                return
            end = LENGTH.size + length
            if len(buffer) < end:
                return
            frame = bytes(buffer[LENGTH.size : end])
            del buffer[:end]
            if not network.framed(sender, frame):
                self.is_held = True
                assert self._transport is not None
                self._transport.pause_reading()

    def go_on(self) -> None:
        """Read again: there is room."""
        self.is_held = False
        assert self._transport is not None
        self._cut()
        if not self.is_held and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """End the connection at once."""
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()

    def _count_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self._is_counted:
            self._is_counted = False
            self._network.strangers -= 1


def notice_silence(writer: asyncio.StreamWriter) -> None:
    """Have the system give a connection up when the other host is silent, where it can."""
    own = writer.get_extra_info("socket")
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", 5),
        ("TCP_KEEPINTVL", 2),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 10_000),
    ):
        if hasattr(socket, option):
            own.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
