"""How do messages travel over UDP, a fair-loss link between processes, also those larger than a datagram?

Each message is one datagram, or, if it is too large for that, several pieces. It may be lost, come
twice or out of order, as on the wire itself. A datagram is taken only from the host and port where the node that it
names is known to be.

Pieces leave at a pace, so that they do not fill the buffer of the receiver faster than it reads; datagrams of other
messages go between them.

A large message goes as numbered pieces, each small enough for one packet of any usual network. Every piece names the message by its
length and a digest of its bytes, so pieces need no order, and those of a message that is sent again, which are
the same, fill the gaps that the first ones left. A message of which a piece is missing does not arrive.

Nothing that comes is trusted: of each peer only so many messages and bytes wait for their missing pieces, and none
for longer than `UNFINISHED_FOR` seconds after the last piece of it came; then they are dropped, and that is told.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network.errors import Malformed, NetworkError, TooLarge
from kumi.network.inbox import RawMessage
from kumi.network.real import CLOSED, MESSAGE_HEAD, BorderRecorder, Place, RealNetwork, framed, numeric
from kumi.network.wire import MOST_WIRE_BYTES

LARGEST_DATAGRAM = 65_507
MOST_WHOLE_BYTES = LARGEST_DATAGRAM - MESSAGE_HEAD.size
"""Bytes of a message that goes as one datagram; a larger one goes in pieces."""
BURST, PAUSE = 14, 0.001
"""How many pieces leave at once, and seconds from one burst to the next: some 16 MB a second."""
MOST_BYTES = 1 << 22
"""How many bytes of pieces wait for a peer at most, beyond the first message."""
FULL = "the system takes no more datagrams now"
DATAGRAMS_PER_TURN = 512
"""How many datagrams are read before the rest of the program has its turn."""
BUFFER = 1 << 20
"""Bytes that the system is asked to keep for this node."""


class UdpNetwork(RealNetwork):
    """Sends each message as a datagram, or in pieces. Nothing is repeated: put `Acknowledged` on top."""

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
        self._socket: socket.socket | None = None
        self._family = 0
        self._places: dict[Address, Place] = {}
        self._who_is_at: dict[Place, Address] = {}
        self._outgoing: deque[OutgoingFragments] = (
            deque()
        )  # larger messages, of which the next pieces leave in turn
        self._waiting: Counter[Address] = Counter()  # their bytes, by receiver
        self._is_sending = False
        self._unfinished: dict[Address, UnfinishedMessages] = {}
        self._sweep: asyncio.TimerHandle | None = None

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
        if self._sweep is not None:
            self._sweep.cancel()
        while self._outgoing:
            self._outgoing.popleft()
            self.count_drop(CLOSED)
        self._waiting.clear()
        self._unfinished.clear()
        self._is_sending = False

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        if self._socket is None or self._loop is None:
            return CLOSED
        if to not in self._places:
            return f"node {to} has not been found"
        if len(data) <= MOST_WHOLE_BYTES:
            return self._put(to, framed(sender, to, data))
        if self._waiting[to] >= MOST_BYTES:
            return f"too much waits for node {to}"
        self._waiting[to] += len(data)
        self._outgoing.append(OutgoingFragments(sender, to, data))
        if not self._is_sending:
            self._is_sending = True
            self.start(self._send_pieces())
        return None

    def _put(self, to: Address, datagram: bytes) -> str | None:
        assert self._socket is not None
        try:
            self._socket.sendto(datagram, self._places[to])
        except BlockingIOError:
            return FULL
        except OSError as error:
            return f"to node {to}: {error.strerror or error}"
        return None

    async def _send_pieces(self) -> None:
        """Send pieces of all that waits, in turn, until nothing does."""
        while self._outgoing:
            going = self._outgoing.popleft()
            if self._send_burst(going):
                self._outgoing.append(going)
            else:
                self._waiting[going.to] -= going.size
            await asyncio.sleep(PAUSE)
        self._is_sending = False

    def _send_burst(self, going: OutgoingFragments) -> bool:
        """Send the next pieces of a message; False if that was all, or it cannot go on."""
        for _ in range(BURST):
            reason = self._put(going.to, going.datagram)
            if reason == FULL:
                return True
            if reason is not None:
                self.count_drop(reason)
                return False
            going.datagram = next(going.datagrams, b"")
            if not going.datagram:
                return False
        return True

    def _read(self, opened: socket.socket) -> None:
        """Take what came, up to a number; the rest stays with the system until the next turn."""
        for _ in range(DATAGRAMS_PER_TURN):
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
            elif data.startswith(PIECE_MARK):
                self._take_piece(sender, data)
            else:
                self._arrived(sender, data)

    def _take_piece(self, sender: Address, datagram: bytes) -> None:
        """Keep a piece of a message until all of it is there, or it is too late."""
        assert self._loop is not None
        try:
            piece = read_piece(datagram, self.limit)
            if not self._may_come(sender, piece.sender, piece.to):
                return
            unfinished = self._unfinished.setdefault(sender, UnfinishedMessages(2 * self.limit))
            message = unfinished.put(piece, self._loop.time())
        except (Malformed, TooLarge) as error:
            self.refuse(sender, error)
            return
        if message is not None:
            self._let_wait(RawMessage(piece.sender, piece.to, message))
            return
        self._drop_unfinished(sender)
        if self._sweep is None:
            self._sweep = self._loop.call_later(UNFINISHED_FOR, self._drop_all_unfinished)

    def _drop_unfinished(self, sender: Address) -> None:
        """Drop messages of a node whose other pieces did not come."""
        assert self._loop is not None
        for _ in range(self._unfinished[sender].drop_old(self._loop.time())):
            self.count_drop(f"pieces of a message from node {sender} did not come")

    def _drop_all_unfinished(self) -> None:
        """Do so for all nodes, and look again later if there is more."""
        assert self._loop is not None
        for sender in self._unfinished:
            self._drop_unfinished(sender)
        is_more = any(self._unfinished.values())
        self._sweep = self._loop.call_later(UNFINISHED_FOR, self._drop_all_unfinished) if is_more else None


class OutgoingFragments:
    """A message that leaves in pieces: to whom, how many bytes it has, the next datagram and those after it."""

    def __init__(self, sender: Address, to: Address, data: bytes) -> None:
        self.to = to
        self.size = len(data)
        self.datagrams = cut_message(sender, to, data)
        self.datagram = next(self.datagrams)


PIECE_MARK = b"kp"
PIECE_HEAD = struct.Struct("!2sII16sIH")
"""What goes before each piece: a mark, sender, receiver, the digest of the message, its length, and which piece."""
FRAGMENT_BYTES = 1200 - PIECE_HEAD.size
"""Bytes of a message in one piece, so that a datagram takes 1,200."""
MOST_MESSAGES = 16
"""How many messages of one peer wait for missing pieces."""
UNFINISHED_FOR = 30.0
"""Seconds that a message waits for its next piece."""


class Fragment(NamedTuple):
    """A part of a message, and which one of which message."""

    sender: Address
    to: Address
    digest: bytes
    length: int
    number: int
    data: bytes


def digest_of(message: bytes) -> bytes:
    """Return the name that the pieces of a message have in common."""
    return blake2b(message, digest_size=16).digest()


def cut_message(sender: Address, to: Address, message: bytes) -> Iterator[bytes]:
    """Cut a message into datagrams."""
    digest, length = digest_of(message), len(message)
    for number, start in enumerate(range(0, length, FRAGMENT_BYTES)):
        yield (
            PIECE_HEAD.pack(PIECE_MARK, sender, to, digest, length, number)
            + message[start : start + FRAGMENT_BYTES]
        )


def read_piece(datagram: bytes, limit: int) -> Fragment:
    """Read a piece of a message that takes at most `limit` bytes; raises Malformed or TooLarge."""
    if len(datagram) <= PIECE_HEAD.size:
        raise Malformed(f"{len(datagram)} bytes are no piece of a message")
    _, sender, to, digest, length, number = PIECE_HEAD.unpack_from(datagram)
    if length > limit:
        raise TooLarge(f"a piece of a message of {length} bytes came; at most {limit} are read")
    size, expected = len(datagram) - PIECE_HEAD.size, min(FRAGMENT_BYTES, length - number * FRAGMENT_BYTES)
    if size != expected:
        raise Malformed(
            f"piece {number} of a message of {length} bytes has {size} bytes, which cannot be right"
        )
    return Fragment(sender, to, digest, length, number, datagram[PIECE_HEAD.size :])


class UnfinishedMessages:
    """The messages of one peer that wait for missing pieces, those that were added to last at the end."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._parts: dict[tuple[Address, Address, bytes, int], dict[int, bytes]] = {}
        self._touched: dict[tuple[Address, Address, bytes, int], float] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._parts)

    def put(self, piece: Fragment, now: float) -> bytes | None:
        """Take a piece; return the message if it was the last one. Raises Malformed if the pieces do not fit."""
        which = piece.sender, piece.to, piece.digest, piece.length
        parts = self._parts.setdefault(which, {})
        if piece.number not in parts:
            parts[piece.number] = piece.data
            self._size += len(piece.data)
        self._touched.pop(which, None)
        self._touched[which] = now
        if len(parts) * FRAGMENT_BYTES < piece.length:
            return None
        self._drop(which)
        message = b"".join(parts[number] for number in range(len(parts)))
        if digest_of(message) != piece.digest:
            raise Malformed(f"the pieces of a message of {piece.length} bytes do not fit each other")
        return message

    def drop_old(self, now: float) -> int:
        """Drop what waits for too long and what is too much, the oldest first; return how many messages."""
        dropped = 0
        for which, touched in tuple(self._touched.items()):
            is_much = len(self._parts) > MOST_MESSAGES or self._size > self._most_bytes
            if not is_much and now - touched < UNFINISHED_FOR:
                break
            self._drop(which)
            dropped += 1
        return dropped

    def _drop(self, which: tuple[Address, Address, bytes, int]) -> None:
        del self._touched[which]
        self._size -= sum(map(len, self._parts.pop(which).values()))
