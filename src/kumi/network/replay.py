"""Does a recorded node do the same again? The same code, fed with what came, in simulated time.

What is planned, when and in which order, is the same as in the real run: timers because the code and the seed are
the same, arrivals because each is planned when the run is where it was, for the time that it had. So every send
must be the same as in the recording, at the same time and in the same order. Where it is not, the code depends on
something that was not recorded, such as the wall clock or the order of a set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network.clock import Clock
from kumi.network.errors import Malformed, NetworkError
from kumi.network.inbox import Packet
from kumi.network.node import RANK, Node, Resident
from kumi.network.real import Place, RealNetwork
from kumi.network.recorded import Came, RecordedRun, Went, read_recording
from kumi.network.storage import Storage
from kumi.network.wire import decode, decode_value


class ReplayDiffers(NetworkError):
    """A replay that sent something else than the recorded run."""


@dataclass
class Replay:
    """What came of a replay; `difference` is the first one, or None."""

    node: Node
    recorded: list[Went]
    sent: list[Went] = field(default_factory=list)
    difference: str | None = None

    def check(self) -> Replay:
        """Raise if there was a difference."""
        if self.difference is not None:
            raise ReplayDiffers(self.difference)
        return self


class ReplayNetwork(RealNetwork):
    """A network without sockets: what is sent goes nowhere, and what came is brought by hand."""

    async def _open(self, home: Place) -> None:
        raise NetworkError("a replay has no sockets to open")

    async def _meet(self, address: Address, place: Place) -> None:
        raise NetworkError("a replay meets nobody")

    async def _close(self) -> None:
        """Do nothing."""

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        return None


def replay(recording: RecordedRun | Path | str, move_in: Callable[[Node], Resident]) -> Replay:
    """Run the node of a recording again, and compare what it sends."""
    run = recording if isinstance(recording, RecordedRun) else read_recording(recording)
    head = run.head
    with Simulation(seed=head.seed) as simulation:
        network = ReplayNetwork(simulation, dict.fromkeys(head.group), limit=head.limit)
        network.is_reliable, network.is_in_order = head.is_reliable, head.is_in_order
        storage = Storage()
        for name, value in head.storage.items():
            storage.put(name, decode_value(value))
        node = Node(
            simulation,
            network,
            head.address,
            group=head.group,
            move_in=move_in,
            name=head.name,
            clock=Clock(head.offset, head.rate),
            storage=storage,
        )
        outcome = Replay(node, [entry for entry in run.entries if isinstance(entry, Went)])
        network.recorder = Comparison(outcome, run)
        node.start()
        for entry in run.entries:
            if isinstance(entry, Came):
                simulation.run(until=entry.planned)
                deliver = partial(network.deliver, entry.planned, list(entry.packets))
                simulation.schedule(entry.time, deliver, rank=RANK)
        simulation.run(until=run.last)
        network.recorder = None  # what tasks send while they are ended is in no recording
    if outcome.difference is None and len(outcome.sent) < len(outcome.recorded):
        missing = outcome.recorded[len(outcome.sent)]
        outcome.difference = f"send {len(outcome.sent)} is missing: recorded was {_told(missing)}"
    return outcome


class Comparison:
    """Holds each send against the recorded one, as a `Recorder`."""

    def __init__(self, outcome: Replay, run: RecordedRun) -> None:
        self._outcome = outcome
        self._end, self._last = run.end, run.last

    def came(self, planned: float, time: float, packets: list[Packet]) -> None:
        """Do nothing: it came from the recording."""

    def went(self, time: float, packet: Packet) -> None:
        """Compare a send with the one of the same number."""
        outcome, sent = self._outcome, Went(time, packet)
        number = len(outcome.sent)
        outcome.sent.append(sent)
        if outcome.difference is not None:
            return
        if number >= len(outcome.recorded):
            if self._end is None and time >= self._last:
                return  # the process may have been killed before it could send this
            outcome.difference = f"send {number} is one too many: {_told(sent)}"
        elif not _same(outcome.recorded[number], sent):
            outcome.difference = f"send {number} differs: recorded was {_told(outcome.recorded[number])}, replayed {_told(sent)}"


def _same(one: Went, other: Went) -> bool:
    if one == other:
        return True
    if one.time != other.time or one.packet[:2] != other.packet[:2]:
        return False
    try:
        return decode(one.packet.data) == decode(other.packet.data)  # a set may be written in any order
    except Malformed:
        return False


def _told(sent: Went) -> str:
    try:
        message: object = decode(sent.packet.data)
    except Malformed:
        message = sent.packet.data
    return f"{message!r} from node {sent.packet.sender} to node {sent.packet.to} at t = {sent.time!r} s"
