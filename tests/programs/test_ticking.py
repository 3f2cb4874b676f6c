"""Ticks come at start + k * period, whatever happens between them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kumi
from kumi import after, every, now, sleep, until
from kumi.devs import NoRun, TimeError
from tests.programs.log import Log


def test_ticks_do_not_drift() -> None:
    """A hundred thousand times 0.1 s are 10,000 s; summed up they would be some 2e-8 s off."""

    async def main() -> float:
        last = 0.0
        async for t in every(0.1):
            assert t == now()
            last = t
            if t >= 10_000.0:
                break
        return last

    assert kumi.run(main).value == 10_000.0


def test_the_first_tick_is_now_or_when_it_was_asked_for(log: Log) -> None:
    async def main() -> None:
        await sleep(1.0)
        with until(after(1.0)):
            async for t in every(0.5):
                log(t)
        with until(after(1.6)):
            async for t in every(0.5, first=3.0):
                log(t)

    kumi.run(main)
    assert log == [(1.0, 1.0), (1.5, 1.5), (3.0, 3.0), (3.5, 3.5)]


def test_ticks_that_passed_are_skipped(log: Log) -> None:
    """The body takes 2.5 periods once; a tick that is due at the very instant at which it ends is not late."""

    async def main() -> None:
        async for t in every(1.0):
            log(t)
            await sleep({1.0: 2.5, 4.0: 2.0}.get(t, 0.0))
            if t >= 7.0:
                break

    kumi.run(main)
    assert log == [(t, t) for t in (0.0, 1.0, 4.0, 6.0, 7.0)]


def test_or_come_at_once_if_asked_for(log: Log) -> None:
    async def main() -> None:
        async for t in every(1.0, catch_up=True):
            log(t)
            await sleep(2.5 if t == 1.0 else 0.0)
            if t == 4.0:
                break

    kumi.run(main)
    assert log == [(0.0, 0.0), (1.0, 1.0), (3.5, 2.0), (3.5, 3.0), (4.0, 4.0)]


@given(st.floats(1e-3, 1e3), st.floats(0.0, 1e6), st.lists(st.floats(0.0, 5.0), max_size=10), st.booleans())
def test_each_tick_is_exact_and_none_is_passed_over_that_could_come(
    period: float, start: float, busy: list[float], catch_up: bool
) -> None:
    async def main() -> None:
        number = 0
        ticks = every(period, first=start, catch_up=catch_up)
        for share in busy:
            begun = now()
            t = await anext(ticks)
            while start + number * period != t:  # exactly one of them
                assert not catch_up
                assert start + number * period < begun
                number += 1
            assert now() == max(t, begun)
            number += 1
            await sleep(share * period)

    kumi.run(main)


@pytest.mark.parametrize("period", [0.0, -1.0, math.nan, math.inf])
def test_a_period_is_a_number_of_seconds(period: float) -> None:
    async def main() -> None:
        async for _ in every(period):
            pass

    with pytest.raises(TimeError, match="a period is a number of seconds > 0"):
        kumi.run(main)


def test_the_first_tick_is_not_in_the_past() -> None:
    async def main() -> None:
        await sleep(2.0)
        every(1.0, first=1.0)

    with pytest.raises(TimeError, match="a time to come"):
        kumi.run(main)
    with pytest.raises(NoRun):
        every(1.0)
