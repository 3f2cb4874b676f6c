"""Which robot may be on which floor: zones, ways in pieces, and the list that grants them."""

from kumi.lazy import eager
from kumi.reserving.booking import Booking, BookingState
from kumi.reserving.bookings import Bookings, Policy, Watcher
from kumi.reserving.zone import Way, Zone

__all__ = ["Booking", "BookingState", "Bookings", "Policy", "Watcher", "Way", "Zone"]

eager(__name__)
