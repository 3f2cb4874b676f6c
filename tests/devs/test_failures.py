"""What goes wrong inside a run comes out of it, with the place and the time, and disturbs nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from kumi import sleep
from kumi.devs import Atomic, Coupled, KumiError, NoRun, Simulation, atomics, note
from kumi.devs.tracing import Record
from tests.devs.parts import Listener, Sender, Ticker
from tests.waiting import PATIENCE, let_work, read_line, wait_for_state

PHASES = ["output", "internal", "external", "confluent"]
PLACES = {
    "output": "output",
    "internal": "internal transition",
    "external": "external transition",
    "confluent": "confluent transition",
}


class Fragile(Listener):
    """Raises in one of its methods, at t = 2."""

    def __init__(self, name: str, phase: str, error: BaseException) -> None:
        super().__init__(name)
        self.phase, self.error = phase, error
        self.done: list[tuple[float, str]] = []
        if phase != "external":
            self.hold(2.0)

    def _do(self, phase: str) -> None:
        self.done.append((self.now, phase))
        if phase == self.phase and self.now == 2.0:
            raise self.error

    def output(self) -> None:
        self._do("output")

    def internal(self) -> None:
        self._do("internal")
        self.hold(1.0)

    def external(self) -> None:
        self._do("external")

    def confluent(self) -> None:
        self._do("confluent")
        self.hold(1.0)


def plant(phase: str, *errors: BaseException) -> tuple[Coupled, list[Fragile], Ticker, Ticker, Listener]:
    """Give fragile models between two tickers that act at the same time, and a listener to the tickers."""
    net = Coupled("plant")
    before = net.add(Ticker("before"))
    fragile = [net.add(Fragile(f"fragile{number}", phase, error)) for number, error in enumerate(errors)]
    behind = net.add(Ticker("behind"))
    listener = net.add(Listener("listener"))
    for ticker in (before, behind):
        net.couple(ticker.out, listener.into)
    if phase in ("external", "confluent"):
        pulse = net.add(Sender("pulse", (2.0, "pulse")))
        for model in fragile:
            net.couple(pulse.out, model.into)
    return net, fragile, before, behind, listener


@pytest.mark.parametrize("phase", PHASES)
def test_an_error_in_a_model_comes_out_with_its_path_and_the_time(phase: str) -> None:
    """It is the error itself, and the note tells where and when."""
    error = ValueError("broken")
    net, *_ = plant(phase, error)
    simulation = Simulation(net)

    with pytest.raises(ValueError, match="broken") as caught:
        simulation.run()

    assert caught.value is error
    assert error.__notes__ == [f"in {PLACES[phase]} of 'plant.fragile0' at t = 2.0 s"]
    assert simulation.now == 2.0


@pytest.mark.parametrize("phase", PHASES)
def test_the_others_of_the_step_make_their_transitions(phase: str) -> None:
    net, _, before, behind, listener = plant(phase, ValueError("broken"))
    simulation = Simulation(net)

    with pytest.raises(ValueError, match="broken"):
        simulation.run()

    assert (before.ticks, behind.ticks) == ([1.0, 2.0], [1.0, 2.0])
    assert listener.heard == [(1.0, [0, 0]), (2.0, [1, 1])]


@pytest.mark.parametrize("phase", PHASES)
def test_after_an_error_the_run_can_go_on(phase: str) -> None:
    """As if it had not been: the others lost nothing."""
    net, _, before, behind, listener = plant(phase, ValueError("broken"))
    simulation = Simulation(net)
    with pytest.raises(ValueError, match="broken"):
        simulation.run()

    simulation.run(until=5.0)

    assert (before.ticks, behind.ticks) == ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert listener.heard == [(1.0, [0, 0]), (2.0, [1, 1]), (3.0, [2, 2])]
    assert simulation.now == 5.0


def test_a_model_whose_output_fails_makes_its_transition_all_the_same() -> None:
    net, (fragile,), *_ = plant("output", ValueError("broken"))
    simulation = Simulation(net)
    with pytest.raises(ValueError, match="broken"):
        simulation.run()

    simulation.run(until=3.0)

    assert fragile.done == [(2.0, "output"), (2.0, "internal"), (3.0, "output"), (3.0, "internal")]


@pytest.mark.parametrize("phase", PHASES)
def test_several_errors_of_one_step_come_out_together(phase: str) -> None:
    errors = [ValueError("first"), KeyError("second"), ZeroDivisionError("third")]
    net, *_ = plant(phase, *errors)

    with pytest.raises(ExceptionGroup, match=r"3 .* at t = 2\.0 s") as caught:
        Simulation(net).run()

    assert list(caught.value.exceptions) == errors
    assert [error.__notes__ for error in errors] == [
        [f"in {PLACES[phase]} of 'plant.fragile{number}' at t = 2.0 s"] for number in range(3)
    ]


def test_an_error_in_a_watcher_comes_out() -> None:
    """On the port of an atomic and of a coupled model; the value goes on to its receiver."""
    for level in ("ticker", "shell"):
        net = Coupled("net")
        shell = net.add(Coupled("shell"))
        ticker, listener = shell.add(Ticker("ticker", count=2)), net.add(Listener("listener"))
        out = shell.add_output("out", int)
        shell.couple(ticker.out, out)
        net.couple(out, listener.into)
        port = ticker.out if level == "ticker" else out

        def watcher(time: float, value: int) -> None:
            if value == 0:
                raise ValueError("watcher")

        port.watch(watcher)
        simulation = Simulation(net)
        with pytest.raises(ValueError, match="watcher") as caught:
            simulation.run()
        simulation.run()

        assert len(caught.value.__notes__) == 1
        assert "net.shell" in caught.value.__notes__[0]
        assert caught.value.__notes__[0].endswith("at t = 1.0 s")
        assert listener.heard == [(1.0, [0]), (2.0, [1])]


def test_an_error_in_an_action_comes_out_with_its_name() -> None:
    simulation, log = Simulation(), list[str]()

    def broken_action() -> None:
        raise ValueError("action")

    simulation.schedule(1.0, broken_action)
    simulation.schedule(1.0, lambda: log.append("other"))

    with pytest.raises(ValueError, match="action") as caught:
        simulation.run()

    assert log == ["other"]
    assert "broken_action' at t = 1.0 s" in caught.value.__notes__[0]


def test_an_error_in_a_program_comes_out_with_its_path() -> None:
    async def broken_program() -> None:
        await sleep(1.0)
        raise ValueError("program")

    simulation = Simulation()
    simulation.start(broken_program)

    with pytest.raises(ValueError, match="program") as caught:
        simulation.run()

    assert any("broken_program" in text and "t = 1.0 s" in text for text in caught.value.__notes__)


class Moody:
    """A sink that raises on one kind of record."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seen: list[str] = []

    def __call__(self, record: Record) -> None:
        self.seen.append(type(record).__name__)
        if type(record).__name__ == self.kind:
            raise ValueError(f"sink {self.kind}")


@pytest.mark.parametrize(
    "kind", ["Internal", "External", "Confluent", "Output", "Injected", "Note", "Started", "Ended"]
)
def test_an_error_in_a_sink_comes_out_with_the_time(kind: str) -> None:
    net = Coupled("net")
    ticker, listener = net.add(Ticker("ticker", count=1)), net.add(Listener("listener"))
    both = net.add(Fragile("both", "none", ValueError()))
    net.couple(ticker.out, listener.into)

    async def program() -> None:
        await sleep(1.0)
        note("hello")

    simulation = Simulation(net)
    simulation.inject(both.into, "x", at=2.0)
    simulation.trace(Moody(kind))
    simulation.start(program)

    with pytest.raises((ValueError, ExceptionGroup)) as caught:
        simulation.run(until=2.5)

    errors = caught.value.exceptions if isinstance(caught.value, ExceptionGroup) else (caught.value,)
    for error in errors:
        assert str(error) == f"sink {kind}"
        assert any("t = " in text for text in error.__notes__)


@pytest.mark.parametrize("kind", ["Added", "Removed", "Coupling", "Uncoupling"])
def test_an_error_in_a_sink_is_not_lost_while_the_structure_changes(kind: str) -> None:
    """Nothing follows that could bring it out."""
    net = Coupled("net")
    sender, listener = net.add(Sender("sender")), net.add(Listener("listener"))

    def change() -> None:
        net.add(Listener("new"))
        net.couple(sender.out, listener.into)
        net.uncouple(sender.out, listener.into)
        net.remove(listener)

    simulation = Simulation(net)
    simulation.trace(Moody(kind))
    simulation.schedule(1.0, change)

    with pytest.raises(ValueError, match=f"sink {kind}"):
        simulation.run()

    assert [model.name for model in net.components] == ["sender", "new"]
    assert [model.is_running for model in atomics(net)] == [True, True]


# KeyboardInterrupt and its kin.


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_passes_as_it_is(phase: str, kind: type[BaseException]) -> None:
    net, _, before, behind, _ = plant(phase, kind())

    with pytest.raises(kind):
        Simulation(net).run()

    assert (before.ticks, behind.ticks) == ([1.0, 2.0], [1.0, 2.0])


def test_an_interrupt_does_not_hide_an_error_of_the_same_step() -> None:
    error, interrupt = ValueError("hidden?"), KeyboardInterrupt()
    net, *_ = plant("internal", error, interrupt)

    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)) as caught:
        Simulation(net).run()

    if isinstance(caught.value, BaseExceptionGroup):
        assert set(caught.value.exceptions) == {error, interrupt}
    else:
        assert caught.value.__context__ is error


INTERRUPTED = """
import sys
from kumi.devs import Simulation
from kumi import sleep
from tests.devs.parts import Ticker

async def program():
    while True:
        await sleep(1.0)

kind = sys.argv[1]
simulation = Simulation(Ticker("ticker", count=10**12) if kind == "model" else None, max_steps=10**12)
if kind == "program":
    simulation.start(program)
elif kind == "loop":
    event = simulation.schedule(0.0, lambda: event.move(0.0))
elif kind == "native":
    from kumi.devs import Atomic
    class Idle(Atomic): pass
    event = simulation.schedule(0.0, lambda: event.move(simulation.now + 1.0))
print("ready", flush=True)
if kind == "paced":
    simulation.run(until=1e6, pace=1.0)
elif kind == "open":
    simulation.run(open_ended=True)
else:
    simulation.run()
"""


@pytest.mark.parametrize("kind", ["model", "program", "loop", "native", "paced", "open"])
def test_control_c_ends_a_run(kind: str) -> None:
    """Whatever it is doing, or waiting for."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    with process:
        try:
            assert read_line(process.stdout) == "ready\n"
            if kind in ("paced", "open"):
                wait_for_state(process.pid, "S")
            else:
                let_work(process.pid)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()

    assert "KeyboardInterrupt" in said
    assert process.returncode in (-signal.SIGINT, 130, 1)


# Methods of the wrong kind.


def test_a_transition_is_a_plain_method() -> None:
    """`async def` belongs to programs: one clear error, and no complaint about a coroutine never awaited."""

    class Confused(Atomic):
        async def internal(self) -> None:  # type: ignore[override]
            pass

    confused = Confused("confused")
    confused.hold(1.0)

    with pytest.raises(TypeError, match=r"internal\(\) must be a plain method that returns None") as caught:
        Simulation(confused).run()

    assert caught.value.__notes__ == ["in internal transition of 'confused' at t = 1.0 s"]


@pytest.mark.parametrize("phase", PHASES)
def test_a_transition_returns_nothing(phase: str) -> None:
    """A returned value would be lost in silence."""

    def returning(self: Atomic) -> int:
        return 5

    kind: Any = type("Returning", (Atomic,), {phase: returning})
    model = kind("returning")
    into = model.add_input("into", int)
    if phase != "external":
        model.hold(1.0)
    simulation = Simulation(model)
    if phase in ("external", "confluent"):
        simulation.inject(into, 1, at=1.0)

    with pytest.raises(
        TypeError, match=rf"{phase}\(\) must be a plain method that returns None, but it returned 5"
    ):
        simulation.run()


def test_a_generator_is_no_transition() -> None:
    class Yielding(Atomic):
        def internal(self) -> Any:
            yield 1

    model = Yielding("yielding")
    model.hold(1.0)

    with pytest.raises(
        TypeError, match=r"internal\(\) must be a plain method that returns None, but it returned <gen"
    ):
        Simulation(model).run()


def test_a_watcher_that_calls_itself_ends_in_a_recursion_error() -> None:
    sender = Sender("sender", (1.0, 1))
    sender.out.watch(lambda _time, value: sender.out.send(value))

    with pytest.raises((RecursionError, ExceptionGroup)) as caught:
        Simulation(sender).run()

    assert caught.group_contains(RecursionError) if isinstance(caught.value, ExceptionGroup) else True


# A run within itself.


@pytest.mark.parametrize("deed", ["run", "advance", "close"])
def test_a_run_is_not_driven_from_inside_itself(deed: str) -> None:
    """Refused at once, and the run goes on undisturbed."""
    refused: list[str] = []

    class Meddler(Ticker):
        def internal(self) -> None:
            super().internal()
            with pytest.raises(NoRun) as caught:
                getattr(simulation, deed)()
            refused.append(str(caught.value))

    meddler = Meddler("meddler", count=3)
    simulation = Simulation(meddler)

    simulation.run()

    assert meddler.ticks == [1.0, 2.0, 3.0]
    assert len(refused) == 3
    assert (simulation.now, meddler.is_running) == (3.0, True)


def test_a_model_may_run_another_simulation_inside_its_transition() -> None:
    """A planner that looks ahead: two runs, two clocks."""
    inner_times: list[float] = []

    class Planner(Ticker):
        def internal(self) -> None:
            super().internal()
            with Simulation(Ticker("inner", period=10.0, count=2)) as inner:
                inner_times.append(inner.run().time)

    planner = Planner("planner", count=2)

    assert Simulation(planner).run().time == 2.0
    assert inner_times == [20.0, 20.0]


def test_a_closed_simulation_says_so() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    simulation.close()
    simulation.close()

    for deed in (
        simulation.run,
        simulation.advance,
        lambda: simulation.schedule(1.0, list),
        lambda: simulation.inject(listener.into, 1),
    ):
        with pytest.raises(KumiError, match=r"closed|not part of this run"):
            deed()
    assert (simulation.now, simulation.planned) == (0.0, 0)


def test_closing_lets_no_model_act() -> None:
    """What was planned for this very instant did not happen, and does not."""
    ticker = Ticker("ticker", period=0.0)
    simulation, log = Simulation(ticker), list[str]()
    simulation.schedule(0.0, lambda: log.append("event"))
    simulation.close()

    assert (ticker.ticks, log, ticker.is_running) == ([], [], False)


def test_an_error_inside_a_with_block_is_not_replaced_by_closing() -> None:
    net, *_ = plant("internal", ValueError("broken"), KeyError("broken"))

    with pytest.raises(ExceptionGroup), Simulation(net) as simulation:
        simulation.run()

    assert simulation.planned == 0
