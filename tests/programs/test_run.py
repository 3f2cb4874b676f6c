"""kumi.run: one program, to its end."""

from __future__ import annotations

import threading
import time

import pytest

import kumi
from kumi import Signal, Task, after, chance, note, now, sleep, together, until
from kumi.devs import EndlessLoop, NoRun, Run, Simulation, Stalled, TimeError
from kumi.devs.tracing import ProgramNote, Record
from tests.programs.log import Log


class Oops(Exception):
    """Something that goes wrong in a program."""


async def counts(to: int) -> int:
    """Sleep a second at a time."""
    for _ in range(to):
        await sleep(1)
    return to


# What a run gives.


def test_a_run_gives_what_the_program_returned_and_when_it_ended() -> None:
    run = kumi.run(counts, 3, seed=7)

    assert (run.value, run.time, run.finished, run.seed) == (3, 3.0, True, 7)


def test_a_run_counts_what_happened() -> None:
    """A task that sleeps three times is resumed four times."""
    run = kumi.run(counts, 3)

    assert run.statistics.internal == 4
    assert run.statistics.steps == 4
    assert run.statistics.messages == 0


def test_a_run_until_a_time_ends_there_with_the_program_cut(log: Log) -> None:
    async def works() -> None:
        try:
            await sleep(10)
        finally:
            log("cut")

    run = kumi.run(works, until=4.0)

    assert (run.value, run.time, run.finished) == (None, 4.0, False)
    assert log == [(4.0, "cut")]


def test_what_happens_at_the_last_instant_happens(log: Log) -> None:
    async def works() -> None:
        await sleep(4)
        log("here")
        await sleep(0)
        log("and here")

    assert kumi.run(works, until=4.0).finished
    assert log == [(4.0, "here"), (4.0, "and here")]


def test_a_program_that_ends_early_ends_the_run_there() -> None:
    """The clock stands at the end of the program, not at the limit."""
    assert kumi.run(counts, 3, until=100.0).time == 3.0


def test_a_run_until_zero_begins_the_program(log: Log) -> None:
    async def works() -> None:
        log("begins")
        await sleep(1)

    assert not kumi.run(works, until=0.0).finished
    assert log == [(0.0, "begins")]


def test_tasks_do_not_survive_the_run(log: Log) -> None:
    """Law 7: when the main program ends, whatever else was started in the run is cut."""

    async def stays() -> None:
        try:
            await sleep(100)
        finally:
            log("cut")

    with Simulation() as simulation:
        simulation.start(stays)
        simulation.start_main(counts, 3)
        simulation.run()
        assert [task.path for task in simulation.tasks] == ["stays"]

    assert log == [(3.0, "cut")]
    assert simulation.tasks == ()
    assert simulation.planned == 0


def test_a_run_keeps_nothing_for_the_next(bell: Signal[str]) -> None:
    """Each begins at zero, and a program cut at the end of one listens no longer in the next."""

    async def listens() -> float:
        begun = now()
        await bell.next()
        return begun

    async def rings() -> float:
        begun = now()
        bell.fire("ding")
        return begun

    assert not kumi.run(listens, until=5.0).finished
    assert bell.listeners == 0
    assert kumi.run(rings).value == 0.0


def test_notes_go_into_the_trace_with_task_and_time() -> None:
    async def works() -> None:
        await sleep(2)
        note("here")

    records: list[Record] = []
    kumi.run(works, sinks=[records.append])

    assert [record for record in records if isinstance(record, ProgramNote)] == [
        ProgramNote(2.0, "works", "here")
    ]


# What goes wrong.


def test_what_the_program_raises_comes_out_with_the_task_and_the_time() -> None:
    async def works() -> None:
        await sleep(2.5)
        raise Oops("spilled")

    with pytest.raises(Oops, match="spilled") as raised:
        kumi.run(works)
    assert raised.value.__notes__ == ["in task 'works' at t = 2.5 s"]


def test_the_traceback_leads_to_the_line() -> None:
    async def inner() -> None:
        await sleep(1)
        raise Oops("here")

    async def works() -> None:
        await inner()

    with pytest.raises(Oops) as raised:
        kumi.run(works)
    assert [entry.name for entry in raised.traceback][-2:] == ["works", "inner"]


def test_a_program_that_waits_for_nobody_is_stalled(bell: Signal[str]) -> None:
    async def waits() -> None:
        await sleep(3)
        await bell.next()

    with pytest.raises(
        Stalled, match=r"after t = 3\.0 s, but programs still wait: 'waits' for Signal\('bell'\)\."
    ):
        kumi.run(waits)
    assert bell.listeners == 0


def test_a_stalled_task_inside_a_block_is_named(bell: Signal[str]) -> None:
    """The one that waits for a signal, not the one that waits for its tasks."""

    async def waits() -> None:
        await bell.next()

    async def main() -> None:
        async with together() as tasks:
            tasks.start(waits)

    with pytest.raises(Stalled, match=r"wait: 'main\.waits' for Signal\('bell'\)\."):
        kumi.run(main)


def test_a_program_that_waits_until_a_time_is_not_stalled(bell: Signal[str]) -> None:
    async def waits() -> None:
        await bell.next()

    run = kumi.run(waits, until=9.0)

    assert (run.finished, run.time) == (False, 9.0)


def test_a_program_that_waits_for_nothing_for_ever_is_found() -> None:
    """An endless loop in zero time is reported with the task in it."""

    async def spins() -> None:
        await sleep(2)
        while True:
            await sleep(0)

    with Simulation(max_steps=1000) as simulation:
        simulation.start(spins)
        with pytest.raises(EndlessLoop, match=r"t = 2\.0 s after 1000 steps; taking part: 'spins'"):
            simulation.run()


@pytest.mark.parametrize("until", [-1.0, float("nan"), float("-inf")])
def test_a_time_that_is_none_is_refused(until: float) -> None:
    with pytest.raises(TimeError, match="cannot run until"):
        kumi.run(counts, 1, until=until)


@pytest.mark.parametrize("seed", [1.5, "1", None, True])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(TypeError, match="a seed is a whole number"):
        kumi.run(counts, 1, seed=seed)  # type: ignore[arg-type]


def test_an_error_while_the_run_is_closed_comes_out() -> None:
    async def cleans_up_badly() -> None:
        try:
            await sleep(100)
        finally:
            raise Oops("clean-up")

    with pytest.raises(Oops, match="clean-up"):
        kumi.run(cleans_up_badly, until=1.0)


def test_an_error_while_closing_does_not_keep_the_others_from_cleaning_up(log: Log) -> None:
    """One fails at once; the other needs several steps to end, and gets them."""

    async def fails() -> None:
        try:
            await sleep(100)
        finally:
            raise Oops("clean-up")

    async def inner() -> None:
        try:
            await sleep(100)
        finally:
            log("inner over")

    async def outer() -> None:
        async with together() as tasks:
            tasks.start(inner)
        log("never")

    simulation = Simulation()
    simulation.start(fails)
    simulation.start(outer)
    simulation.run(until=1.0)
    with pytest.raises(Oops, match="clean-up"):
        simulation.close()

    assert log == [(1.0, "inner over")]
    assert simulation.tasks == ()


def test_a_run_closed_twice_is_closed(log: Log) -> None:
    simulation = Simulation()
    simulation.start(counts, 5)
    simulation.close()
    simulation.close()

    with pytest.raises(NoRun, match="closed"):
        simulation.run()
    with pytest.raises(NoRun, match="closed"):
        simulation.start(counts, 5)


def test_a_run_cannot_be_closed_from_inside(log: Log, simulation: Simulation) -> None:
    """It is refused at once, and leaves everything as it was."""

    async def closes() -> None:
        await sleep(1)
        with pytest.raises(NoRun, match=r"close\(\)"):
            simulation.close()
        await sleep(1)
        log("goes on")

    async def beside() -> None:
        await sleep(3)
        log("beside")

    simulation.start(closes)
    simulation.start(beside)
    simulation.run()

    assert log == [(2.0, "goes on"), (3.0, "beside")]


def test_a_run_cannot_be_run_from_inside(simulation: Simulation) -> None:
    async def works() -> None:
        simulation.run()

    simulation.start(works)
    with pytest.raises(NoRun, match=r"run\(\) was called while the run is under way"):
        simulation.run()


# Runs in runs, and beside each other.


def test_a_program_may_run_another_inside_itself(log: Log) -> None:
    """A robot that plans by simulating: the inner run has its own clock, seed and tasks."""

    async def plans() -> float:
        await sleep(100)
        return chance().uniform()

    async def main() -> None:
        await sleep(2)
        inner = kumi.run(plans, seed=5)
        log("planned", inner.time, inner.value == kumi.run(plans, seed=5).value)
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(2.0, "planned", 100.0, True), (3.0, "goes on")]


def test_an_error_in_an_inner_run_comes_out_of_it(log: Log) -> None:
    async def fails() -> None:
        await sleep(7)
        raise Oops("inner")

    async def main() -> None:
        await sleep(1)
        with pytest.raises(Oops):
            kumi.run(fails)
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(2.0, "goes on")]


def test_scopes_of_an_outer_run_do_not_reach_into_an_inner_one(log: Log) -> None:
    async def inner() -> None:
        with until(after(5)):
            await sleep(100)

    async def main() -> None:
        with until(after(1)):
            log("inner", kumi.run(inner).time)
            await sleep(100)
        log("left")

    kumi.run(main)

    assert log == [(0.0, "inner", 5.0), (1.0, "left")]


def test_two_runs_in_two_threads_do_not_disturb_each_other() -> None:
    """Each gives what it gives alone, byte for byte."""

    async def walks(steps: int) -> float:
        place = 0.0
        for _ in range(steps):
            place += chance().normal()
            await sleep(0.5)
        return place

    def work(seed: int) -> None:
        results[seed] = kumi.run(walks, 3000, seed=seed)

    alone = {seed: kumi.run(walks, 3000, seed=seed) for seed in (1, 2)}
    results: dict[int, Run[float]] = {}
    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {seed: run.trace_hash for seed, run in results.items()} == {
        seed: run.trace_hash for seed, run in alone.items()
    }
    assert alone[1].value != alone[2].value


# The wall clock.


def test_a_paced_run_follows_the_wall_clock(log: Log) -> None:
    """Two simulated seconds at twenty times the speed of the wall take a tenth of a second."""

    async def works() -> None:
        await sleep(1)
        log("half")
        await sleep(1)
        log("end")

    start = time.monotonic()
    run = kumi.run(works, pace=20.0)
    took = time.monotonic() - start

    assert log == [(1.0, "half"), (2.0, "end")]
    assert took >= 0.1
    assert run.lateness.count == 3  # the instants 0, 1 and 2
    assert run.time == 2.0


def test_a_paced_run_does_the_same_as_a_quick_one() -> None:
    assert kumi.run(counts, 3, pace=1000.0).trace_hash == kumi.run(counts, 3).trace_hash


@pytest.mark.parametrize("pace", [0.0, -1.0, float("inf"), float("nan")])
def test_a_pace_is_a_positive_number(pace: float) -> None:
    with pytest.raises(ValueError, match="a pace is a positive number"):
        kumi.run(counts, 1, pace=pace)


# Many.


@pytest.mark.slow
def test_a_hundred_thousand_tasks_are_no_trouble() -> None:
    """Each sleeps as many seconds as its number has as last digit; the last ends at nine."""

    async def sleeper(number: int) -> int:
        await sleep(number % 10)
        return number

    async def main() -> int:
        async with together() as tasks:
            started = [tasks.start(sleeper, number) for number in range(100_000)]
        return sum(task.result for task in started)

    run = kumi.run(main)

    assert run.value == 100_000 * 99_999 // 2
    assert run.time == 9.0


def test_a_call_too_deep_is_the_error_that_python_gives() -> None:
    async def deep(levels: int) -> None:
        await (deep(levels - 1) if levels else sleep(1))

    with pytest.raises(RecursionError) as raised:
        kumi.run(deep, 10_000)
    assert raised.value.__notes__ == ["in task 'deep' at t = 0.0 s"]


def test_a_thousand_blocks_of_tasks_inside_each_other_end_together(log: Log) -> None:
    async def nest(levels: int) -> None:
        async with together() as tasks:
            tasks.start(nest, levels - 1) if levels else tasks.start(sleep_long)

    async def sleep_long() -> None:
        await sleep(100)

    async def main() -> None:
        with until(after(3)):
            await nest(1000)
        log("left")

    kumi.run(main)

    assert log == [(3.0, "left")]


def test_a_task_that_ends_its_own_run_stops_it_after_the_instant(log: Log, simulation: Simulation) -> None:
    async def stops() -> None:
        await sleep(1)
        simulation.stop()
        log("stops")

    async def beside(task: Task[None]) -> None:
        await task.ended.next()
        log("same instant")
        await sleep(1)
        log("next run")

    simulation.start(beside, simulation.start(stops))
    simulation.run()
    assert log == [(1.0, "stops"), (1.0, "same instant")]

    simulation.run()
    assert log[2:] == [(2.0, "next run")]
