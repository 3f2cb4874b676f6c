"""A DEVStone model counts what arithmetic says, at every width and depth and for any number of seeds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.testing.devstone import DevstoneCounts, DevstoneMeasurement, WiringKind, build, closed_form, measure

KINDS = list(WiringKind)
SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (7, 7), (1, 40), (40, 1), (4, 25), (25, 4)]


def counted(kind: WiringKind, width: int, depth: int, seeds: int = 1) -> DevstoneCounts:
    """Run a model and return its counts, after the kernel agreed with them."""
    measurement = measure(kind, width, depth, seeds)
    statistics = measurement.statistics
    assert statistics.internal + statistics.confluent == measurement.counts.internal
    assert statistics.external + statistics.confluent == measurement.counts.external
    return measurement.counts


@pytest.mark.parametrize("seeds", [1, 2, 5])
@pytest.mark.parametrize(("width", "depth"), SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_counts_equal_the_closed_form(kind: WiringKind, width: int, depth: int, seeds: int) -> None:
    assert counted(kind, width, depth, seeds) == closed_form(kind, width, depth, seeds)


@given(
    kind=st.sampled_from(KINDS),
    width=st.integers(1, 9),
    depth=st.integers(1, 9),
    seeds=st.integers(1, 3),
)
def test_counts_equal_the_closed_form_at_any_small_size(
    kind: WiringKind, width: int, depth: int, seeds: int
) -> None:
    assert counted(kind, width, depth, seeds) == closed_form(kind, width, depth, seeds)


@pytest.mark.parametrize(
    ("kind", "width", "depth", "transitions"),
    [
        (WiringKind.LI, 10, 300, 2_692),
        pytest.param(WiringKind.LI, 300, 300, 89_402, marks=pytest.mark.slow),
        (WiringKind.HI, 10, 300, 13_456),
        (WiringKind.HO, 10, 300, 13_456),
        pytest.param(WiringKind.HI, 100, 100, 490_051, marks=pytest.mark.slow),
        pytest.param(WiringKind.HO, 100, 100, 490_051, marks=pytest.mark.slow),
        (WiringKind.HOMOD, 20, 20, 689_872),
    ],
)
def test_known_numbers(kind: WiringKind, width: int, depth: int, transitions: int) -> None:
    """The numbers are those of the definition of the benchmark, not of our formula."""
    counts = counted(kind, width, depth)

    assert (counts.internal, counts.external) == (transitions, transitions)


def test_a_large_number_known_to_the_closed_form() -> None:
    """HI (300, 300) itself runs in the benchmarks."""
    assert closed_form(WiringKind.HI, 300, 300).internal == 13_410_151


def test_confluent_transitions_and_messages_of_width_and_depth_7() -> None:
    hi, homod = counted(WiringKind.HI, 7, 7), counted(WiringKind.HOMOD, 7, 7)

    assert (hi.internal, hi.confluent) == (127, 90)
    assert (homod.internal, homod.confluent, homod.events) == (2_809, 2_646, 11_749)


def test_messages_multiply_in_homod() -> None:
    """Two paths from one output to one port carry two messages."""
    assert counted(WiringKind.HOMOD, 20, 20).events == 4_097_389


def test_zero_time_steps_after_time_zero_keep_their_order() -> None:
    """A kernel that orders zero-time steps by time alone fails here, at the second seed."""
    counts = counted(WiringKind.HOMOD, 5, 6, seeds=2)

    assert (counts.internal, counts.external) == (1_422, 1_422)


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_multiply_what_happens_and_not_what_there_is(kind: WiringKind) -> None:
    one, three = counted(kind, 4, 5), counted(kind, 4, 5, seeds=3)

    assert (three.atomics, three.couplings) == (one.atomics, one.couplings)
    assert (three.internal, three.external) == (3 * one.internal, 3 * one.external)
    assert (three.confluent, three.events) == (3 * one.confluent, 3 * one.events)


@pytest.mark.parametrize("kind", KINDS)
def test_a_depth_of_one_is_a_single_atomic(kind: WiringKind) -> None:
    """One coupling leads to it and one away; it hears one message and sends one."""
    counts = counted(kind, 9, 1)

    assert (counts.atomics, counts.external_in, counts.between, counts.external_out) == (1, 1, 0, 1)
    assert (counts.internal, counts.external, counts.confluent, counts.events) == (1, 1, 0, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_width_of_one_is_a_tunnel_to_a_single_atomic(kind: WiringKind) -> None:
    counts = counted(kind, 1, 30)

    assert (counts.atomics, counts.internal, counts.external) == (1, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_any_depth_can_be_built_and_run(kind: WiringKind) -> None:
    """Nothing recurses from level to level."""
    assert counted(kind, 1, 10_000) == closed_form(kind, 1, 10_000)


@pytest.mark.parametrize("kind", KINDS)
def test_messages_seen_at_the_ports_are_the_messages_counted(kind: WiringKind) -> None:
    """A watcher on every input of an atomic sees as many values as the kernel says it delivered."""
    seen = 0

    def see(_time: float, _value: object) -> None:
        nonlocal seen
        seen += 1

    levels = build(kind, 6, 5)
    for level in levels:
        for stone in level.stones:
            stone.inlet.watch(see)
    with Simulation(levels[-1]) as simulation:
        for port in levels[-1].entries.values():
            simulation.inject(port, 0, at=0.0)
        simulation.run()
        delivered = simulation.statistics.messages

    assert seen == delivered == closed_form(kind, 6, 5).events


def test_the_hash_of_the_trace_changes_no_count() -> None:
    plain = measure(WiringKind.HO, 6, 6, hashed=False)

    assert plain.counts == closed_form(WiringKind.HO, 6, 6)


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=rf"^the width of a DEVStone model is at least 1, not {size}$"):
        measure(WiringKind.LI, size, 3)
    with pytest.raises(ValueError, match=rf"^the depth of a DEVStone model is at least 1, not {size}$"):
        measure(WiringKind.LI, 3, size)
    with pytest.raises(ValueError, match=r"^the number of seeds of a DEVStone model is at least 1"):
        measure(WiringKind.LI, 3, 3, size)


def test_an_unknown_kind_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="is one of LI, HI, HO, HOmod, not HA"):
        WiringKind("HA")


def test_a_kind_is_known_in_any_case() -> None:
    assert [WiringKind(text) for text in ("li", "Hi", "HO", "homod")] == KINDS


def test_disagreements_are_said_in_sentences() -> None:
    """A wrong count is named beside the right one, and so is a kernel that counts otherwise."""
    right = measure(WiringKind.LI, 3, 3)
    wrong = DevstoneMeasurement(
        kind=WiringKind.LI,
        width=3,
        depth=4,
        seeds=1,
        counts=right.counts,
        statistics=measure(WiringKind.LI, 3, 4).statistics,
        build_seconds=1.0,
        run_seconds=1.0,
    )

    assert right.disagreements() == []
    assert "atomics: counted 5, but the closed form gives 7." in wrong.disagreements()
    assert "internal: the models counted 5, but the kernel tells 7." in wrong.disagreements()
    assert wrong.transitions_per_second == 10.0
