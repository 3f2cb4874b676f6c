"""A model in several processes does what it does in one: the same traces, the same states, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kumi.devs import Atomic, Coupled
from kumi.distributed import run_distributed, run_whole
from tests.distributed.random_models import build, lookahead_of, parts_of, state

REAL_PROCESSES = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@st.composite
def specs(draw: st.DrawFn, *, with_links: bool) -> dict[str, Any]:
    """Draw cells in up to three groups, couplings, ranks, programs; with links between groups or without."""
    cells = draw(st.integers(2, 7))
    groups = draw(st.lists(st.integers(0, 2), min_size=cells, max_size=cells))
    groups = [sorted(set(groups)).index(group) for group in groups]
    pairs = [(a, b) for a in range(cells) for b in range(cells) if a != b]
    manners = st.tuples(st.sampled_from([0, 0, 1]), st.sampled_from([0.5, 1.0, 1.25]))
    number = max(groups) + 1
    return {
        "groups": groups,
        "couplings": draw(st.lists(st.sampled_from(pairs), min_size=cells, max_size=4 * cells, unique=True)),
        "ranks": draw(st.lists(st.sampled_from([0, 0, 2]), min_size=cells, max_size=cells)),
        "programs": draw(st.lists(st.integers(0, cells - 1), max_size=2)),
        "delays": [0.0, 0.5, 1.0],
        "nested": draw(st.booleans()),
        "links": draw(st.lists(manners, min_size=number, max_size=number)) if with_links else [],
    }


@REAL_PROCESSES
@given(specs(with_links=False), st.integers(0, 1000))
def test_parts_that_take_turns_give_the_results_of_one_process(spec: dict[str, Any], seed: int) -> None:
    """Zero-time loops, confluent events, ranks, programs and random numbers by name are among what is drawn."""
    common: dict[str, Any] = {"arguments": {"spec": spec}, "seed": seed, "until": 12.0, "collect": state}

    assert run_distributed(build, parts_of(spec), **common) == run_whole(build, parts_of(spec), **common)


@pytest.mark.slow
@REAL_PROCESSES
@given(specs(with_links=True), st.integers(0, 1000))
def test_parts_that_run_ahead_give_the_results_of_one_process(spec: dict[str, Any], seed: int) -> None:
    """Values cross by links that take half a second or more, and say so."""
    common: dict[str, Any] = {"arguments": {"spec": spec}, "seed": seed, "until": 12.0, "collect": state}
    one = run_whole(build, parts_of(spec), **common)

    assert run_distributed(build, parts_of(spec), lookahead=lookahead_of(spec), **common) == one


class Pulse(Atomic):
    """Sends its name once, at 1 s; plans that at `planned`, so that who planned earlier comes first."""

    def __init__(self, name: str, planned: float) -> None:
        super().__init__(name)
        self.out = self.add_output("out", str)
        self.is_ready = False
        self.hold(planned)

    def output(self) -> None:
        if self.is_ready:
            self.out.send(self.name)

    def internal(self) -> None:
        if not self.is_ready:
            self.is_ready = True
            self.hold_until(1.0)


class Ear(Atomic):
    """Keeps the order in which values stood in its bag."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.into = self.add_input("into", str)
        self.heard: list[str] = []

    def external(self) -> None:
        self.heard.extend(self.into)


def choir() -> Coupled:
    """Four pulses that sound together at 1 s: planned at 0.5 s, 0.25 s, 0 s and 0.25 s."""
    model = Coupled("choir")
    ear = model.add(Ear("ear"))
    for name, planned in (("a", 0.5), ("b", 0.25), ("c", 0.0), ("d", 0.25)):
        model.couple(model.add(Pulse(name, planned)).out, ear.into)
    return model


def heard(model: Any) -> list[str]:
    """Collect what an ear has heard."""
    return model.heard if isinstance(model, Ear) else []


def test_values_of_one_instant_stand_in_the_bag_in_the_order_in_which_their_senders_were_planned() -> None:
    """Whoever planned 1 s first comes first, in whichever process; b and d planned together, b entered first."""
    parts = {"one": ["ear", "a"], "two": ["b"], "three": ["c", "d"]}

    for lookahead in ({}, {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}):
        run = run_distributed(choir, parts, lookahead=lookahead, collect=heard)
        assert run.values["choir.ear"] == ["c", "b", "d", "a"]
        assert run == run_whole(choir, parts, collect=heard)
        assert run.time == 1.0


class Echo(Atomic):
    """Answers at once, a number of times."""

    def __init__(self, name: str, answers: int, *, begins: bool) -> None:
        super().__init__(name)
        self.into = self.add_input("into", int)
        self.out = self.add_output("out", int)
        self.answers = answers
        self.value = 0
        if begins:
            self.hold(1.0)

    def output(self) -> None:
        self.out.send(self.value + 1)

    def external(self) -> None:
        (self.value,) = self.into
        if self.answers:
            self.answers -= 1
            self.hold(0.0)


def echoes(answers: int) -> Coupled:
    """Two that answer each other without any time passing."""
    model = Coupled("echoes")
    one, other = model.add(Echo("one", answers, begins=True)), model.add(Echo("other", answers, begins=False))
    model.couple(one.out, other.into)
    model.couple(other.out, one.into)
    return model


def test_a_loop_without_time_goes_through_two_processes() -> None:
    """Ten answers each, twenty-one values, and it is still 1 s."""
    run = run_distributed(
        echoes, {"a": ["one"], "b": ["other"]}, arguments={"answers": 10}, collect=lambda m: m.value
    )

    assert run.values == {"echoes.one": 20, "echoes.other": 21}
    assert (run.time, run.counts["messages"]) == (1.0, 21)


def test_events_at_exactly_the_end_happen() -> None:
    """Until 1 s includes 1 s, and the clock stands at the end then."""
    run = run_distributed(
        echoes, {"a": ["one"], "b": ["other"]}, arguments={"answers": 1}, until=1.0, collect=lambda m: m.value
    )
    nothing = run_distributed(
        echoes, {"a": ["one"], "b": ["other"]}, arguments={"answers": 1}, until=0.9, collect=lambda m: m.value
    )

    assert run.values == {"echoes.one": 2, "echoes.other": 3}
    assert (nothing.values, nothing.time) == ({"echoes.one": 0, "echoes.other": 0}, 0.9)


def test_watchers_are_told_where_their_port_is() -> None:
    """An input is watched in the part of its model, also for values from elsewhere."""

    def watched() -> Coupled:
        model = choir()
        ear: Any = model["ear"]
        ear.seen = []
        ear.into.watch(lambda time, value: ear.seen.append((time, value)))
        return model

    run = run_distributed(
        watched, {"one": ["ear", "a"], "two": ["b", "c", "d"]}, collect=lambda m: getattr(m, "seen", [])
    )

    seen: Any = run.values["choir.ear"]
    assert sorted(seen) == [(1.0, "a"), (1.0, "b"), (1.0, "c"), (1.0, "d")]
    assert run.values["choir.b"] == []


class Way(Atomic):
    """Hands a word on after some time."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name)
        self.into = self.add_input("into", str)
        self.out = self.add_output("out", str)
        self.seconds = seconds
        self.word = ""

    def external(self) -> None:
        (self.word,) = self.into
        self.hold(self.seconds)

    def output(self) -> None:
        self.out.send(self.word)


def relays(hops: dict[str, int]) -> Coupled:
    """Words that set out at 1 s, take some hops without time, then a way of a second each to one ear."""
    model = Coupled("relays")
    ear = model.add(Ear("ear"))
    for name, number in hops.items():
        source = model.add(Pulse(name, 0.0)).out
        for hop in range(number):
            at = model.add(Way(f"{name}-hop{hop}", 0.0))
            model.couple(source, at.into)
            source = at.out
        way = model.add(Way(f"{name}-way", 1.0))
        model.couple(source, way.into)
        model.couple(way.out, ear.into)
    return model


def test_what_parts_plan_apart_at_one_instant_is_put_in_order_afterwards() -> None:
    """Who takes fewer hops plans 2 s in an earlier step; of c and a, c entered first. Nobody met at 1 s."""
    hops = {"d": 2, "c": 1, "a": 1, "b": 0}
    parts = {name: [name, f"{name}-way", *(f"{name}-hop{n}" for n in range(hops[name]))] for name in hops}
    parts["ear"] = ["ear"]
    run = run_distributed(
        relays,
        parts,
        arguments={"hops": hops},
        lookahead={f"{name}-way": 1.0 for name in hops},
        collect=heard,
    )

    assert run.values["relays.ear"] == ["b", "c", "a", "d"]
    assert run == run_whole(relays, parts, arguments={"hops": hops}, collect=heard)
