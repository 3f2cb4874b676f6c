"""What do the words of a command list mean for a robot in a simulation?

The words are those of the control program. A robot here has no front wheel that stays turned: left and right turn it
by the angle, and straight leaves it as it is. Forward without a length goes on beside the waits after it, until the
next command that drives or stops. `read` notes all sensors. A line for another robot is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import copysign, isinf

from kumi.contract import Forward, Steer, Turn
from kumi.control.manual_override import Step
from kumi.control.steps import Aim, Go, ReadStep, StopMotor, Wait
from kumi.control.words import Order, WordsError, parse_orders


def steps_of(text: str, robot: int, cruise: float) -> list[Step]:
    """Return the steps of a list of commands for a robot; WordsError where a word is not understood.

    `cruise` is the speed of a way without a length and without a speed.
    """
    orders = parse_orders(text)
    for order in orders:
        if order.robot not in {None, robot}:
            raise WordsError(
                f"line {order.line}: this list is for robot {robot}, not for robot {order.robot}"
            )
    if not orders:
        raise WordsError("there is no command in the list")
    return [step for order in orders for step in _steps(order, cruise)]


def _steps(order: Order, cruise: float) -> Iterator[Step]:
    match order.step:
        case Aim(angle) if angle:
            yield Turn(angle)
        case Go(way, speed) if isinf(way):
            yield Steer(copysign(cruise if speed is None else speed, way))
        case Go(way, speed):
            yield Forward(way, speed)
        case Wait() | ReadStep() | StopMotor() as step:
            yield step
