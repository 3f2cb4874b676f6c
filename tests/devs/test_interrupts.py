"""Several that last until Ctrl-C in one process: whoever leaves, in whichever order, leaves the others their signal."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import kumi.devs
from kumi.devs import Simulation
from kumi.devs.interrupts import STOPPING, handlers_kept, served_until_signal
from kumi.devs.mailbox import Bell
from tests.waiting import PATIENCE, beside, wait_for, wait_for_state

ORDERS = list(permutations(range(3)))


@pytest.mark.parametrize("order", ORDERS)
def test_whoever_leaves_in_whichever_order_the_handler_from_before_is_back(order: tuple[int, ...]) -> None:
    before = signal.getsignal(signal.SIGINT)
    stacks = [ExitStack() for _ in order]
    for stack in stacks:
        stack.enter_context(served_until_signal(lambda: None))
    for number in order:
        stacks[number].close()

    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("order", ORDERS)
def test_one_that_has_left_does_not_take_the_signal_of_those_that_stay(order: tuple[int, ...]) -> None:
    taken: list[int] = []
    stacks = [ExitStack() for _ in order]
    for number, stack in enumerate(stacks):
        stack.enter_context(served_until_signal(lambda number=number: taken.append(number)))  # type: ignore[misc]
    first, *others = order
    stacks[first].close()
    for _ in others:
        signal.raise_signal(signal.SIGINT)
    for number in others:
        stacks[number].close()

    assert sorted(taken) == sorted(others)


def test_what_a_package_left_behind_is_taken_away_and_ours_goes_on() -> None:
    """Within a block that lasts until Ctrl-C, somebody sets a handler of their own."""
    taken: list[str] = []
    with served_until_signal(lambda: taken.append("ours")):
        with handlers_kept():
            signal.signal(signal.SIGINT, lambda *_: taken.append("theirs"))
        signal.raise_signal(signal.SIGINT)

    assert taken == ["ours"]


KERNEL = str(Path(kumi.devs.__file__).parent)


class Instructions:
    """Counts the instructions of the kernel's own code, and does something before one of them, as a signal handler would."""

    def __init__(self, number: int = 0, act: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._number, self._act = number, act

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(KERNEL):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.count += 1
            if self.count == self._number:
                self._act()
        return self


def run_async(simulation: Simulation) -> None:
    asyncio.run(simulation.run_async(pace=1.0, open_ended=True))


def run(simulation: Simulation) -> None:
    simulation.run(pace=1.0, open_ended=True)


def traced(instructions: Instructions, run: Callable[[Simulation], None], simulation: Simulation) -> None:
    """Run with an eye on every instruction, and not until the one event that is planned."""
    simulation.schedule(PATIENCE, simulation.stop)
    begun, before = time.monotonic(), sys.gettrace()
    sys.settrace(instructions)
    try:
        run(simulation)
    finally:
        sys.settrace(before)
    assert time.monotonic() - begun < PATIENCE, "the run went on as if nothing had come"


def instructions_to_the_wait(run: Callable[[Simulation], None]) -> int:
    """Count the instructions of a run until it waits; fewer where the machine is very busy. The first run of a process has more."""
    return min(_counted(run), _counted(run))


def _counted(run: Callable[[Simulation], None]) -> int:
    counted = Instructions()
    last = [-1] * 30

    def is_waiting() -> bool:
        last.append(counted.count)
        return counted.count > 0 and len(set(last[-30:])) == 1

    def stop() -> None:
        wait_for(is_waiting)
        simulation.stop()

    with Simulation() as simulation, beside(stop):
        simulation.bring(lambda _: None)  # with one look at what has come, and one at nothing
        traced(counted, run, simulation)
    return last[-1]


@pytest.mark.parametrize("run", [run, run_async])
def test_a_run_ends_at_whichever_instruction_the_signal_comes(run: Callable[[Simulation], None]) -> None:
    for number in range(1, instructions_to_the_wait(run) + 1):
        with Simulation() as simulation:
            simulation.bring(lambda _: None)
            traced(Instructions(number, simulation.stop), run, simulation)


@pytest.mark.parametrize("run", [run, run_async])
def test_nothing_is_lost_that_a_signal_handler_brings_at_whichever_instruction(
    run: Callable[[Simulation], None],
) -> None:
    """While another delivery is being taken out, too."""
    for number in range(1, instructions_to_the_wait(run) + 1):
        with Simulation() as simulation:
            came: list[str] = []

            def take(word: str, came: list[str] = came, simulation: Simulation = simulation) -> None:
                came.append(word)
                if len(came) == 2:
                    simulation.stop()

            simulation.bring(lambda _, take=take: take("first"))  # type: ignore[misc]
            handler = Instructions(number, lambda s=simulation, t=take: s.bring(lambda _: t("second")))  # type: ignore[misc]
            traced(handler, run, simulation)

            assert came == ["first", "second"]


def wait_for_a_bell(_: Simulation) -> None:
    """Wait as a page does after its run."""
    bell = Bell()
    with served_until_signal(bell.ring):
        bell.wait(PATIENCE)


@pytest.mark.parametrize("number", STOPPING)
@pytest.mark.parametrize("wait", [run, run_async, wait_for_a_bell])
def test_a_wait_ends_whichever_thread_the_system_gives_the_signal_to(
    wait: Callable[[Simulation], None], number: int
) -> None:
    """Python's handlers are called in the main thread. A signal in another one does not wake it, nor does one that
    comes just before it blocks: the same thing seen from the wait, and this one can be made to happen."""
    main = threading.main_thread().native_id
    assert main is not None

    def send() -> None:
        wait_for_state(main, "S")
        signal.pthread_kill(threading.get_ident(), number)

    with Simulation() as simulation, served_until_signal(simulation.stop), beside(send):
        simulation.schedule(PATIENCE, simulation.stop)
        begun = time.monotonic()
        wait(simulation)
        assert time.monotonic() - begun < PATIENCE, "the signal was heard when the wait was over"
