"""Which way is a robot about to go?

A command that leads from place to place is recorded with its last place alone. So a robot of a run that is recorded
also writes the places, into the journal and not into the trace. Whoever looks at the run draws them until the motion
ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from kumi.contract import Body, Sample
from kumi.contract.published import Shown
from kumi.geometry import Point, PointLike, as_point
from kumi.recording import way_record
from kumi.robot import Radio, Robot
from kumi.world import SimulatedBody, World

MOST = 500
"""Places of a way that are written; of a longer one, as many that lie evenly on it."""


class SeenRobot(Robot):
    """A robot of a run that is recorded: it writes down the ways it is about to go, and what its program shows."""

    def __init__(
        self,
        body: Body,
        radio: Radio | None,
        publish: Callable[[str, Shown], object],
        note: Callable[[Sequence[PointLike]], object],
    ) -> None:
        super().__init__(body, radio, publish)
        self._note = note

    def follow(
        self, path: Sequence[PointLike], speed: float | None = None, turn_speed: float | None = None
    ) -> Awaitable[Point]:
        """Go from place to place."""
        motion = super().follow(path, speed, turn_speed)
        self._note(path)
        return motion

    def track(self, samples: Sequence[Sample]) -> Awaitable[Point]:
        """Be at each place of a trajectory at its time, counted from now."""
        motion = super().track(samples)
        self._note([sample.at for sample in samples])
        return motion


def write_way(world: World, body: SimulatedBody, path: Sequence[PointLike]) -> None:
    """Write the way of a body into the journal of a world; of a long one, places that lie evenly on it."""
    places = [as_point(place, "a place of a way") for place in path]
    if len(places) > MOST:
        places = [places[round(number * (len(places) - 1) / (MOST - 1))] for number in range(MOST)]
    if places:
        world.write_record(way_record(body.number, places))
