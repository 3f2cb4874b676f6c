"""Which errors are planted in emulated robots, that the model knows nothing of?

They come on top of what the scenario says of each robot: a motor that has 0.9 of its speed, sensors that are biased or
dead, a clock that gains, a line that is slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kumi.link.emulators.faults import read_faults
from kumi.loop.real import Emulated, Real
from kumi.scenario.document import ScenarioError


@dataclass(frozen=True)
class Planted:
    """Errors for emulated robots: all of them, or the one that is named.

    `motor` and `clock` are factors, of the speed and of the rate; `sensors` are faults as `kumi.link.emulators.faults`
    reads them, with the names that the scenario or the real robot has for its sensors.
    """

    motor: float = 1.0
    sensors: tuple[str, ...] = ()
    clock: float = 1.0
    clock_offset: float = 0.0
    latency: float = 0.0
    robot: str | None = None

    @property
    def is_none(self) -> bool:
        """Whether nothing is planted."""
        return self == Planted(robot=self.robot)

    def planted(self, robots: Sequence[Real]) -> tuple[Real, ...]:
        """Return the robots with these errors; raises ScenarioError where there is no robot to plant them in."""
        if self.is_none:
            return tuple(robots)
        chosen = [one for one in robots if self.robot in {None, one.name, str(one.number)}]
        if not chosen:
            names = ", ".join(one.name for one in robots)
            raise ScenarioError(
                f"there is no real robot {self.robot!r} to plant an error in; there are {names}"
            )
        at_port = [one.name for one in chosen if not one.is_emulated]
        if at_port:
            raise ScenarioError(f"errors are planted in emulated robots, and {at_port[0]} is at a port")
        return tuple(self._in(one) if one in chosen else one for one in robots)

    def _in(self, one: Real) -> Real:
        made = one.emulated
        try:
            return replace(one, emulated=self._emulated(made, [_named(text, one) for text in self.sensors]))
        except ValueError as error:
            raise ScenarioError(str(error)) from error

    def _emulated(self, made: Emulated, faults: Sequence[str]) -> Emulated:
        read_faults(faults)
        return replace(
            made,
            motor=made.motor * self.motor,
            clock_rate=made.clock_rate * self.clock,
            clock_offset=made.clock_offset + self.clock_offset,
            latency=made.latency + self.latency,
            faults=(*made.faults, *faults),
        )


def _named(text: str, one: Real) -> str:
    """Return a fault with the name that the real robot has for the sensor."""
    name, sign, words = text.partition(":")
    return one.aliases.get(name, name) + sign + words
