"""Termination detection: is all work done, at every node and on every link?

Nodes work, send each other work, and rest; who rests works again when work comes. It is over when all rest
and nothing is under way, which no node can see alone. A token goes round the nodes that rest and adds up how
many messages each has sent more than received. A sum of 0 is not enough, since a message may have been sent
behind the token's back: who receives one turns black, and so does a token that passes it. When a white token
comes back to a white node that rests, and the sum is 0, all is done (Safra; Dijkstra, EWD 998, 1987).

Assumes perfect links, that only nodes that work send, and that nobody crashes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, PerfectLinks
from kumi.protocols.numbering import refuse


class TerminationDetection(PerfectLinks):
    """Perfect links that notice when all work is over: announced only then, and then at all nodes.

    Every node works at first.
    """

    requests: ClassVar[tuple[str, ...]] = ("send", "rest", "announce")

    def rest(self) -> None:
        """Say that this node has nothing to do until a message comes."""
        raise NotImplementedError

    def announce(self) -> None:
        """Say that all work is over; monitors watch."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Work(Message):
    """A message of those above."""

    inside: Message


@dataclass(frozen=True, slots=True)
class Probe(Message):
    """The token: how many more messages were sent than received so far, and whether it is black."""

    surplus: int
    is_black: bool


@dataclass(frozen=True, slots=True)
class WorkOver(Message):
    """All work is over."""


class Safra(TerminationDetection):
    """Sends a token round; the lowest node begins, and again `pause` seconds after one came in vain."""

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self, pause: float = 0.2) -> None:
        if not pause > 0.0:
            raise ValueError(f"the pause between two rounds is above 0 s, not {pause!r}")
        self.pause = pause
        self.is_working = True
        self.is_over = False
        self._surplus = 0
        self._is_black = False
        self._probe: Probe | None = None
        self._listening: list[Callable[[], object]] = []

    def begin(self) -> None:
        """Listen; the token is at the lowest node and has to go round."""
        self.links.listen(self._receive)
        if self.node.address == self.node.group[0]:
            self._probe = Probe(0, is_black=True)

    def when_over(self, told: Callable[[], object]) -> None:
        """Call `told` when all work is over."""
        self._listening.append(told)

    def send(self, message: Message, to: Address) -> None:
        """Send work to a node."""
        if not self.is_working:
            raise RuntimeError(f"{self.node.name} rests; only who works sends")
        self._surplus += 1
        self.links.send(Work(message), to)

    def rest(self) -> None:
        """Say that this node has nothing to do until a message comes."""
        self.is_working = False
        self._pass_on()

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Work(inside):
                self._take(inside, sender)
            case Probe():
                self._probe = message
                self._pass_on()
            case WorkOver():
                self.announce()
            case _:
                refuse(self.node)

    def _take(self, inside: Message, sender: Address) -> None:
        self._surplus -= 1
        self._is_black = True
        self.is_working = True
        self.tell(inside, sender)

    def _pass_on(self) -> None:
        """Send the token on, if it is here and this node rests."""
        probe = self._probe
        if probe is None or self.is_working:
            return
        self._probe = None
        if self.node.address != self.node.group[0]:
            self._send_probe(probe)
        elif self._is_end(probe):
            for address in self.node.group:
                self.links.send(WorkOver(), address)
        else:
            self.node.after(self.pause, lambda: self._send_probe(None))

    def _is_end(self, probe: Probe) -> bool:
        return not (probe.is_black or self._is_black) and probe.surplus + self._surplus == 0

    def _send_probe(self, probe: Probe | None) -> None:
        """Send the token to the next node; None is a new one."""
        group = self.node.group
        following = group[(group.index(self.node.address) + 1) % len(group)]
        if probe is None:
            probe = Probe(0, is_black=False)
        else:
            probe = Probe(probe.surplus + self._surplus, probe.is_black or self._is_black)
        self._is_black = False
        self.links.send(probe, following)

    def announce(self) -> None:
        """Tell those above."""
        self.is_over = True
        for told in self._listening:
            told()
