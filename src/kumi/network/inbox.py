"""What came from the sockets and has not been taken yet: a short queue for each sender, served in turn.

A peer that floods fills its own queue alone. `take` serves the senders round-robin, so the messages of others wait
for one message of the flood at a time, not for all of it.

Packets are delivered in batches. Scheduling a delivery closes the current batch (`end_round`); packets that arrive
after that go into the next one, so no packet is delivered at an instant before its arrival.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from kumi.contract.messages import Address

MOST_MESSAGES = 1024
"""How many messages of one sender wait at most."""
MOST_BYTES = 1 << 22
"""How many bytes of one sender wait at most, beyond the first message."""


class RawMessage(NamedTuple):
    """A message as it came: not read yet."""

    sender: Address
    to: Address
    data: bytes


class _Queue:
    __slots__ = ("packets", "size")

    def __init__(self) -> None:
        self.packets: deque[tuple[int, RawMessage]] = deque()  # with their rounds
        self.size = 0


class Inbox:
    """Queues of packets, one for each sender."""

    def __init__(self) -> None:
        self._queues: dict[Address, _Queue] = {}
        self._turn: deque[_Queue] = deque()
        self._round = 0

    def __len__(self) -> int:
        return sum(len(queue.packets) for queue in self._turn)

    def __bool__(self) -> bool:
        return bool(self._turn)

    def is_full(self, sender: Address) -> bool:
        """Tell whether no more of this sender can wait."""
        queue = self._queues.get(sender)
        return queue is not None and (len(queue.packets) >= MOST_MESSAGES or queue.size >= MOST_BYTES)

    def put(self, packet: RawMessage) -> bool:
        """Let a packet wait; False if its sender has too many waiting already."""
        if self.is_full(packet.sender):
            return False
        queue = self._queues.setdefault(packet.sender, _Queue())
        if not queue.packets:
            self._turn.append(queue)
        queue.packets.append((self._round, packet))
        queue.size += len(packet.data)
        return True

    def end_round(self) -> None:
        """Close the current batch: packets that arrive from now on wait for the next delivery."""
        self._round += 1

    def take(self, most: int) -> list[RawMessage]:
        """Take at most `most` packets of closed batches, one of each sender in turn."""
        taken: list[RawMessage] = []
        later: list[_Queue] = []
        while self._turn and len(taken) < most:
            queue = self._turn.popleft()
            number, packet = queue.packets[0]
            if number == self._round:
                later.append(queue)
                continue
            queue.packets.popleft()
            queue.size -= len(packet.data)
            taken.append(packet)
            if queue.packets:
                self._turn.append(queue)
        self._turn.extend(later)
        return taken

    def clear(self) -> int:
        """Forget everything; return how many packets waited."""
        waited = len(self)
        self._queues.clear()
        self._turn.clear()
        return waited
