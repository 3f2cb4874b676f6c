"""How a robot talks to others: what to send, and what was received.

A radio is the top layer of a stack. What it sends goes down through the layers to the network, and what
arrives comes up through the same layers at the other robots. Whatever the layers promise, such as one order
for all, holds for the radio's messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from kumi.contract.messages import Address, Message
from kumi.devs import Signal
from kumi.network import TooLarge, encoded_size
from kumi.protocols import Broadcast, Layer, Links, Stack
from kumi.protocols.layer import LAYER_BYTES

MOST_UNREAD = 1024
"""How many messages that nobody has read yet a radio keeps; when there are more, the oldest are dropped."""

Report: TypeAlias = Callable[[str, Message, tuple[Address, ...]], object]

M = TypeVar("M", bound=Message)
L = TypeVar("L", bound=Layer[*tuple[Any, ...]])


@dataclass(frozen=True, slots=True)
class Reception(Generic[M]):
    """A message as it was received.

    `rssi` is the power in dBm of the frame that brought it; None where no radio model says so, and where a layer
    had kept the message and gave it later by a timer.
    """

    message: M
    sender: Address
    rssi: float | None


class Radio(Layer[()]):
    """A robot's radio.

    A message goes to everyone who goes through `messages` or `receptions` of its type at that moment, and to one
    who waits in `receive`, the first who came. One that nobody listens for is kept until `receive` asks for it.
    """

    links: Links
    channel: Broadcast | None

    def __init__(self) -> None:
        self._signals: dict[type[Message], Signal[tuple[Message, Address]]] = {}
        self._receptions: dict[type[Message], Signal[Reception[Any]]] = {}
        self._unread: deque[tuple[Message, Address]] = deque()
        self._waiting: dict[Signal[Any], type[Message]] = {}
        self._told: dict[type, Signal[Any]] = {}
        self._stack: Stack | None = None
        self._report: Report | None = None
        self._casts_by_links = False

    def begin(self) -> None:
        """Listen to the layers below."""
        self.links.listen(self._take)
        above: object = self.links
        if self.channel is not None and self.channel is not above:
            self.channel.listen(self._take)
        for kind, signal in self._told.items():
            self._listen_to(kind, signal)

    def attach(self, stack: Stack, report: Report | None = None) -> None:
        """Learn of the stack whose top it is, and of who wants to know what is sent ("s") and received ("r")."""
        self._stack = stack
        self._report = report
        kinds = [layer for layer in stack.layers if layer is not self]
        self._casts_by_links = any(isinstance(layer, Links) for layer in kinds) and not any(
            isinstance(layer, Broadcast) for layer in kinds
        )
        for need in ("links", "channel"):
            self.__dict__.pop(need, None)  # of the life before a crash

    @property
    def address(self) -> Address:
        """This robot's own address, which is its number."""
        return self.node.address

    @property
    def group(self) -> tuple[Address, ...]:
        """The addresses of all robots, its own included."""
        return self.node.group

    @property
    def others(self) -> Sequence[Address]:
        """The addresses of all robots but itself, in order."""
        return self.node.others

    async def send(self, message: Message, to: Address | Iterable[Address]) -> None:
        """Send to one robot, or to several; waits while too much is under way to robots that answer."""
        several = as_receivers(to)
        self._check(message)
        await self.node.room.wait()
        if self._report is not None:
            self._report("s", message, several)
        if isinstance(to, int):
            self.links.send(message, to)
        else:
            self.links.multicast(message, several)

    async def broadcast(self, message: Message) -> None:
        """Send to all; waits as `send` does.

        A layer of broadcast delivers to the sender, too. Without one it goes over the layers of links to each
        other robot, and on the bare network to all who can hear it.
        """
        assert self.channel is not None
        self._check(message)
        await self.node.room.wait()
        if self._report is not None:
            self._report("s", message, ())
        if self._casts_by_links:
            self.links.multicast(message, self.others)
        else:
            self.channel.broadcast(message)

    def messages(self, kind: type[M]) -> Signal[tuple[M, Address]]:
        """Return the signal that fires with each message of a type, and its sender."""
        signal: Any = self._signals.get(kind)
        if signal is None:
            check_kind(kind)
            signal = self._signals[kind] = Signal(f"messages of type {kind.__name__}")
        return signal  # type: ignore[no-any-return]

    def receptions(self, kind: type[M]) -> Signal[Reception[M]]:
        """Return the signal that fires with each message of a type, its sender, and the power of its frame."""
        signal: Any = self._receptions.get(kind)
        if signal is None:
            check_kind(kind)
            signal = self._receptions[kind] = Signal(f"receptions of type {kind.__name__}")
        return signal  # type: ignore[no-any-return]

    async def receive(self, kind: type[M]) -> tuple[M, Address]:
        """Return the oldest unread message of a type and its sender, or wait for the next.

        Of several who wait, the first gets the next message, the second the one after it, and so on.
        """
        check_kind(kind)
        for number, (message, sender) in enumerate(self._unread):
            if isinstance(message, kind):
                del self._unread[number]
                return message, sender
        came: Signal[tuple[M, Address]] = Signal(f"message of type {kind.__name__}", once=True)
        self._waiting[came] = kind
        try:
            return await came.next()
        finally:
            self._waiting.pop(came, None)

    def __getitem__(self, kind: type[L]) -> L:
        """Return the topmost layer below that offers something, such as `robot.radio[EventualLeader]`."""
        assert self._stack is not None
        return self._stack[kind]

    def _check(self, message: Message) -> None:
        """Refuse what cannot be sent, or is too large, before a layer counts on it."""
        self.node.network.as_message(message)
        limit = self.node.network.limit
        if limit is None or self._stack is None or len(self._stack.layers) == 1:
            return
        size = encoded_size(message)
        if size > limit - LAYER_BYTES:
            raise TooLarge(
                f"a {type(message).__qualname__} takes {size} bytes; the network takes {limit}, of which the "
                f"layers need up to {LAYER_BYTES}"
            )

    def told(self, kind: type[Layer[*tuple[Any, ...]]]) -> Signal[Any]:
        """Return the signal that fires with what a layer below tells, such as `radio.told(EventualLeader)`.

        A layer that tells several things at once fires with a tuple of them.
        """
        signal = self._told.get(kind)
        if signal is None:
            signal = self._told[kind] = Signal(f"what {kind.__name__} tells")
            self._listen_to(kind, signal)
        return signal

    def _listen_to(self, kind: type[Layer[*tuple[Any, ...]]], signal: Signal[Any]) -> None:
        self[kind].listen(lambda *event: signal.fire(event[0] if len(event) == 1 else event))

    def _take(self, message: Message, sender: Address) -> None:
        if self._report is not None:
            self._report("r", message, (sender,))
        is_heard = False
        for kind, signal in self._signals.items():
            if isinstance(message, kind) and signal.listeners:
                is_heard = True
                signal.fire((message, sender))
        for kind, receptions in self._receptions.items():
            if isinstance(message, kind) and receptions.listeners:
                is_heard = True
                receptions.fire(Reception(message, sender, self.node.rssi))
        for came, kind in self._waiting.items():
            if isinstance(message, kind):
                del self._waiting[came]
                came.fire((message, sender))
                return
        if is_heard:
            return
        self._unread.append((message, sender))
        if len(self._unread) > MOST_UNREAD:
            self._unread.popleft()
            self.node.network.count_drop("never read by the program")


def check_kind(kind: object) -> None:
    """Refuse what is no class of messages."""
    if not (isinstance(kind, type) and issubclass(kind, Message)):
        raise TypeError(f"a radio gives the messages of a class that is a Message, not of {kind!r}")


def as_receivers(to: object) -> tuple[Address, ...]:
    """Return the robots that a message goes to."""
    several = tuple(to) if isinstance(to, Iterable) else (to,)
    if not all(type(address) is int for address in several):
        raise TypeError(f"a message goes to the number of a robot, or to several, not to {to!r}")
    return several
