"""Which angles, and which speeds, do the bytes of a robot mean?

The robot goes around with the wheel turned to one side. A full circle is over when all rangers tell the same again; its
way gives the true angle of the wheel. Three such angles to each side, the widest and two between, bend the tables of
servo and potentiometer where they are bent. Smaller angles need more room than there is: there the angles of the servo
are those of the file, moved and stretched to fit between the two smallest that were measured, and the potentiometer is
as it was read at each byte of the servo. Its table has an entry for each of them.

On the circles the encoder tells the speed of each motor byte, and how the robot rolls out when its motor stops, the
motor's lag.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, copysign, sqrt, tau

from kumi.link.calibration import Calibration
from kumi.link.device_io import Readout
from kumi.link.fitting import Fitted, lag_of, mean_of, period, slope
from kumi.link.quality import LAG, Fit, Rig, is_still
from kumi.link.steering import DrivenCircle, steering_tables, swept_bytes, wide_bytes
from kumi.link.tables import CalibrationError, Table
from kumi.maths import asin, hypot, sin, tan

STEADY = 5.0
"""Seconds for which a speed is measured."""
CIRCLES = 2.0
"""How often the robot goes around with each angle."""
POOR_SPEED = 0.01
"""The largest standard uncertainty of a speed that is not said to be poor, as a share of it."""
READS = 80
"""How often the potentiometer is read for each byte of the servo."""


class NoRoomToTurn(CalibrationError):
    """The robot touched something on a circle."""


class Turning:
    """Measures motor, servo and potentiometer of a robot."""

    def __init__(self, rig: Rig, given: Calibration) -> None:
        self._rig = rig
        self._given = given
        self._cruises: list[tuple[int, float, Fitted]] = []  # motor byte, counts of the way, counts a second
        self.fits: list[Fit] = []
        self.complaints: list[str] = []
        self.notes: list[str] = []
        self._rolls: list[list[Readout]] = []

    async def sweep(self) -> dict[int, Fitted]:
        """Return the value of the potentiometer for each byte of the servo."""
        await self._rig.stop()
        pots = {}
        for byte in swept_bytes(self._given.servo):
            await self._rig.aim(byte)
            pots[byte] = mean_of([(await self._rig.read()).potentiometer for _ in range(READS)])
        return pots

    async def go_around(self, pots: dict[int, Fitted]) -> Calibration:
        """Return the calibration with motor, servo and potentiometer found."""
        given = self._given
        forward = [round(byte) for byte, speed in given.motor.entries if speed > 0.0]
        backward = [round(byte) for byte, speed in given.motor.entries if speed < 0.0]
        circles = []
        for is_left, motors, slow in (
            (True, forward[::-1], given.reliable[0]),
            (False, backward, slow_back(given)),
        ):
            widest, *wider = wide_bytes(given.servo, is_left=is_left)
            circles.append(await self._circle(widest, motors, slow))
            for byte in wider:
                circle = await self._circle_if_room(byte, motors[0], slow)
                if circle is None:
                    break  # the next one needs more room still
                circles.append(circle)
        steering = steering_tables(given.servo, circles, pots)
        self.fits += [*self._speed_fits(), *steering.fits]
        self.complaints += [*steering.complaints, *self._poor_speeds()]
        self.notes += steering.notes
        return replace(
            given,
            motor=Table(
                [(given.stop_byte, 0.0), *((byte, fit.value) for byte, fit in self._speeds().items())]
            ),
            motor_lag=self._lag().value,
            servo=steering.servo,
            potentiometer=steering.potentiometer,
        )

    def _lag(self) -> Fitted:
        return lag_of([[(one.time, one.counts) for one in roll] for roll in self._rolls])

    def _speeds(self) -> dict[int, Fitted]:
        """Return the speed of each motor byte, in metres a second.

        A short way tells little about how much the wheel slips, all ways together more: the share grows less with the
        root of the way.
        """
        slips = sum(
            pace.uncertainty * pace.uncertainty / (pace.value * pace.value) * way
            for _, way, pace in self._cruises
        )
        metre, found = self._given.distance_of(1.0), dict[int, Fitted]()
        for motor, way, pace in self._cruises:
            usual = abs(pace.value) * sqrt(slips / len(self._cruises) / way)
            speed, uncertainty = metre * pace.value, metre * max(pace.uncertainty, usual)
            found.setdefault(motor, Fitted(speed, uncertainty, pace.residual, pace.readings))
        return dict(sorted(found.items()))

    def _speed_fits(self) -> list[Fit]:
        metre, lag = self._given.distance_of(1.0), self._lag()
        return [
            *(
                Fit(f"motor {byte}", "cm/s", 100.0, fit, 100.0 * metre * fit.residual, "cm")
                for byte, fit in self._speeds().items()
            ),
            Fit("motor lag", "s", 1.0, lag, 100.0 * metre * lag.residual, "cm"),
        ]

    def _poor_speeds(self) -> list[str]:
        return [
            f"the speed of motor byte {byte} is uncertain by {100 * fit.uncertainty:.2f} cm/s: does the wheel slip?"
            for byte, fit in self._speeds().items()
            if fit.uncertainty > POOR_SPEED * abs(fit.value)
        ]

    async def _circle_if_room(self, byte: int, motor: int, slow: int) -> DrivenCircle | None:
        """Go around by a smaller angle; if the robot touches something, go back to where it began, and do without."""
        begin = (await self._rig.read()).counts
        try:
            return await self._circle(byte, [motor], slow)
        except NoRoomToTurn:
            self.notes.append(
                f"there was no room for a circle with servo byte {byte}: fewer angles are measured"
            )
        is_ahead = (await self._rig.read()).counts > begin
        told = [await self._rig.go(slow_back(self._given) if is_ahead else self._given.reliable[0])]
        while (told[-1].counts > begin) == is_ahead and not is_still(told):
            told.append(await self._rig.tick())
        await self._rig.stop()
        return None

    async def _circle(self, byte: int, motors: list[int], slow: int) -> DrivenCircle:
        """Go around, measure speeds on the way, and come back to where it began."""
        given = self._given
        angle = given.angle_of(byte)
        await self._rig.aim(byte)
        begin = (await self._rig.read()).counts
        expected = abs(given.counts_of(tau * given.wheelbase / sin(angle)))
        told = await self._cruise(motors[0], expected * CIRCLES)
        around = period([one.counts for one in told], [one.rangers for one in told], expected)
        share = tau * given.wheelbase / given.distance_of(around.value)
        if share >= 1.0:
            raise CalibrationError(
                "the robot turns tighter than its wheelbase allows; measure wheel and wheelbase"
            )
        for motor in motors[1:]:
            await self._cruise(motor, 0.0)
        await self._come_back(begin, around.value, slow)
        true = copysign(asin(share), angle)
        # What the wheel slips on the whole way makes the way of one circle uncertain as well.
        pace = slope([one.time for one in told], [one.counts for one in told])
        slips = pace.uncertainty / abs(pace.value) * sqrt(CIRCLES)
        uncertainty = abs(tan(true)) * hypot(around.uncertainty / around.value, slips)
        return DrivenCircle(
            byte,
            Fitted(true, uncertainty, around.residual, around.readings),
            mean_of([one.potentiometer for one in told]),
        )

    async def _come_back(self, begin: int, around: float, slow: int) -> None:
        """Drive on until the circle is full."""
        told = [await self._rig.go(slow)]
        whole = ceil(abs(told[0].counts - begin) / around) * around
        while abs(told[-1].counts - begin) < whole and not is_still(told):
            told.append(await self._rig.tick())
        await self._rig.stop()

    async def _cruise(self, motor: int, counts: float) -> list[Readout]:
        """Drive at one byte for a time and a number of counts; return what was told at full speed."""
        await self._rig.go(motor)
        await self._rig.rest(LAG)
        told = [await self._rig.read()]
        wrong: CalibrationError | None = None
        while wrong is None and (
            told[-1].time - told[0].time < STEADY or abs(told[-1].counts - told[0].counts) < counts
        ):
            told.append(await self._rig.tick())
            if told[-1].switches:
                wrong = NoRoomToTurn("the robot touched something while it went around; give it more room")
            elif is_still(told):
                wrong = CalibrationError(
                    f"the robot does not move with motor byte {motor}; is it switched on?"
                )
        self._rolls.append(await self._rig.roll_out())
        if wrong is not None:
            raise wrong
        pace = slope([one.time for one in told], [one.counts for one in told])
        self._cruises.append((motor, abs(told[-1].counts - told[0].counts), pace))
        return told


def slow_back(calibration: Calibration) -> int:
    """Return the byte that drives back as slowly as the lowest reliable one drives forward."""
    return calibration.motor_byte(
        max(-calibration.speed_of(calibration.reliable[0]), calibration.motor.lowest)
    )
