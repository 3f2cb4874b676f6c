"""Rovers that share docks keep to the rules of the floor."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.programs.charging import HOUR, MINUTE, Day, Stretch, day

days = st.builds(
    day,
    rovers=st.integers(1, 8),
    docks=st.integers(1, 4),
    hours=st.floats(0.5, 12.0),
    seed=st.integers(0, 1000),
)


def of_each_rover(one: Day) -> dict[str, list[Stretch]]:
    """Give the stretches of each rover in order."""
    return {rover: list(found) for rover, found in groupby(one.stretches, key=attrgetter("rover"))}


@settings(max_examples=30)
@given(days)
def test_a_rover_does_one_thing_after_the_other_all_day(one: Day) -> None:
    """Stretches follow each other without a gap, from the first to the last second."""
    for stretches in of_each_rover(one).values():
        assert stretches[0].begin == 0.0
        assert stretches[-1].end == one.hours * HOUR
        assert [s.end for s in stretches[:-1]] == [s.begin for s in stretches[1:]]
        for before, after in pairwise(stretches):
            assert (before.doing, after.doing) in {
                ("working", "waiting"),
                ("waiting", "charging"),
                ("charging", "working"),
            }


@settings(max_examples=30)
@given(days)
def test_no_more_rovers_charge_than_there_are_docks(one: Day) -> None:
    """At the beginning of each charging, the others still charging leave room."""
    charging = [s for s in one.stretches if s.doing == "charging"]
    for begun in charging:
        assert sum(s.begin <= begun.begin < s.end or s is begun for s in charging) <= one.docks


@settings(max_examples=30)
@given(days)
def test_who_asks_first_charges_first(one: Day) -> None:
    """Docks are given out in the order of asking."""
    waits = sorted((s for s in one.stretches if s.doing == "waiting"), key=attrgetter("begin"))
    served = [s.end for s in waits if s.end < one.hours * HOUR]
    assert served == sorted(served)


@settings(max_examples=30)
@given(days)
def test_charging_takes_twenty_five_minutes(one: Day) -> None:
    """Each charging lasts as long as the dock takes, unless the day ends before."""
    for s in one.stretches:
        if s.doing == "charging" and s.end < one.hours * HOUR:
            assert s.end - s.begin == pytest.approx(25 * MINUTE)


def test_nobody_waits_where_everybody_has_a_dock() -> None:
    """Five rovers and five docks: a dock is free at the instant it is asked for."""
    assert day(rovers=5, docks=5).share("waiting") == 0.0


def test_one_more_rover_does_not_change_what_the_others_do() -> None:
    """With docks for all, each rover draws from a stream of its own."""
    five, six = of_each_rover(day(rovers=5, docks=6)), of_each_rover(day(rovers=6, docks=6))
    assert {rover: six[rover] for rover in five} == five


def test_a_day_is_repeated_by_its_seed() -> None:
    """Same seed, same hash; another seed, another day."""
    assert day(seed=7) == day(seed=7)
    assert day(seed=7).trace_hash != day(seed=8).trace_hash


def test_a_day_without_docks_is_refused() -> None:
    """One sentence says what is needed."""
    with pytest.raises(ValueError, match="at least one rover and one dock, not 3 and 0"):
        day(rovers=3, docks=0)
