"""What every simulated sensor is: something made apart from any robot, and then attached to a body.

A sensor that was made is a pattern: attached to a body it becomes a copy with a body, a world and chance of
its own. So one sensor serves a whole swarm, and no two robots share what a sensor keeps.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Protocol, Self

from kumi._core import Chance
from kumi.contract import Asked, Lost, Pushed
from kumi.geometry import Pose
from kumi.world import SimulatedBody, World


class Sensor(Protocol):
    """What a stage needs of a sensor."""

    def attached_to(self, body: SimulatedBody, /) -> Asked[object] | Pushed[object]:
        """Give this sensor on a body; the same sensor may be attached to many."""


class Attachable:
    """What asked and push sensors have in common: being attached to a body."""

    _body: SimulatedBody | None = None

    def attached_to(self, body: SimulatedBody, /) -> Self:
        """Give a copy of this sensor on a body; the same sensor may be attached to many."""
        if self._body is not None:
            raise ValueError(
                f"this {self.kind} is on '{self._body.name}' already; attach the one it was made from"
            )
        one = deepcopy(self)
        one._body = body
        one.start()
        return one

    def start(self) -> None:
        """Make ready on the body; a sensor that keeps something or listens to the body says so here."""

    @property
    def kind(self) -> str:
        """What it is, for messages."""
        return type(self).__name__

    @property
    def body(self) -> SimulatedBody:
        """The body it is on."""
        if self._body is None:
            raise ValueError(
                f"this {self.kind} is on no body yet: give it to a robot, or call attached_to(body)"
            )
        return self._body

    @property
    def world(self) -> World:
        """The world it looks at."""
        return self.body.world

    @property
    def pose(self) -> Pose:
        """Where the body is and looks now."""
        return self.body.pose

    @property
    def chance(self) -> Chance:
        """The random numbers of the body."""
        return self.body.chance

    @property
    def name(self) -> str:
        """The name by which the robot knows it."""
        mine: object = self
        return next((name for name, one in self.body.sensors.items() if one is mine), self.kind.lower())

    def check_not_lost(self) -> None:
        """Raise Lost where the body is gone."""
        if self.body.is_gone:
            raise Lost(self.body.name, self.body.position)
