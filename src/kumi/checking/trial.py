"""One run of a case: nodes on a simulated network, faults from a schedule, monitors that judge.

Safety is judged at every instant; liveness only at the end of a run whose faults were over in good time,
and only where no more was broken than the protocol can bear.

A run is made of the case, the number of nodes, the seed and the schedule: the same four give the same
trace, byte for byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import TypeAlias

from kumi.checking.case import Case
from kumi.checking.faults import KINDS, LOSING, CrashMidSend, Fault, MessageFault
from kumi.checking.monitors import Judges, Monitor, Violation
from kumi.checking.schedule import Schedule
from kumi.contract.messages import Address
from kumi.devs import Chance, KumiError, Simulation
from kumi.devs.ranks import FAULT_RANK
from kumi.network import Effect, Exponential, Flight, Node, Onward, SimulatedNetwork
from kumi.protocols import Observation, Stack, StackError

CRASHED = "crashes"
RESTARTED = "comes back"

Watcher: TypeAlias = Callable[[float, Address | None, str], object]
"""Told of what happens at a node, or to all, in words."""


class CheckingError(KumiError):
    """A case that cannot be tried."""


@dataclass(frozen=True)
class Verdict:
    """What came out of one run; `injected` counts the faults that did happen, by kind.

    `caught_by` is the monitor that found the violation; an error of the protocol's own needs none.
    """

    seed: int
    violation: Violation | None
    time: float
    messages: int
    trace_hash: str
    schedule: Schedule
    injected: Mapping[str, int]
    caught_by: type[Monitor] | None = None
    seen: int = 0


class Tried(Node):
    """A node whose trial learns of each crash, also of one in the middle of a sending."""

    on_crash: Callable[[Address], None]

    def crash(self) -> None:
        """Go down."""
        was_up = self.is_up
        super().crash()
        if was_up:
            self.on_crash(self.address)

    def disarm(self) -> None:
        """Forget a crash that waits for messages to be sent."""
        self._sends_left = None


class Trial:
    """A case set up with so many nodes; `run` lets it happen.

    `stack` stands in for the case's own, such as one of its mutants. `effects` act on messages beside those
    of the schedule. Without `hashed`, a run is faster and has no hash.
    """

    def __init__(
        self,
        case: Case,
        *,
        nodes: int | None = None,
        seed: int = 0,
        stack: Callable[[], Stack] | None = None,
        effects: tuple[Effect, ...] = (),
        schedule: Schedule | None = None,
        hashed: bool = True,
    ) -> None:
        self.case = case
        self.seed = seed
        self.schedule = Schedule() if schedule is None else schedule
        self.simulation = Simulation(seed=seed, hashed=hashed)
        self.disturbance = FaultEffect(case.faults)
        self.network = SimulatedNetwork(self.simulation, Exponential(0.01), self.disturbance, *effects)
        self.judges = Judges(case.monitors(), self._saw)
        self.injected: Counter[str] = Counter()
        self._stack = case.stack if stack is None else stack
        self._armed: set[Address] = set()
        self._error: Violation | None = None
        group = range(case.nodes if nodes is None else nodes)
        self.nodes = [
            Tried(self.simulation, self.network, address, group=group, move_in=self._move_in)
            for address in group
        ]
        for node in self.nodes:
            node.on_crash = self._saw_crash
        self._watchers: list[Watcher] = []
        for fault in self.schedule:
            self._plan(fault)

    def watch(self, told: Watcher) -> None:
        """Tell of every fault, crash, return, request and telling from now on, in words."""
        self._watchers.append(told)

    def _tell(self, address: Address | None, words: str) -> None:
        for told in self._watchers:
            told(self.simulation.now, address, words)

    def _plan(self, fault: Fault) -> None:
        strangers = [address for address in fault.involved if not 0 <= address < len(self.nodes)]
        if strangers:
            raise CheckingError(f"there is no node {strangers[0]} among {len(self.nodes)} for '{fault}'")
        self.simulation.schedule(fault.time, partial(self._begin, fault), rank=FAULT_RANK)
        if fault.end > fault.time:
            self.simulation.schedule(fault.end, partial(self._stop, fault), rank=FAULT_RANK)

    def _begin(self, fault: Fault) -> None:
        if isinstance(fault, CrashMidSend):
            self._armed.add(fault.node)
        self._tell(None, f"fault: {fault}")
        fault.begin(self)

    def _stop(self, fault: Fault) -> None:
        self._tell(None, f"over: {fault}")
        fault.stop(self)

    def _move_in(self, node: Node) -> Stack:
        if node.address in self.judges.crashed:
            self._tell(node.address, RESTARTED)
        return self.judges.move_in(self._stack(), node)

    def compose(self) -> None:
        """Compose a stack, and let nothing happen; raises StackError where layers do not fit together."""
        kinds = [monitor.watches for monitor in self.judges.monitors]
        self._stack().settle(self.nodes[0], lambda _seen: None, of=kinds)

    def _saw(self, seen: Observation) -> None:
        if self._watchers:
            does = "tells" if seen.what == "tell" else f"is asked to {seen.what}"
            self._tell(seen.address, f"{type(seen.layer).__name__} {does} {', '.join(map(str, seen.event))}")

    def _saw_crash(self, address: Address) -> None:
        if address in self._armed:
            self._armed.discard(address)
            self.count(CrashMidSend.kind)
        self._tell(address, CRASHED)
        self.judges.see_crash(self.simulation.now, address)

    def disturb(self, fault: MessageFault) -> None:
        """Let a fault act on messages from now on."""
        self.disturbance.add(fault)

    def withdraw(self, fault: MessageFault) -> None:
        """Let it act no more."""
        self.disturbance.remove(fault)

    def suspect_wrongly(self, at: Address, of: Address, duration: float) -> bool:
        """Let a node's failure detector make a mistake; False if the node is down."""
        node = self.nodes[at]
        if not node.is_up:
            return False
        stack = node.resident
        assert isinstance(stack, Stack)
        for layer in stack.layers:
            mistake = getattr(layer, "suspect_wrongly", None)
            if mistake is not None:
                mistake(of, duration)
                return True
        raise CheckingError(
            f"{self.case.name} allows wrong suspicions, but no layer of {stack} has "
            f"suspect_wrongly(address, duration); put one in its stack, or leave out 'suspicion'"
        )

    def count(self, kind: str) -> None:
        """Count a fault that did happen."""
        self.injected[kind] += 1

    def crash(self, address: Address) -> None:
        """Let a node go down."""
        self.nodes[address].crash()

    def run(self) -> Verdict:
        """Let everything happen, and judge it."""
        try:
            self._happen()
        except Violation as found:
            self._error = found
        except (CheckingError, StackError):
            raise
        except Exception as error:  # noqa: BLE001  # an error in a protocol is a finding like any other
            first = first_of(error)
            self._error = first if isinstance(first, Violation) else Violation("no error", tell_error(first))
        simulation = self.simulation
        counts = self.injected + self.disturbance.counts
        verdict = Verdict(
            self.seed,
            self.judges.violation or self._error,
            simulation.now,
            self.network.sent,
            simulation.trace_hash,
            self.schedule,
            MappingProxyType({kind: counts[kind] for kind in KINDS if counts[kind]}),
            self.judges.caught_by,
            self.judges.seen,
        )
        with suppress(Exception):  # the run is judged; what tasks do when they are cut off is not
            simulation.close()
        return verdict

    def _happen(self) -> None:
        for node in self.nodes:
            node.start()
        self.simulation.run(until=self.case.duration)
        self._heal()
        self.simulation.run(until=self.case.duration + self.case.settling)
        if self.judges.violation is None and not self.schedule.beyond:
            self.judges.finish(self.simulation.now, self.nodes)

    def _heal(self) -> None:
        """Let nothing be wrong from now on, whatever the schedule says."""
        for fault in self.schedule:
            if fault.end > self.simulation.now:
                self._stop(fault)
        for node in self.nodes:
            node.disarm()


def first_of(error: BaseException) -> BaseException:
    """Return the first of several errors at an instant."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def tell_error(error: BaseException) -> str:
    """Say what a protocol raised, with the notes on its way."""
    notes = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
    frames = extract_tb(error.__traceback__)
    where = (
        f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})"
        if frames
        else ""
    )
    return f"{type(error).__name__}: {error}{where}{notes}"


FLOOD = 200_000
"""Messages; a run in which more are sent is ended, since its protocol answers without end."""


class FaultEffect:
    """An effect that does what the active faults say; without any, a message passes as it is.

    `kinds` are those that may become active at some time: a stack is composed for the worst of them. A flood
    of messages is a violation.
    """

    is_in_order = False

    def __init__(self, kinds: Iterable[str]) -> None:
        self.is_reliable = LOSING.isdisjoint(kinds)
        self.counts: Counter[str] = Counter()
        self._left = FLOOD
        self._active: dict[MessageFault, Chance] = {}
        self._network: SimulatedNetwork | None = None

    def add(self, fault: MessageFault) -> None:
        """Let a fault be active; its random numbers depend on nothing but the seed and itself."""
        assert self._network is not None
        self._active[fault] = self._network.simulation.chance(f"fault {fault!r}")

    def remove(self, fault: MessageFault) -> None:
        """Let a fault be active no more."""
        self._active.pop(fault, None)

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        self._network = network
        active, simulation = self._active, network.simulation

        def carry(flight: Flight, delay: float) -> None:
            self._left -= 1
            if self._left < 0:
                raise Violation("no flood", flooded(flight, simulation.now))
            if not active or flight.sender == flight.to:
                onward(flight, delay)
                return
            copies: tuple[float, ...] = (delay,)
            for fault, chance in active.items():
                fate = fault.fate(flight.sender, flight.to, simulation.now, chance)
                if fate is None:
                    continue
                self.counts[fault.kind] += 1
                if not fate:
                    network.drop(flight, fault.kind)
                    return
                copies = tuple(before + later for before in copies for later in fate)
            for number, at in enumerate(copies):
                onward(flight if number == 0 else flight.copy(), at)

        return carry


def flooded(flight: Flight, now: float) -> str:
    """Say what the last message of a flood was."""
    what = type(flight.message).__name__
    return (
        f"{FLOOD:,} messages were sent by {now:.3f} s, the last a {what} from {flight.sender} to {flight.to}"
    )
