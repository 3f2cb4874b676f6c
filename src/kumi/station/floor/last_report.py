"""Where a robot is, as it was heard here: what it told, where the station believes it to be, and when that was."""

from __future__ import annotations

from typing import Any

import msgspec

from kumi.station.records import Pose


class Heard(msgspec.Struct, frozen=True):
    """One report of a robot; `at` is by the clock of the store."""

    pose: Pose
    values: dict[str, Any]
    at: float
