"""Which positioning system does a station have? One is plugged in; robots need not know which.

- `Reckoning`: none. A robot is where it says.
- `Simulated`: sees robots where they say they are, with noise, now and then not at all, and now and then somewhere else.
- `FixFeed`: another program tells where robots are, by the operation `locate`, with a key of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.mapping.pose_filter import Fix
from kumi.station.records import PoseRecord

DEFAULTS = (0.05, 0.1, 0.01)
"""Noise, drop-outs and jumps of a simulated system where nothing else is said."""


class PositioningSource(Protocol):
    """A positioning system."""

    def look(self, robot: str, believed: PoseRecord) -> Fix | None:
        """Return where it sees a robot now, if it does."""
        ...


@dataclass
class Simulated:
    """A positioning system with errors: noise in metres, the share of looks that fail, and that see something else.

    What it sees elsewhere is up to `far` metres away.
    """

    noise: float = DEFAULTS[0]
    dropout: float = DEFAULTS[1]
    jump: float = DEFAULTS[2]
    far: float = 5.0
    seed: int = 0
    _chances: dict[str, Chance] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not (0.0 < self.noise <= 100.0 and 0.0 <= self.dropout <= 1.0 and 0.0 <= self.jump <= 1.0):
            raise ValueError(
                "a simulated positioning system has a noise above 0 m, and shares from 0 to 1 of drop-outs and jumps, "
                f"not {self.noise:g}, {self.dropout:g} and {self.jump:g}"
            )

    def look(self, robot: str, believed: PoseRecord) -> Fix | None:
        """Return where it sees a robot now, if it does."""
        chance = self._chances.get(robot)
        if chance is None:
            chance = self._chances[robot] = stream(self.seed, f"positioning of {robot}")
        if chance.happens(self.dropout):
            return None
        spread = self.far if chance.happens(self.jump) else 0.0
        x, y = (
            value + chance.normal(0.0, self.noise) + chance.uniform(-spread, spread)
            for value in (believed.x, believed.y)
        )
        return Fix(x, y, error=self.noise)


class FixFeed:
    """What another program told last of each robot; each fix counts once."""

    def __init__(self) -> None:
        self._fixes: dict[str, Fix] = {}

    def tell(self, robot: str, fix: Fix) -> None:
        """Take what the other program tells."""
        self._fixes[robot] = fix

    def look(self, robot: str, _: PoseRecord) -> Fix | None:
        """Return what was told of a robot since the last look."""
        return self._fixes.pop(robot, None)


def source_named(text: str) -> PositioningSource | None:
    """Return the source that a setting names: reckoning, feed, or simulated with noise, drop-outs and jumps."""
    kind, *numbers = text.split(":")
    if kind == "reckoning" and not numbers:
        return None
    if kind == "feed" and not numbers:
        return FixFeed()
    if kind == "simulated" and len(numbers) <= 3:
        try:
            noise, dropout, jump = [*map(float, numbers), *DEFAULTS[len(numbers) :]]
            return Simulated(noise, dropout, jump)
        except ValueError as error:
            raise ValueError(f"--positioning {text} cannot be: {error}") from None
    raise ValueError(
        "a positioning system is 'reckoning', 'feed', or 'simulated:NOISE:DROPOUT:JUMP' with as many of the numbers "
        f"as are to differ, not {text!r}"
    )
