"""Clock synchronisation: what time the server has, and how wrong that can be."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.network import Clock, Effect, Exponential, Flight
from kumi.protocols.clock_sync import Cristian
from tests.protocols.company import Company
from tests.protocols.groups import Fate


def clocks(
    *effects: Effect, drift: float = 0.0, ahead: float = 5.0, rate: float = 1.0, seed: int = 0
) -> Company:
    """Node 1 is `ahead` of the server, node 0, and runs at a rate of its own."""
    company = Company(lambda: (Cristian(period=10.0, drift=drift),), *effects, size=2, seed=seed)
    company.nodes[1].clock = Clock(ahead, rate)
    return company


def test_equal_ways_there_and_back_give_the_right_time() -> None:
    """The clock must be put back by the 5 s it is ahead; the bound is half the round trip of 0.02 s."""
    company = clocks()
    company.run(until=1.0)

    ((time, node, offset, bound),) = company.told
    assert (time, node) == (0.02, 1)
    assert (offset, bound) == (pytest.approx(-5.0), pytest.approx(0.01))
    assert company.top(1).now == pytest.approx(1.0)


def test_the_worst_case_is_wrong_by_half_the_round_trip() -> None:
    """The way there takes 1 s and the way back none: the guess is half a second ahead of the truth."""
    late = Fate(lambda flight: 0.99 if flight.sender == 1 else -0.01)
    company = clocks(late)
    company.run(until=2.0)

    assert company.top(1).error == pytest.approx(0.5)
    assert company.top(1).now - 2.0 == pytest.approx(0.5)


def test_before_an_answer_nothing_is_known() -> None:
    company = clocks(Fate(lambda _flight: None))
    company.run(until=1.0)

    assert company.top(1).error == inf


def test_the_server_is_always_right() -> None:
    company = clocks()
    company.run(until=100.0)

    assert (company.top(0).now, company.top(0).error) == (100.0, 0.0)


def test_the_bound_grows_with_the_drift_until_the_next_answer() -> None:
    """Clocks that are off by 1 in 100 each drift apart by 0.0202 s a second; 5 s are about 0.1 s."""
    company = clocks(drift=0.01)
    company.run(until=0.02)
    at_first = company.top(1).error
    company.run(until=5.02)

    assert at_first == pytest.approx(0.01 * 1.01 / 0.99)
    assert company.top(1).error - at_first == pytest.approx(5.0 * (1.01 / 0.99 - 1.0))
    company.run(until=10.5)
    assert company.top(1).error < 0.03


def test_a_worse_answer_is_not_taken() -> None:
    """The second answer takes a second longer; without drift the first is still better."""

    def fate(_flight: Flight) -> float:
        return 0.0 if company.simulation.now < 5.0 else 1.0

    company = clocks(Fate(fate))
    company.run(until=15.0)

    assert len(company.told) == 1


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    ahead=st.floats(-100.0, 100.0),
    rates=st.tuples(st.floats(0.99, 1.01), st.floats(0.99, 1.01)),
    until=st.floats(1.0, 60.0),
)
def test_the_bound_holds_for_all_clocks_within_the_drift(
    seed: int, ahead: float, rates: tuple[float, float], until: float
) -> None:
    company = clocks(Exponential(0.2), drift=0.01, ahead=ahead, rate=rates[1], seed=seed)
    company.nodes[0].clock = Clock(0.0, rates[0])
    company.run(until=until)

    truth = company.nodes[0].clock.at(until)
    assert abs(company.top(1).now - truth) <= company.top(1).error + 1e-9


@pytest.mark.parametrize("wrong", [{"period": 0.0}, {"drift": -0.1}, {"drift": 1.0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not"):
        Cristian(**wrong)


def test_a_server_is_one_of_the_group() -> None:
    with pytest.raises(ValueError, match=r"one of the group \(0, 1\), not 7"):
        Company(lambda: (Cristian(server=7),), size=2)
