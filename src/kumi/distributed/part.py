"""How does a process run its part of a model?

Each process builds the whole model and lets only its own atomic models enter the run; the others stand there
as addresses. What is sent to one of them leaves for the hub. Names, random numbers and the order of couplings
are therefore those of the whole model, wherever a model runs.

The structure of a divided model is fixed: each process would know of its own changes only.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from kumi._core import InPort, TraceDigest
from kumi.devs import Activity, ActivityOutcome, Atomic, Model, Simulation, StructureError, Virtual, atomics
from kumi.devs.current_run import Working
from kumi.devs.models import enter_run
from kumi.devs.pace import PaceClock
from kumi.distributed.partition import DistributedError, ModelPartition, crossing, reached
from kumi.distributed.values import ValueSchema
from kumi.distributed.wire import ValueFrame

T = TypeVar("T")


class Part(Simulation):
    """The run of one part. Without a pace, work outside of simulated time is refused."""

    def __init__(
        self,
        model: Model,
        partition: ModelPartition,
        name: str,
        *,
        seed: int = 0,
        max_steps: int = 1_000_000,
        is_paced: bool = False,
    ) -> None:
        super().__init__(seed=seed, hashed=False, max_steps=max_steps)
        if name not in partition.parts:
            raise DistributedError(f"there is no part '{name}'; there are: {', '.join(partition.parts)}")
        self.name = name
        self.whole = model
        self.partition = partition
        self.is_paced = is_paced
        self.places = partition.places(model)
        self.digest = TraceDigest()
        self._inputs: list[InPort[Any]] = [port for atomic in atomics(model) for port in atomic.inputs]
        self._numbers = {id(port): number for number, port in enumerate(self._inputs)}
        self.values = ValueSchema(_carried(model, self.places))
        edges = [
            atomic
            for atomic in atomics(model)
            if id(atomic) in crossing(model, self.places) and self.holds(atomic)
        ]
        lookaheads = partition.lookaheads(model)
        self.lookahead = min((lookaheads[id(edge)] for edge in edges), default=float("inf"))
        self.engine.divide()
        self.engine.set_sink(self.digest.put)
        enter_run(model, _Entrance(self))
        self.model = model
        self.engine.prepare(model.inputs)
        self.engine.set_edges(edges)

    @property
    def is_ahead(self) -> bool:
        """Whether this part may run ahead of others, and must remember how it did."""
        return self.lookahead > 0.0 and not self.is_paced

    @property
    def sends(self) -> float:
        """The earliest time at which this part may send something, unless something comes before."""
        upcoming = self.next_time
        return min(self.engine.edge_time, upcoming + self.lookahead) if self.is_ahead else upcoming

    def holds(self, model: Atomic) -> bool:
        """Whether a model is in this part."""
        return self.places[id(model)] == self.name

    def part_of(self, target: int) -> str:
        """Give the part in which the input of a number is."""
        return self.places[id(self._inputs[target].owner)]

    def enter(self, place: int, atomic: Atomic) -> None:
        """Let a model enter the run, if it is one of this part."""
        if self.holds(atomic):
            self.engine.enter_at(place)
            self._members.enter(atomic)

    def leave(self, atomic: Atomic) -> None:
        """Take a model out of the run."""
        self._members.take_out(atomic)

    def run_apart(self, limit: float) -> list[ValueFrame] | None:
        """Run what concerns this part alone; gives the values of a step that other parts have a share in."""
        with self._at_work():
            is_halfway = self.engine.run_apart(limit, self.is_ahead)
        return self.take_outgoing() if is_halfway else None

    def begin_step(self, step: int) -> list[ValueFrame]:
        """Make the first half of a step; gives what was sent to other parts."""
        with self._at_work():
            self.engine.begin_step(step)
        return self.take_outgoing()

    def end_step(self, time: float, step: int, places: list[int], values: list[ValueFrame]) -> None:
        """Make the second half of a step."""
        brought = [
            (value.place, value.send, value.route, *self.arrived(value.target, value.data))
            for value in values
        ]
        if brought and (time < self.now or time <= self.engine.ahead_until):
            raise DistributedError(
                f"a value for '{brought[0][3].path}' came at t = {time} s, when it was t = {self.now} s there already; "
                "a model has sent sooner after its input than its lookahead says"
            )
        with self._at_work():
            self.engine.end_step(time, step, places, brought)

    def take_outgoing(self) -> list[ValueFrame]:
        """Write down what was sent to other parts."""
        return [
            ValueFrame(place, send, route, self._numbers[id(target)], self.values.write(value, target.path))
            for place, send, route, target, value in self.engine.take_outgoing()
        ]

    def arrived(self, target: int, data: bytes) -> tuple[InPort[Any], object]:
        """Read a value, with the input it goes to."""
        port = self._inputs[target]
        return port, self.values.read(data, port.path)

    def begin_activity(self, activity: Activity[T], into: InPort[ActivityOutcome[T]]) -> None:
        """Begin an activity whose outcome is brought to a port."""
        if not self.is_paced and not isinstance(activity, Virtual):
            raise StructureError(
                f"'{into.path}' waits for a {type(activity).__name__}, which takes time outside of the run; "
                "as fast as possible, parts take Virtual activities only"
            )
        super().begin_activity(activity, into)

    def take_mail(self, clock: PaceClock) -> None:
        """Take in what came from threads of this process, by the clock of a paced run."""
        self._take_mail(clock)

    @property
    def is_waiting(self) -> bool:
        """Whether activities are under way."""
        return self._activities > 0

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        self._thread = threading.get_ident()
        try:
            with self._watch, Working(self):
                yield
        finally:
            self._thread = None


class _Entrance:
    """Lets models of one part enter, and refuses changes of structure."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._entered = 0

    def enter(self, model: Atomic) -> None:
        self._part.enter(self._entered, model)
        self._entered += 1

    def take_out(self, model: Atomic) -> None:
        self._part.leave(model)

    def tell_change(self, tag: str, what: str) -> None:
        self._refuse()

    def change(self, action: Callable[[], None]) -> None:
        self._refuse()

    def retire(self, model: Model) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise StructureError("a model that is divided over processes keeps its structure while it runs")


def _carried(model: Model, places: Mapping[int, str]) -> Iterator[object]:
    """Give the types of all ports that are coupled over a border, on both sides."""
    for atomic in atomics(model):
        for port in atomic.outputs:
            targets = [t for t in reached(port) if places[id(t.owner)] != places[id(atomic)]]
            if targets:
                yield port.type
                yield from (target.type for target in targets)


def fingerprint(model: Model, partition: ModelPartition) -> str:
    """Sum up names, classes, ports and couplings: two processes with the same have built the same model."""
    lines = [repr(sorted(partition.parts.items()))]
    for atomic in atomics(model):
        lines.append(f"{atomic.path} {type(atomic).__qualname__} {atomic.rank}")
        lines += [f"  in {port.name}" for port in atomic.inputs]
        for port in atomic.outputs:
            lines.append(f"  out {port.name}: {', '.join(target.path for target in reached(port))}")
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()
