"""Could a snapshot have been a moment of the run?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken
from kumi.contract.messages import Address, Message
from kumi.protocols.snapshot import Part, Snapshots


class ConsistentCut(Monitor):
    """Nothing is received before the cut that is sent after it; every snapshot is completed.

    Links hold what was sent before the cut and not received before it, in order. What is sent and received is seen at the nodes; messages of a run differ.
    """

    watches = Snapshots

    def __init__(self) -> None:
        self._sent: dict[tuple[Address, Address], list[Message]] = {}
        self._received: dict[tuple[Address, Address], list[Message]] = {}
        self._cuts: dict[tuple[Address, int], dict[Address, Cut]] = {}
        self._open: dict[tuple[Address, int], float] = {}
        self._taken: dict[Address, int] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See what is sent, where the cut lies, and what came of it."""
        match what, event:
            case "send", (message, to):
                self._sent.setdefault((address, to), []).append(message)
            case "take", _:
                number = self._taken.get(address, 0)
                self._taken[address] = number + 1
                self._open[address, number] = time
            case "record", (snapshot, state):
                self._cuts.setdefault(snapshot, {})[address] = Cut(
                    state,
                    {pair: len(messages) for pair, messages in self._sent.items() if pair[0] == address},
                    {pair: len(messages) for pair, messages in self._received.items() if pair[1] == address},
                )
            case "collect", (number, parts):
                del self._open[address, number]
                self._judge((address, number), parts)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See what is received."""
        message, sender = event
        self._received.setdefault((sender, address), []).append(message)

    def _judge(self, snapshot: tuple[Address, int], parts: dict[Address, Part]) -> None:
        cuts = self._cuts.pop(snapshot)
        name = f"snapshot {snapshot[1]} of node {snapshot[0]}"
        for address, part in parts.items():
            if part.state != cuts[address].state:
                raise broken("states", f"{name} has {part.state} for node {address}", "it recorded another")
        for sender, ours in cuts.items():
            for to, theirs in cuts.items():
                if sender != to:
                    self._judge_link(name, (sender, to), ours, theirs, parts[to])

    def _judge_link(
        self, name: str, pair: tuple[Address, Address], ours: Cut, theirs: Cut, part: Part
    ) -> None:
        sender, to = pair
        sent, received = ours.sent.get(pair, 0), theirs.received.get(pair, 0)
        if received > sent:
            message = self._sent[pair][sent]
            raise broken(
                "consistent cut",
                f"in {name}, node {to} had received {message} from node {sender}",
                "it had not sent it",
            )
        expected = tuple(self._sent.get(pair, ())[received:sent])
        recorded = tuple(part.channels.get(sender, ()))
        if recorded != expected:
            raise broken(
                "what was under way",
                f"{name} has {len(recorded)} messages from node {sender} to {to}: {recorded}",
                f"under way were {len(expected)}: {expected}",
            )

    def finish(self, ending: Ending) -> None:
        """Every snapshot of a correct node is complete, if nobody crashed."""
        for (address, number), time in self._open.items():
            if ending.correct == frozenset(ending.group):
                raise broken(
                    "snapshots end",
                    f"node {address} began snapshot {number} at {time:.3f} s",
                    f"it is not complete at {ending.time:g} s",
                )


class Cut:
    """Where a snapshot cuts the events of one node: how many messages it had sent and received."""

    def __init__(
        self,
        state: object,
        sent: dict[tuple[Address, Address], int],
        received: dict[tuple[Address, Address], int],
    ) -> None:
        self.state = state
        self.sent = sent
        self.received = received
