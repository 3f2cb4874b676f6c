"""How are the devices of a packet robot worked while it is measured, and how well was each number measured?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumi.devs import now, sleep
from kumi.link.calibration import Calibration
from kumi.link.device_io import Dials, Panel, Readout
from kumi.link.devices import Device, Write
from kumi.link.fitting import Fitted


@dataclass(frozen=True)
class Fit:
    """A number of a calibration that was measured: in which unit it is shown, and what its readings leave unexplained."""

    name: str
    unit: str
    factor: float
    """By how much the number is multiplied to be in that unit."""
    fitted: Fitted
    residual: float
    """The root mean square of what is left, in the unit of the readings."""
    residual_unit: str

    @property
    def value(self) -> float:
        """The number, in its unit."""
        return self.factor * self.fitted.value

    @property
    def uncertainty(self) -> float:
        """Its standard uncertainty, in its unit."""
        return abs(self.factor) * self.fitted.uncertainty

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.value:.3f} ± {self.uncertainty:.3f} {self.unit}, residual {self.residual:.3f} "
            f"{self.residual_unit} in {self.fitted.readings} readings"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fit for a machine."""
        return {
            "name": self.name,
            "value": self.value,
            "uncertainty": self.uncertainty,
            "unit": self.unit,
            "residual": self.residual,
            "residual_unit": self.residual_unit,
            "readings": self.fitted.readings,
        }


@dataclass(frozen=True)
class MeasuredCalibration:
    """A calibration that was measured, how well each number of it was, and in sentences what is wrong with it."""

    calibration: Calibration
    fits: tuple[Fit, ...]
    complaints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What had to be assumed."""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it for a machine."""
        return {
            "calibration": self.calibration.to_dict(),
            "fits": [fit.to_dict() for fit in self.fits],
            "poor": list(self.complaints),
            "notes": list(self.notes),
        }

    def save(self, path: str | Path) -> None:
        """Write the calibration file, with all that is known about it as comments."""
        self.calibration.save(path)
        notes = [f"# {fit}" for fit in self.fits] + [f"# Poor: {complaint}" for complaint in self.complaints]
        notes += [f"# Note: {note}" for note in self.notes]
        head = "# How each number was measured: value ± standard uncertainty, root mean square of what the fit leaves."
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("\n".join(["", head, *notes, ""]))


READING_PERIOD = 0.03
"""Seconds from one reading to the next, where the link is fast enough."""
SETTLE = 0.6
"""Seconds that the servo needs from one side to the other."""
LAG = 1.0
"""Seconds that the motor needs to its full speed, and to rest."""
BLOCKED_AFTER = 0.5
"""Seconds without counts to speak of after which a robot that drives is taken to be blocked."""
FEW_COUNTS = 8
LOOKED_AT = 100
"""How many readings are looked at to tell whether the robot stands."""


class Rig:
    """A robot's devices: motor and servo are written, all else is read, and the robot never falls silent."""

    def __init__(self, panel: Panel, stop_byte: int) -> None:
        self._dials = Dials(panel)
        self._stop_byte = stop_byte

    async def read(self) -> Readout:
        """Read all devices."""
        return await self._dials.read()

    async def aim(self, servo: int) -> None:
        """Turn the front wheel, and wait until it is there."""
        await self._dials.read(Write(Device.SERVO, servo))
        await self.rest(SETTLE)

    async def go(self, motor: int) -> Readout:
        """Let the motor drive; return what was told at that instant."""
        return await self._dials.read(Write(Device.MOTOR, motor))

    async def stop(self) -> Readout:
        """Stop the motor, and wait until the robot stands; return what it then tells."""
        return (await self.roll_out())[-1]

    async def roll_out(self) -> list[Readout]:
        """Stop the motor, and wait until the robot stands; return all that it tells from then on."""
        await self.go(self._stop_byte)
        return [*await self.rest(LAG), await self.read()]

    async def rest(self, seconds: float) -> list[Readout]:
        """Let time pass without falling silent, or the robot would stop by itself; return what it tells."""
        until = now() + seconds
        told = []
        while now() < until:
            told.append(await self.tick())
        return told

    async def tick(self) -> Readout:
        """Read all devices, and wait for the rest of the period."""
        begun = now()
        readout = await self.read()
        await sleep(max(0.0, READING_PERIOD - (now() - begun)))
        return readout


def is_still(told: list[Readout]) -> bool:
    """Tell whether the wheel has not turned lately."""
    looked_at = told[-LOOKED_AT:]
    recent = [one.counts for one in looked_at if one.time >= looked_at[-1].time - BLOCKED_AFTER]
    return looked_at[-1].time - looked_at[0].time > BLOCKED_AFTER and max(recent) - min(recent) < FEW_COUNTS
