"""Perfect links: nothing is lost between nodes that stay up, and nothing comes twice.

The sender numbers its messages to each receiver and sends each again until it is acknowledged; the
receiver acknowledges every copy and delivers the first (Cachin, Guerraoui and Rodrigues 2011).

A number alone does not tell the copies of a sender's earlier life from its new messages: each life has a
mark of its own, and what is acknowledged belongs to the life that sent it. The mark is a random number plus
the count of lives so far, which is stored: one of the two differs even if the storage is lost, or chance
begins anew. A receiver that comes back has forgotten what it delivered: what its last life did not
acknowledge comes to the new one.

Each message says from which number on its sender still waits. So the receiver needs to remember only
numbers from there on, even one that came back in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isfinite

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import FairLossLinks, PerfectLinks
from kumi.protocols.numbering import MOST_EARLY, Seen, refuse

PROBES = 10
"""How many messages, the oldest, are sent again to a receiver that did not answer the last try."""

LIVES = 16
"""How many lives of a sender are remembered; copies from before those would be taken for new."""

LIVES_SO_FAR = "perfect links: lives so far"
"""Where the count of lives is stored."""


@dataclass(frozen=True, slots=True)
class Numbered(Message):
    """A message with its number and the mark of the life that sent it; all below `oldest` are settled."""

    life: int
    number: int
    oldest: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Acknowledgement(Message):
    """The message of that life and number has come."""

    life: int
    number: int


class Acknowledged(PerfectLinks):
    """Sends again every `retry_after` seconds until the receiver acknowledges.

    Assumes fair loss below: what is sent often enough comes through. While a receiver is silent, only the
    oldest few are tried, and the pause between two tries doubles, up to `longest_pause`. No more than
    `limit` messages wait for one receiver; those beyond are dropped and counted, since a receiver may be
    gone for ever. A receiver that remembers 10,000 numbers beyond a gap takes no more before it is filled.
    """

    links: FairLossLinks

    def __init__(self, retry_after: float = 0.5, longest_pause: float = 8.0, limit: int = 10_000) -> None:
        if not (isfinite(retry_after) and retry_after > 0.0):
            raise ValueError(f"retry_after is a positive number of seconds, not {retry_after!r}")
        if not (isfinite(longest_pause) and longest_pause >= retry_after):
            raise ValueError(
                f"longest_pause is at least retry_after, {retry_after:g} s, not {longest_pause!r}"
            )
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.retry_after = retry_after
        self.limit = limit
        self._longest = int(longest_pause / retry_after) - 1
        self._life = 0
        self._out: dict[Address, Outgoing] = {}
        self._in: dict[Address, dict[int, Seen]] = {}
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Listen to the links, and mark this life."""
        storage = self.node.storage
        lives = storage.get(LIVES_SO_FAR, 0) + 1
        storage.put(LIVES_SO_FAR, lives)
        self._life = self.node.chance.integer(0, 2**52) + lives
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send until it is acknowledged."""
        if to == self.node.address:
            self.node.after(0.0, partial(self._to_itself, message))  # no network lies in between
            return
        out = self._out.get(to)
        if out is None:
            out = self._out[to] = Outgoing()
        waiting = out.waiting
        if len(waiting) >= self.limit:
            self.node.network.count_drop("too many messages wait for an acknowledgement")
            return
        number = out.next
        numbered = Numbered(self._life, number, next(iter(waiting), number), message)
        self.links.send(numbered, to)
        waiting[number] = numbered
        out.next = number + 1
        if self._timer is None:
            out.ripe = number + 1
            self._timer = self.node.after(self.retry_after, self._retry)

    def _to_itself(self, message: Message) -> None:
        self.tell(message, self.node.address)

    def _retry(self) -> None:
        """Send again what has waited for a whole period; one timer serves all receivers."""
        self._timer = None
        for to, out in self._out.items():
            for numbered in out.due(self._longest):
                if not self._is_sent(numbered, to):
                    out.waiting.clear()
                    break
        if any(out.waiting for out in self._out.values()):
            self._timer = self.node.after(self.retry_after, self._retry)

    def _is_sent(self, message: Message, to: Address) -> bool:
        """Send what this layer itself wants to send; False, and counted, if the receiver has left."""
        network = self.node.network
        if network.has_left(to):
            network.count_drop("receiver gone")
            return False
        self.links.send(message, to)
        return True

    def _receive(self, message: Message, sender: Address) -> None:
        out = self._out.get(sender)
        if out is not None:
            out.pause = out.left = 0
        if isinstance(message, Numbered):
            self._take(message, self._seen(sender, message.life), sender)
        elif isinstance(message, Acknowledgement):
            if out is not None and message.life == self._life:
                out.waiting.pop(message.number, None)
        else:
            refuse(self.node)

    def _take(self, message: Numbered, seen: Seen, sender: Address) -> None:
        number = message.number
        if len(seen.above) >= MOST_EARLY and number > seen.floor:
            self.node.network.count_drop("too many messages come before an earlier one")
            return
        self._is_sent(Acknowledgement(message.life, number), sender)
        if seen.add(number, message.oldest):
            self.tell(message.inside, sender)

    def _seen(self, sender: Address, life: int) -> Seen:
        lives = self._in.setdefault(sender, {})
        seen = lives.get(life)
        if seen is None:
            if len(lives) >= LIVES:
                del lives[next(iter(lives))]
            seen = lives[life] = Seen()
        return seen


class Outgoing:
    """What goes to one receiver: the next number, what waits for an acknowledgement, and how patiently."""

    __slots__ = ("left", "next", "pause", "ripe", "waiting")

    def __init__(self) -> None:
        self.next = 0
        self.waiting: dict[int, Numbered] = {}
        self.ripe = 0  # numbers below this were there a period ago
        self.pause = 0  # periods left out after the next try
        self.left = 0  # of those after the last one

    def due(self, longest: int) -> list[Numbered]:
        """Return what to send again now; called once a period."""
        ripe, self.ripe = self.ripe, self.next
        if self.left > 0:
            self.left -= 1
            return []
        most = PROBES if self.pause > 0 else None
        found = [numbered for numbered in islice(self.waiting.values(), most) if numbered.number < ripe]
        if found:
            self.left = self.pause
            self.pause = min(2 * self.pause + 1, longest)
        return found
