"""What touches the body?

Both report at the instant of contact, before the motion ends, and stay silent while the contact lasts and
while the body slides along it. Ghosts touch nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import pi

from kumi._core import Signal
from kumi.contract import Contact
from kumi.contract.readings import Pressed
from kumi.geometry.points import as_angle
from kumi.sensing.angles import as_view, is_within
from kumi.sensing.pushed import PushSensor
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
