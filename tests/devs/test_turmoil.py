"""Everything changes at every moment, with the collector at work, and nothing breaks."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from kumi.devs import Atomic, Chance, Coupled, Event, InPort, OutPort, Simulation, StructureError, atomics
from kumi.devs import coupled_models as coupled_models_of


@pytest.fixture
def eager_collector() -> Iterator[None]:
    """Let the collector run at every chance it gets."""
    threshold = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*threshold)


class Turmoil(Coupled):
    """Adds, removes, couples, uncouples, plans and withdraws at random, whenever it is told to stir."""

    def __init__(self, seed: int) -> None:
        super().__init__("turmoil")
        self.add_input("into", object)
        self.add_output("out", object)
        self.draws: Chance = Simulation(seed=seed).chance("turmoil")
        self.count = 0
        self.gone: list[Atomic] = []
        self.events: list[Event] = []
        for _ in range(6):
            self.add_member(self)
        self.simulation = Simulation(self)

    def stir(self) -> None:
        """Change something, if it may be changed."""
        place = self.draws.choice([*coupled_models_of(self)])
        change = self.draws.choice(
            [
                self.add_member,
                self.add_shell,
                self.couple_some,
                self.couple_some,
                self.remove_one,
                self.uncouple_one,
            ]
        )
        try:
            change(place)
        except StructureError:
            return
        self.plan_something()

    def new_name(self) -> str:
        self.count += 1
        return f"member {self.count}"

    def add_member(self, place: Coupled) -> None:
        place.add(Member(self.new_name(), self))

    def add_shell(self, place: Coupled) -> None:
        shell = Coupled(self.new_name())
        shell.add_input("into", object)
        shell.add_output("out", object)
        place.add(shell)

    def couple_some(self, place: Coupled) -> None:
        sources: list[OutPort[Any] | InPort[Any]] = [*place.inputs]
        targets: list[OutPort[Any] | InPort[Any]] = [*place.outputs]
        for model in place.components:
            sources += model.outputs
            targets += model.inputs
        place.couple(self.draws.choice(sources), self.draws.choice(targets))

    def remove_one(self, place: Coupled) -> None:
        if place.components and sum(1 for _ in atomics(self)) > 5:
            model = self.draws.choice(place.components)
            self.gone = [*self.gone[-20:], *atomics(model)]
            place.remove(model)

    def uncouple_one(self, place: Coupled) -> None:
        if place.couplings:
            place.uncouple(*self.draws.choice(place.couplings))

    def plan_something(self) -> None:
        now, draws = self.simulation.now, self.draws
        self.events.append(
            self.simulation.schedule(now + draws.integer(0, 1), self.stir, rank=draws.integer(0, 7))
        )
        event = draws.choice(self.events)
        if draws.happens(0.5):
            event.withdraw()
        else:
            event.move(now + draws.integer(0, 2))
        if len(self.events) > 8:
            for old in self.events[:4]:
                old.withdraw()
            del self.events[:4]


class Member(Atomic):
    """Stirs in each of its methods, and sends itself around."""

    def __init__(self, name: str, turmoil: Turmoil) -> None:
        super().__init__(name, rank=turmoil.draws.integer(0, 7))
        self.turmoil = turmoil
        self.into: InPort[Any] = self.add_input("into", object)
        self.out = self.add_output("out", object)
        self.hold(turmoil.draws.integer(0, 2) / 2.0)

    def output(self) -> None:
        self.out.send([self])
        self.turmoil.stir()

    def internal(self) -> None:
        self.turmoil.stir()
        self.hold(self.turmoil.draws.integer(1, 4) / 2.0)

    def external(self) -> None:
        assert all(isinstance(sender, Member) for value in self.into for sender in value)
        if self.turmoil.draws.happens(0.05):
            raise LookupError(self.path)


def go_on(simulation: Simulation, until: float) -> None:
    """Run, whatever fails on the way, until an instant is over."""
    is_over = False
    while not is_over:
        with suppress(LookupError, ExceptionGroup):
            simulation.run(until=until)
            is_over = True


@pytest.mark.some_of(4)
@pytest.mark.usefixtures("eager_collector")
@pytest.mark.parametrize("seed", [*range(8), 87, 137])
def test_whatever_is_changed_whenever_the_agenda_and_the_tree_agree(seed: int) -> None:
    """Those in the tree take part, those removed do not, and only they and the events are planned."""
    turmoil = Turmoil(seed)
    simulation = turmoil.simulation
    for instant in range(1, 40):
        go_on(simulation, until=float(instant))
        members = list(atomics(turmoil))
        for extra in members[12:]:
            assert extra.parent is not None
            extra.parent.remove(extra)
        members = list(atomics(turmoil))

        assert all(model.is_running for model in members)
        assert not any(model.is_running for model in turmoil.gone if model not in members)
        planned = [model for model in members if model.next_time < float("inf")]
        assert simulation.planned == len(planned) + sum(event.is_planned for event in turmoil.events)
    simulation.close()

    assert simulation.planned == 0
    assert not any(model.is_running for model in atomics(turmoil))
