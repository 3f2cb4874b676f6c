"""Wheels that go no faster than they can, whatever a program asks for.

A simulated drive goes as fast as it is told. Where programs are somebody else's, how fast their robots are is not theirs to choose.
"""

from __future__ import annotations

from math import copysign
from typing import Any

import msgspec

from kumi.contract import Arc, Command, Follow, Forward, MoveTo, Steer, Turn
from kumi.motion import Wheel
from kumi.motion.drives import Legs, Moving


class CappedWheel(Wheel):
    """Two wheels side by side whose speeds are the fastest, and those where a command states none."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out, at the speeds that it states or as fast as it goes."""
        match command:
            case Steer(speed, turn_speed):
                asked: dict[str, Any] = {"speed": speed, "turn_speed": turn_speed}
            case MoveTo(_, speed, turn_speed) | Follow(_, speed, turn_speed):
                asked = {"speed": speed, "turn_speed": turn_speed}
            case Forward(_, speed) | Arc(_, _, speed):
                asked = {"speed": speed}
            case Turn(_, speed):
                return super().plan(
                    msgspec.structs.replace(command, speed=capped(speed, self.turn_speed)), body
                )
            case _:
                return super().plan(command, body)
        most = {"speed": self.speed, "turn_speed": self.turn_speed}
        slower = {name: capped(value, most[name]) for name, value in asked.items()}
        return super().plan(msgspec.structs.replace(command, **slower), body)


def capped(speed: Any, most: float) -> Any:
    """Return a speed, or the fastest one in its direction; what is no speed is left for the drive to refuse."""
    return copysign(most, speed) if isinstance(speed, int | float) and abs(speed) > most else speed
