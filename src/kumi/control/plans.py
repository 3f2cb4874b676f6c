"""What motion do the steps of a robot make, if nothing comes in between?

The wheel stays where a step turned it, so each way is a straight line or an arc of the back axle. Reading
takes no time here, and neither does the wheel. A way without an end goes on beside the waits after it, until
the next step that drives or stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import copysign, inf, isinf

from kumi.control.steps import Aim, Go, Look, Step, Stop, Wait
from kumi.link.arcs import arc_angle, radius_of
from kumi.link.calibration import Calibration
from kumi.maths import cos
from kumi.motion import Leg


def legs_of(
    steps: Iterable[Step], calibration: Calibration, *, steering: float = 0.0, speed: float = 0.0
) -> list[Leg]:
    """Return the legs of a list of steps, for a robot whose wheel and motor are so now."""
    legs: list[Leg] = []
    for step in steps:
        match step:
            case Aim(angle):
                steering = calibration.angle_of(calibration.servo_byte(angle))
            case Stop():
                speed = 0.0
            case Go(way) if isinf(way):
                speed = step.speed_on(calibration)
            case Go(way):
                legs.append(leg(way, step.speed_on(calibration), steering, calibration.wheelbase))
                speed = 0.0
            case Wait(seconds):
                legs.append(leg(speed * seconds, speed, steering, calibration.wheelbase, rest=seconds))
            case Look():
                pass
    if speed:
        legs.append(leg(copysign(inf, speed), speed, steering, calibration.wheelbase))
    return legs


def leg(way: float, speed: float, steering: float, wheelbase: float, *, rest: float = 0.0) -> Leg:
    """Return the leg of a way of the front wheel at its speed; without a speed the robot rests so long."""
    if speed == 0.0:
        return Leg.rest(rest)
    if steering == 0.0:
        return Leg.forward(way, abs(speed))
    angle = arc_angle(way, steering, wheelbase)
    return Leg.arc(radius_of(steering, wheelbase), angle, abs(speed) * cos(steering))
