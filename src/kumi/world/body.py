"""A body on the simulated plane: what a robot meets where no hardware is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import tau
from typing import TYPE_CHECKING, Any

from kumi._core import PlaneBody
from kumi.contract import Asked, Command, Pushed
from kumi.geometry import BodyShape, PointLike, Pose, as_point
from kumi.motion import Drive
from kumi.world.errors import Overlap

if TYPE_CHECKING:
    from kumi.world.world import World


class SimulatedBody(PlaneBody):
    """A body in a world; made by `World.add_body`."""

    def __init__(
        self, world: World, name: str, shape: BodyShape, pose: Pose, drive: Drive | None
    ) -> None:
        super().__init__(world, name, shape.core, pose.position.x, pose.position.y, pose.heading, drive)
        self.world = world
        self.shape = shape
        self.sensors: Mapping[str, Asked[Any] | Pushed[Any]] = {}

    @property
    def pose(self) -> Pose:
        """Where it is and looks now."""
        return Pose(self.position, self.heading)

    @property
    def speed(self) -> float:
        """Metres a second now."""
        return abs(self.velocity)

    def steer(self, command: Command) -> None:
        """Drive on without being awaited, until a contact, the next command or stop()."""
        if self.drive is None:
            raise TypeError(f"body '{self.name}' has no drive, so it cannot carry out {command}")
        self.start(self.drive.plan(command, self))

    def teleport(self, at: PointLike, heading: float | None = None) -> None:
        """Put the body elsewhere, at rest; what is in the way there raises Overlap."""
        pose = Pose(as_point(at), self.heading if heading is None else heading)
        self.world.check_free(self.name, self.shape, pose, ignoring=self)
        self.put(*pose.position, pose.heading)

    def resize(self, shape: BodyShape) -> None:
        """Give the body another shape; what it would then overlap raises Overlap."""
        self.world.check_free(self.name, shape, self.pose, ignoring=self)
        self.reshape(shape.core)
        self.shape = shape

    def watch(
        self,
        within: float,
        told: Callable[[bool, SimulatedBody], object],
        *,
        view: float = tau,
        bearing: float = 0.0,
    ) -> Watch:
        """Tell who comes within range, and who leaves it, at the exact instant.

        The range is measured from this body's centre to the other's surface (of a body that is no disc,
        the circle around it). Those who are there already are not told; see `Watch.inside`.
        """
        return Watch(self, self.open_watch(within, view, bearing, told))


class Watch:
    """A watch that is kept; see `SimulatedBody.watch`."""

    def __init__(self, body: SimulatedBody, number: int) -> None:
        self._body = body
        self._number = number

    @property
    def inside(self) -> list[SimulatedBody]:
        """Who is within range now."""
        return self._body.watched(self._number)

    def close(self) -> None:
        """End it."""
        self._body.close_watch(self._number)


__all__ = ["Overlap", "SimulatedBody", "Watch"]
