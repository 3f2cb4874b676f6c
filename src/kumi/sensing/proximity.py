"""What is close, and who is in sight?

`Proximity` is asked and tells of everything within range, walls included. `ProximityAlarm` reports on its
own when another robot comes within range, and when it leaves. The range goes from the body's centre to the
surface of the other.

`View` tells of robots alone. A robot is in range where its surface is within `reach` of this body's centre, and in the
field of view where its own centre is. With occlusion it is hidden when something that stops light stands on the line
between the two centres.
"""

from __future__ import annotations

from math import inf, tau
from operator import itemgetter
from typing import TYPE_CHECKING, Self

from kumi._core import STOPS_BODIES, Point, Signal
from kumi.contract import Entered, Left
from kumi.contract.readings import Sighting, Sightings, as_sightings
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share
from kumi.sensing.pose import blurred
from kumi.sensing.sensor import AskedSensor, PushSensor
from kumi.sensing.surroundings import as_view, is_within, name_of, off
from kumi.teaching import taught
from kumi.world import SimulatedBody

if TYPE_CHECKING:
    from collections.abc import Sequence


class Proximity(AskedSensor[tuple[Sighting, ...]]):
    """Tells what is within range, robots and obstacles that stop them, the nearest first; it sees through things.

    The bearing is that of the nearest point, and so is the position of an obstacle.
    """

    @taught
    def __init__(
        self,
        reach: float = 1.0,
        *,
        view: float = tau,
        bearing: float = 0.0,
        noise: Noise | float = EXACT,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.reach = as_size(reach, "the reach of a proximity sensor")
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.noise = as_noise(noise)

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> tuple[Sighting, ...]:
        """Return what is within range."""
        body = self.body
        here, heading = body.position, body.heading
        around = body.world.around(here, self.reach, heading + self.bearing, self.view, body, STOPS_BODIES)
        found: list[tuple[float, str, SimulatedBody | None, Point]] = [
            (gap, name_of(body.world.thing(obstacle)) if other is None else other.name, other, normal)
            for gap, other, obstacle, normal in around
        ]
        found.sort(key=itemgetter(0, 1))
        return tuple(
            [self._sighting(gap, name, other, normal, here, heading) for gap, name, other, normal in found]
        )

    def unread(self, robots: int) -> Sightings:
        """Return that nobody sees anything."""
        return as_sightings([()] * robots)

    @classmethod
    def measure_together(cls, sensors: Sequence[Self]) -> Sightings:
        """Return what is within range of each; exact ones in one call of the core."""
        one = sensors[0]
        if not isinstance(one.noise, Exact) or cls.measure is not Proximity.measure:
            return as_sightings([sensor.measure() for sensor in sensors])
        bodies = [sensor.body for sensor in sensors]
        return sightings_of(one.world.around_together(bodies, one.reach, one.view, one.bearing, STOPS_BODIES))

    def _sighting(
        self, gap: float, name: str, other: SimulatedBody | None, normal: Point, here: Point, heading: float
    ) -> Sighting:
        distance = max(0.0, self.noise(max(0.0, gap), self.chance))
        bearing = off(normal.direction, heading)
        if other is not None:
            place = other.position + normal * (distance - max(0.0, gap))
            return Sighting(other.number, name, distance, bearing, place)
        return Sighting(None, name, distance, bearing, here + normal * distance)


class ProximityAlarm(PushSensor[Entered | Left]):
    """Reports when a robot comes within range, and when it leaves, at the exact instant.

    Those who are there from the start are not reported. The range of a robot that is not round goes to the
    circle around it. In a field of view a robot is where its centre is. `noise` errs in each coordinate of
    the place that is reported.
    """

    @taught
    def __init__(
        self,
        reach: float = 1.0,
        *,
        view: float = tau,
        bearing: float = 0.0,
        noise: Noise | float = EXACT,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.reach = as_size(reach, "the reach of a proximity alarm")
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.noise = as_noise(noise)

    def start(self) -> None:
        """Begin with two signals beside the one of all reports."""
        self._entered: Signal[Entered] = Signal(f"{self.body.name} entered")
        self._left: Signal[Left] = Signal(f"{self.body.name} left")
        self._inside: dict[int, SimulatedBody] | None = None
        super().start()

    def listen(self) -> None:
        """Let the world watch the border of the range."""
        self._watch = self.body.watch(self.reach, self._told, view=self.view, bearing=self.bearing)

    @property
    def entered(self) -> Signal[Entered]:
        """Each robot that comes within range."""
        assert self.reports is not None  # which begins to sample where it is sampled
        return self._entered

    @property
    def left(self) -> Signal[Left]:
        """Each robot that goes out of range."""
        assert self.reports is not None
        return self._left

    def sample(self) -> None:
        """Compare who is within range with who was."""
        before, self._inside = self._inside, {body.number: body for body in self._near()}
        if before is None:
            return
        for number, body in before.items():
            if number not in self._inside:
                self._told(False, body)
        for number, body in self._inside.items():
            if number not in before:
                self._told(True, body)

    def _near(self) -> list[SimulatedBody]:
        here, middle = self.body.position, self.body.heading + self.bearing
        return [
            other
            for other in self.world.near(here, self.reach)
            if other is not self.body and is_within((other.position - here).direction, middle, self.view)
        ]

    def _told(self, has_entered: bool, other: SimulatedBody) -> None:
        place = other.position
        if not isinstance(self.noise, Exact):
            place = blurred(place, self.noise, self.chance)
        event = Entered if has_entered else Left
        self.report(event(other.world.now, other.name, other.number, place))
        is_plain = type(self) is ProximityAlarm and isinstance(self.noise, Exact) and not self.latency
        if is_plain and self.period is None:
            # From now on the core does the same by itself.
            self._watch.fire(self.reports, self._entered, self._left)

    def _fire(self, value: Entered | Left) -> None:
        super()._fire(value)
        if isinstance(value, Entered):
            self._entered.fire(value)
        else:
            self._left.fire(value)


class View(AskedSensor[tuple[Sighting, ...]]):
    """Tells which robots are in sight, the nearest first; `noise` errs in distance, `bearing_noise` in direction."""

    @taught
    def __init__(
        self,
        reach: float = inf,
        *,
        view: float = tau,
        bearing: float = 0.0,
        occlusion: bool = True,
        noise: Noise | float = EXACT,
        bearing_noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.reach = as_reach(reach)
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.occlusion = occlusion
        self.noise = as_noise(noise)
        self.bearing_noise = as_noise(bearing_noise, "bearing_noise")
        self.dropout = as_share(dropout, "a dropout")
        self._is_exact = (
            not dropout and isinstance(self.noise, Exact) and isinstance(self.bearing_noise, Exact)
        )

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> tuple[Sighting, ...]:
        """Return who is in sight."""
        body = self.body
        seen = body.world.in_sight(body, self.reach, self.view, self.bearing, self.occlusion)
        if self._is_exact:
            seen.sort(key=itemgetter(1))
            return tuple(
                [
                    Sighting(other.number, other.name, distance, bearing, other.position)
                    for other, distance, bearing in seen
                ]
            )
        read = [
            self._sighting(*one) for one in seen if not (self.dropout and body.chance.happens(self.dropout))
        ]
        return tuple(sorted(read, key=lambda sighting: sighting.distance))

    def unread(self, robots: int) -> Sightings:
        """Return that nobody sees anything."""
        return as_sightings([()] * robots)

    @classmethod
    def measure_together(cls, sensors: Sequence[Self]) -> Sightings:
        """Return who is in sight of each; exact ones in one call of the core."""
        one = sensors[0]
        if not one._is_exact or cls.measure is not View.measure:
            return as_sightings([sensor.measure() for sensor in sensors])
        bodies = [sensor.body for sensor in sensors]
        return sightings_of(one.world.sight_together(bodies, one.reach, one.view, one.bearing, one.occlusion))

    def _sighting(self, other: SimulatedBody, true_distance: float, true_bearing: float) -> Sighting:
        chance, heading, here = self.chance, self.body.heading, self.body.position
        distance = max(0.0, self.noise(true_distance, chance))
        bearing = off(self.bearing_noise(true_bearing, chance), 0.0)
        if distance == true_distance and bearing == true_bearing:
            return Sighting(other.number, other.name, distance, bearing, other.position)
        away = abs(other.position - here) + distance - true_distance
        place = here + Point.polar(max(0.0, away), heading + bearing)
        return Sighting(other.number, other.name, distance, bearing, place)


def sightings_of(found: tuple[bytearray, bytearray, bytearray, bytearray, bytearray]) -> Sightings:
    """Return as arrays what the core found: who sees, whom, distances, bearings and places."""
    import numpy as np  # Late: most programs read robot by robot.

    robots, numbers, *rest = found
    distances, bearings, places = (np.frombuffer(one, np.float64) for one in rest)
    return Sightings(
        np.frombuffer(robots, np.int64),
        np.frombuffer(numbers, np.int64),
        distances,
        bearings,
        places.reshape(-1, 2),
    )


def as_reach(value: float) -> float:
    """Return a distance above 0, which may be inf."""
    if value == inf:
        return inf
    return as_size(value, "a reach")
