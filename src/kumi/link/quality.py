"""How well was each number of a calibration measured, and what is wrong with those that were not?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumi.link.calibration import Calibration
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
class Measurement:
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
