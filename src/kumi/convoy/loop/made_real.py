"""How do the robots of a virtual convoy become real ones that are made to measure?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kumi.convoy import Setup
from kumi.convoy.loop.team import AROUND
from kumi.geometry import Disc
from kumi.loop.made_real import Ranger, Speeds, chosen_of, fitted, written


def tables_of_convoy(setup: Setup, chosen: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Return a table `[[real]]` for each robot that becomes real; one behind a virtual robot sees it virtually."""
    names = [f"robot {number + 1}" for number in range(setup.robots)]
    numbers = chosen_of(names, chosen)
    bearings = (-setup.side_bearing, 0.0, setup.side_bearing)
    rangers = {
        name: Ranger(bearing, setup.infrared_reach) for name, bearing in zip(AROUND, bearings, strict=True)
    }
    calibration = fitted(
        names[0], Disc(setup.rules.diameter / 2), Speeds(setup.speed, setup.turn_speed), rangers
    )
    path = written(calibration, "convoy", folder)
    return [
        {
            "robot": number + 1,
            "motor": "hil",
            "infrared": "real" if number == 0 or number - 1 in numbers else "virtual",
            "whiskers": "real",
            "calibration": path,
        }
        for number in numbers
    ]
