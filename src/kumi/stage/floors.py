"""Which floor have robots reserved?

Whenever what a robot holds or waits for changes, all of it is written, into the journal and not into the trace. A robot
that reserves by radio is believed in what its own copy of the list says. Whoever looks at the run draws it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kumi.contract.messages import Address
from kumi.planning import Reservations
from kumi.protocols import ReserveInOrder, Stack
from kumi.recording import ReservedZone, reserved_record
from kumi.reserving import Booking
from kumi.reserving.booking import Owner
from kumi.world import World


class Floors:
    """Writes the reserved floor of a stage's robots into the journal of its world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._written: dict[int, bytes] = {}
        self._numbers: dict[str, int] = {}

    def watch(self, floor: Reservations[str]) -> None:
        """See what robots reserve under their names; what others reserve has no robot to be drawn with."""
        floor.watch(self._of_name)

    def watch_stack(self, number: int, stack: Stack) -> None:
        """See what a robot reserves by radio, if its stack has a layer for that."""
        for layer in stack.layers:
            if isinstance(layer, ReserveInOrder):
                layer.bookings.watch(partial(self._of_address, number, layer))

    def _of_address(
        self, number: int, layer: ReserveInOrder, owner: Address, booked: Sequence[Booking[Address]]
    ) -> None:
        if owner == layer.node.address:
            self._write(number, [one_zone(booking) for booking in booked])

    def _of_name(self, name: str, booked: Sequence[Booking[str]]) -> None:
        body = self._world.body_of(name)
        if body is not None:
            self._numbers[name] = body.number
        if name in self._numbers:
            self._write(self._numbers[name], [one_zone(booking) for booking in booked])

    def _write(self, number: int, zones: Sequence[ReservedZone]) -> None:
        record = reserved_record(number, zones)
        if self._written.get(number) != record:
            self._written[number] = record
            self._world.write_record(record)


def one_zone(booking: Booking[Owner]) -> ReservedZone:
    """Return a booking as it is recorded."""
    return ReservedZone(booking.zone.path, booking.zone.radius, booking.is_granted)
