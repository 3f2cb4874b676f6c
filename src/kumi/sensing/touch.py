"""What touches the body, or one of its whiskers?

Bumper and contact sensor report at the instant of contact, before the motion ends, and stay silent while the contact
lasts and while the body slides along it. Ghosts touch nothing.

A whisker is a straight line without thickness, fixed to the body: it begins on the body's surface, and
points along its bearing. It bends, so it stops nobody. It touches what its line meets, robots and obstacles that
stop them. The instant at which its line meets something is predicted like a contact, on the motions under way.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import pi

from kumi._core import Point, Shape, Signal
from kumi.contract import Contact
from kumi.contract.readings import Pressed
from kumi.geometry.points import as_angle, as_size
from kumi.sensing.range_finders import place_on
from kumi.sensing.sensor import PushSensor
from kumi.sensing.surroundings import as_view, is_within, off
from kumi.teaching import taught


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


class Whisker(PushSensor[Pressed]):
    """Reports when a feeler that stands out from the body touches something, at the exact instant.

    It is `length` metres long. It reports when it touches something after it touched nothing, and is silent
    until it was a millimetre clear.
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
        (x, y), (tip_x, tip_y) = (
            Point.polar(root, self.bearing),
            Point.polar(root + self.length, self.bearing),
        )
        self._feeler = Shape.polygon([(x, y), (tip_x, tip_y)])
        self._was_touching = self.is_touching
        super().start()

    def listen(self) -> None:
        """Let the world tell of each touch."""
        self.body.open_feeler(self._feeler, self._touched)

    @property
    def is_touching(self) -> bool:
        """Tells whether it touches something now."""
        return not self.body.is_gone and self.body.touches(self._feeler, TOUCHING)

    @property
    def pressed(self) -> Signal[Pressed]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Pressed]:
        """Wait for the next press."""
        return self.wait()

    def sample(self) -> None:
        """Feel whether it touches something that it did not touch before."""
        was_touching, self._was_touching = self._was_touching, self.is_touching
        if self._was_touching and not was_touching:
            self._touched()

    def _touched(self) -> None:
        if self.world.is_running:
            self.report(Pressed(self.world.now, off(self.bearing, 0.0)))
