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

Memory is bounded, so there is a limit to what waits for one receiver. A program that sends too fast is made to wait
before that; see `kumi.network.group`. A receiver for which more than the limit waits is silent, or slower than the
layers of its senders. It is given up, which means that it counts as crashed, and it is made to crash: what waited is
dropped and counted, and the receiver is told as soon as it can be reached, and goes down with `LinkBroken`. So what
holds for correct nodes holds: nobody goes on with a gap in what it was sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isfinite

from kumi.contract.messages import Address, Message
from kumi.devs import KumiError
from kumi.network import Timer
from kumi.protocols.guarantees import EVERYTHING, FairLossLinks, PerfectLinks
from kumi.protocols.numbering import MOST_EARLY, SeenNumbers, refuse

PROBES = 10
"""How many messages, the oldest, are sent again to a receiver that did not answer the last try."""

LIVES = 16
"""How many lives of a sender are remembered; copies from before those would be taken for new."""

LIVES_SO_FAR = "perfect links: lives so far"
"""Where the count of lives is stored."""

GIVEN_UP_BY = "perfect links: given up by node {}"
"""Where a node stores by which life of a sender it was given up last, and the number of that word."""

GIVEN_UP = "to a node that was given up"
"""Why what waits for a receiver that is given up is dropped."""


class LinkBroken(KumiError):
    """A node learns that another one has given it up."""


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


@dataclass(frozen=True, slots=True)
class GivenUp(Message):
    """The sender has given the receiver up: so many messages waited for it, and are lost."""

    waited: int


class Acknowledged(PerfectLinks):
    """Sends again every `retry_after` seconds until the receiver acknowledges.

    Assumes fair loss below: what is sent often enough comes through. While a receiver is silent, only the
    oldest few are tried, and the pause between two tries doubles, up to `longest_pause`. A receiver for which
    more than `limit` messages wait is given up, and counts as crashed. While more than half of that wait for
    one that answers, programs wait for room. A receiver that remembers 10,000 numbers beyond a gap takes no
    more before it is filled.
    """

    bears = EVERYTHING

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
        self._out: dict[Address, OutgoingQueue] = {}
        self._in: dict[Address, dict[int, SeenNumbers]] = {}
        self._timer: Timer | None = None
        self._crowd = max(limit // 2, 1)

    @property
    def given_up(self) -> tuple[Address, ...]:
        """The receivers that have been given up and do not know it yet."""
        return tuple(sorted(to for to, out in self._out.items() if out.notice is not None))

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
            out = self._out[to] = OutgoingQueue()
        waiting = out.waiting
        if out.notice is not None or (len(waiting) >= self._crowd and self._is_too_much(out)):
            self.node.network.count_drop(GIVEN_UP)
            return
        number = out.next
        numbered = Numbered(self._life, number, next(iter(waiting), number), message)
        self.links.send(numbered, to)
        waiting[number] = numbered
        out.next = number + 1
        if self._timer is None:
            out.ripe = number + 1
            self._timer = self.node.after(self.retry_after, self._retry)

    def _is_too_much(self, out: OutgoingQueue) -> bool:
        """Let programs wait while the receiver answers; give it up if too much waits."""
        waiting = out.waiting
        if len(waiting) < self.limit:
            if not out.is_silent:
                out.is_crowded = True
                self.node.room.take(out)
            return False
        number, waited = out.next, len(waiting)
        self.node.network.dropped[GIVEN_UP] += waited
        waiting.clear()
        waiting[number] = Numbered(self._life, number, number, GivenUp(waited))
        out.notice, out.next = number, number + 1
        self._make_room(out)
        return True

    def _make_room(self, out: OutgoingQueue) -> None:
        if out.is_crowded:
            out.is_crowded = False
            self.node.room.give(out)

    def _to_itself(self, message: Message) -> None:
        self.tell(message, self.node.address)

    def _retry(self) -> None:
        """Send again what has waited for a whole period; one timer serves all receivers."""
        self._timer = None
        for to, out in self._out.items():
            for numbered in out.due(self._longest):
                if not self._is_sent(numbered, to):
                    out.waiting.clear()
                    out.notice = None
                    break
            if out.is_silent or not out.waiting:
                self._make_room(out)
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
            out.pause = out.left = out.unanswered = 0
        if isinstance(message, Numbered):
            self._take(message, self._seen(sender, message.life), sender)
        elif isinstance(message, Acknowledgement):
            if out is not None and message.life == self._life:
                out.waiting.pop(message.number, None)
                if out.is_crowded and 2 * len(out.waiting) < self._crowd:
                    self._make_room(out)
                if message.number == out.notice:
                    out.notice = None  # it goes down now; if it comes back, it is there anew
        else:
            refuse(self.node)

    def _take(self, message: Numbered, seen: SeenNumbers, sender: Address) -> None:
        number, is_notice = message.number, isinstance(message.inside, GivenUp)
        if len(seen.above) >= MOST_EARLY and number > seen.floor and not is_notice:
            self.node.network.count_drop("too many messages come before an earlier one")
            return
        self._is_sent(Acknowledgement(message.life, number), sender)
        if not seen.add(number, message.oldest):
            return
        if isinstance(message.inside, GivenUp):
            self._end((message.life, number), message.inside.waited, sender)
        else:
            self.tell(message.inside, sender)

    def _end(self, which: tuple[int, int], waited: int, sender: Address) -> None:
        """Go down, since another node counts this one as crashed; once for each time that it was given up."""
        storage, name = self.node.storage, GIVEN_UP_BY.format(sender)
        if storage.get(name) != which:
            storage.put(name, which)
            raise LinkBroken(
                f"node {sender} has given {self.node.name} up, for which {waited} messages waited: they are "
                "lost, so it counts as crashed, and goes down"
            )

    def _seen(self, sender: Address, life: int) -> SeenNumbers:
        lives = self._in.setdefault(sender, {})
        seen = lives.get(life)
        if seen is None:
            if len(lives) >= LIVES:
                del lives[next(iter(lives))]
            seen = lives[life] = SeenNumbers()
        return seen


class OutgoingQueue:
    """What goes to one receiver: the next number, what waits for an acknowledgement, and how patiently."""

    __slots__ = ("is_crowded", "left", "next", "notice", "pause", "ripe", "unanswered", "waiting")

    def __init__(self) -> None:
        self.next = 0
        self.waiting: dict[int, Numbered] = {}
        self.ripe = 0  # numbers below this were there a period ago
        self.pause = 0  # periods left out after the next try
        self.left = 0  # of those after the last one
        self.unanswered = 0  # tries since it was heard last
        self.is_crowded = False  # programs wait because of it
        self.notice: int | None = None  # the number of the word that it was given up, until it has it

    @property
    def is_silent(self) -> bool:
        """Whether two tries in a row had no answer."""
        return self.unanswered > 1

    def due(self, longest: int) -> list[Numbered]:
        """Return what to send again now; called once a period."""
        ripe, self.ripe = self.ripe, self.next
        if self.left > 0:
            self.left -= 1
            return []
        most = PROBES if self.pause > 0 else None
        found = [numbered for numbered in islice(self.waiting.values(), most) if numbered.number < ripe]
        if found:
            self.unanswered += 1
            self.left = self.pause
            self.pause = min(2 * self.pause + 1, longest)
        return found
