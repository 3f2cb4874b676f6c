"""Clocks that are off and drift, set by round trips to a server: cases, and the monitors that judge them."""

from __future__ import annotations

from kumi.checking.case import Case, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.contract.messages import Address, Message
from kumi.network import Clock, Node
from kumi.protocols import FairLossLinks, Layer, Observation, Stack
from kumi.protocols.clock_sync import Cristian, SynchronizedClock, TimeIs, WhatTime

DRIFT = 0.01


class Reader(Layer[()]):
    """Uses the clock."""

    clock: SynchronizedClock


class Skewed(FairLossLinks):
    """Puts the clock of its node wrong, by up to ten seconds and as much drift as is allowed."""

    links: FairLossLinks

    def begin(self) -> None:
        """Skew the clock once in the run; it goes on over crashes."""
        self.links.listen(self.tell)
        if self.node.clock.rate == 1.0:
            chance = self.node.simulation.chance(f"clock of {self.node.address}")
            self.node.clock = Clock(chance.uniform(-10.0, 10.0), chance.uniform(1.0 - DRIFT, 1.0 + DRIFT))

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        self.links.send(message, to)


class AsItSays(Cristian):
    """Takes the time of the answer as it is, as if it had come at once."""

    def _learn(self, time: float, round_trip: float) -> None:
        super()._learn(time - round_trip / 2.0, round_trip)


class Optimist(Cristian):
    """Believes that the way there and the way back take equally long."""

    def _learn(self, time: float, round_trip: float) -> None:
        super()._learn(time, round_trip)
        self._error = min(self._error, 0.001)


class LastQuestion(Cristian):
    """Measures the round trip from its last question, whichever was answered."""

    _asked = 0.0

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, TimeIs):
            message = TimeIs(max(self._asked, message.asked), message.time)
        super()._receive(message, sender)

    async def run(self) -> None:
        """Ask, and remember when."""
        assert self.server is not None
        while self.node.address != self.server:
            self._asked = self.node.now
            self.links.send(WhatTime(self._asked), self.server)
            await self.node.sleep(self.period)


class NoDrift(Cristian):
    """Takes all clocks for equally fast."""

    def begin(self) -> None:
        """Forget that clocks drift."""
        super().begin()
        self.stretch = 1.0


def stack_with(kind: type[Cristian]) -> Stack:
    """Set skewed clocks over the bare network."""
    return Stack(Reader(), kind(period=0.5, drift=DRIFT), Skewed())


CASES: tuple[Case, ...] = (
    Case(
        name="clock-synchronisation",
        promise="the error of a clock is within the bound it states, half of the round trip and the drift",
        stack=lambda: stack_with(Cristian),
        monitors=lambda: [AsRightAsItSays()],
        faults=frozenset(
            {"loss", "duplication", "reordering", "slow-links", "partition", "recovery", "pause"}
        ),
        mutants={
            "as-it-says": lambda: stack_with(AsItSays),
            "optimist": lambda: stack_with(Optimist),
            "last-question": lambda: stack_with(LastQuestion),
            "no-drift": lambda: stack_with(NoDrift),
        },
        crashes=nobody,
        settling=20.0,
    ),
)


ROUNDING = 1e-9
"""Seconds by which floating-point numbers may be off."""


class AsRightAsItSays(Monitor):
    """The error of each clock against the true one of the server is within its bound, at any time.

    Judged whenever something is told anywhere, for all nodes. In the end every bound is below `goal`.
    """

    watches = SynchronizedClock

    def __init__(self, goal: float = 1.0) -> None:
        self.goal = goal
        self._clocks: dict[Address, Cristian] = {}

    def observe(self, seen: Observation) -> None:
        """Judge all clocks."""
        assert isinstance(seen.layer, Cristian)
        self._clocks[seen.address] = seen.layer
        self._judge(seen.time)

    def crashed(self, time: float, address: Address) -> None:
        """Judge no clock of a node that is down."""
        self._clocks.pop(address, None)

    def _judge(self, time: float) -> None:
        for address, clock in self._clocks.items():
            truth = server_of(clock).clock.at(time)
            wrong = abs(clock.now - truth)
            if wrong > clock.error + ROUNDING:
                raise broken(
                    "as right as it says",
                    f"at {time:.3f} s node {address} takes the server's time for {clock.now:.6f} s",
                    f"it is {truth:.6f} s",
                    f"so it is wrong by {wrong:.6f} s, and said {clock.error:.6f} s at most",
                )

    def finish(self, ending: RunEnding) -> None:
        """All are synchronised."""
        self._judge(ending.time)
        for address in sorted(ending.up):
            clock = self._clocks.get(address)
            if clock is not None and clock.error <= self.goal:
                continue
            if clock is None and address == ending.group[0]:
                continue  # the server asks nobody
            bound = "no bound" if clock is None else f"a bound of {clock.error:.3f} s"
            raise broken("synchronised in the end", f"node {address} has {bound} at {ending.time:g} s")


def server_of(clock: Cristian) -> Node:
    """Return the node whose clock counts."""
    assert clock.server is not None
    server = clock.node.network._receivers[clock.server]
    assert isinstance(server, Node)
    return server
