"""What happened, in order: records for sinks, and a hash that is the same for the same run everywhere."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, Flag, IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import Signal, sleep
from kumi.devs import Coupled, Program, Simulation, TextLog, note
from kumi.devs.tracing import (
    Confluent,
    Coupling,
    External,
    Fired,
    Injected,
    Internal,
    ModelAdded,
    ModelOutput,
    ProgramNote,
    Record,
    Removed,
    Started,
    TaskEnded,
    Uncoupling,
    steady_repr,
)
from tests.devs.parts import Listener, Sender, Ticker
from tests.waiting import PATIENCE

# Records.


def traced(simulation: Simulation) -> list[Record]:
    """Give the list into which all records will go."""
    records: list[Record] = []
    simulation.trace(records.append)
    return records


def test_every_step_of_models_is_told_in_order() -> None:
    """All output of a step comes first, then the planned ones change, then those with input."""
    net = Coupled("net")
    first, second = net.add(Sender("first", (1.0, "a"))), net.add(Sender("second", (1.0, "b")))
    listener = net.add(Listener("listener"))
    both = net.add(Listener("both"))
    both.hold(2.0)
    net.couple(first.out, listener.into)
    net.couple(second.out, listener.into)
    simulation = Simulation(net)
    records = traced(simulation)
    simulation.inject(both.into, "c", at=2.0)

    simulation.run()

    assert records == [
        ModelOutput(1.0, "net.first.out", "a"),
        ModelOutput(1.0, "net.second.out", "b"),
        Internal(1.0, "net.first"),
        Internal(1.0, "net.second"),
        External(1.0, "net.listener"),
        Injected(2.0, "net.both.into", "c"),
        Confluent(2.0, "net.both"),
    ]


def test_changes_of_structure_are_told() -> None:
    net = Coupled("net")
    ticker, listener = net.add(Ticker("ticker", count=1)), Listener("listener")
    simulation = Simulation(net)
    records = traced(simulation)

    def change() -> None:
        net.add(listener)
        net.couple(ticker.out, listener.into)
        net.uncouple(ticker.out, listener.into)
        net.remove(listener)

    simulation.schedule(0.5, change)
    simulation.run()
    net.remove(ticker)

    assert records == [
        ModelAdded(0.5, "net.listener"),
        Coupling(0.5, "net.ticker.out -> net.listener.into"),
        Uncoupling(0.5, "net.ticker.out -> net.listener.into"),
        Removed(0.5, "net.listener"),
        ModelOutput(1.0, "net.ticker.out", 0),
        Internal(1.0, "net.ticker"),
        Removed(1.0, "net.ticker"),
    ]


def test_programs_signals_and_notes_are_told() -> None:
    bell: Signal[int] = Signal("bell")

    async def ringer() -> None:
        note("about to ring")
        await sleep(1.0)
        bell.fire(3)

    async def broken() -> None:
        await sleep(2.0)
        raise LookupError

    simulation = Simulation()
    records = traced(simulation)
    simulation.start(ringer)
    simulation.start(broken)
    with pytest.raises(LookupError):
        simulation.run()

    told = [record for record in records if not isinstance(record, Internal)]
    assert told == [
        Started(0.0, "ringer"),
        Started(0.0, "broken"),
        ProgramNote(0.0, "ringer", "about to ring"),
        Fired(1.0, "bell", 3),
        TaskEnded(1.0, "ringer", "done"),
        TaskEnded(2.0, "broken", "LookupError"),
    ]


def test_each_sink_gets_every_record_from_its_beginning_on() -> None:
    simulation = Simulation(Ticker("ticker", count=3))
    first = traced(simulation)
    simulation.run(until=1.0)
    second = traced(simulation)

    simulation.run()

    assert len(first) == 6
    assert second == first[2:]


def test_a_sink_does_not_change_the_hash() -> None:
    quiet, told = Simulation(Ticker("ticker")), Simulation(Ticker("ticker"))
    traced(told)

    assert quiet.run().trace_hash == told.run().trace_hash


def test_records_are_values() -> None:
    """Equal when they say the same, and not to be changed."""
    record = ModelOutput(1.0, "port", "x")

    assert record == ModelOutput(1.0, "port", "x")
    assert record != ModelOutput(1.0, "port", "y")
    assert len({Internal(1.0, "a"), External(1.0, "a"), Internal(1.0, "a")}) == 2
    with pytest.raises(AttributeError):
        record.time = 2.0  # type: ignore[misc]


# Text.


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    y: float


class Plain:
    """Has no repr of its own."""


def test_a_text_log_writes_one_line_a_record() -> None:
    file = io.StringIO()
    net = Coupled("net")
    sender, listener = net.add(Sender("sender", (0.5, Point(1.0, 2.0)))), net.add(Listener("listener"))
    net.couple(sender.out, listener.into)
    simulation = Simulation(net)
    simulation.trace(TextLog(file))
    simulation.inject(listener.into, {"b", "a"}, at=1.5)

    simulation.run()

    assert file.getvalue() == (
        "0.5 output net.sender.out Point(x=1.0, y=2.0)\n"
        "0.5 internal net.sender\n"
        "0.5 external net.listener\n"
        "1.5 injected net.listener.into set({'a', 'b'})\n"
        "1.5 external net.listener\n"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Plain(), "<Plain>"),
        ([Plain(), (Plain(),)], "[<Plain>, (<Plain>,)]"),
        ({1: Plain()}, "{1: <Plain>}"),
        (frozenset({"b", "a"}), "frozenset({'a', 'b'})"),
        (Point(0.0, math.nan), "Point(x=0.0, y=nan)"),
        (0.1, "0.1"),
        ("two\nlines", r"'two\nlines'"),
        ((), "()"),
    ],
)
def test_values_are_written_without_addresses_and_on_one_line(value: object, text: str) -> None:
    assert steady_repr(value) == text


# The hash.


def hash_of(value: object, *, time: float = 1.0, name: str = "sender") -> str:
    """Give the hash of a run in which one value is sent."""
    return Simulation(Sender(name, (time, value))).run().trace_hash


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Access(Flag):
    READ = 1
    WRITE = 2


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Slotted:
    value: object


class Text(str):
    __slots__ = ()


class Number(int):
    pass


DIFFERENT: list[Callable[[], object]] = [
    lambda: None,
    lambda: True,
    lambda: False,
    lambda: 0,
    lambda: 1,
    lambda: -1,
    lambda: 1.0,
    lambda: 0.0,
    lambda: -0.0,
    lambda: math.nan,
    lambda: math.inf,
    lambda: 2**63 - 1,
    lambda: 2**63,
    lambda: -(2**63) - 1,
    lambda: 10**5000,
    lambda: 10**5000 + 1,
    lambda: "",
    lambda: "1",
    lambda: "ü",
    lambda: "\ud800",
    lambda: b"",
    lambda: b"1",
    lambda: bytearray(b"1"),
    lambda: "x" * 100_000,
    lambda: "x" * 99_999 + "y",
    lambda: (),
    list,
    lambda: (1, 2),
    lambda: [1, 2],
    lambda: [2, 1],
    lambda: [[1], 2],
    lambda: [1, [2]],
    dict,
    lambda: {"a": 1, "b": 2},
    lambda: {"b": 2, "a": 1},
    lambda: {"a": 2, "b": 1},
    set,
    lambda: {"a", "b", "c"},
    lambda: {"a", "b"},
    lambda: Colour.RED,
    lambda: Colour.BLUE,
    lambda: Level.LOW,
    lambda: Level.HIGH,
    lambda: Access.READ,
    lambda: Access.READ | Access.WRITE,
    lambda: Pair(1, 2),
    lambda: Pair(2, 1),
    lambda: Point(1.0, 2.0),
    lambda: Point(2.0, 1.0),
    lambda: Slotted(1),
    lambda: Slotted({1, 2}),
    lambda: Tree("a", [Tree("b"), Tree("c")]),
    lambda: Tree("a", [Tree("b", [Tree("c")])]),
    lambda: Text("1"),
    lambda: Text("2"),
    lambda: Number(1),
    lambda: Number(2),
    lambda: 1j,
    lambda: 2j,
]


def test_different_values_have_different_hashes() -> None:
    hashes: dict[str, list[int]] = {}
    for place, make in enumerate(DIFFERENT):
        hashes.setdefault(hash_of(make()), []).append(place)

    assert [places for places in hashes.values() if len(places) > 1] == []


def test_equal_values_have_equal_hashes() -> None:
    """By content: each value is made twice."""
    for make in DIFFERENT:
        assert hash_of(make()) == hash_of(make())


def test_sets_have_no_order() -> None:
    one: set[int] = set(range(1000))
    other: set[int] = set()
    for number in reversed(range(2000)):
        other.add(number)
    other -= set(range(1000, 2000))

    assert hash_of(one) == hash_of(other)
    assert hash_of({"a", ("b", frozenset({"c", "d"}))}) == hash_of({("b", frozenset({"d", "c"})), "a"})


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c8", "c16"])
def test_every_nan_of_an_array_is_the_same(kind: str) -> None:
    """The sign of the NaN that `inf - inf` gives is minus on x86 and plus on ARM."""
    one = np.array([1.0, np.nan, -0.0, np.inf], kind)
    other = one.copy()
    other.real[1] = -one.real[1]

    assert one.tobytes() != other.tobytes()
    assert hash_of(one) == hash_of(other)
    assert hash_of(one[1]) == hash_of(other[1])
    assert len({hash_of(item) for item in (one, one[1], -one, one[::-1], one[3])}) == 5


@given(
    st.sampled_from(["u1", "i8", "f4", "f8", "c16", ">f8", "U3"]),
    st.lists(st.integers(0, 255), min_size=12, max_size=12),
)
def test_arrays_count_by_their_items_however_these_lie_in_memory(kind: str, numbers: list[int]) -> None:
    plain = np.array(numbers).reshape(3, 4).astype(kind)
    wide = np.zeros((3, 8), kind)
    wide[:, ::2] = plain

    assert hash_of(np.asfortranarray(plain)) == hash_of(plain)
    assert hash_of(wide[:, ::2]) == hash_of(plain)
    assert hash_of(plain[::-1, ::-1]) == hash_of(plain[::-1, ::-1].copy())


def test_an_array_of_objects_counts_by_what_they_are() -> None:
    def made(last: int) -> object:
        return np.array([1.0 / last, ("a", last), Tree("b", [Tree(str(last))])], dtype=object)

    assert hash_of(made(3)) == hash_of(made(3))
    assert hash_of(made(3)) != hash_of(made(4))


def test_a_different_time_model_or_port_has_a_different_hash() -> None:
    class Two(Sender):
        def __init__(self, which: str) -> None:
            super().__init__("sender", (1.0, 1))
            other = self.add_output("other", object)
            if which == "other":
                self.out = other

    hashes = [
        hash_of(1),
        hash_of(1, time=math.nextafter(1.0, 2.0)),
        hash_of(1, name="other"),
        Simulation(Two("out")).run().trace_hash,
        Simulation(Two("other")).run().trace_hash,
        Simulation(Ticker("sender", count=1)).run().trace_hash,
    ]

    assert len(set(hashes)) == 5
    assert hashes[0] == hashes[3]  # a port that nobody uses changes nothing


def test_a_different_order_has_a_different_hash() -> None:
    def in_order(*names: str) -> str:
        net = Coupled("net")
        into = {name: net.add(Listener(name)).into for name in "ab"}
        simulation = Simulation(net)
        for name in names:
            simulation.inject(into[name], 1, at=1.0)
        return simulation.run().trace_hash

    assert in_order("a", "b") != in_order("b", "a")


def test_a_run_that_is_not_hashed_has_no_hash() -> None:
    assert Simulation(Ticker("ticker"), hashed=False).run().trace_hash == ""


def test_an_empty_run_has_a_hash_and_it_is_the_same() -> None:
    assert Simulation().run().trace_hash == Simulation().run().trace_hash != ""


def net_of_all() -> Simulation:
    """Give a run with a bit of everything."""
    net = Coupled("net")
    listener = net.add(Listener("listener"))
    for number in range(5):
        net.couple(
            net.add(Ticker(f"ticker {number}", period=0.1 * (number + 1), count=40)).out, listener.into
        )

    class Drawing(Program):
        async def run(self) -> None:
            draws = simulation.chance("draws")
            for _ in range(20):
                await sleep(draws.exponential(0.1))
                note({"drawn": draws.uniform(), "kind": draws.choice(list(Colour))})

    net.add(Drawing("drawing"))
    simulation = Simulation(net, seed=7)
    return simulation


def test_the_hash_of_a_run_in_pieces_is_that_of_the_whole() -> None:
    """However it is cut: by times, by steps, at a pace, by stopping; and asking does not change it."""
    whole = net_of_all().run().trace_hash

    pieces = net_of_all()
    asked = set()
    for until in range(1, 30):
        asked.add(pieces.run(until=until / 3.0).trace_hash)
    assert pieces.run().trace_hash == whole
    assert len(asked) > 10

    steps = net_of_all()
    while steps.advance() < math.inf:
        assert steps.trace_hash
    assert steps.trace_hash == whole

    assert net_of_all().run(pace=1000.0).trace_hash == whole

    stopped = net_of_all()
    for instant in (1.0, 2.0, 3.0):
        stopped.schedule(instant, stopped.stop, rank=7)
    for _ in range(4):
        stopped.run()
    assert stopped.now == net_of_all().run().time


@given(st.lists(st.floats(0.0, 40.0), max_size=8))
def test_the_hash_does_not_depend_on_where_a_run_is_cut(cuts: list[float]) -> None:
    def make() -> Simulation:
        return Simulation(Ticker("ticker", period=0.7, count=40))

    pieces = make()
    for cut in sorted(cuts):
        pieces.run(until=cut)

    assert pieces.run().trace_hash == make().run().trace_hash


def test_another_seed_gives_another_trace() -> None:
    def run(seed: int) -> str:
        simulation = Simulation(seed=seed)

        async def program() -> None:
            note(simulation.chance("x").uniform())

        simulation.start(program)
        return simulation.run().trace_hash

    assert run(1) == run(1) != run(2)


IN_A_PROCESS = """
import sys
from kumi.devs import Simulation
from tests.devs.test_tracing import DIFFERENT, hash_of, net_of_all, steady_repr
print([hash_of(make()) for make in DIFFERENT])
print(hash_of({("b", 1), "a", frozenset({"x", "y", "z"}), b"bytes", 2.5, None}))
print(steady_repr({"b", "a", "c", ("d",)}))
print(net_of_all().run().trace_hash)
"""


@pytest.mark.slow
def test_the_hash_is_the_same_in_processes_with_different_hash_seeds() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in ("0", "1", "987654321")
    ]

    assert said[0] == said[1] == said[2]
    assert said[0].splitlines()[0] == str([hash_of(make()) for make in DIFFERENT])


# Values that make trouble.


def test_a_value_that_contains_itself_is_hashed_in_a_moment() -> None:
    """Ten peers that all know each other: a walk of every path would not end."""

    @dataclass
    class Peer:
        name: str
        peers: list[Peer] = field(default_factory=list)

    peers = [Peer(str(number)) for number in range(10)]
    for peer in peers:
        peer.peers = peers
    loop: list[Any] = []
    loop += [loop, loop]

    assert hash_of(peers[0]) == hash_of(peers[0])
    assert hash_of(loop) == hash_of(loop)
    assert hash_of(peers[0]) != hash_of(peers[1])


def test_a_value_with_shared_parts_is_hashed_in_a_moment() -> None:
    """Sixty-four levels, each with twice the one below: 2 to the 64 paths."""
    shared: Any = "leaf"
    for _ in range(64):
        shared = (shared, shared)

    assert hash_of(shared) == hash_of(shared)


def test_a_deep_value_is_hashed() -> None:
    def nest(depth: int) -> list[Any]:
        value: list[Any] = []
        for _ in range(depth):
            value = [value]
        return value

    assert hash_of(nest(100_000)) == hash_of(nest(100_000))
    assert hash_of(nest(10)) != hash_of(nest(11))


def test_a_value_whose_fields_raise_fails_in_its_model_or_is_hashed() -> None:
    """Never a crash, never a swallowed interrupt."""

    @dataclass
    class Broken:
        value: int = field(init=False)

    @dataclass
    class Interrupting:
        @property
        def value(self) -> int:
            raise KeyboardInterrupt

    Interrupting.__dataclass_fields__ = {"value": None}  # type: ignore[dict-item]

    assert hash_of(Broken()) == hash_of(Broken())
    with pytest.raises(KeyboardInterrupt):
        hash_of(Interrupting())


def test_other_objects_count_by_their_type() -> None:
    assert hash_of(Plain()) == hash_of(Plain())
    assert hash_of(Plain()) != hash_of(object())
    assert hash_of(Plain) == hash_of(Plain)
    assert hash_of(math.sin) == hash_of(math.sin)


class Shrinks:
    """An object that changes the list it stands in while it is read."""

    def __init__(self, around: list[object]) -> None:
        self.around = around

    def __reduce__(self) -> tuple[type, tuple[()]]:
        self.around.clear()
        return object, ()


def test_a_value_may_change_while_it_is_hashed() -> None:
    value: list[object] = []
    value.extend([Shrinks(value), *range(100)])
    simulation = Simulation()
    simulation.note("test", value)
    assert simulation.trace_hash


def test_nested_sets_are_hashed_in_bounded_time() -> None:
    """Thirty levels with two members each would take a thousand million steps if nothing stopped it."""
    value: frozenset[object] = frozenset()
    for _ in range(30):
        value = frozenset({(value, 0), (value, 1)})
    simulation = Simulation()
    simulation.note("test", value)
    assert simulation.trace_hash
