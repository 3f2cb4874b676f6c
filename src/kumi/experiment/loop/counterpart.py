"""How does the environment model know where a real robot is?

By its counterpart, a body in the world that others see and touch. `HilBody` drives the real robot and, when the motion is
over, moves the counterpart to where the robot believes to be. That belief drifts. With a `Tracker` the counterpart
follows each answer of the robot and each picture of the camera, and is where both together say.

Where the real robot drives into something that is only virtual, nothing holds it; its counterpart stays outside, as near
as there is room. That is counted in `overlaps`, and `on_touch` is told: once when it begins, and again where the robot
drives deeper.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import remainder, tau

from kumi.contract import Command, Contact
from kumi.experiment.loop.patient import PatientBody
from kumi.experiment.loop.tracking import Tracker
from kumi.geometry import Point, Pose
from kumi.link.linked_body import LinkedBody
from kumi.world import Overlap, SimulatedBody

DEEPER = 0.005
"""Metres by which a robot drives deeper into something until that is told again."""


class Counterpart:
    """The body that stands for a real robot in the environment model."""

    def __init__(
        self, real: LinkedBody, twin: SimulatedBody, tracker: Tracker | None = None, *, is_told: bool = True
    ) -> None:
        self.real = real
        self.is_told = is_told or tracker is not None
        """Whether anybody tells it where the real robot is: its motor, or a camera."""
        self.twin = twin
        self.tracker = tracker
        self.overlaps = 0
        self.on_touch: Callable[[Contact], object] | None = None
        """Who is told that the robot, on its way, drives into something in the environment model."""
        self._depth: float | None = None
        self._sets_off = False
        if tracker is not None:
            real.on_state = self._reckon

    @property
    def reckoned(self) -> Pose:
        """Where the real robot believes to be."""
        return Pose(self.real.position, self.real.heading)

    @property
    def believed(self) -> Pose:
        """Where the real robot is, as well as is known here."""
        return self.reckoned if self.tracker is None else self.tracker.pose

    def see(self, time: float, seen: Pose) -> None:
        """Take where a camera saw the robot at a time of the run, and follow."""
        assert self.tracker is not None
        self.tracker.see(time, seen)
        self.follow()

    def reckoned_place(self, place: Point) -> Point:
        """Return where the real robot, by its own reckoning, has to go to come to a place."""
        return place if self.tracker is None else self.tracker.reckoned_place(place)

    def follow(self) -> None:
        """Move to where the real robot is, or as near to it as there is room."""
        pose = self.believed
        try:
            self.twin.teleport(pose.position, pose.heading)
        except Overlap:
            self.overlaps += 1
            self._feel(pose)
            self._approach(pose)
        else:
            self._depth = None

    def set_off(self) -> None:
        """Begin a motion: how deep in something the robot is already is no touch of this one."""
        self._sets_off = True

    def _feel(self, pose: Pose) -> None:
        """Tell what the robot drives into, unless it was told already and the robot has not gone deeper since."""
        twin, before = self.twin, self._depth
        found = twin.world.what_is_in_the_way(twin.shape.core, pose.position, pose.heading, twin)
        if found is None:
            return
        overlap, body, obstacle = found
        is_touch = self.real.is_moving and (
            before is None or (not self._sets_off and -overlap > before + DEEPER)
        )
        if is_touch or before is None or self._sets_off:
            self._depth = -overlap
        self._sets_off = False
        if not is_touch:
            return
        if self.on_touch is None:
            return
        thing = twin.world.thing(obstacle) if body is None else body.name
        towards = pose.position - twin.position if body is None else body.position - pose.position
        bearing = remainder(towards.direction - pose.heading, tau)
        at = pose.position + Point.polar(twin.shape.reach, pose.heading + bearing)
        name = thing if isinstance(thing, str) else thing.name
        number = None if body is None else body.number
        self.on_touch(Contact(twin.world.now, at, bearing, name, number))

    def _approach(self, pose: Pose) -> None:
        """Turn as the robot is turned, and go towards it until something is in the way, to a 64th of the way."""
        here, share = self.twin.position, 0.0
        with suppress(Overlap):
            self.twin.teleport(here, pose.heading)
        for power in range(1, 7):
            with suppress(Overlap):
                self.twin.teleport(here + (pose.position - here) * (share + 0.5**power), pose.heading)
                share += 0.5**power

    def _reckon(self) -> None:
        assert self.tracker is not None
        self.tracker.reckon(self.real.read_at, self.reckoned)
        if self.real.is_moving:
            self.follow()


class HilBody(PatientBody):
    """A body that drives a real robot and moves its counterpart when the motion is over."""

    def __init__(self, counterpart: Counterpart) -> None:
        super().__init__(counterpart.real)
        self._counterpart = counterpart

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._carry_out_both(command)

    async def _carry_out_both(self, command: Command) -> Point:
        try:
            return await super()._carry_out(command)
        finally:
            self._counterpart.follow()
