"""A real network over TCP: in order between two processes, until a connection breaks.

Each process opens a connection to each of its peers and sends on it; it receives on those that the peers open, and
says there how many frames it took. A broken connection is opened again, at first at once and then less and less
often. What was under way when it broke is lost, and counted; see `outgoing`. So the network is not reliable: perfect
links with numbers and acknowledgements go on top.

A connection begins with a greeting that names a node, and is taken only from the host where that node is known
to be. The port says nothing, so whoever can open connections from that host can pass for the node.

A peer that sends faster than this node takes is not read until there is room; its own queue fills then, and what
finds no room there is dropped and counted.

A network that is closed sends what waits, closes its ends of the connections, and hears what its peers took; it tells
them what it took of theirs, and takes no more. Peers that do not answer within `LINGER` seconds are left, and what is
under way to them counts as lost.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network.errors import NetworkError
from kumi.network.framing import FrameTooLong, as_frame, next_frame
from kumi.network.outgoing import TAKEN, OutgoingFrames
from kumi.network.real import CLOSED, MESSAGE_HEAD, BorderRecorder, Place, RealNetwork, framed, numeric
from kumi.network.wire import MOST_WIRE_BYTES

GREETING = struct.Struct("!6sHIQ")
"""A mark, the version, the address of who greets, and the number of its session."""
HELLO, VERSION = b"kumi-t", 2

FIRST_PAUSE, LAST_PAUSE = 0.05, 2.0
"""Seconds from one try to connect to the next; each is twice the one before."""
CONNECTING_TIMEOUT = 5.0
"""Seconds that a connection and a greeting may take."""
STRANGERS = 64
"""How many connections may be without a greeting at a time."""
LINGER = 2.0
"""Seconds that a network which is closed waits for its peers to say what they took."""


@dataclass(slots=True)
class PeerSession:
    """The frames that were taken of one life of a peer, over all its connections."""

    number: int
    taken: int = 0


class TcpNetwork(RealNetwork):
    """Keeps a connection to each peer. Put `Acknowledged` on top, for what is lost when one breaks."""

    is_in_order = True
    limit = MOST_WIRE_BYTES

    def __init__(
        self,
        simulation: Simulation,
        peers: Mapping[Address, Place | None],
        *,
        limit: int | None = None,
        recorder: BorderRecorder | None = None,
        name: str = "network",
    ) -> None:
        super().__init__(simulation, peers, limit=limit, recorder=recorder, name=name)
        self.connections = 0  # how many were opened to peers so far
        self.strangers = 0
        self._server: asyncio.Server | None = None
        self._family = 0
        self._hosts: dict[Address, str] = {}
        self._session = int.from_bytes(os.urandom(8))
        self._sessions: dict[Address, PeerSession] = {}  # those of the peers
        self._outgoing: dict[Address, OutgoingFrames] = {}  # nodes at one place have one in common
        self._keepers: dict[asyncio.Task[None], OutgoingFrames] = {}
        self._is_finishing = False
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
        self._direct(address, numbers)
        early = self._early.pop(address, None)
        if early is not None:
            early.judge(address)

    def _direct(self, address: Address, place: Place) -> None:
        """Let what is sent to a node go to a place, with what goes there already."""
        before = self._outgoing.get(address)
        users = [other for other, outgoing in self._outgoing.items() if outgoing is before]
        there = next((outgoing for outgoing in self._outgoing.values() if outgoing.place == place), None)
        if there is None and before is not None and users == [address]:
            before.place = place  # it has moved, and what waits for it goes after it
            return
        if there is None:
            there = OutgoingFrames(place, partial(self._lost, address))
            self._keepers[self._started(self._keep_connected(address, there))] = there
        self._outgoing[address] = there
        if before is not None and before is not there and users == [address]:
            before.finish()

    def _lost(self, address: Address, frames: int) -> None:
        self.count_drop(f"lost with the connection to node {address}", frames)

    async def _finish(self) -> None:
        """Send what waits, and learn and tell what became of the last frames."""
        self._is_finishing = True
        if self._server is not None:
            self._server.close()
        for incoming in tuple(self._open_ones):
            incoming.finish()
        for outgoing in self._keepers.values():
            outgoing.finish()
        ends = {*self._keepers, *(incoming.closed for incoming in self._open_ones)}
        if ends:
            await asyncio.wait(ends, timeout=LINGER)

    async def _close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for one in tuple(self._open_ones):
            one.close()
        if server is not None:
            await server.wait_closed()
        await asyncio.sleep(0)  # the connections end in the next turn of the loop
        for outgoing in self._keepers.values():
            self.count_drop(CLOSED, outgoing.give_up())

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        outgoing = self._outgoing.get(to)
        if self._server is None or self._is_finishing:
            return CLOSED
        if outgoing is None:
            return f"node {to} has not been found"
        if not outgoing.put(as_frame(framed(sender, to, data))):
            return f"too much waits for node {to}"
        return None

    async def _keep_connected(self, address: Address, outgoing: OutgoingFrames) -> None:
        """Connect, send what waits, and begin again when the connection breaks."""
        loop = asyncio.get_running_loop()
        greeting = GREETING.pack(HELLO, VERSION, min(self._receivers), self._session)
        pause = FIRST_PAUSE / 2.0
        while not outgoing.is_over:
            begun = loop.time()
            try:
                async with asyncio.timeout(CONNECTING_TIMEOUT):
                    reader, writer = await asyncio.open_connection(*outgoing.place, family=self._family)
            except OSError as error:  # a TimeoutError, too
                self.complaints[f"no connection to node {address}"] = str(error) or "no answer"
                if outgoing.is_finishing:
                    return
            else:
                self.connections += 1
                try:
                    await outgoing.serve(reader, writer, greeting)
                except OSError as error:
                    self.complaints[f"no connection to node {address}"] = str(error)
                finally:
                    writer.transport.abort()
            pause = FIRST_PAUSE if loop.time() - begun > LAST_PAUSE else min(2.0 * pause, LAST_PAUSE)
            await outgoing.rest(pause, FIRST_PAUSE)

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

    def session(self, address: Address, number: int) -> PeerSession:
        """Return how much was taken of a peer; one that begins a new session begins to count anew."""
        known = self._sessions.get(address)
        if known is None or known.number != number:
            known = self._sessions[address] = PeerSession(number)
        return known

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


class Incoming(asyncio.Protocol):
    """A connection that a peer opened: bytes cut into frames."""

    def __init__(self, network: TcpNetwork) -> None:
        self._network = network
        self._buffer = bytearray()
        self._claimed: Address | None = None
        self._number = 0  # of the session
        self._session: PeerSession | None = None  # from the welcome on
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._is_counted = False
        self._is_over = False
        self.host = ""
        self.is_held = False
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a greeting, but not for long."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.host = (transport.get_extra_info("peername") or [""])[0]  # it may be closed again already
        self._is_counted = self._network.came(self)
        if not self._is_counted:
            transport.abort()
            return
        self._deadline = asyncio.get_running_loop().call_later(CONNECTING_TIMEOUT, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it, with the frame that came in part."""
        self._count_no_more()
        self._is_over = True
        self._buffer.clear()
        self._network.gone(self, self._claimed)
        if not self.closed.done():
            self.closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Cut what came into frames."""
        if self._is_over:
            return
        self._buffer += data
        if self._claimed is None:
            self._greet()
        if self._cut():
            self._tell_taken()

    def eof_received(self) -> None:
        """Say the last word; the connection is closed then."""
        if self._session is not None and not self._is_over:
            self._tell_taken(is_last=True)

    def _greet(self) -> None:
        is_greeting = HELLO.startswith(self._buffer[: len(HELLO)])
        if is_greeting and len(self._buffer) < GREETING.size:
            return
        _, version, address, self._number = GREETING.unpack(
            self._buffer[: GREETING.size].ljust(GREETING.size)
        )
        del self._buffer[: GREETING.size]
        if not is_greeting or version != VERSION:
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
                self._session = self._network.session(address, self._number)
                self._count_no_more()
                self._tell_taken()  # before anything of this connection is
                self.go_on()
            case False:
                self.close()
            case None:
                self.is_held = True
                self._transport.pause_reading()

    def _cut(self) -> int:
        """Take the frames that are whole; return how many."""
        buffer, network, session, sender = self._buffer, self._network, self._session, self._claimed
        if session is None or sender is None:
            return 0
        before = session.taken
        while not self.is_held:
            try:
                frame = next_frame(buffer, network.limit + MESSAGE_HEAD.size)
            except FrameTooLong as error:
                session.taken += 1  # so that it is counted here alone
                network.complain(
                    f"too large a message from node {sender}",
                    f"a frame of {error.length} bytes was announced; at most {network.limit} are read",
                )
                self.finish()
                return 0
            if frame is None:
                break
            session.taken += 1
            if not network.framed(sender, frame):
                self.is_held = True
                assert self._transport is not None
                self._transport.pause_reading()
        return session.taken - before

    def _tell_taken(self, *, is_last: bool = False) -> None:
        """Say how many frames were taken in all; a peer that does not read it hears the next word only."""
        assert self._transport is not None
        assert self._session is not None
        if not self._transport.is_closing() and (is_last or not self._transport.get_write_buffer_size()):
            self._transport.write(TAKEN.pack(self._session.taken))

    def go_on(self) -> None:
        """Read again: there is room."""
        self.is_held = False
        assert self._transport is not None
        if self._cut():
            self._tell_taken()
        if not self.is_held and not self._transport.is_closing():
            self._transport.resume_reading()

    def finish(self) -> None:
        """Take no more, and say the last word.

        What still comes is read and thrown away: to close with something unread would send a reset, which could
        overtake the word.
        """
        if self._session is None:
            self.close()
        elif not self._is_over:
            self._is_over = True
            self._buffer.clear()
            assert self._transport is not None
            self._tell_taken(is_last=True)
            if not self._transport.is_closing():
                with suppress(OSError):  # the other end may be gone already
                    self._transport.write_eof()
                self._transport.resume_reading()
                self._deadline = asyncio.get_running_loop().call_later(LINGER, self._transport.abort)

    def close(self) -> None:
        """End the connection at once."""
        self._is_over = True
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()

    def _count_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self._is_counted:
            self._is_counted = False
            self._network.strangers -= 1
