"""How is a model run over several processes, from one call?

`run_distributed` is the hub: it starts a process for each part on this machine, waits for those that come from
others, leads them through the run and gathers what came of it. Whatever ends it early, it tells all parts, and
leaves no process behind.
"""

from __future__ import annotations

import math
import multiprocessing
import select
import signal
import socket
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, Self

from kumi.devs import Model, atomics
from kumi.distributed.hub import Hub, hear
from kumi.distributed.part import fingerprint
from kumi.distributed.partition import DistributedError, ModelPartition, PartFailed, PartLost
from kumi.distributed.realtime import relay
from kumi.distributed.results import COUNTED, DistributedRun, Kept
from kumi.distributed.serve import Collect, Factory, join, serve
from kumi.distributed.values import ValueSchema
from kumi.distributed.wire import (
    PROTOCOL,
    BuiltFrame,
    Finish,
    HelloFrame,
    PartConnection,
    ResultFrame,
    StopFrame,
    WelcomeFrame,
)
from kumi.version import VERSION

Address = tuple[str, int]


def run_distributed(
    factory: Factory,
    parts: ModelPartition | Mapping[str, Iterable[str]],
    *,
    lookahead: Mapping[str, float] | None = None,
    arguments: Mapping[str, Any] | None = None,
    seed: int = 0,
    until: float = math.inf,
    pace: float | None = None,
    transit: float = 0.0,
    collect: Collect | None = None,
    remote: Collection[str] = (),
    listen: Address = ("127.0.0.1", 0),
    patience: float = 60.0,
    on_listening: Callable[[Address], object] | None = None,
    on_progress: Callable[[float], object] | None = None,
    max_steps: int = 1_000_000,
) -> DistributedRun:
    """Run a model over several processes, up to and including `until`.

    `factory(**arguments)` builds the model, in each process anew. `parts` gives each part the paths of its
    components; those in `remote` are started elsewhere, with `kumi part`, and have `patience` seconds to come to
    the address `listen`. Without a pace the run is as fast as possible, and its results are those of one
    process; `lookahead` (path: seconds) lets parts run at the same time. With a pace it follows the wall
    clock, and needs an end. `collect(component)` is called in its process for each component named in `parts`,
    `on_progress(time)` a few times a second.
    """
    partition = parts if isinstance(parts, ModelPartition) else ModelPartition.of(parts, lookahead)
    _check(partition, until, pace, transit, remote)
    model = factory(**(arguments or {}))
    places = partition.places(model)
    partition.lookaheads(model)
    inputs = [places[id(atomic)] for atomic in atomics(model) for _ in atomic.inputs]
    welcome = WelcomeFrame(
        parts={name: list(paths) for name, paths in partition.parts.items()},
        lookahead=dict(partition.lookahead),
        arguments=dict(arguments or {}),
        seed=seed,
        until=until,
        pace=pace or 0.0,
        transit=transit,
        max_steps=max_steps,
    )
    with _Meeting(listen) as meeting:
        try:
            if on_listening is not None:
                on_listening(meeting.address)
            for name in partition.parts:
                if name not in remote:
                    meeting.start(name, factory, collect)
            meeting.gather(partition, patience)
            built = _agree(meeting.lines, welcome, fingerprint(model, partition), patience)
            rounds = 0
            if pace is not None:
                relay(meeting.lines, inputs.__getitem__, pace, on_progress)
            else:
                hub = Hub(
                    meeting.lines,
                    {name: said.sends_after for name, said in built.items()},
                    inputs.__getitem__,
                    max_steps=max_steps,
                    on_progress=on_progress,
                )
                hub.run(until)
                rounds = hub.rounds
            results = _results(meeting.lines)
        except PartLost as error:
            raise meeting.explained(error) from error
    return _summed(results, model, seed, until, rounds)


def _check(
    partition: ModelPartition, until: float, pace: float | None, transit: float, remote: Collection[str]
) -> None:
    if math.isnan(until) or until < 0.0:
        raise DistributedError(f"a run goes until a time >= 0, not until {until}")
    if pace is not None and not (pace > 0.0 and math.isfinite(pace)):
        raise DistributedError(f"a pace is a positive number (1.0 is real time), not {pace}")
    if pace is not None and until == math.inf:
        raise DistributedError("a run in real time over several processes needs an end: until=...")
    if not (transit >= 0.0 and math.isfinite(transit)):
        raise DistributedError(f"a transit is a number of seconds >= 0, not {transit}")
    for name in remote:
        if name not in partition.parts:
            raise DistributedError(
                f"the remote part '{name}' is no part; there are: {', '.join(partition.parts)}"
            )


def _agree(
    lines: Mapping[str, PartConnection], welcome: WelcomeFrame, wanted: str, patience: float
) -> dict[str, BuiltFrame]:
    """Tell all parts what is run; raises unless all have built the same model."""
    for line in lines.values():
        line.say(welcome)
    built: dict[str, BuiltFrame] = {name: hear(line, BuiltFrame, patience) for name, line in lines.items()}
    for name, said in built.items():
        if said.fingerprint != wanted:
            raise DistributedError(
                f"part '{name}' has built another model than the hub: their names, classes, ports or couplings differ"
            )
    return built


def _results(lines: Mapping[str, PartConnection]) -> dict[str, ResultFrame]:
    for line in lines.values():
        line.say(Finish())
    return {name: hear(line, ResultFrame, None) for name, line in lines.items()}


def _summed(
    results: Mapping[str, ResultFrame], model: Model, seed: int, until: float, rounds: int
) -> DistributedRun:
    ports: list[Any] = [port for atomic in atomics(model) for port in (*atomic.inputs, *atomic.outputs)]
    reader = ValueSchema(port.type for port in ports)
    totals = [sum(column) for column in zip(*(one.statistics for one in results.values()), strict=True)]
    return DistributedRun(
        time=until if until < math.inf else max(one.time for one in results.values()),
        seed=seed,
        trace_hashes={name: one.trace_hash for name, one in results.items()},
        counts=dict(zip(COUNTED, totals[1:], strict=True)),
        values={
            path: reader.read(data, path) for one in results.values() for path, data in one.values.items()
        },
        rounds=rounds,
        kept={
            name: Kept(tuple(one.instants), tuple(one.arrivals), one.offset) for name, one in results.items()
        },
    )


class _Meeting:
    """Where parts come together: a listening socket, the processes started here, the lines to all parts."""

    def __init__(self, listen: Address) -> None:
        try:
            self._door = socket.create_server(listen)
        except OSError as error:
            raise DistributedError(f"cannot listen at {listen[0]}:{listen[1]}: {error.strerror}") from error
        self.address: Address = self._door.getsockname()[:2]
        self.lines: dict[str, PartConnection] = {}
        self._processes: dict[str, BaseProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        why = (
            "the run is over" if error is None else f"the run was ended: {str(error) or type(error).__name__}"
        )
        for line in self.lines.values():
            if error is not None:
                with suppress(DistributedError):
                    line.say(StopFrame(why))
            line.close()
        self._door.close()
        for process in self._processes.values():
            process.join(None if error is None else 2.0)
            for end in (process.terminate, process.kill):
                if process.is_alive():
                    end()
                    process.join(2.0)

    def start(self, name: str, factory: Factory, collect: Collect | None) -> None:
        """Start a part as a process of this machine."""
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        process = context.Process(
            target=_serve_here,
            args=(self.address, name, factory, collect),
            name=f"kumi part {name}",
            daemon=True,
        )
        process.start()
        self._processes[name] = process

    def gather(self, partition: ModelPartition, patience: float) -> None:
        """Wait until all parts have come."""
        deadline = monotonic() + patience
        while missing := [name for name in partition.parts if name not in self.lines]:
            for name in missing:
                process = self._processes.get(name)
                if process is not None and process.exitcode is not None:
                    raise PartLost(f"part '{name}' is gone: its process ended before it had begun")
            if monotonic() > deadline:
                host, port = self.address
                raise PartLost(
                    f"part '{missing[0]}' has not come to {host}:{port} within {patience:g} s; "
                    f"it is started with: kumi part MODEL {missing[0]} --join {host}:{port}"
                )
            if select.select([self._door], [], [], 0.1)[0]:
                self._admit(partition)
        self.lines = {name: self.lines[name] for name in partition.parts}

    def _admit(self, partition: ModelPartition) -> None:
        connection, address = self._door.accept()
        line = PartConnection(connection, f"the caller from {address[0]}")
        try:
            said: HelloFrame = hear(line, HelloFrame, 5.0)
        except DistributedError:  # not a part: whoever it is must not end the run
            line.close()
            return
        line.name = f"part '{said.part}'"
        refusal = self._refusal(said, partition)
        if refusal is None:
            self.lines[said.part] = line
            return
        with suppress(DistributedError):
            line.say(StopFrame(refusal))
        line.close()
        if said.part in partition.parts and said.part not in self.lines:
            raise DistributedError(refusal)

    def _refusal(self, said: HelloFrame, partition: ModelPartition) -> str | None:
        own = VERSION
        if said.protocol != PROTOCOL or said.kumi != own:
            return f"part '{said.part}' runs kumi {said.kumi}, but the hub runs kumi {own}"
        if said.part not in partition.parts:
            return f"there is no part '{said.part}'; there are: {', '.join(partition.parts)}"
        if said.part in self.lines:
            return f"part '{said.part}' is here already"
        return None

    def explained(self, error: PartLost) -> PartLost:
        """Add how the process ended, where it was one of ours."""
        for name, process in self._processes.items():
            if f"part '{name}'" in str(error) and not isinstance(error, PartFailed):
                process.join(1.0)
                if process.exitcode is not None and process.exitcode < 0:
                    how = signal.Signals(-process.exitcode).name
                    return PartLost(f"part '{name}' is gone: its process was ended by {how}")
        return error


def _serve_here(address: Address, name: str, factory: Factory, collect: Collect | None) -> None:
    """Be a part in a process of its own; the hub sees to Ctrl-C, and tells what went wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(Exception):  # told to the hub already, which raises it
        serve(join(*address), name, factory, collect)
