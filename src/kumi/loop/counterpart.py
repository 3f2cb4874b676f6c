"""How does the environment model know where a real robot is?

By its counterpart, a body in the world that others see and touch. `HilBody` drives the real robot and, when the motion is
over, moves the counterpart to where the robot believes it is. That belief drifts. With a filter of its pose the counterpart
follows each answer of the robot and each picture of the camera, and is where both together say. One that
`follows_answers` does so without a tracker, too, and is where the robot believes it is.

Where the real robot drives into something that is only virtual, nothing holds it; its counterpart stays outside, as near
as there is room. That is counted in `overlaps`, and `on_touch` is told as long as the robot's way, by its own reckoning,
leads deeper: who turns, or leaves, touches nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ldexp, remainder, tau

from kumi.contract import Command, Contact
from kumi.geometry import Point, Pose
from kumi.link.linked_body import LinkedBody
from kumi.loop.reconnecting import ReconnectingBody
from kumi.mapping.pose_filter import Drift, Fix, PoseFilter
from kumi.world import Overlap, SimulatedBody

DEEPER = 1e-4
"""Metres from one look to the next by which a robot drives deeper into something."""
DRIFT = Drift(way=0.1, turn=0.0, heading=0.15, place_at_first=0.0, heading_at_first=0.0)
"""How a counterpart doubts the reckoning of its robot: it begins where the robot is put."""


@dataclass(frozen=True)
class Tracking:
    """A tracking source: standard deviations in metres and radians, a latency and a period in seconds."""

    place_noise: float = 0.01
    heading_noise: float = 0.02
    latency: float = 0.1
    period: float = 0.2

    def __post_init__(self) -> None:
        for name in ("place_noise", "heading_noise", "latency"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"the {name} of tracking is a number >= 0, not {getattr(self, name)!r}")
        if not 0.0 < self.period < float("inf"):
            raise ValueError(f"the period of tracking is a number of seconds > 0, not {self.period!r}")


class Counterpart:
    """The body that stands for a real robot in the environment model."""

    def __init__(
        self,
        real: LinkedBody,
        twin: SimulatedBody,
        tracking: Tracking | None = None,
        *,
        is_told: bool = True,
        follows_answers: bool = False,
    ) -> None:
        self.real = real
        self.is_told = is_told or tracking is not None
        """Whether anybody tells it where the real robot is: its motor, or a camera."""
        self.twin = twin
        self._tracking = tracking
        self._filter = PoseFilter(Pose(real.position, real.heading), DRIFT, has_gate=False)
        self.overlaps = 0
        self.on_touch: Callable[[Contact], object] | None = None
        """Called when the robot, on its way, drives into something in the environment model."""
        self._reckoned_before = self._reckoned_now = real.position
        if tracking is not None or follows_answers:
            real.on_state = self._reckon
        twin.on_gone(real.stop)

    @property
    def reckoned(self) -> Pose:
        """Where the real robot believes it is."""
        return Pose(self.real.position, self.real.heading)

    @property
    def believed(self) -> Pose:
        """Where the real robot is, as well as is known here."""
        return self.reckoned if self._tracking is None else self._filter.pose

    def see(self, time: float, seen: Pose) -> None:
        """Take where a camera saw the robot at a time of the run, and follow."""
        tracking = self._tracking
        assert tracking is not None
        x, y = seen.position
        self._filter.fix(Fix(x, y, seen.heading, tracking.place_noise, tracking.heading_noise), time)
        self.follow()

    def reckoned_place(self, place: Point) -> Point:
        """Return where the real robot, by its own reckoning, has to go to come to a place."""
        return place if self._tracking is None else self._filter.reckoned_place(place)

    def follow(self) -> None:
        """Move to where the real robot is, or as near to it as there is room."""
        if self.twin.is_gone:
            return
        pose = self.believed
        try:
            self.twin.teleport(pose.position, pose.heading)
        except Overlap:
            self.overlaps += 1
            self._feel(pose)
            self._approach(pose)

    def _feel(self, pose: Pose) -> None:
        """Tell what the robot drives into, if it is on its way and that leads deeper."""
        step = (self._reckoned_now - self._reckoned_before).turned(pose.heading - self.real.heading)
        found = self._in_the_way(pose)
        before = self._in_the_way(Pose(pose.position - step, pose.heading))
        if found is None or not self.real.is_moving or found[0] > (before[0] if before else 0.0) - DEEPER:
            return
        _, body, obstacle = found
        twin = self.twin
        if self.on_touch is None:
            return
        thing = twin.world.thing(obstacle) if body is None else body.name
        towards = pose.position - twin.position if body is None else body.position - pose.position
        bearing = remainder(towards.direction - pose.heading, tau)
        at = pose.position + Point.polar(twin.shape.reach, pose.heading + bearing)
        name = thing if isinstance(thing, str) else thing.name
        number = None if body is None else body.number
        self.on_touch(Contact(twin.world.now, at, bearing, name, number))

    def _in_the_way(self, pose: Pose) -> tuple[float, SimulatedBody | None, int] | None:
        """Return what is in the way at a pose: the gap to it, below 0, the body or None, and the obstacle."""
        twin = self.twin
        return twin.world.what_is_in_the_way(twin.shape.core, pose.position, pose.heading, twin)

    def _approach(self, pose: Pose) -> None:
        """Turn as the robot is turned, and go towards it until something is in the way, to a 64th of the way."""
        here, share = self.twin.position, 0.0
        with suppress(Overlap):
            self.twin.teleport(here, pose.heading)
        for power in range(1, 7):
            with suppress(Overlap):
                self.twin.teleport(here + (pose.position - here) * (share + ldexp(1.0, -power)), pose.heading)
                share += ldexp(1.0, -power)

    def _reckon(self) -> None:
        if self._tracking is not None:
            self._filter.move(self.reckoned, self.real.read_at)
        self._reckoned_before, self._reckoned_now = self._reckoned_now, self.real.position
        if self.real.is_moving:
            self.follow()


class HilBody(ReconnectingBody):
    """A body that drives a real robot and moves its counterpart when the motion is over."""

    def __init__(self, counterpart: Counterpart) -> None:
        super().__init__(counterpart.real, counterpart.twin)
        self._counterpart = counterpart

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._carry_out_both(command)

    async def _carry_out_both(self, command: Command) -> Point:
        try:
            return await super()._carry_out(command)
        finally:
            self._counterpart.follow()
