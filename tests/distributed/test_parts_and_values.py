"""Which models go where, what crosses, and in which order steps are merged: small laws, without processes."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract.messages import Message
from kumi.devs import Atomic, Coupled, Lateness, PortError, Simulation, StructureError
from kumi.distributed import DistributedError, ModelPartition
from kumi.distributed.hub import align, merged
from kumi.distributed.realtime import Offset
from kumi.distributed.values import ValueSchema
from kumi.distributed.wire import Ticket
from kumi.geometry import Point


def plant() -> Coupled:
    """Two halls with a machine and a belt each."""
    root = Coupled("plant")
    for name in ("north", "south"):
        hall = root.add(Coupled(name))
        hall.add(Atomic("machine"))
        hall.add(Atomic("belt"))
    return root


def parts_of(**parts: list[str]) -> list[str]:
    model = plant()
    return [*ModelPartition.of(parts).places(model).values()]


def test_a_component_takes_along_what_is_in_it() -> None:
    """A longer path says more; the name of the root may be left out."""
    assert parts_of(a=["north"], b=["plant.south"]) == ["a", "a", "b", "b"]
    assert parts_of(a=["plant"], b=["south.belt"]) == ["a", "a", "a", "b"]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"a": ["north"]}, "'plant.south.machine' is in no part; there are: a"),
        (
            {"a": ["north", "east"], "b": ["south"]},
            "part 'a' names 'east', which is no model of 'plant'; it has: north, south",
        ),
        ({"a": ["north", "south"], "b": ["south"]}, "'plant.south' is given to part 'a' and to part 'b'"),
        ({"a": ["north", "south"], "b": []}, "part 'b' holds no model"),
        ({}, "at least one part"),
        ({"a": "north"}, "part 'a' is given by a list of paths, not by 'north'"),
    ],
)
def test_parts_that_make_no_sense_are_refused(parts: dict[str, list[str]], why: str) -> None:
    with pytest.raises(DistributedError, match=why):
        parts_of(**parts)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), "soon", True])
def test_a_lookahead_is_a_time(seconds: Any) -> None:
    with pytest.raises(DistributedError, match="the lookahead of 'north' is a number of seconds >= 0"):
        ModelPartition.of({"a": ["north"]}, {"north": seconds})


def test_a_lookahead_of_nobody_is_refused() -> None:
    with pytest.raises(DistributedError, match="a lookahead names 'east'"):
        ModelPartition.of({"a": ["north"]}, {"east": 1.0}).lookaheads(plant())


def test_a_partition_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "parts.toml"
    file.write_text('[parts]\na = ["north"]\nb = ["south"]\n[lookahead]\n"north.belt" = 2\n')
    model = plant()
    partition = ModelPartition.read(file)

    assert partition == ModelPartition.of({"a": ["north"], "b": ["south"]}, {"north.belt": 2.0})
    assert [*partition.lookaheads(model).values()] == [0.0, 2.0, 0.0, 0.0]
    for text, why in (
        ("[parts", "is no TOML file"),
        ("[part]\na = []", r"holds a table \[parts\].*it holds: part"),
    ):
        file.write_text(text)
        with pytest.raises(DistributedError, match=why):
            ModelPartition.read(file)


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Screw:
    length: float
    colour: Colour = Colour.RED


@dataclass
class Box:
    screws: list[Screw]
    label: str | None = None


class Slip(msgspec.Struct, frozen=True):
    number: int


@dataclass(frozen=True, slots=True)
class PartOrder(Message):
    number: int


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.frozensets(st.integers(0, 9), max_size=3)
        | st.sets(st.integers(0, 9), max_size=3)
    ),
    max_leaves=8,
)
records = (
    st.builds(Screw, st.floats(allow_nan=False) | st.integers(0, 9))
    | st.builds(Box, st.lists(st.builds(Screw, st.floats(0, 1)), max_size=2))
    | st.builds(Slip, st.integers(0, 9))
    | st.builds(PartOrder, st.integers(0, 9))
    | st.builds(Point, st.floats(-1, 1), st.floats(-1, 1))
)


@given(plain | records | st.lists(records, max_size=3))
def test_a_value_comes_out_as_it_went_in(value: object) -> None:
    """Down to the class of every number, since a trace tells 3 from 3.0."""
    values = ValueSchema([Box | Slip, object])
    back = values.read(values.write(value, "a.out"), "b.into")

    assert back == value
    assert repr(back) == repr(value)


def test_a_class_that_no_port_names_does_not_cross() -> None:
    with pytest.raises(
        PortError, match=r"from port 'a.out' to another part: the class Screw is not among the types"
    ):
        ValueSchema([int]).write(Screw(1.0), "a.out")
    with pytest.raises(PortError, match="is no value"):
        ValueSchema([int]).read(b"\xc1", "b.into")


def ticket(time: float, place: int) -> Ticket:
    return time, 0, 0, place, 0, 0, 0


def test_who_was_planned_earlier_has_the_lower_place() -> None:
    assert merged({"a": [ticket(0.0, 0), ticket(2.0, 0)], "b": [ticket(0.0, 1), ticket(1.0, 5)]}) == {
        "a": [0, 3],
        "b": [1, 2],
    }


def test_steps_of_two_parts_at_one_instant_are_merged_by_rank() -> None:
    """a made steps of ranks 0, 0, 4, 0 and b of ranks 0, 4; the lower goes first, equal ones are one step."""
    steps = align(
        {
            "a": [(1.0, n, rank, [ticket(0.0, n)]) for n, rank in enumerate((0, 0, 4, 0), 1)],
            "b": [(1.0, n, rank, [ticket(0.0, 8 + n)]) for n, rank in enumerate((0, 4), 1)],
        }
    )

    assert steps == {
        "a": [(1.0, 1, 1, [0]), (1.0, 2, 2, [0]), (1.0, 3, 3, [0]), (1.0, 4, 4, [0])],
        "b": [(1.0, 1, 1, [1]), (1.0, 2, 3, [1])],
    }


def test_the_order_of_a_later_instant_follows_from_that_of_an_earlier_one() -> None:
    """At 1 s b comes before a, as it was planned earlier; what each plans there keeps that order at 2 s."""
    planned_at_one = (1.0, 1, 1, 0, 0, 0, 0)
    steps = align(
        {
            "a": [(1.0, 1, 0, [ticket(0.5, 0)]), (2.0, 1, 0, [planned_at_one])],
            "b": [(1.0, 1, 0, [ticket(0.0, 0)]), (2.0, 1, 0, [planned_at_one])],
        }
    )

    assert steps["a"] == [(1.0, 1, 1, [1]), (2.0, 1, 1, [1])]
    assert steps["b"] == [(1.0, 1, 1, [0]), (2.0, 1, 1, [0])]


def test_the_offset_of_a_clock_comes_from_the_shortest_round_trip() -> None:
    """Asked at 10, heard at 12, told 111: the hub is 100 ahead. A slower trip with a crooked answer does not count."""
    offset = Offset()
    offset.learn(10.0, 111.0, 12.0)
    offset.learn(20.0, 124.0, 24.0)

    assert offset.seconds == 100.0


def test_the_offset_follows_a_clock_that_drifts() -> None:
    """Only the last eight trips count: after them the clock is half a second further ahead."""
    offset = Offset()
    offset.learn(0.0, 100.0, 0.0)
    for time in range(8):
        offset.learn(float(time), time + 100.5 + 0.5, time + 1.0)

    assert offset.seconds == 100.5


def test_the_bins_of_lateness_have_upper_edges_and_counts() -> None:
    """Of 1 ms, 1 ms and 0.1 s, two fell below about 1 ms and one below about 0.1 s; on time is below 0.1 µs."""
    late = Lateness()
    for seconds in (0.001, 0.001, 0.1, -1.0):
        late.add(seconds)

    edges = [edge for edge, _ in late.bins]
    assert [count for _, count in late.bins] == [1, 2, 1]
    assert edges == pytest.approx([1e-7, 0.001, 0.1], rel=0.13)


def test_a_run_takes_one_model() -> None:
    with Simulation() as simulation:
        simulation.take(Coupled("one"))
        with pytest.raises(StructureError, match="this run has a model already: 'one'"):
            simulation.take(Coupled("two"))
