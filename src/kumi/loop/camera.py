"""A camera over the floor of real robots: it tells where each was, a little wrong and a little late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kumi.devs import Simulation
from kumi.geometry import Point, Pose, wrapped
from kumi.loop.counterpart import Counterpart
from kumi.loop.tracking import Tracking


class Camera:
    """Takes a picture of the floor once a period, and tells the counterparts what it shows."""

    def __init__(
        self,
        simulation: Simulation,
        truth: Callable[[int], Pose | None],
        tracking: Tracking,
        counterparts: Mapping[int, Counterpart],
    ) -> None:
        self._simulation = simulation
        self._truth = truth
        self._tracking = tracking
        self._counterparts = counterparts
        self._chance = simulation.chance("camera")
        simulation.schedule(simulation.now + tracking.period, self._take)

    def _take(self) -> None:
        now = self._simulation.now
        for number, counterpart in self._counterparts.items():
            truth = self._truth(number)
            if truth is not None:
                tell = partial(counterpart.see, now, self._blurred(truth))
                self._simulation.schedule(now + self._tracking.latency, tell)
        self._simulation.schedule(now + self._tracking.period, self._take)

    def _blurred(self, truth: Pose) -> Pose:
        chance, noise = self._chance, self._tracking.place_noise
        shift = Point(chance.normal(0.0, noise), chance.normal(0.0, noise))
        heading = wrapped(truth.heading + chance.normal(0.0, self._tracking.heading_noise))
        return Pose(truth.position + shift, heading)
