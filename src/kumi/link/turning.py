"""Which angles, and which speeds, do the bytes of a robot mean?

The robot goes around with the wheel turned fully to one side. A full circle is over when all rangers tell the
same again; its way gives the true angle of the wheel. Two such angles, left and right, give the scale and the
zero of the potentiometer, and the potentiometer gives the angle of every servo byte. On the circles the
encoder tells the speed of each motor byte.
"""

from __future__ import annotations

from dataclasses import replace
from math import asin, ceil, copysign, sin, tau

from kumi.link.calibration import Calibration
from kumi.link.fitting import period, slope
from kumi.link.panel import Readout
from kumi.link.rig import LAG, Rig, is_still
from kumi.link.tables import CalibrationError, Table

STEADY = 5.0
"""Seconds for which a speed is measured."""
CIRCLES = 2.0
"""How often the robot goes around to each side."""
READS = 150
"""How often the potentiometer is read for each byte of the servo."""


class Turning:
    """Measures motor, servo and potentiometer of a robot."""

    def __init__(self, rig: Rig, given: Calibration) -> None:
        self._rig = rig
        self._given = given
        self._speeds = {given.stop_byte: 0.0}

    async def sweep(self) -> dict[int, float]:
        """Return the mean value of the potentiometer for each byte of the servo."""
        await self._rig.stop()
        pots = {}
        for raw, _ in self._given.servo.entries:
            await self._rig.aim(round(raw))
            told = [(await self._rig.read()).potentiometer for _ in range(READS)]
            pots[round(raw)] = sum(told) / READS
        return pots

    async def go_around(self, pots: dict[int, float]) -> Calibration:
        """Return the calibration with motor, servo and potentiometer found."""
        given = self._given
        forward = [round(byte) for byte, speed in given.motor.entries if speed > 0.0]
        backward = [round(byte) for byte, speed in given.motor.entries if speed < 0.0]
        ends = [
            await self._circle(given.servo.highest, forward[::-1], given.reliable[0]),
            await self._circle(given.servo.lowest, backward, slow_back(given)),
        ]
        potentiometer = line_through(*ends)
        return replace(
            given,
            motor=Table(self._speeds.items()),
            servo=Table((byte, potentiometer.value_of(pot)) for byte, pot in pots.items()),
            potentiometer=potentiometer,
        )

    async def _circle(self, angle: float, motors: list[int], slow: int) -> tuple[float, float]:
        """Go around, measure speeds on the way, and come back to where it began.

        Return the potentiometer's mean value on the circle, and the angle that the circle tells.
        """
        given = self._given
        await self._rig.aim(given.servo_byte(angle))
        begin = (await self._rig.read()).counts
        expected = abs(given.counts_of(tau * given.wheelbase / sin(angle)))
        told = await self._cruise(motors[0], expected * CIRCLES)
        around = period([one.counts for one in told], [one.rangers for one in told], expected)
        share = tau * given.wheelbase / given.distance_of(around)
        if share >= 1.0:
            raise CalibrationError(
                "the robot turns tighter than its wheelbase allows; measure wheel and wheelbase"
            )
        for motor in motors[1:]:
            await self._cruise(motor, 0.0)
        await self._come_back(begin, around, slow)
        return sum(one.potentiometer for one in told) / len(told), copysign(asin(share), angle)

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
        wrong = ""
        while not wrong and (
            told[-1].time - told[0].time < STEADY or abs(told[-1].counts - told[0].counts) < counts
        ):
            told.append(await self._rig.tick())
            if told[-1].switches:
                wrong = "the robot touched something while it went around; give it more room"
            elif is_still(told):
                wrong = f"the robot does not move with motor byte {motor}; is it switched on?"
        await self._rig.stop()
        if wrong:
            raise CalibrationError(wrong)
        pace = slope([one.time for one in told], [one.counts for one in told])
        self._speeds[motor] = self._given.distance_of(pace)
        return told


def line_through(left: tuple[float, float], right: tuple[float, float]) -> Table:
    """Return the straight line through two values with known angles, to a little beyond both."""
    values_per_radian = (left[0] - right[0]) / (left[1] - right[1])
    angles = 1.1 * right[1], 0.0, 1.1 * left[1]
    return Table((right[0] + (angle - right[1]) * values_per_radian, angle) for angle in angles)


def slow_back(calibration: Calibration) -> int:
    """Return the byte that drives back as slowly as the lowest reliable one drives forward."""
    return calibration.motor_byte(
        max(-calibration.speed_of(calibration.reliable[0]), calibration.motor.lowest)
    )
