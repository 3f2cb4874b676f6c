"""How does the environment model know where a real robot is?

By its counterpart, a body in the world that others see and touch. `HilBody` drives the real robot and, when the motion is
over, moves the counterpart to where the robot believes to be. That belief drifts. With a `Tracker` the counterpart
follows each answer of the robot and each picture of the camera, and is where both together say.

Where the real robot drives into something that is only virtual, nothing holds it; its counterpart stays outside, and
that is counted in `overlaps`.
"""

from __future__ import annotations

from collections.abc import Awaitable

from kumi.contract import Command
from kumi.experiment.loop.patient import PatientBody
from kumi.experiment.loop.tracking import Tracker
from kumi.geometry import Point, Pose
from kumi.link.linked_body import LinkedBody
from kumi.world import Overlap, SimulatedBody


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

    def follow(self) -> None:
        """Move to where the real robot is."""
        pose = self.believed
        try:
            self.twin.teleport(pose.position, pose.heading)
        except Overlap:
            self.overlaps += 1

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
