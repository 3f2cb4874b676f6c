"""Things and amounts that programs hand to each other: in order, and none is ever lost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kumi
from kumi import Signal, Store, Tank, Task, after, sleep, together, until
from kumi.devs import NoRun, Simulation, Stalled
from tests.programs.log import Log


def test_things_come_out_in_the_order_they_went_in(log: Log) -> None:
    store = Store[str](capacity=2)

    async def makes() -> None:
        for thing in "abc":
            await store.put(thing)
            log("put", thing)

    async def takes() -> None:
        await sleep(1.0)
        for _ in range(3):
            log("got", await store.get())
            await sleep(1.0)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(makes)
            tasks.start(takes)

    kumi.run(both)
    assert log == [
        (0.0, "put", "a"),
        (0.0, "put", "b"),
        (1.0, "got", "a"),
        (1.0, "put", "c"),
        (2.0, "got", "b"),
        (3.0, "got", "c"),
    ]


def test_who_wants_something_certain_waits_for_it_and_lets_others_pass(log: Log) -> None:
    store = Store([1, 3])

    async def wants_even() -> None:
        log("even", await store.get(lambda number: number % 2 == 0))

    async def wants_any() -> None:
        await sleep(1.0)
        log("any", await store.get())
        log("any", await store.get())
        log("any", await store.get())

    async def main() -> None:
        async with together() as tasks:
            tasks.start(wants_even)
            tasks.start(wants_any)
            await sleep(2.0)
            for number in (5, 6, 7):
                await store.put(number)

    kumi.run(main)
    assert log[:2] == [(1.0, "any", 1), (1.0, "any", 3)]
    assert sorted(log[2:]) == [(2.0, "any", 5), (2.0, "even", 6)]
    assert store.items == (7,)


def test_with_a_key_the_smallest_comes_out_first_and_of_equals_the_first(log: Log) -> None:
    async def main() -> None:
        store = Store(["bb", "a"], key=len)
        for thing in ("ccc", "d", "ee"):
            await store.put(thing)
        assert store.items == ("a", "d", "bb", "ee", "ccc")
        log(await store.get(), await store.get(lambda thing: "e" in thing))

    kumi.run(main)
    assert log == [(0.0, "a", "ee")]


def test_a_filter_that_fails_fails_where_it_was_asked_for(log: Log) -> None:
    store = Store[int]()

    async def asks() -> None:
        with pytest.raises(ZeroDivisionError):
            await store.get(lambda number: 1 // number > 0)
        log("failed")

    async def puts() -> None:
        await store.put(0)
        log("put", store.items)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(asks)
            tasks.start(puts)

    kumi.run(both)
    assert log == [(0.0, "put", (0,)), (0.0, "failed")]


def test_a_key_that_fails_fails_where_the_thing_was_put(log: Log) -> None:
    store = Store(["a"], capacity=1, key=len)

    async def puts() -> None:
        with pytest.raises(TypeError):
            await store.put(7)  # type: ignore[arg-type]
        log("failed", store.items)

    async def takes() -> None:
        await sleep(1.0)
        log(await store.get())

    async def both() -> None:
        async with together() as tasks:
            tasks.start(puts)
            tasks.start(takes)

    kumi.run(both)
    assert log == [(1.0, "a"), (1.0, "failed", ())]


def test_a_tank_lets_out_what_is_in_it_first_come_first_served(log: Log) -> None:
    tank = Tank(10.0, level=2.0)

    async def draws(name: str, amount: float) -> None:
        await tank.get(amount)
        log(name, tank.level)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(draws, "much", 5.0)
            tasks.start(draws, "little", 1.0)
            await sleep(1.0)
            await tank.put(2.0)
            log("put", tank.level, tank.waiting)
            await sleep(1.0)
            await tank.put(2.0)

    kumi.run(main)
    assert log == [(1.0, "put", 4.0, 2), (2.0, "much", 0.0), (2.0, "little", 0.0)]


def test_when_the_first_in_line_gives_up_the_next_is_served(log: Log) -> None:
    tank = Tank(10.0, level=4.0)

    async def gives_up() -> None:
        with until(after(3.0)):
            await tank.get(5.0)
        log("gave up")

    async def small() -> None:
        await tank.get(1.0)
        log("small")

    async def both() -> None:
        async with together() as tasks:
            tasks.start(gives_up)
            tasks.start(small)

    kumi.run(both)
    assert log == [(3.0, "gave up"), (3.0, "small")]


def test_who_fills_waits_for_room_for_all_of_it(log: Log) -> None:
    tank = Tank(10, level=8)

    async def fills() -> None:
        await tank.put(5)
        log("filled", tank.level)

    async def draws() -> None:
        for _ in range(3):
            await sleep(1.0)
            await tank.get(1)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(fills)
            tasks.start(draws)

    kumi.run(both)
    assert log == [(3.0, "filled", 10)]


def test_mistakes_are_told() -> None:
    for capacity in (0, 1, 2.5, math.nan):
        with pytest.raises(ValueError, match=f"its capacity is {capacity}"):
            Store([1, 2], capacity=capacity)
    with pytest.raises(ValueError, match="between 0 and its capacity 5, not 6"):
        Tank(5, level=6)

    async def puts(amount: float) -> None:
        await Tank(5.0, name="fuel").put(amount)

    for amount in (0.0, -1.0, 5.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="put into 'fuel' is more than 0 and at most its capacity 5"):
            kumi.run(puts, amount)

    async def waits() -> None:
        await Store[int](name="shelf").get()

    with pytest.raises(Stalled, match="something from 'shelf'"):
        kumi.run(waits)
    with pytest.raises(NoRun):
        Store[int]().get().send(None)


# Against a reference.


@dataclass(frozen=True)
class Deed:
    """What somebody does: put or get, and when, and when it is cut."""

    gets: bool
    start: int
    amount: int
    cut: int
    by_task: bool
    wanted: int | None = None


@dataclass
class Reference:
    """The rule of a tank, as plainly as it can be written."""

    capacity: int
    level: int
    putters: list[int] = field(default_factory=list)
    getters: list[int] = field(default_factory=list)
    abandoned: set[int] = field(default_factory=set)
    served: list[int] = field(default_factory=list)

    def first(self, line: list[int]) -> int | None:
        return next((number for number in line if number not in self.abandoned), None)

    def serve(self, deeds: list[Deed]) -> None:
        while True:
            putter, getter = self.first(self.putters), self.first(self.getters)
            if putter is not None and self.level + deeds[putter].amount <= self.capacity:
                self.level += deeds[putter].amount
                self.putters.remove(putter)
                self.served.append(putter)
            elif getter is not None and deeds[getter].amount <= self.level:
                self.level -= deeds[getter].amount
                self.getters.remove(getter)
                self.served.append(getter)
            else:
                return


deeds = st.builds(
    Deed,
    gets=st.booleans(),
    start=st.integers(0, 3),
    amount=st.integers(1, 4),
    cut=st.integers(0, 6),
    by_task=st.booleans(),
    wanted=st.none() | st.integers(0, 2),
)


class Yard:
    """Programs that put and get, and others that cut them."""

    def __init__(self, plan: list[Deed]) -> None:
        self.plan = plan
        self.stops = [Signal[None](f"stop {number}") for number in range(len(plan))]
        self.tasks: list[Task[None]] = []

    def run(self) -> None:
        """Do all, some cuts planned before the deeds of an instant and some after, and cut who waits at the end."""
        numbers = range(len(self.plan))
        with Simulation() as simulation:
            for number in numbers[::2]:
                simulation.start(self.disturb, number)
            self.tasks.extend(simulation.start(self.begin, number) for number in numbers)
            for number in numbers[1::2]:
                simulation.start(self.disturb, number)
            for instant in range(8):
                simulation.schedule(float(instant), self.settled, rank=7)
            simulation.run()
            for number in numbers:
                self.told_of_cut(number)
                self.tasks[number].cut()
            simulation.run()
            self.settled()

    async def begin(self, number: int) -> None:
        await sleep(self.plan[number].start)
        with until(self.stops[number]):
            await self.do(number)

    async def do(self, number: int) -> None:
        """Put or get."""

    async def disturb(self, number: int) -> None:
        await sleep(self.plan[number].cut)
        self.told_of_cut(number)
        if self.plan[number].by_task:
            self.tasks[number].cut()
        else:
            self.stops[number].fire()

    def told_of_cut(self, number: int) -> None:
        """Take note that one is about to be cut."""

    def settled(self) -> None:
        """Compare, when all of an instant has happened."""


class TankYard(Yard):
    """Programs at a tank, with a reference beside it."""

    def __init__(self, capacity: int, level: int, plan: list[Deed]) -> None:
        super().__init__(plan)
        self.tank = Tank(capacity, level=level)
        self.first_level = level
        self.reference = Reference(capacity, level)
        self.done: list[int] = []

    async def do(self, number: int) -> None:
        deed = self.plan[number]
        line = self.reference.getters if deed.gets else self.reference.putters
        line.append(number)
        self.reference.serve(self.plan)
        try:
            await (self.tank.get(deed.amount) if deed.gets else self.tank.put(deed.amount))
            self.done.append(number)
            assert number in self.reference.served
        finally:
            if number in line:
                line.remove(number)
                self.reference.serve(self.plan)
            assert self.tank.level == self.reference.level

    def told_of_cut(self, number: int) -> None:
        if number in self.reference.getters + self.reference.putters:
            self.reference.abandoned.add(number)

    def settled(self) -> None:
        assert self.tank.level == self.reference.level
        assert sorted(self.done) == sorted(self.reference.served)
        deeds = [self.plan[number] for number in self.done]
        assert self.tank.level == self.first_level + sum(-d.amount if d.gets else d.amount for d in deeds)
        assert 0 <= self.tank.level <= self.tank.capacity


@given(st.integers(4, 6), st.integers(0, 4), st.lists(deeds, max_size=7))
def test_a_tank_does_what_its_rule_says_whatever_is_cut_when(
    capacity: int, level: int, plan: list[Deed]
) -> None:
    yard = TankYard(capacity, level, plan)
    yard.run()
    assert (len(yard.tank._getters), len(yard.tank._putters)) == (0, 0)


class StoreYard(Yard):
    """Programs at a store, who want any thing, or one of a kind."""

    def __init__(self, capacity: int, plan: list[Deed]) -> None:
        super().__init__(plan)
        self.store = Store[int](capacity=capacity)
        self.put: list[int] = []
        self.got: list[tuple[int, int]] = []

    def wants(self, number: int, thing: int) -> bool:
        return self.plan[number].wanted is None or thing % 3 == self.plan[number].wanted

    async def do(self, number: int) -> None:
        if not self.plan[number].gets:
            await self.store.put(number)
            self.put.append(number)
        elif self.plan[number].wanted is None:
            self.got.append((number, await self.store.get()))
        else:
            self.got.append((number, await self.store.get(lambda thing: self.wants(number, thing))))

    def waiting_for(self, what: str) -> list[int]:
        return [number for number, task in enumerate(self.tasks) if what in str(task.waits_for)]

    def settled(self) -> None:
        items = self.store.items
        assert sorted(self.put) == sorted([*items, *(thing for _, thing in self.got)])
        assert all(self.wants(number, thing) for number, thing in self.got)
        assert [thing for thing in self.put if thing in items] == list(items)
        assert len(items) <= self.store.capacity
        getters = self.waiting_for("something from")
        assert not any(self.wants(number, thing) for number in getters for thing in items)
        assert len(items) == self.store.capacity or not self.waiting_for("room in")


@given(st.integers(1, 3), st.lists(deeds, max_size=8))
def test_a_store_loses_nothing_and_gives_nothing_twice(capacity: int, plan: list[Deed]) -> None:
    """Each thing that went in is in it, in the order of coming, or was got by one who wanted it; nobody waits in vain."""
    yard = StoreYard(capacity, plan)
    yard.run()
    assert (len(yard.store._getters), len(yard.store._putters)) == (0, 0)
