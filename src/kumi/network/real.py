"""What real networks have in common: peers with places, packets in and out, and what is done about bad ones.

A real run is the same kernel paced at 1: programs, timers and nodes are those of the simulation. Sending
writes the message for the wire and gives it to the socket, which takes it at once or drops it; nothing waits.
What comes waits in an `Inbox`, is brought into the run with the time at which it came, and is read there.
One instant takes at most `QUOTA` messages; then timers and sockets have their turn.

All that is dropped is counted in `dropped` under a reason, and `complaints` has the last sentence about each
reason. Reasons name peers, never contents, so a stranger cannot make the list grow.
"""

from __future__ import annotations

import asyncio
import struct
from abc import abstractmethod
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias

from kumi.contract.messages import Address, Message
from kumi.devs import NoRun, Simulation
from kumi.devs.ranks import MESSAGE_RANK, SOCKET_RANK
from kumi.network.checks import as_whole
from kumi.network.errors import Malformed, NetworkError, TooLarge, UnknownNode
from kumi.network.inbox import Inbox, RawMessage
from kumi.network.network import MessageDropped, MessageReceived, MessageSent, Network, Traffic, in_short
from kumi.network.wire import MOST_WIRE_BYTES, decode, encode

Place: TypeAlias = tuple[str, int]
"""A host, by name or number, and a port."""

QUOTA = 64
"""How many messages one instant takes."""

CLOSED = "the network is closed"
UNREAD = "not delivered before the network was closed"
"""Why what was sent, or what has come, is dropped at the end."""

MESSAGE_HEAD = struct.Struct("!2sII")
"""What goes before each message: a mark, the sender's address and the receiver's."""
MARK = b"k1"


def framed(sender: Address, to: Address, data: bytes) -> bytes:
    """Return a message as it goes over a wire."""
    return MESSAGE_HEAD.pack(MARK, sender, to) + data


class BorderRecorder(Protocol):
    """The recorder of what crosses the border of the run."""

    def came(self, planned: float, time: float, packets: list[RawMessage]) -> None:
        """Take down what is about to be delivered at `time`; it was planned when the run was at `planned`."""

    def went(self, time: float, packet: RawMessage) -> None:
        """Take down what was sent."""


class RealNetwork(Network):
    """Carries messages between processes. `peers` says where each node of the group is.

    None is a node that has yet to be found: see `meet`. Nodes that join here share one place. A message takes
    at most `limit` bytes. Use it in an `async with` block, which opens and closes its sockets.
    """

    limit: int

    def __init__(
        self,
        simulation: Simulation,
        peers: Mapping[Address, Place | None],
        *,
        limit: int | None = None,
        recorder: BorderRecorder | None = None,
        name: str = "network",
    ) -> None:
        super().__init__()
        if not isinstance(simulation, Simulation):
            raise TypeError(f"a real network takes a Simulation first, not {simulation!r}")
        self.simulation = simulation
        self.name = name
        self.complaints: dict[str, str] = {}
        self.recorder = recorder
        self.peers = as_peers(peers)
        if limit is not None:
            self.limit = as_whole(limit, "the limit of a message's size in bytes", 1)
        if self.limit > MOST_WIRE_BYTES:
            raise NetworkError(
                f"on a real network a message takes at most {MOST_WIRE_BYTES} bytes, not {self.limit}"
            )
        self._inbox = Inbox()
        self._is_asked = True  # what comes before the first instant is over waits, see __aenter__
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The whole group, in order, whether they are up or not."""
        return tuple(self.peers)

    def __contains__(self, address: object) -> bool:
        return address in self.peers

    @property
    def place(self) -> Place:
        """Where this process listens; known once the network is open."""
        raise NotImplementedError

    def join(self, address: Address, receiver: Any) -> None:
        """Take part under an address."""
        if address not in self.peers:
            raise UnknownNode(f"node {address} is not among the peers {self._who()}")
        super().join(address, receiver)

    def check_receiver(self, message: Message, to: Address) -> None:
        """Refuse a receiver that is not in the group."""
        if to not in self.peers:
            raise UnknownNode(f"there is no node {to!r} to receive {message!r}; there are {self._who()}")

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        try:
            await self._open(self._home())
            for address, place in self.peers.items():
                if place is not None and address not in self._receivers:
                    await self._meet(address, place)
        except BaseException:
            await self.close()
            raise
        simulation = self.simulation
        simulation.schedule(
            simulation.now, partial(self._loop.call_soon, self._ask_for_more), rank=SOCKET_RANK
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _home(self) -> Place:
        """Return where the nodes of this process listen, if the others are elsewhere."""
        homes = {self.peers[address] for address in self._receivers}
        if len(homes) != 1:
            raise NetworkError(
                f"the nodes of one process share one place, but {sorted(self._receivers)} have {len(homes)}"
            )
        home = homes.pop()
        for address, place in self.peers.items():
            if place is None or address in self._receivers:
                continue
            if place == home:
                own = min(self._receivers)
                raise NetworkError(
                    f"nodes {own} and {address} are both at port {place[1]} of {place[0]}, but node {address} is not "
                    "in this process; each process needs a port of its own"
                )
            if place[1] == 0:
                raise NetworkError(
                    f"node {address} has port 0, which stands for any free one, and nobody could find it there; "
                    "say its port, or None and let a discovery find it"
                )
        return home or ("127.0.0.1", 0)

    async def meet(self, address: Address, place: Place) -> None:
        """Learn where a node of the group is, for the first time or anew; a place that is none is counted."""
        if address not in self.peers:
            self.complain("a node that is not in the group was found", f"node {address} is at {place}")
        elif address not in self._receivers:
            try:
                self.peers[address] = as_place(place, address)
                await self._meet(address, place)
            except (TypeError, NetworkError) as error:
                self.complain(f"node {address} was found where it cannot be", str(error))

    async def close(self) -> None:
        """Close the sockets; what is sent from now on is dropped, and what waits to be delivered is counted."""
        try:
            await self._finish()
        finally:
            self._loop = None
            tasks = tuple(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._close()
            self.count_drop(UNREAD, self._inbox.clear())

    async def _finish(self) -> None:
        """Do what takes a while, before the sockets are closed."""

    @abstractmethod
    async def _open(self, home: Place) -> None:
        """Open the sockets."""

    @abstractmethod
    async def _meet(self, address: Address, place: Place) -> None:
        """Take note of a place."""

    @abstractmethod
    async def _close(self) -> None:
        """Close the sockets."""

    @abstractmethod
    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        """Give a message to the socket without waiting, or return why that is not possible."""

    def _went_on(self) -> None:
        """Tell that there is room in the inbox again."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the run until the network is closed; what it raises comes out of the run."""
        _ = self._started(work)  # kept until it ends

    def _started(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        assert self._loop is not None
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and self._loop is not None:
            self.simulation.bring(partial(_fail, error))

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one address."""
        message = self.as_message(message)
        self.check_receiver(message, to)
        self._send(sender, to, message, encode(message, self.limit))

    def multicast(self, sender: Address, to: Sequence[Address], message: Message) -> None:
        """Send a message to several addresses; it is written once."""
        message = self.as_message(message)
        for receiver in to:
            self.check_receiver(message, receiver)
        data = encode(message, self.limit)
        for receiver in to:
            self._send(sender, receiver, message, data)

    def _send(self, sender: Address, to: Address, message: Message, data: bytes) -> None:
        number, now = self.sent, self.simulation.now
        self.sent = number + 1
        self.simulation.record_sending(self.name, (number, sender, to, message))
        if self.recorder is not None:
            self.recorder.went(now, RawMessage(sender, to, data))
        if self._watchers:
            self._tell(MessageSent(now, number, sender, (to,), message))
        if to in self._receivers:
            self.simulation.schedule(now, partial(self._deliver, message, sender, to), rank=MESSAGE_RANK)
            return
        reason = self._transmit(sender, to, data)
        if reason is not None:
            self.count_drop(reason)
            if self._watchers:
                self._tell(MessageDropped(now, number, sender, to, message, reason))

    def complain(self, reason: str, sentence: str) -> None:
        """Count something bad from outside, and keep what was wrong about it."""
        self.count_drop(reason)
        self.complaints[reason] = sentence

    def refuse(self, sender: Address, error: Malformed | TooLarge) -> None:
        """Count something from a node that cannot be read."""
        kind = "malformed" if isinstance(error, Malformed) else "too large a message"
        self.complain(f"{kind} from node {sender}", str(error))

    def _arrived(self, sender: Address, frame: bytes) -> None:
        """Let a frame that came from where `sender` is wait for its turn."""
        if len(frame) < MESSAGE_HEAD.size or frame[:2] != MARK:
            self.complain(f"malformed from node {sender}", f"{len(frame)} bytes do not begin as a frame does")
            return
        _, claimed, to = MESSAGE_HEAD.unpack_from(frame)
        if self._may_come(sender, claimed, to):
            self._let_wait(RawMessage(claimed, to, frame[MESSAGE_HEAD.size :]))

    def _may_come(self, sender: Address, claimed: Address, to: Address) -> bool:
        """Judge the addresses that one who is where `sender` is wrote on something."""
        if self.peers.get(claimed) != self.peers[sender]:
            self.complain(f"forged by node {sender}", f"it wrote that node {claimed} is the sender")
            return False
        if to not in self._receivers:
            self.complain(f"misdirected by node {sender}", f"it wrote to node {to}, which is not here")
            return False
        return True

    def _let_wait(self, packet: RawMessage) -> None:
        if not self._inbox.put(packet):
            self.count_drop(f"node {packet.sender} sends faster than this node takes")
        elif not self._is_asked:
            self._ask()

    def _ask(self) -> None:
        """Ask for an instant in which to deliver.

        Only the asyncio loop calls this, so the run is between two instants, and a replay can be there, too.
        """
        self._is_asked = True
        self._inbox.end_round()
        with suppress(NoRun):  # the run is over, and the sockets are closed next
            self.simulation.bring(self._plan)

    def _ask_for_more(self) -> None:
        self._is_asked = False
        if self._inbox and self._loop is not None:
            self._ask()

    def _plan(self, time: float) -> None:
        self.simulation.schedule(time, partial(self._take, self.simulation.now), rank=MESSAGE_RANK)

    def _take(self, planned: float) -> None:
        """Deliver some of what waits; the sockets have their turn before the rest."""
        packets = self._inbox.take(QUOTA)
        self._went_on()
        if self._loop is not None:
            self._loop.call_soon(self._ask_for_more)
        self.deliver(planned, packets)

    def deliver(self, planned: float, packets: list[RawMessage]) -> None:
        """Read packets and give them to the nodes; what is malformed is counted."""
        read: list[tuple[RawMessage, Message]] = []
        for packet in packets:
            try:
                read.append((packet, decode(packet.data, self.limit)))
            except (Malformed, TooLarge) as error:
                self.refuse(packet.sender, error)
        if self.recorder is not None and read:
            self.recorder.came(planned, self.simulation.now, [packet for packet, _ in read])
        for packet, message in read:
            self._deliver(message, packet.sender, packet.to)

    def _deliver(self, message: Message, sender: Address, to: Address) -> None:
        receiver, now = self._receivers.get(to), self.simulation.now
        if receiver is None or not receiver.is_up:
            reason = "receiver gone" if receiver is None else "receiver down"
            self.count_drop(reason)
            if self._watchers:
                self._tell(MessageDropped(now, self.delivered, sender, to, message, reason))
            return
        self.delivered += 1
        if self._watchers:
            self._tell(MessageReceived(now, self.delivered - 1, sender, to, message))
        receiver.arrive(message, sender)

    def _tell(self, traffic: Traffic) -> None:
        for told in self._watchers:
            told(traffic)


def _fail(error: BaseException, _time: float) -> None:
    raise error


def as_peers(peers: object) -> dict[Address, Place | None]:
    """Return the nodes of a group with their places, in order of their addresses."""
    if not isinstance(peers, Mapping):
        raise TypeError(
            f'peers are addresses with their places, such as {{0: ("127.0.0.1", 7000), 1: None}}, not {in_short(peers)}'
        )
    for address in peers:
        if type(address) is not int or not 0 <= address < 1 << 32:
            raise NetworkError(f"an address on a real network is a whole number of 32 bits, not {address!r}")
    return {
        address: None if peers[address] is None else as_place(peers[address], address)
        for address in sorted(peers)
    }


def as_place(place: object, address: Address) -> Place:
    """Return the place of a node: a host, by name or number, and a port."""
    match place:
        case (str(host), int(port)) if isinstance(place, tuple) and not isinstance(port, bool) and host:
            if not 0 <= port < 1 << 16:
                raise NetworkError(f"node {address} has port {port}, but ports go from 1 to 65535")
            return host, port
    raise TypeError(
        f'the place of node {address} is a host and a port, such as ("127.0.0.1", 7000), or None, not {place!r}'
    )


async def numeric(place: Place, *, kind: int, family: int = 0) -> tuple[int, Place]:
    """Look a host up; return the family of its address, and the place by number."""
    loop = asyncio.get_running_loop()
    host, port = place
    try:
        found: Iterable[Any] = await loop.getaddrinfo(host, port, type=kind, family=family)
    except (OSError, ValueError) as error:  # a ValueError where it cannot be a name at all
        raise NetworkError(f"there is no host {host!r} for the port {port}: {error}") from error
    for found_family, _, _, _, address in found:
        return found_family, (address[0], address[1])
    raise NetworkError(f"there is no host {host!r} for the port {port}")
