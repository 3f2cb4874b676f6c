"""What a robot drove is cut out of what was said on its link, with numbers that follow from bytes and instants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumi.link.calibration import Calibration
from kumi.link.clocks import ClockFit
from kumi.link.devices import STOP, Device
from kumi.loop.choices import Choices
from kumi.loop.comparing.drives import driven_by, own_times
from kumi.loop.comparing.witness import Exchange, RobotEvidence
from kumi.loop.real import ROBOT, Emulated, Real
from kumi.maths import exp

CALIBRATION = Calibration.load(ROBOT)
AHEAD = CALIBRATION.motor_byte(0.3)
STRAIGHT = round(CALIBRATION.potentiometer.raw_of(0.0))
LAG = CALIBRATION.motor_lag


def way_at(time: float, factor: float) -> float:
    """Return how far a wheel has gone that was told 0.3 m/s from 1 s to 2 s, by its lag of first order."""
    on, off = max(0.0, time - 1.0), max(0.0, time - 2.0)
    return (
        factor
        * 0.3
        * sum(sign * (span - LAG * (1.0 - exp(-span / LAG))) for sign, span in ((1, on), (-1, off)))
    )


def exchange(time: float, factor: float, **more: object) -> Exchange:
    counts = int(CALIBRATION.counts_of(way_at(time, factor)) + 1e-6)
    values = {
        Device.ENCODER: counts,
        Device.POTENTIOMETER: STRAIGHT,
        Device.SWITCHES: 0,
        Device.CLOCK: int(1000 * time + 1e-6) & 0xFFFF,
    }
    if time == 1.0:
        values[Device.MOTOR] = AHEAD
    if time == 2.0:
        values[Device.MOTOR] = STOP
    found = Exchange(time, time, 0.0, 0.0, time, 0, 1, False, values)
    return replace(found, **more)  # type: ignore[arg-type]


def account(exchanges: list[Exchange]) -> RobotEvidence:
    clock = ClockFit(0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 10)
    return RobotEvidence(Real(0, Choices("hil")), Emulated(), CALIBRATION, tuple(exchanges), clock, None)


def told(factor: float = 1.0, **more: object) -> list[Exchange]:
    return [exchange(tick / 20, factor, **more) for tick in range(80)]


@pytest.mark.parametrize("factor", [1.0, 0.9])
def test_a_second_at_30_cm_a_second_is_told_30_cm_and_driven_by_the_factor_of_the_motor(
    factor: float,
) -> None:
    (drive,) = driven_by(account(told(factor))).drives

    assert drive.told == pytest.approx(0.3, abs=1e-4)
    assert drive.driven == pytest.approx(0.3 * factor, abs=CALIBRATION.distance_of(1))
    assert drive.why == ""
    assert drive.late == pytest.approx(0.0, abs=1e-9)


def test_time_that_stood_still_in_the_run_is_late_and_not_the_motors() -> None:
    """From 1.5 s on the run is 0.2 s behind the robot, whose clock shows a second of driving."""
    exchanges = [
        replace(one, asked=time, heard=time, wall=one.heard)
        for one in told()
        if (time := one.heard - (0.2 if one.heard >= 1.5 else 0.0)) >= 0.0
    ]
    (drive,) = driven_by(account(exchanges)).drives

    assert drive.told == pytest.approx(0.3, abs=1e-3)
    assert drive.late == pytest.approx(0.2, abs=2e-3)


def test_a_clock_that_gains_is_put_right_before_it_measures() -> None:
    """Its milliseconds pass 1.1 times as fast as those of the run."""
    exchanges = [
        replace(one, wall=one.wall + 1.0, values={**one.values, Device.CLOCK: int(1100 * one.heard)})
        for one in told()
    ]
    times = own_times(exchanges, 1.1)

    assert times[-1] - times[0] == pytest.approx(exchanges[-1].read - exchanges[0].read, abs=2e-3)


def test_a_contact_a_silence_and_a_missed_deadline_make_a_drive_tell_nothing() -> None:
    def why(change: dict[str, object], at: float = 1.5) -> str:
        exchanges = [replace(one, **change) if one.heard == at else one for one in told()]  # type: ignore[arg-type]
        return driven_by(account(exchanges)).drives[0].why

    late = [replace(one, missed=int(one.heard >= 1.5)) for one in told()]
    assert why({"has_collided": True}) == "contact"
    assert why({"tries": 2}) == "silence"
    assert driven_by(account(late)).drives[0].why == "missed"


def test_a_wheel_that_stands_while_the_motor_should_drive_is_stalled() -> None:
    exchanges = [replace(one, values={**one.values, Device.ENCODER: 0}) for one in told() if one.heard < 1.95]
    last = [replace(one, values={**one.values, Device.ENCODER: 0}) for one in told() if one.heard >= 1.95]

    assert driven_by(account(exchanges + last)).drives[0].why == "stall"


def test_a_switch_that_stays_closed_is_one_contact() -> None:
    """It was closed before the drive: the robot turns away, and its motor was not stopped."""
    exchanges = [replace(one, values={**one.values, Device.SWITCHES: 1}) for one in told()]

    assert driven_by(account(exchanges)).drives[0].why == ""
