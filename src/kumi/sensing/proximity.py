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

from kumi._core import Point, Signal
from kumi.contract import Entered, Left
from kumi.contract.readings import Sighting
from kumi.geometry import Pose
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.noise import EXACT, Noise, as_noise, as_share
from kumi.sensing.pose import blurred
from kumi.sensing.sensor import AskedSensor, PushSensor
from kumi.sensing.surroundings import EYE, Gap, Surroundings, as_view, distance_to, is_within, name_of, off
from kumi.teaching import taught
from kumi.world import SimulatedBody


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

    def start(self) -> None:
        """Begin with surroundings that nobody knows yet."""
        self._surroundings = Surroundings(self.body)

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> tuple[Sighting, ...]:
        """Return what is within range."""
        nearest: dict[str, Gap] = {}
        pose = self.pose
        for gap in self._surroundings.gaps(EYE, Pose(pose.position), self.reach):
            name = name_of(gap.thing)
            is_seen = is_within(gap.normal.direction, pose.heading + self.bearing, self.view)
            if is_seen and (name not in nearest or gap.width < nearest[name].width):
                nearest[name] = gap
        found = sorted(nearest.values(), key=lambda gap: (gap.width, name_of(gap.thing)))
        return tuple(self._sighting(gap, pose) for gap in found)

    def _sighting(self, gap: Gap, pose: Pose) -> Sighting:
        distance = max(0.0, self.noise(max(0.0, gap.width), self.chance))
        bearing = off(gap.normal.direction, pose.heading)
        if isinstance(gap.thing, SimulatedBody):
            place = gap.thing.position + gap.normal * (distance - max(0.0, gap.width))
            return Sighting(gap.thing.number, gap.thing.name, distance, bearing, place)
        return Sighting(None, name_of(gap.thing), distance, bearing, pose.position + gap.normal * distance)


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
        self.body.watch(self.reach, self._told, view=self.view, bearing=self.bearing)

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
        event = Entered if has_entered else Left
        place: Point = blurred(other.position, self.noise, self.chance)
        self.report(event(self.world.now, other.name, other.number, place))

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

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    def measure(self) -> tuple[Sighting, ...]:
        """Return who is in sight."""
        seen = [
            self._sighting(other)
            for other in self.world.near(self.body.position, self.reach)
            if self._sees(other)
        ]
        return tuple(sorted(seen, key=lambda sighting: sighting.distance))

    def _sees(self, other: SimulatedBody) -> bool:
        if other is self.body:
            return False
        step = other.position - self.body.position
        is_apart = abs(step) > 0.0
        if is_apart and not is_within(step.direction, self.body.heading + self.bearing, self.view):
            return False
        if is_apart and self.occlusion and self._is_hidden(other, step):
            return False
        return not (self.dropout and self.chance.happens(self.dropout))

    def _is_hidden(self, other: SimulatedBody, step: Point) -> bool:
        hit = self.world.first_hit(self.body.position, step.direction, abs(step), ignoring=self.body)
        return hit is not None and hit.what is not other

    def _sighting(self, other: SimulatedBody) -> Sighting:
        chance, heading, here = self.chance, self.body.heading, self.body.position
        step = other.position - here
        true_distance, true_bearing = distance_to(here, other), off(step.direction, heading)
        distance = max(0.0, self.noise(true_distance, chance))
        bearing = off(self.bearing_noise(true_bearing, chance), 0.0)
        if distance == true_distance and bearing == true_bearing:
            return Sighting(other.number, other.name, distance, bearing, other.position)
        away = abs(step) + distance - true_distance
        place = here + Point.polar(max(0.0, away), heading + bearing)
        return Sighting(other.number, other.name, distance, bearing, place)


def as_reach(value: float) -> float:
    """Return a distance above 0, which may be inf."""
    if value == inf:
        return inf
    return as_size(value, "a reach")
