"""What touches the body, or one of its whiskers?

Bumper and contact sensor report at the instant of contact, before the motion ends, and stay silent while the contact
lasts and while the body slides along it. Ghosts touch nothing.

A whisker is a straight line without thickness, fixed to the body: it begins on the body's surface, and
points along its bearing. It bends, so it stops nobody. It touches what its line meets, robots and obstacles that
stop them. Between its line and a thing there is a gap, and the gap cannot close before so many seconds as its width
over the speed at which the two can come closer. Then the whisker looks again, and again, until the gap is
closed or known to stay open; where nothing turns, one look is enough. Each change of the motion, its own or
that of a robot nearby, makes it look anew.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from math import inf, isinf, pi

from kumi._core import Event, Point, Shape, Signal
from kumi.contract import Contact
from kumi.contract.readings import Pressed
from kumi.geometry import Pose
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.range_finders import place_on
from kumi.sensing.sensor import PushSensor
from kumi.sensing.surroundings import Gap, Surroundings, as_view, is_within, off
from kumi.teaching import taught
from kumi.world import SimulatedBody


class ContactSensor(PushSensor[Contact]):
    """Reports every contact: with whom, where, and in which direction."""

    @taught
    def __init__(self, *, latency: float = 0.0) -> None:
        super().__init__(latency=latency)

    def on_contact(self, contact: Contact) -> None:
        """Report it as it is."""
        self.report(contact)


class Bumper(PushSensor[Pressed]):
    """Reports contact on one side of the body, at the instant of contact.

    The side is `view` wide about `bearing`, seen from the body's centre, its edges included.
    """

    @taught
    def __init__(self, bearing: float = 0.0, view: float = pi, *, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.bearing = as_angle(bearing, "a bearing")
        self.view = as_view(view, "the view of a bumper")

    def on_contact(self, contact: Contact) -> None:
        """Report it if it is on this side."""
        if is_within(contact.bearing, self.bearing, self.view):
            self.report(Pressed(contact.time, contact.bearing))

    @property
    def pressed(self) -> Signal[Pressed]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Pressed]:
        """Wait for the next press."""
        return self.wait()


TOUCHING = 1e-9
"""Metres: a gap this narrow is closed."""

OPEN_GAP = 1e-3
"""Metres: a gap that was closed is open again when it is wider, and is looked at once on so much of the way."""

LOOKAHEAD = 10.0
"""Metres that a look goes ahead on a motion without end."""


class Whisker(PushSensor[Pressed]):
    """Reports when a feeler that stands out from the body touches something, at the exact instant.

    It is `length` metres long. It reports when it touches something after it touched nothing, and is silent
    until it was a millimetre clear. On a motion pattern of a user's own it is as exact as its speed is even.
    """

    @taught
    def __init__(
        self,
        bearing: float = 0.0,
        length: float = 0.1,
        *,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.bearing = as_angle(bearing, "a bearing")
        self.length = as_size(length, "the length of a whisker")

    def start(self) -> None:
        """Begin without touching anything that is not there."""
        root = place_on(self.body, self.bearing, None)
        half = Point.polar(self.length / 2, self.bearing)
        self._tip = root + self.length
        self._middle = Point.polar(root, self.bearing) + half
        self._feeler = Shape.polygon([(-half.x, -half.y), (half.x, half.y)])
        self._surroundings = Surroundings(self.body)
        self._next_look: Event | None = None
        self._known: set[int] = set()
        self._is_touching = self._touches(TOUCHING)
        super().start()

    def listen(self) -> None:
        """Hear of each motion, and of those who come near."""
        self.body.on_motion(self._look)
        near = self.body.watch(2.0 * self._tip, self._met)
        for other in near.inside:
            self._met(True, other)

    @property
    def is_touching(self) -> bool:
        """Tells whether it touches something now."""
        return self._touches(TOUCHING)

    @property
    def pressed(self) -> Signal[Pressed]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Pressed]:
        """Wait for the next press."""
        return self.wait()

    def sample(self) -> None:
        """Feel whether it touches something that it did not touch before."""
        was_touching, self._is_touching = self._is_touching, self._touches(TOUCHING)
        if self._is_touching and not was_touching:
            self.report(Pressed(self.world.now, off(self.bearing, 0.0)))

    def _pose(self) -> Pose:
        pose = self.body.pose
        return Pose(pose.position + self._middle.turned(pose.heading), pose.heading)

    def _gaps(self, within: float) -> list[Gap]:
        return list(self._surroundings.gaps(self._feeler, self._pose(), within))

    def _touches(self, width: float) -> bool:
        return any(gap.width <= width for gap in self._gaps(width))

    def _met(self, has_come: bool, other: SimulatedBody) -> None:
        """Follow the motion of another from the first time that it comes near."""
        if has_come and other.number not in self._known:
            self._known.add(other.number)
            other.on_motion(partial(self._neighbour_moved, other))
        self._look()

    def _neighbour_moved(self, other: SimulatedBody) -> None:
        if self.body.position.distance_to(other.position) <= 2.0 * self._tip + other.shape.reach + TOUCHING:
            self._look()

    def _look(self) -> None:
        """Report a touch, and plan the next look."""
        if self._next_look is not None:
            self._next_look.withdraw()
            self._next_look = None
        if self.body.is_gone or not self.world.is_running:
            return
        pace = _Pace(self.body, self._tip)
        gaps = self._gaps(pace.ahead + 2.0 * self._tip)
        narrowest = min((gap.width for gap in gaps), default=inf)
        was_touching = self._is_touching
        self._is_touching = narrowest <= (OPEN_GAP if was_touching else TOUCHING)
        if self._is_touching and not was_touching:
            self.report(Pressed(self.world.now, off(self.bearing, 0.0)))
        waits = map(pace.opens if self._is_touching else pace.closes, gaps)
        wait = min((*waits, pace.horizon))
        if not isinf(wait):
            self._next_look = self.world.schedule(self.world.now + wait, self._look)


class _Pace:
    """How fast a whisker and what is around can come closer, on the motions under way."""

    def __init__(self, body: SimulatedBody, tip: float) -> None:
        self._mine = _Motion(body, tip)
        self.ahead = min(self._mine.way_left, LOOKAHEAD)
        # Farther than it looked, something may come; and uneven motion is looked at often.
        is_without_end = self._mine.way_left > LOOKAHEAD
        self.horizon = LOOKAHEAD / self._mine.top_speed if is_without_end else inf

    def closes(self, gap: Gap) -> float:
        """Return the seconds that it takes at least until a gap is closed; inf where it stays open."""
        speed = self._mine.towards(gap.normal)
        if isinstance(gap.thing, SimulatedBody):
            speed += _Motion(gap.thing, gap.thing.shape.reach).towards(-gap.normal)
        return gap.width / speed if speed > 0.0 else inf

    def opens(self, gap: Gap) -> float:
        """Return the seconds after which to see whether a gap that is closed is open."""
        if gap.width > OPEN_GAP:
            return inf
        speed = self._mine.fastest
        if isinstance(gap.thing, SimulatedBody):
            speed += _Motion(gap.thing, gap.thing.shape.reach).fastest
        return max(OPEN_GAP, -gap.width) / speed if speed > 0.0 else inf


class _Motion:
    """How fast the points of a body can move until its piece of motion ends."""

    def __init__(self, body: SimulatedBody, reach: float) -> None:
        self._velocity = body.velocity
        speed = abs(self._velocity)
        way, _ = body.way_by(body.piece_end) if not isinf(body.piece_end) else (inf, 0.0)
        left = body.piece_end - body.world.now
        self.way_left = way - body.odometer if speed or not isinf(way) else 0.0
        # Speed is even, or changes evenly: then its mean is half way between the first and the last.
        last = 2.0 * self.way_left / left - speed if 0.0 < left < inf else speed
        self.top_speed = max(speed, last)
        self._is_even = abs(last - speed) <= 1e-9 * max(speed, last)
        is_round = body.shape.core.kind == "disc" and reach == body.shape.reach
        self._turning = 0.0 if is_round else abs(body.turn_rate) * reach
        self._is_straight = body.turn_rate == 0.0
        self.fastest = self.top_speed + self._turning

    def towards(self, direction: Point) -> float:
        """Return how fast it can come closer in a direction; below 0 it moves away for sure."""
        if self._is_straight and self._is_even:
            return self._velocity.dot(direction)
        return self.fastest
