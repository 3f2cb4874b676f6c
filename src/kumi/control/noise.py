"""How do motions and readings err from now on?

A share of 0 makes them exact. Of a motion, the share is the standard deviation of each way and each turn as a part
of it, and of the drift in radians a metre. Of a reading, it is the standard deviation as a part of what is read.
What the drive or the sensor was made with no longer counts. Drives and sensors without noise stay as they are.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from kumi.motion import Gaussian
from kumi.sensing import Exact, GaussianNoise

if TYPE_CHECKING:
    from kumi.world import SimulatedBody


def set_motion_noise(body: SimulatedBody, share: float) -> bool:
    """Let the motions of a body err; False where its drive knows no noise."""
    drive: Any = copy(body.drive)
    if not hasattr(drive, "noise"):
        return False
    drive.noise = Gaussian(share, share, share) if share else None
    body.drive = drive
    return True


def set_sensor_noise(body: SimulatedBody, share: float) -> int:
    """Let the readings of a body err, and return of how many sensors."""
    count = 0
    for sensor in body.sensors.values():
        if hasattr(sensor, "noise"):
            sensor.noise = GaussianNoise(share=share) if share else Exact()
            count += 1
    return count
