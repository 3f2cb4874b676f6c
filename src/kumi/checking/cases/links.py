"""Perfect links and FIFO links, also between nodes that come back after a crash: cases, and the monitors that judge them.

Messages of a run must differ from each other. A node that came back has forgotten what it delivered, so
each of its lives is judged alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from kumi.checking.case import Case, all_but_one
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.checking.talking import OverFifoLinks, OverPerfectLinks
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import AMNESIA, BAD_NETWORK, CRASHES, RECOVERY, FifoLinks, Links, PerfectLinks
from kumi.protocols.numbering import Ordered, SeenNumbers


class SendsOnce(Acknowledged):
    """Sends nothing again."""

    def _retry(self) -> None:
        pass


class GivesUp(Acknowledged):
    """Takes a receiver that is silent for three tries for gone."""

    def _retry(self) -> None:
        super()._retry()
        for out in self._out.values():
            if out.pause > 3:
                out.waiting.clear()


class DeliversCopies(Acknowledged):
    """Does not look whether a message has come before."""

    def _seen(self, sender: Address, life: int) -> SeenNumbers:
        return SeenNumbers()


class ConfusesLives(Acknowledged):
    """Takes the numbers of a sender's new life for those of its last one."""

    def _seen(self, sender: Address, life: int) -> SeenNumbers:
        return super()._seen(sender, 0)


class TriesEverybody(Acknowledged):
    """Sends again to all what one has not acknowledged."""

    def _retry(self) -> None:
        due = [numbered for out in self._out.values() for numbered in out.waiting.values()]
        for numbered in due:
            for address in self.node.others:
                self.links.send(numbered, address)
        self._timer = self.node.after(self.retry_after, self._retry) if due else None


class AsTheyCome(InOrder):
    """Delivers a message as it comes."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Ordered)
        self.tell(message.inside, sender)


class OneCount(InOrder):
    """Counts messages to all receivers together."""

    def send(self, message: Message, to: Address) -> None:
        """Send with the next number, whoever the receiver is."""
        super().send(message, to)
        self._sent = dict.fromkeys(self.node.group, self._sent[to])


class SkipsGaps(InOrder):
    """Goes on with whatever number comes, and forgets what was missing."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Ordered)
        if sender in self._lines:
            self._lines[sender].next = max(self._lines[sender].next, message.number)
        super()._receive(message, sender)


def perfect(links: type[Acknowledged] = Acknowledged) -> Stack:
    """Return a stack with these perfect links."""
    return Stack(OverPerfectLinks(), links())


def in_order(links: type[InOrder] = InOrder) -> Stack:
    """Return a stack with these FIFO links."""
    return Stack(OverFifoLinks(), links(), Acknowledged())


CASES: tuple[Case, ...] = (
    Case(
        name="perfect-links",
        promise="What is sent between nodes that stay up is delivered, once.",
        stack=perfect,
        monitors=lambda: [NoCreation(), NoDuplication(), ReliableDelivery()],
        faults=BAD_NETWORK | CRASHES | RECOVERY | AMNESIA,
        crashes=all_but_one,
        mutants={
            "sends-once": lambda: perfect(SendsOnce),
            "gives-up": lambda: perfect(GivesUp),
            "delivers-copies": lambda: perfect(DeliversCopies),
            "confuses-lives": lambda: perfect(ConfusesLives),
            "tries-everybody": lambda: perfect(TriesEverybody),
        },
    ),
    Case(
        name="fifo-links",
        promise="What is sent between nodes that stay up is delivered, once, in the order of sending.",
        stack=in_order,
        monitors=lambda: [
            NoCreation(FifoLinks),
            NoDuplication(FifoLinks),
            SendOrder(),
            ReliableDelivery(FifoLinks),
        ],
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        mutants={
            "as-they-come": lambda: in_order(AsTheyCome),
            "one-count": lambda: in_order(OneCount),
            "skips-gaps": lambda: in_order(SkipsGaps),
        },
    ),
)


Pair: TypeAlias = tuple[Address, Address]
"""A sender and a receiver."""


class LinkMonitor(Monitor):
    """Watches links, perfect ones if nothing is said."""

    def __init__(self, watches: type[Links] = PerfectLinks) -> None:
        self.watches = watches


class NoCreation(LinkMonitor):
    """What is delivered was sent before, by its sender to its receiver."""

    def __init__(self, watches: type[Links] = PerfectLinks) -> None:
        super().__init__(watches)
        self.sent: dict[Pair, set[Message]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep what is sent."""
        message, to = event
        self.sent.setdefault((address, to), set()).add(message)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a delivery."""
        message, sender = event
        if message not in self.sent.get((sender, address), ()):
            raise broken(
                "no creation",
                f"node {address} delivers {message} from {sender} at {time:.3f} s",
                f"node {sender} did not send it to {address}",
            )


class NoDuplication(LinkMonitor):
    """No message is delivered twice by one life of a node."""

    def __init__(self, watches: type[Links] = PerfectLinks) -> None:
        super().__init__(watches)
        self.delivered: dict[Address, dict[Message, float]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a delivery."""
        message, sender = event
        delivered = self.delivered.setdefault(address, {})
        if message in delivered:
            raise broken(
                "no duplication",
                f"node {address} delivers {message} from {sender} at {time:.3f} s",
                f"it delivered it at {delivered[message]:.3f} s",
            )
        delivered[message] = time

    def restarted(self, time: float, address: Address) -> None:
        """Begin anew: a new life knows nothing of what the last one delivered."""
        self.delivered.pop(address, None)


class SendOrder(LinkMonitor):
    """Between two nodes, messages are delivered in the order they were sent, without a gap."""

    def __init__(self, watches: type[Links] = FifoLinks) -> None:
        super().__init__(watches)
        self.sent: dict[Pair, list[Message]] = {}
        self.delivered: dict[Pair, int] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep what is sent."""
        message, to = event
        self.sent.setdefault((address, to), []).append(message)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a delivery: it must be the next of its sender."""
        message, sender = event
        pair = (sender, address)
        sent, done = self.sent.get(pair, []), self.delivered.get(pair, 0)
        if done >= len(sent) or sent[done] != message:
            due = f"{sent[done]} was sent before it" if done < len(sent) else "all that was sent is delivered"
            raise broken(
                "send order", f"node {address} delivers {message} from {sender} at {time:.3f} s", due
            )
        self.delivered[pair] = done + 1


class ReliableDelivery(LinkMonitor):
    """What is sent is delivered, if neither its sender nor its receiver crashes from then on."""

    def __init__(self, watches: type[Links] = PerfectLinks) -> None:
        super().__init__(watches)
        self.missing: dict[Pair, dict[Message, float]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep what is sent."""
        message, to = event
        self.missing.setdefault((address, to), {})[message] = time

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Strike out what is delivered."""
        message, sender = event
        self.missing.get((sender, address), {}).pop(message, None)

    def crashed(self, time: float, address: Address) -> None:
        """Ask no longer for what was on its way from or to the node."""
        for pair, messages in self.missing.items():
            if address in pair:
                messages.clear()

    def finish(self, ending: RunEnding) -> None:
        """Look for one that is missing."""
        for (sender, to), messages in sorted(self.missing.items()):
            if messages and {sender, to} <= ending.up:
                message, time = next(iter(messages.items()))
                raise broken(
                    "reliable delivery",
                    f"node {sender} sent {message} to {to} at {time:.3f} s",
                    f"{to} has not delivered it at {ending.time:g} s",
                    "both have been up since",
                )
