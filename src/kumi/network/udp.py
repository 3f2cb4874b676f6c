"""A real network over UDP: a fair-loss link between processes.

Each message is one datagram. It may be lost, come twice or out of order, as on the wire itself. A datagram is
taken only from the host and port where the node that it names is known to be.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

from kumi.contract.messages import Address
from kumi.kernel import Simulation
from kumi.network.errors import NetworkError
from kumi.network.real import HEAD, Place, RealNetwork, Recorder, numeric

LARGEST_DATAGRAM = 65_507
AT_ONCE = 512
"""How many datagrams are read before the rest of the program has its turn."""
BUFFER = 1 << 20
"""Bytes that the system is asked to keep for this node."""


class UdpNetwork(RealNetwork):
    """Sends each message as a datagram. Nothing is repeated: put `Acknowledged` on top."""

    limit = LARGEST_DATAGRAM - HEAD.size

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
        if not 0 < self.limit <= UdpNetwork.limit:
            raise NetworkError(
                f"a datagram has room for {UdpNetwork.limit} bytes of a message, not {self.limit}"
            )
        self._socket: socket.socket | None = None
        self._family = 0
        self._places: dict[Address, Place] = {}
        self._who_is_at: dict[Place, Address] = {}

    @property
    def place(self) -> Place:
        """Where this process listens; known once the network is open."""
        if self._socket is None:
            raise NetworkError("the network is not open; use it in an `async with` block")
        host, port = self._socket.getsockname()[:2]
        return host, port

    async def _open(self, home: Place) -> None:
        self._family, here = await numeric(home, kind=socket.SOCK_DGRAM)
        opened = self._socket = socket.socket(self._family, socket.SOCK_DGRAM)
        opened.setblocking(False)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        try:
            opened.bind(here)
        except OSError as error:
            raise NetworkError(f"port {here[1]} of {here[0]} cannot be used: {error}") from error
        assert self._loop is not None
        self._loop.add_reader(opened, self._read, opened)

    async def _meet(self, address: Address, place: Place) -> None:
        _, numbers = await numeric(place, kind=socket.SOCK_DGRAM, family=self._family)
        before = self._places.get(address)
        if before is not None and self._who_is_at.get(before) == address:
            del self._who_is_at[before]
        self._places[address] = numbers
        self._who_is_at[numbers] = address

    async def _close(self) -> None:
        opened, self._socket = self._socket, None
        if opened is not None:
            asyncio.get_running_loop().remove_reader(opened)
            opened.close()

    def _transmit(self, to: Address, frame: bytes) -> str | None:
        place = self._places.get(to)
        if self._socket is None:
            return "the network is closed"
        if place is None:
            return f"node {to} has not been found"
        try:
            self._socket.sendto(frame, place)
        except BlockingIOError:
            return "the system takes no more datagrams now"
        except OSError as error:
            return f"to node {to}: {error.strerror or error}"
        return None

    def _read(self, opened: socket.socket) -> None:
        """Take what came, up to a number; the rest stays with the system until the next turn."""
        for _ in range(AT_ONCE):
            try:
                data, source = opened.recvfrom(LARGEST_DATAGRAM + 1)
            except BlockingIOError:
                return
            except OSError as error:  # such as an earlier datagram that nobody took
                self.complain("the system reported an error", str(error))
                continue
            sender = self._who_is_at.get(source[:2])
            if sender is None:
                self.complain(
                    "from nobody on the list", f"{len(data)} bytes came from {source[0]}:{source[1]}"
                )
            else:
                self._arrived(sender, data)
