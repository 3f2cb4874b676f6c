"""Small programs, and a way to run several beside each other."""

from __future__ import annotations

from collections.abc import Callable

from kumi import Signal, at, sleep
from kumi.devs import Cut, Simulation
from tests.programs.log import Log


async def ring(bell: Signal[str], *events: tuple[float, str]) -> None:
    """Fire events at instants."""
    for instant, event in events:
        await at(instant).next()
        bell.fire(event)


def play(program: Callable[[], object], *others: Callable[[], object], until: float = 1000.0) -> Simulation:
    """Run some programs beside each other; nothing may be left in the agenda when all have ended."""
    with Simulation() as simulation:
        for each in (program, *others):
            simulation.start(each, name=f"program-{len(simulation.tasks)}")  # type: ignore[arg-type]
        simulation.run(until)
        assert simulation.tasks == ()
        assert simulation.planned == 0
    return simulation


class Oops(Exception):
    """Something that goes wrong in a task."""


async def works(log: Log, name: str, duration: float) -> str:
    """Sleep, and tell how it ended."""
    try:
        await sleep(duration)
        log(name, "done")
    except Cut:
        log(name, "cut")
        raise
    return name


async def fails(name: str, after: float) -> None:
    """Sleep, and fail."""
    await sleep(after)
    raise Oops(name)
