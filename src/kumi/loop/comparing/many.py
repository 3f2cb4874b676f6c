"""How are many runs of a comparison made, some at a time?

Each is a process of its own, so that one that follows the wall clock is not held up by another, and one that fails takes
no other with it. If the one who started them ends, they end.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from kumi.loop.comparing.evidence import RunEvidence
from kumi.loop.comparing.planting import Planted
from kumi.loop.comparing.subject import ComparedSubject
from kumi.loop.robot_processes import NotThere

JOIN_TIMEOUT = 10.0
"""Seconds that a process has to end."""


@dataclass(frozen=True)
class PlantedExperiment:
    """A subject with errors planted in its robots, in simulated time or paced by the wall clock."""

    subject: ComparedSubject
    planted: Planted
    is_paced: bool = False

    def run(self, seed: int) -> RunEvidence:
        """Run once."""
        robots = self.planted.planted(self.subject.robots)
        return self.subject.run(seed, robots, is_paced=self.is_paced, say=lambda _words: None)


def run_all(
    experiment: PlantedExperiment,
    seeds: Sequence[int],
    *,
    workers: int = 1,
    told: Callable[[RunEvidence], object] = lambda _ran: None,
) -> tuple[RunEvidence, ...]:
    """Run with each seed, so many at a time; `told` hears of each run that is done."""
    if workers == 1 and not experiment.is_paced:
        done = {}
        for seed in seeds:
            done[seed] = experiment.run(seed)
            told(done[seed])
        return tuple(done[seed] for seed in seeds)
    todo, found = list(seeds), dict[int, RunEvidence]()
    under_way: dict[Connection, tuple[SpawnProcess, int]] = {}
    try:
        while todo or under_way:
            while todo and len(under_way) < workers:
                seed = todo.pop(0)
                connection, process = _begin(experiment, seed)
                under_way[connection] = process, seed
            for ready in wait(list(under_way)):
                assert isinstance(ready, Connection)
                process, seed = under_way.pop(ready)
                found[seed] = _end(ready, process, f"the run with seed {seed}")
                told(found[seed])
    finally:
        for process, _ in under_way.values():
            process.terminate()  # it ends its robots, and then itself
        for process, _ in under_way.values():
            process.join(JOIN_TIMEOUT)
            process.kill()
    return tuple(found[seed] for seed in seeds)


def _begin(experiment: PlantedExperiment, seed: int) -> tuple[Connection, SpawnProcess]:
    """Start a run in a process of its own; what came of it comes over the connection."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(there, experiment, seed))
    process.start()
    there.close()
    return here, process


def _run(connection: Connection, experiment: PlantedExperiment, seed: int) -> None:
    """Run once, and send what came of it; Ctrl-C is for the one who started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    found: object = None
    try:
        found = experiment.run(seed)
    except Exception as error:  # noqa: BLE001  # told by the one who started it
        found = error
    except KeyboardInterrupt:
        return  # it was asked to end before it ran
    with suppress(BrokenPipeError):  # then nobody waits for it any more
        connection.send(found)


def _end(connection: Connection, process: SpawnProcess, name: str) -> RunEvidence:
    """Take what came of a run that is over, or raise what it raised."""
    try:
        found = connection.recv()
    except EOFError:
        raise NotThere(f"{name} has ended without a word") from None
    finally:
        connection.close()
        process.join(JOIN_TIMEOUT)
    if isinstance(found, Exception):
        raise found
    assert isinstance(found, RunEvidence)
    return found
