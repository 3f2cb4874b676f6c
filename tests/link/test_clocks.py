"""A robot's clock is learnt from its answers: offset, rate, how well they are known, and jumps."""

from __future__ import annotations

from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import Forward
from kumi.devs.chance import stream
from kumi.link.calibration import Calibration
from kumi.link.clocks import ClockWatch
from kumi.link.linked_body import LinkedBody
from kumi.loop.real import ROBOT
from kumi.robot import Robot
from tests.link.pairs import Pair


def watched(
    rate: float, offset: float, seconds: float, *, jitter: float = 0.004, seed: int = 0
) -> ClockWatch:
    """Return what is learnt of a clock from answers every 0.1 s that take up to twice the jitter."""
    watch, chance, time = ClockWatch(), stream(seed, "line"), 0.0
    while time < seconds:
        there, back = chance.uniform(0.0005, jitter), chance.uniform(0.0005, jitter)
        shown = floor((offset + rate * (time + there)) * 1000.0) & 0xFFFF
        watch.take(shown, time, time + there + back)
        time += 0.1
    return watch


@settings(max_examples=40, deadline=None)
@given(
    gain=st.floats(-0.002, 0.002),
    offset=st.floats(0.0, 60.0),
    seed=st.integers(0, 1000),
)
def test_rate_and_offset_are_found_within_five_standard_errors(gain: float, offset: float, seed: int) -> None:
    fit = watched(1.0 + gain, offset, 60.0, seed=seed).fit

    assert fit is not None
    assert fit.rate - 1.0 == pytest.approx(gain, abs=5.0 * fit.rate_error + 1e-6)
    assert fit.rate_error < 3e-5
    wrapped = (fit.shows(30.0) - offset - 30.0 * (1.0 + gain)) % 65.536
    assert min(wrapped, 65.536 - wrapped) < 5.0 * fit.offset_error + fit.doubt


def test_milliseconds_that_begin_anew_are_counted_on() -> None:
    """After 65.536 s two bytes are full; over 200 s that happens three times."""
    fit = watched(1.0005, 3.0, 200.0).fit

    assert fit is not None
    assert fit.rate == pytest.approx(1.0005, abs=2e-5)
    assert fit.samples <= 240


def test_a_clock_that_jumps_keeps_its_rate_and_gets_another_offset() -> None:
    """After 20 s time stands still in the run for 0.15 s: the robot's clock is that much farther from then on."""
    watch = watched(1.002, 3.0, 20.0)
    for step in range(100):
        time = 20.0 + 0.1 * step
        watch.take(floor((3.15 + 1.002 * (time + 0.001)) * 1000.0) & 0xFFFF, time, time + 0.002)

    fit = watch.fit
    assert fit is not None
    assert fit.rate == pytest.approx(1.002, abs=1e-4)
    assert fit.shows(29.0) == pytest.approx(3.15 + 1.002 * 29.0, abs=0.003)


def test_an_early_answer_before_a_jump_does_not_tilt_the_line() -> None:
    """One answer, then the run stands still for 0.1 s and says so: the rate comes from what follows alone."""
    watch = ClockWatch()
    watch.take(2900, 0.0, 0.002)
    watch.jump()
    for step in range(100):
        time = 0.1 * step
        watch.take(floor((3.0 + time + 0.001) * 1000.0) & 0xFFFF, time, time + 0.002)

    assert watch.fit is not None
    assert watch.fit.rate == pytest.approx(1.0, abs=1e-4)
    assert watch.fit.offset == pytest.approx(3.0, abs=0.002)


def test_before_three_half_seconds_nothing_is_known() -> None:
    watch = ClockWatch()
    watch.take(0, 0.0, 0.002)
    watch.take(100, 0.1, 0.102)

    assert watch.fit is None


def test_an_answer_belongs_to_the_instant_at_which_it_was_read() -> None:
    """A late answer: read at 30.001 s, heard at 30.2 s. Its clock tells when it was read, to a millisecond."""
    watch = watched(1.0, 3.0, 30.0)

    assert watch.take(33001, 30.0, 30.2) == pytest.approx(30.0015, abs=0.001)


def test_a_linked_body_learns_the_offset_of_its_robot() -> None:
    """Within a simulation both clocks go alike; the robot's shows 7 s at first."""
    pair = Pair(calibration=Calibration.load(ROBOT), baud=57600)
    pair.hardware.clock_offset = 7.0
    body = LinkedBody(pair.remote, pair.hardware.calibration, at=(1.0, 1.5), has_clock=True)

    async def program(_robot: Robot) -> None:
        for _ in range(4):
            await body.carry_out(Forward(0.1))

    pair.run(program)

    assert body.clock is not None
    fit = body.clock.fit
    assert fit is not None
    assert fit.offset == pytest.approx(7.0, abs=0.002)
    assert fit.rate == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("off", [-0.005, 0.005])
def test_what_was_shown_was_shown_between_asking_and_hearing(off: float) -> None:
    """The clock is known by now, and shows 5 ms too little or too much: no jump, and no answer from another time."""
    watch = watched(1.0, 0.0, 10.0, jitter=0.001)
    shown = floor((10.5 + off) * 1000.0)

    assert watch.take(shown, 10.4995, 10.5005) == (10.4995 if off < 0.0 else 10.5005)
