"""Links: perfect ones, also between nodes that come back after a crash, and those that keep the order."""

from __future__ import annotations

from kumi.checking.case import Case, all_but_one
from kumi.checking.link_monitors import NoCreation, NoDuplication, ReliableDelivery, SendOrder
from kumi.checking.talking import OverFifoLinks, OverPerfectLinks
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import FifoLinks
from kumi.protocols.numbering import Ordered, Seen

BAD_NETWORK = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})
CRASHES = frozenset({"crash", "crash-mid-send"})


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

    def _seen(self, sender: Address, life: int) -> Seen:
        return Seen()


class ConfusesLives(Acknowledged):
    """Takes the numbers of a sender's new life for those of its last one."""

    def _seen(self, sender: Address, life: int) -> Seen:
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
        faults=BAD_NETWORK | CRASHES | {"recovery", "amnesia"},
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
