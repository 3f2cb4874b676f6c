"""A model begins when it enters a run: there it can draw, and plan its first event."""

from __future__ import annotations

import pytest

import kumi
from kumi.devs import Atomic, Coupled, NoRun, Simulation, chance, note
from kumi.devs.tracing import ProgramNote, Record


class Source(Atomic):
    """Acts after random times, the first drawn when it begins."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.acted: list[float] = []

    def begin(self) -> None:
        self.hold(self.chance.exponential(2.0))

    def internal(self) -> None:
        self.acted.append(self.now)
        self.hold(chance().exponential(2.0))


def acted(seed: int, *names: str) -> dict[str, list[float]]:
    """Give when each of some sources acted in ten seconds."""
    net = Coupled("net")
    sources = [net.add(Source(name)) for name in names]
    with Simulation(net, seed=seed) as simulation:
        simulation.run(until=10.0)
    return {source.name: source.acted for source in sources}


def test_a_model_draws_from_a_stream_named_by_its_path() -> None:
    """The first act comes after the first number of the stream 'net.a'."""
    with Simulation(seed=5) as simulation:
        first = simulation.chance("net.a").exponential(2.0)
    assert acted(5, "a")["a"][0] == first


def test_one_more_model_does_not_change_the_draws_of_the_others() -> None:
    assert acted(1, "a", "b", "c")["b"] == acted(1, "b")["b"]


def test_the_seed_of_the_run_decides_and_no_other() -> None:
    assert acted(1, "a") == acted(1, "a")
    assert acted(1, "a") != acted(2, "a")


def test_a_model_that_comes_later_begins_then() -> None:
    """What it plans counts from the instant of its coming."""

    class Late(Atomic):
        def begin(self) -> None:
            self.hold(1.0)

        def internal(self) -> None:
            times.append(self.now)

    times: list[float] = []
    net = Coupled("net")
    simulation = Simulation(net)
    simulation.schedule(3.0, lambda: net.add(Late("late")))
    simulation.run()
    assert times == [4.0]


def test_a_plan_of_begin_takes_the_place_of_one_made_before() -> None:
    class Both(Atomic):
        def __init__(self) -> None:
            super().__init__("both")
            self.hold(1.0)

        def begin(self) -> None:
            self.hold(5.0)

    assert Simulation(Both()).next_time == 5.0


def test_there_are_no_random_numbers_before_the_run() -> None:
    with pytest.raises(NoRun, match=r"model 'early' is in no run yet.*draw in begin\(\)"):
        _ = Source("early").chance


def test_an_error_in_begin_comes_out_and_the_model_can_be_run_later() -> None:
    class Picky(Atomic):
        ready = False

        def begin(self) -> None:
            if not self.ready:
                raise ValueError("not ready")
            self.hold(1.0)

    model = Picky("picky")
    with pytest.raises(ValueError, match="not ready"):
        Simulation(model)
    model.ready = True
    assert Simulation(model).next_time == 1.0


def test_a_model_writes_notes() -> None:
    """Under its own path."""

    class Diarist(Atomic):
        def begin(self) -> None:
            self.hold(1.0)

        def internal(self) -> None:
            note("dear diary")

    records: list[Record] = []
    simulation = Simulation(Diarist("diarist"))
    simulation.trace(records.append)
    simulation.run()
    assert ProgramNote(1.0, "diarist", "dear diary") in records


def test_chance_outside_a_run_says_what_to_do() -> None:
    with pytest.raises(NoRun, match=r"chance\(\) was called outside a run"):
        kumi.chance()


def test_an_error_in_begin_names_the_model_and_the_time() -> None:
    class Fails(Atomic):
        def begin(self) -> None:
            raise ValueError("no")

    net = Coupled("net")
    net.add(Fails("fails"))
    with pytest.raises(ValueError, match="no") as caught:
        Simulation(net)
    assert caught.value.__notes__ == ["in begin() of 'net.fails' at t = 0.0 s"]


def test_a_model_that_fails_to_begin_is_not_taken_in() -> None:
    class Fails(Atomic):
        def begin(self) -> None:
            raise ValueError("no")

    net = Coupled("net")
    simulation = Simulation(net)
    fails = Fails("fails")
    with pytest.raises(ValueError, match="no"):
        net.add(fails)
    assert (net.components, fails.parent, fails.is_running) == ((), None, False)
    simulation.schedule(1.0, lambda: net.add(fails))
    with pytest.raises(ValueError, match="no"):
        simulation.run()
    assert (net.components, fails.parent, fails.is_running) == ((), None, False)


def test_a_model_and_a_task_of_one_name_draw_apart() -> None:
    """The task 'a' takes nothing from the model 'a'."""

    async def draws() -> None:
        chance().uniform()

    def first_act(*, with_task: bool) -> float:
        simulation = Simulation(Source("a"), seed=3)
        if with_task:
            simulation.start(draws, name="a")
        simulation.run(until=5.0)
        assert isinstance(simulation.model, Source)
        return simulation.model.acted[1]

    assert first_act(with_task=True) == first_act(with_task=False)


def test_tasks_never_share_a_name() -> None:
    """Not even when a name looks like one that was counted up."""

    async def waits() -> None:
        await kumi.sleep(1.0)

    simulation = Simulation()
    names = [simulation.start(waits, name=name).name for name in ("a-2", "a", "a", "a")]
    assert len(set(names)) == 4
    simulation.close()


def test_a_name_that_was_given_by_counting_is_taken_and_one_beyond_is_free() -> None:
    async def waits() -> None:
        await kumi.sleep(1.0)

    simulation = Simulation()
    names = [simulation.start(waits, name=name).name for name in ("a", "a", "a-2", "a-9", "b-2")]
    assert names == ["a", "a-2", "a-2-2", "a-9", "b-2"]
    simulation.close()


def test_a_name_is_text_that_can_be_written() -> None:
    """A lone surrogate is no character."""
    with pytest.raises(kumi.KumiError, match="a model's name"):
        Atomic("\ud800")
