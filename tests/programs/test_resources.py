"""Units that programs share: who gets one, when, and that none is ever lost."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kumi
from kumi import Preempted, Resource, Signal, Task, after, now, sleep, together, unless, until
from kumi.devs import Interrupted, NeverAwaited, NoRun, Simulation, Stalled, UnitRequest
from tests.programs.log import Log


def play(*programs: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    """Run programs beside each other, in this order."""

    async def all_of_them() -> None:
        async with together() as tasks:
            for number, program in enumerate(programs):
                tasks.start(program, name=f"program-{number}")

    kumi.run(all_of_them)


def user(
    log: Log, name: str, resource: Resource, hold: float, *, start: float = 0.0, **wish: Any
) -> Callable[[], Coroutine[Any, Any, None]]:
    """Make a program that holds a unit for some seconds."""

    async def use() -> None:
        await sleep(start)
        async with resource.request(**wish):
            log(name, "holds")
            await sleep(hold)
        log(name, "leaves")

    return use


def test_units_are_granted_in_the_order_of_asking(log: Log) -> None:
    docks = Resource(2)
    play(*(user(log, name, docks, 3.0) for name in "abc"))

    assert log == [
        (0.0, "a", "holds"),
        (0.0, "b", "holds"),
        (3.0, "a", "leaves"),
        (3.0, "b", "leaves"),
        (3.0, "c", "holds"),
        (6.0, "c", "leaves"),
    ]
    assert (docks.free, docks.waiting) == (2, 0)


def test_the_smaller_priority_goes_first_and_within_it_who_asked_first(log: Log) -> None:
    dock = Resource()
    play(
        user(log, "first", dock, 1.0),
        user(log, "low", dock, 1.0, priority=5),
        user(log, "high", dock, 1.0, priority=1),
        user(log, "low, too", dock, 1.0, priority=5),
        user(log, "high, too", dock, 1.0, priority=1),
    )

    order = [name for _, name, did in log if did == "holds"]
    assert order == ["first", "high", "high, too", "low", "low, too"]


def test_preemption_ends_the_block_of_the_least_urgent_holder(log: Log) -> None:
    press = Resource(2, name="press")

    async def holds(name: str, priority: int) -> None:
        try:
            async with press.request(priority=priority):
                await sleep(10.0)
            log(name, "done")
        except Preempted as lost:
            log(name, str(lost), lost.by, lost.since)
            await sleep(1.0)
            log(name, "goes on")

    async def urgent() -> None:
        await sleep(3.0)
        async with press.request(priority=0, preempt=True):
            log("urgent", "holds", press.free)
            await sleep(1.0)

    play(lambda: holds("a", 1), lambda: holds("b", 2), urgent)

    assert log == [
        (3.0, "urgent", "holds", 0),
        (
            3.0,
            "b",
            "the unit of 'press' held since t = 0.0 s was taken by task 'all_of_them.program-2'",
            "all_of_them.program-2",
            0.0,
        ),
        (4.0, "b", "goes on"),
        (10.0, "a", "done"),
    ]


def test_a_request_may_not_preempt_its_equals_nor_pass_those_before_it(log: Log) -> None:
    press = Resource()
    play(
        user(log, "holder", press, 4.0, priority=2),
        user(log, "patient", press, 1.0, priority=1, start=1.0),
        user(log, "equal", press, 1.0, priority=2, preempt=True, start=2.0),
        user(log, "behind", press, 1.0, priority=1, preempt=True, start=3.0),
    )

    assert [name for _, name, did in log if did == "holds"] == ["holder", "patient", "behind", "equal"]


def test_a_preempting_request_takes_over_when_the_patient_one_before_it_gives_up(log: Log) -> None:
    press = Resource()

    async def gives_up() -> None:
        await sleep(1.0)
        with until(after(2.0)):
            async with press.request(priority=1):
                log("never")

    async def holder() -> None:
        with pytest.raises(Preempted):
            async with press.request(priority=3):
                await sleep(10.0)
        log("lost")

    play(holder, gives_up, user(log, "next", press, 1.0, priority=2, preempt=True, start=2.0))

    assert log == [(3.0, "lost"), (3.0, "next", "holds"), (4.0, "next", "leaves")]


def test_one_may_stand_in_line_and_wait_for_something_else_too(log: Log) -> None:
    counter = Resource()

    async def impatient(patience: float) -> None:
        await sleep(0)
        with counter.request() as turn:
            await (turn.granted | after(patience)).next()
            log(turn.is_held, counter.waiting)
            if turn.is_held:
                await sleep(1.0)

    play(user(log, "first", counter, 5.0), lambda: impatient(2.0), lambda: impatient(9.0))

    assert log == [
        (0.0, "first", "holds"),
        (2.0, False, 2),
        (5.0, "first", "leaves"),
        (5.0, True, 0),
    ]
    assert counter.free == 1


@pytest.mark.parametrize("cut_first", [True, False])
@pytest.mark.parametrize("how", ["task", "until", "unless"])
def test_who_is_cut_at_the_instant_of_its_grant_leaves_no_trace(log: Log, cut_first: bool, how: str) -> None:
    """If it was cut first it never gets the unit; if it was granted first it leaves at its next wait."""
    dock = Resource()
    stop, done = Signal[None]("stop"), Signal[None]("done")

    async def holder() -> None:
        async with dock.request():
            await done.next()

    async def victim() -> None:
        try:
            with until(stop) if how == "until" else unless(stop):
                async with dock.request():
                    log("victim holds")
                    await sleep(10.0)
                    log("never")
        except Interrupted:
            pass

    def cut(task: Task[None]) -> None:
        if how == "task":
            task.cut()
        else:
            stop.fire()

    async def controls() -> None:
        async with together() as tasks:
            tasks.start(holder)
            await sleep(0)
            task = tasks.start(victim)
            await sleep(0)
            tasks.start(user(log, "next", dock, 1.0))
            await sleep(2.0)
            if cut_first:
                cut(task)
            done.fire()
            await sleep(0)
            if not cut_first:
                cut(task)

    kumi.run(controls)

    expected: list[tuple[object, ...]] = [(2.0, "next", "holds"), (3.0, "next", "leaves")]
    assert log == (expected if cut_first else [(2.0, "victim holds"), *expected])
    assert (dock.free, dock.waiting) == (1, 0)


def test_a_program_that_is_cut_takes_nothing_from_anybody(log: Log) -> None:
    """A request in a block that is cut already neither takes a unit nor pre-empts."""
    press = Resource()
    stop = Signal[None]("stop")

    async def holder() -> None:
        async with press.request(priority=1):
            await sleep(5.0)
            log("undisturbed")

    async def cut() -> None:
        with until(stop):
            await sleep(1.0)
            stop.fire()
            async with press.request(priority=0, preempt=True):
                log("never")

    play(holder, cut)

    assert log == [(5.0, "undisturbed")]


def test_a_block_that_ends_before_its_next_wait_was_not_preempted(log: Log) -> None:
    """As with `unless`: it held the unit, did all it wanted, and left."""
    press = Resource()
    bell = Signal[None]("bell")

    async def holder() -> None:
        async with press.request(priority=1):
            await bell.next()
        log("done")

    async def urgent() -> None:
        await sleep(1.0)
        bell.fire()
        async with press.request(priority=0, preempt=True):
            log("urgent")

    play(holder, urgent)

    assert log == [(1.0, "urgent"), (1.0, "done")]


def test_mistakes_are_told() -> None:
    for capacity in (0, -1, 1.5, float("nan")):
        with pytest.raises(ValueError, match=f"a whole number, at least 1, not {capacity!r}"):
            Resource(capacity)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not nan"):
        Resource().request(priority=float("nan"))
    with pytest.raises(NoRun, match="a request belongs inside a program"), Resource().request():
        pass

    async def twice() -> None:
        request = Resource(2).request()
        async with request:
            pass
        async with request:
            pass

    with pytest.raises(RuntimeError, match="entered only once"):
        kumi.run(twice)

    async def forgets() -> None:
        with Resource().request() as turn:
            turn.granted.next()  # type: ignore[unused-awaitable]
            await sleep(1.0)

    with pytest.raises(NeverAwaited):
        kumi.run(forgets)

    async def alone() -> None:
        dock = Resource(name="dock")
        async with dock.request(), dock.request():
            pass

    with pytest.raises(Stalled, match="a unit of 'dock'"):
        kumi.run(alone)


def test_a_resource_tells_how_it_stands() -> None:
    async def main() -> None:
        dock = Resource(2, name="dock")
        async with dock.request(priority=3) as held:
            assert repr(dock) == "<Resource 'dock': 1 of 2 free, 0 waiting>"
            assert repr(held) == "<UnitRequest of priority 3 that holds a unit of 'dock'>"

    kumi.run(main)
    lost = pickle.loads(pickle.dumps(Preempted("dock", by="b", since=1.0)))  # noqa: S301
    assert (lost.resource, lost.by, lost.since) == ("dock", "b", 1.0)


def test_many_that_give_up_leave_nothing_in_the_line() -> None:
    async def gives_up(dock: Resource, number: int) -> None:
        with until(after(1.0 + number)):
            async with dock.request():
                pass

    async def main() -> None:
        dock = Resource()
        async with dock.request(), together() as tasks:
            for number in range(1000):
                tasks.start(gives_up, dock, number)
            await sleep(995.5)
            assert dock.waiting == 5
            assert len(dock._line) < 20

    kumi.run(main)


# Against a reference.


@dataclass(frozen=True)
class Wish:
    """A worker: when it asks, how urgently, and how long it holds."""

    start: int
    hold: int
    priority: int
    preempt: bool
    how_cut: str


@dataclass(frozen=True)
class Deed:
    """What a controller does at an instant: end the hold of one, or cut one."""

    instant: int
    does: tuple[tuple[str, int], ...]


WORKERS = 5
wishes = st.builds(
    Wish,
    start=st.integers(0, 3),
    hold=st.integers(0, 4),
    priority=st.integers(0, 2),
    preempt=st.booleans(),
    how_cut=st.sampled_from(["task", "until", "unless"]),
)
deeds = st.builds(
    Deed,
    instant=st.integers(0, 6),
    does=st.lists(
        st.tuples(st.sampled_from(["end", "cut"]), st.integers(0, WORKERS - 1)), min_size=1, max_size=3
    ).map(tuple),
)


class Reference:
    """The rule of a resource, as plainly as it can be written."""

    def __init__(self, capacity: int, workers: list[Wish]) -> None:
        self.capacity = capacity
        self.workers = workers
        self.asked: list[int] = []
        self.line: list[int] = []
        self.holders: list[int] = []
        self.since: dict[int, float] = {}
        self.lost: set[int] = set()
        self.abandoned: set[int] = set()

    def key(self, worker: int) -> tuple[int, int]:
        return self.workers[worker].priority, self.asked.index(worker)

    def serve(self) -> None:
        while live := [worker for worker in self.line if worker not in self.abandoned]:
            first = min(live, key=self.key)
            if len(self.holders) == self.capacity:
                last = max(self.holders, key=self.key)
                if not self.workers[first].preempt or self.key(last)[0] <= self.key(first)[0]:
                    return
                self.holders.remove(last)
                self.lost.add(last)
            self.line.remove(first)
            self.holders.append(first)
            self.since[first] = now()

    def ask(self, worker: int) -> None:
        self.asked.append(worker)
        self.line.append(worker)
        self.serve()

    def cut(self, worker: int) -> None:
        if worker in self.line:
            self.abandoned.add(worker)

    def leave(self, worker: int) -> None:
        if worker in self.line:
            self.line.remove(worker)
        elif worker in self.holders:
            self.holders.remove(worker)
        self.serve()


class Floor:
    """Workers that share a resource, controllers that disturb them, and the reference beside it all."""

    def __init__(self, capacity: int, workers: list[Wish]) -> None:
        self.resource = Resource(capacity)
        self.reference = Reference(capacity, workers)
        self.workers = workers
        self.ends = [Signal[None](f"end {number}") for number in range(WORKERS)]
        self.stops = [Signal[None](f"stop {number}") for number in range(WORKERS)]
        self.tasks: list[Task[None]] = []

    def compare(self) -> None:
        assert self.resource.free == self.resource.capacity - len(self.reference.holders)

    async def work(self, number: int) -> None:
        await sleep(self.workers[number].start)
        stop = self.stops[number]
        try:
            with unless(stop) if self.workers[number].how_cut == "unless" else until(stop):
                await self.use(number)
        except Interrupted:
            pass

    async def use(self, number: int) -> None:
        wish = self.workers[number]
        self.reference.ask(number)
        request = self.resource.request(priority=wish.priority, preempt=wish.preempt)
        try:
            async with request:
                await self.hold(number, request)
        except Preempted:
            assert number in self.reference.lost
        finally:
            if number in self.reference.line:  # it was cut while it waited
                assert request.since is None
                self.reference.leave(number)
            self.compare()

    async def hold(self, number: int, request: UnitRequest) -> None:
        assert number in self.reference.holders or number in self.reference.lost
        assert request.since == self.reference.since[number]
        self.compare()
        try:
            await (self.ends[number] | after(self.workers[number].hold)).next()
        finally:
            self.reference.leave(number)

    async def control(self, deed: Deed) -> None:
        await sleep(deed.instant)
        for kind, number in deed.does:
            if kind == "end":
                self.ends[number].fire()
            else:
                self.cut(number)

    def cut(self, number: int) -> None:
        self.reference.cut(number)
        if self.workers[number].how_cut == "task":
            self.tasks[number].cut()
        else:
            self.stops[number].fire()
        self.compare()

    def nobody_waits_for_what_is_free(self) -> None:
        assert not self.reference.abandoned & set(self.reference.line)
        assert self.resource.waiting == len(self.reference.line)
        assert self.resource.free == 0 or self.resource.waiting == 0
        self.compare()


@given(st.integers(1, 3), st.lists(wishes, min_size=WORKERS, max_size=WORKERS), st.lists(deeds, max_size=6))
def test_a_resource_does_what_its_rule_says_whatever_is_cut_when(
    capacity: int, workers: list[Wish], plan: list[Deed]
) -> None:
    """Small whole times: asking, leaving, cutting and granting meet at the same instants in all orders."""
    floor = Floor(capacity, workers)
    with Simulation() as simulation:
        for deed in plan[::2]:
            simulation.start(floor.control, deed)
        floor.tasks.extend(simulation.start(floor.work, number) for number in range(WORKERS))
        for deed in plan[1::2]:
            simulation.start(floor.control, deed)
        for instant in range(30):
            simulation.schedule(float(instant), floor.nobody_waits_for_what_is_free, rank=7)
        simulation.run()

        assert all(task.has_ended for task in floor.tasks)
        assert (floor.resource.free, floor.resource._line) == (capacity, [])
