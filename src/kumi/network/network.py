"""What all networks have in common: who is on them, what was sent, what arrived, and what was dropped why.

A network knows nothing of protocols. It takes a message at one address and gives it to another, or drops
it with a reason; both are counted. An observer of each message, such as a run file, watches it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kumi.contract.messages import Address, Message
from kumi.network.errors import NetworkError, NotAMessage, SameName, UnknownNode
from kumi.network.wire import accepting, fitted

MOST_CHARACTERS = 200
"""Characters of a value that an error shows."""


class Receiver(Protocol):
    """A participant of a network."""

    @property
    def is_up(self) -> bool:
        """Whether it can receive now."""

    def arrive(self, message: Message, sender: Address) -> None:
        """Take a message."""


@dataclass(frozen=True, slots=True)
class MessageSent:
    """A message was sent."""

    time: float
    number: int
    sender: Address
    receivers: tuple[Address, ...]
    message: Message


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """A message arrived; `number` is that of its sending, `rssi` the power in dBm where a radio says so."""

    time: float
    number: int
    sender: Address
    receiver: Address
    message: Message
    rssi: float | None = None


@dataclass(frozen=True, slots=True)
class MessageDropped:
    """A message did not arrive."""

    time: float
    number: int
    sender: Address
    receiver: Address
    message: Message
    reason: str


Traffic: TypeAlias = MessageSent | MessageReceived | MessageDropped


class Network:
    """Carries messages between addresses; subclasses say how."""

    is_reliable = False
    """Whether all that is sent between nodes that are up arrives, once."""
    is_in_order = False
    """Whether what arrives from one sender comes in the order it was sent."""
    limit: int | None = None
    """How many bytes a message may take at most; None: any number."""
    rssi: float | None = None
    """The power in dBm of the frame that is being delivered now; None where no radio says so."""

    def __init__(self) -> None:
        self.sent = 0
        self.delivered = 0
        self.dropped: Counter[str] = Counter()
        self._receivers: dict[Address, Receiver] = {}
        self._in_order: tuple[Address, ...] | None = ()
        self._watchers: list[Callable[[Traffic], object]] = []
        self._gone: set[Address] = set()  # what is sent to them is dropped
        self._group: tuple[Address, ...] = ()
        self._group_given: object = None  # what the last group was made of, if that cannot change

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses on the network, in order."""
        if self._in_order is None:
            self._in_order = tuple(sorted(self._receivers))
        return self._in_order

    def __contains__(self, address: object) -> bool:
        return address in self._receivers

    def join(self, address: Address, receiver: Receiver) -> None:
        """Take part under an address."""
        if address in self._receivers:
            raise NetworkError(f"there is a node {address} on the network already; addresses are unique")
        self._gone.discard(address)
        self._receivers[address] = receiver
        self._in_order = None

    def shared_group(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Return a group in order, one tuple for all nodes that name the same; a tuple is taken as it is.

        Nodes of a network nearly always name the same group one after the other, so the last one is kept.
        """
        given = self._group_given
        if addresses is given or (isinstance(addresses, range) and addresses == given):
            return self._group
        group = tuple(addresses)
        if group != self._group and not isinstance(addresses, tuple):
            group = tuple(sorted(set(group)))
        if group != self._group:
            self._group = group
        self._group_given = addresses if isinstance(addresses, tuple | range | frozenset) else None
        return self._group

    def leave(self, address: Address) -> None:
        """Take part no longer; what is under way to it is dropped."""
        if self._receivers.pop(address, None) is not None:
            self._gone.add(address)
        self._in_order = None

    def has_left(self, address: Address) -> bool:
        """Whether someone took part under this address, and does no longer."""
        return address in self._gone

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one address."""
        raise NotImplementedError

    def multicast(self, sender: Address, to: Sequence[Address], message: Message) -> None:
        """Send a message to several addresses."""
        for receiver in to:
            self.send(sender, receiver, message)

    def broadcast(self, sender: Address, message: Message) -> None:
        """Send a message to all who can hear it, except the sender."""
        self.multicast(sender, [other for other in self.addresses if other != sender], message)

    def watch(self, told: Callable[[Traffic], object]) -> None:
        """Tell of everything that is sent, arrives, or is dropped from now on."""
        self._watchers.append(told)

    def count_drop(self, reason: str, count: int = 1) -> None:
        """Count something that was dropped."""
        if count:
            self.dropped[reason] += count

    def check_receiver(self, message: Message, to: Address) -> None:
        """Refuse a receiver that is not there."""
        if to not in self._receivers and to not in self._gone:
            raise UnknownNode(
                f"there is no node {to!r} on the network to receive {in_short(message)}; there are {self._who()}"
            )

    def as_message(self, message: Message) -> Message:
        """Return a message as its receivers get it, in simulation as on a wire, and refuse what no wire carries."""
        accepts = accepting.get(type(message))
        if accepts is None or not accepts(message):
            check_message(message)
            with suppress(SameName):  # which only matters on a wire
                return fitted(message)
        return message

    def _who(self) -> str:
        there = self.addresses
        return ", ".join(map(str, there[:10])) + (f" and {len(there) - 10} more" if len(there) > 10 else "")


def in_short(value: object) -> str:
    """Write a value for an error, cut where it gets long."""
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def check_message(message: object) -> None:
    """Refuse what is no frozen dataclass that is a Message."""
    kind = type(message)
    if not isinstance(message, Message):
        raise NotAMessage(
            f"a message is a frozen dataclass that is a Message, not {in_short(message)} of class {kind.__name__}"
        )
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise NotAMessage(f"the class {kind.__qualname__} of a message needs @dataclass(frozen=True)")
