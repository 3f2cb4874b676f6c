"""What comes from outside can plan things: it is called between two instants, with the time at which it came."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from kumi.devs import NoRun, Simulation


def test_a_delivery_happens_between_instants_with_its_own_time() -> None:
    """A thread brings it while the run waits for t = 0.2 s: the run is at 0 then, and time has passed."""
    log: list[tuple[str, float]] = []
    with Simulation() as simulation:

        def deliver(time: float) -> None:
            log.append(("planned at", simulation.now))
            simulation.schedule(time, lambda: log.append(("happened at", time - simulation.now)))

        simulation.schedule(0.0, threading.Thread(target=simulation.bring, args=(deliver,)).start)
        simulation.schedule(0.2, lambda: log.append(("later", simulation.now)))
        simulation.run(pace=1.0)

    assert log == [("planned at", 0.0), ("happened at", 0.0), ("later", 0.2)]


def test_what_is_brought_into_a_run_that_waits_in_asyncio_wakes_it() -> None:
    times: list[float] = []

    async def bring(simulation: Simulation) -> None:
        run = asyncio.create_task(simulation.run_async(pace=1.0, open_ended=True))
        await asyncio.sleep(0)
        simulation.bring(lambda time: stop_at(simulation, time))
        await run

    def stop_at(simulation: Simulation, time: float) -> None:
        times.append(time)
        stop: Callable[[], None] = simulation.stop
        simulation.schedule(time, stop)

    with Simulation() as simulation:
        asyncio.run(bring(simulation))
        assert [simulation.now] == times


def test_a_run_that_is_always_late_still_takes_what_comes() -> None:
    """Each instant takes longer than the time to the next; an asyncio task that ends the run has its turn."""

    async def end(simulation: Simulation) -> None:
        simulation.stop()

    async def main(simulation: Simulation) -> None:
        run = asyncio.create_task(simulation.run_async(pace=1.0))
        await asyncio.sleep(0)
        await asyncio.gather(run, end(simulation))

    with Simulation() as simulation:

        def slow() -> None:
            time.sleep(0.002)
            simulation.schedule(simulation.now + 0.001, slow)

        simulation.schedule(0.0, slow)
        simulation.schedule(2.0, simulation.stop)
        asyncio.run(main(simulation))

        assert simulation.now < 1.0


def test_nothing_is_brought_into_a_closed_run() -> None:
    simulation = Simulation()
    simulation.close()

    with pytest.raises(NoRun, match="this simulation is closed"):
        simulation.bring(print)
