"""One program, run to its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar, TypeVarTuple

from kumi.devs.errors import Stalled
from kumi.devs.results import Run
from kumi.devs.simulation import Simulation
from kumi.devs.tracing import Sink

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def run(
    program: Callable[[*Ts], Coroutine[Any, Any, T]],
    *args: *Ts,
    seed: int = 0,
    until: float = math.inf,
    pace: float | None = None,
    patience: float = 10.0,
    max_steps: int = 1_000_000,
    sinks: Iterable[Sink] = (),
) -> Run[T]:
    """Run a program until it ends, or until a time; the result holds what it returned.

    As fast as possible, or at a pace of the wall clock (1.0 is real time). Raises what the program
    raises, Stalled when the program waits for something that nobody is left to do, and NeverWaits when it
    goes on for more than `patience` seconds without a wait (inf: it may go on for ever). EndlessLoop
    tells of more than `max_steps` steps at one instant, or turns of one program in a millisecond.
    """
    with Simulation(seed=seed, patience=patience, max_steps=max_steps) as simulation:
        for sink in sinks:
            simulation.trace(sink)
        main = simulation.start_main(program, *args)
        simulation.run(until, pace=pace)
        finished = main.has_ended
        if not finished and until == math.inf:
            raise Stalled(_stalled(simulation))
        simulation.close()
        return simulation.report(main.result if finished else None, finished=finished)


def _stalled(simulation: Simulation) -> str:
    tasks = simulation.tasks
    parents = {id(task.parent) for task in tasks}  # they wait for their tasks, which are named themselves
    waiting = [f"'{task.path}' for {task.waits_for}" for task in tasks if id(task) not in parents]
    listed = "; ".join(waiting[:8]) + (f"; and {len(waiting) - 8} more" if len(waiting) > 8 else "")
    return (
        f"nothing is left to happen after t = {simulation.now} s, but programs still wait: {listed}. "
        f"Let something wake them, or give run() a time with until="
    )
