"""Random programs do on the kernel what they do on a tiny reference kernel: the same, at the same times."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kumi import Signal, after, now, sleep, together, unless, until
from kumi.devs import Cut, Simulation
from kumi.devs import Together as TogetherBlock
from tests.programs.acts import (
    SIGNALS,
    Act,
    Careless,
    CutBlock,
    Fail,
    Fire,
    Next,
    Oops,
    Scope,
    Sleep,
    Together,
    shown,
)
from tests.programs.reference import Interpreter

END = 20.0

# Small whole times and few signals: much happens at the same instant.
durations = st.integers(0, 4).map(float)
signals = st.lists(st.integers(0, SIGNALS - 1), min_size=1, max_size=2, unique=True).map(tuple)
simple = st.one_of(
    st.builds(Sleep, durations),
    st.builds(Fire, st.integers(0, SIGNALS - 1)),
    st.builds(Next, signals),
    st.builds(CutBlock),
    st.builds(Fail),
)


def bodies(acts: st.SearchStrategy[Act]) -> st.SearchStrategy[tuple[Act, ...]]:
    """Give some acts in a row."""
    return st.lists(acts, max_size=4).map(tuple)


def blocks(acts: st.SearchStrategy[Act]) -> st.SearchStrategy[Act]:
    """Give acts that hold other acts."""
    return st.one_of(
        st.builds(Scope, st.booleans(), signals, st.none() | durations, bodies(acts)),
        st.builds(Scope, st.booleans(), st.just(()), durations, bodies(acts)),
        st.builds(Careless, bodies(acts)),
        st.builds(Together, st.lists(bodies(acts), min_size=1, max_size=3).map(tuple), bodies(acts)),
    )


programs = bodies(st.recursive(simple, blocks, max_leaves=25))


class Player:
    """Does acts on the kernel."""

    def __init__(self) -> None:
        self.signals = [Signal[None](f"signal-{number}") for number in range(SIGNALS)]
        self.log: list[tuple[object, ...]] = []

    def run(self, acts: tuple[Act, ...], until: float) -> list[tuple[object, ...]]:
        """Do the acts in a task; give all that happened."""
        with Simulation() as simulation:
            main = simulation.start(self.do_task, acts, "main", None)
            try:
                simulation.run(until)
                main.cut()
                simulation.run(until)
            except Exception as error:
                if error is not main.error:
                    raise
            assert main.has_ended
            assert simulation.planned == 0
            assert [signal.listeners for signal in self.signals] == [0] * SIGNALS
        return self.log

    async def do_task(self, acts: tuple[Act, ...], name: str, around: TogetherBlock | None) -> None:
        """Do all a task has to do, and write down how it ended."""
        how: object = "done"
        try:
            await self.do_all(acts, name, around)
        except (Cut, Exception) as error:
            how = shown(error)
            raise
        finally:
            self.log.append((now(), name, how))

    async def do_all(self, acts: tuple[Act, ...], name: str, around: TogetherBlock | None) -> None:
        """Do one act after the other, and write each down when it is done."""
        for number, act in enumerate(acts):
            place = f"{name}/{number}"
            await self.do(act, place, around)
            self.log.append((now(), place, type(act).__name__))

    async def do(self, act: Act, place: str, around: TogetherBlock | None) -> None:
        """Do one act."""
        match act:
            case Sleep(duration):
                await sleep(duration)
            case Fire(signal):
                self.signals[signal].fire()
            case Next(numbers):
                await self.either(numbers).next()
            case Fail():
                raise Oops
            case CutBlock() if around is not None:
                around.cut()
            case Careless(body):
                await self.do_carelessly(body, place, around)
            case Scope(raises, numbers, limit, body):
                ending = self.either(numbers, limit)
                with unless(ending) if raises else until(ending):
                    await self.do_all(body, place, around)
            case Together():
                await self.do_together(act, place)

    async def do_carelessly(self, acts: tuple[Act, ...], place: str, around: TogetherBlock | None) -> None:
        """Do something, and go on after any error."""
        try:
            await self.do_all(acts, place, around)
        except Exception as error:  # noqa: BLE001  # that is what Careless means
            self.log.append((now(), place, shown(error)))

    async def do_together(self, act: Together, place: str) -> None:
        """Do something beside tasks."""
        async with together() as block:
            for number, acts in enumerate(act.tasks):
                block.start(self.do_task, acts, f"{place}.{number}", block)
            await self.do_all(act.body, place, block)

    def either(self, numbers: tuple[int, ...], limit: float | None = None) -> Signal[Any]:
        """Join signals, and a deadline where there is a limit."""
        parts: list[Signal[Any]] = [self.signals[number] for number in numbers]
        if limit is not None:
            parts.append(after(limit))
        whole = parts[0]
        for part in parts[1:]:
            whole = whole | part
        return whole


@settings(max_examples=5 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(programs)
@example((Scope(False, (), 1.0, (Sleep(1.0),)),))
@example((Together(((Next((0,)), Fail()), (Next((0,)), Fail())), (Sleep(1.0), Fire(0))),))
@example((Scope(True, (0,), None, (Scope(False, (0,), None, (Together(((Fire(0),),), (Sleep(2.0),)),)),)),))
def test_a_random_program_does_the_same_on_the_reference_kernel(acts: tuple[Act, ...]) -> None:
    assert Player().run(acts, END) == Interpreter().run(acts, END)
