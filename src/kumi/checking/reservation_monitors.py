"""Is floor reserved for one robot at a time, and does each who waits get its turn?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address
from kumi.protocols.reservation import Reservation
from kumi.reserving import Zone


class ZonesApart(Monitor):
    """No two nodes hold overlapping zones at once; only what was asked for is granted.

    A node that crashes stands where it is: it holds its zones to the end of the run.
    """

    watches = Reservation

    def __init__(self) -> None:
        self._asked: dict[tuple[Address, Zone], None] = {}
        self._held: dict[tuple[Address, Zone], float] = {}
        self._released: dict[tuple[Address, Zone], None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember what is asked for, and forget what is released."""
        key = (address, event[0])
        if what == "request":
            self._asked[key] = None
            return
        self._asked.pop(key, None)
        since = self._held.pop(key, None)
        self._released[key] = None
        if since is not None and len(event) > 1 and event[1] is not None:
            self._held[address, event[1]] = since

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare a zone that is granted with all that others hold."""
        zone, is_granted = event
        if (address, zone) not in self._asked:
            raise broken(
                "answers to requests",
                f"node {address} was told at {time:.3f} s about {describe(zone)}",
                "it had no request for it open",
            )
        del self._asked[address, zone]
        if not is_granted:
            return
        for (other, held), since in self._held.items():
            if other != address and held.overlaps(zone):
                raise broken(
                    "zones apart",
                    f"node {address} was granted {describe(zone)} at {time:.3f} s",
                    f"node {other} holds {describe(held)} since {since:.3f} s, and they overlap",
                )
        self._held[address, zone] = time

    def finish(self, ending: Ending) -> None:
        """Whoever waits, waits for something that is held, and nobody for itself."""
        waiting = [(owner, zone) for owner, zone in self._asked if owner in ending.correct]
        pending = [*self._held, *waiting, *self._perhaps_held(ending)]
        waits_for = {
            owner: {
                other
                for mine, zone in waiting
                if mine == owner
                for other, theirs in pending
                if other != owner and theirs.overlaps(zone)
            }
            for owner, _ in waiting
        }
        for owner, zone in waiting:
            found, to_do = {owner}, [owner]
            while to_do:
                new = waits_for.get(to_do.pop(), set()) - found
                found |= new
                to_do += sorted(new)
            if found <= set(waits_for):
                raise broken(
                    "no endless waiting",
                    f"node {owner} still waits for {describe(zone)} at the end",
                    "it waits for nobody" if len(found) == 1 else f"{names(found)} wait for each other alone",
                )

    def _perhaps_held(self, ending: Ending) -> list[tuple[Address, Zone]]:
        """Return what crashed nodes seem to hold to the others.

        What they asked for may have been granted, and what they released may not have been heard of, unless
        somebody holds something against it.
        """
        return [
            (owner, zone)
            for owner, zone in (*self._asked, *self._released)
            if owner not in ending.correct
            and not any(other != owner and held.overlaps(zone) for other, held in self._held)
        ]


class WaysKept(Monitor):
    """A way is refused when it is announced, or never; for nodes that nobody takes for gone."""

    watches = Reservation

    def __init__(self) -> None:
        self._ways: dict[Address, list[Zone]] = {}
        self._going_on: dict[tuple[Address, Zone], None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember the ways, and which zones belong to those that were announced before."""
        if what != "request":
            return
        zone, then = event if len(event) > 1 else (event[0], None)
        if then is not None:
            self._ways[address] = list(then.zones)
        elif self._ways.get(address, [])[:1] == [zone]:
            del self._ways[address][0]
            self._going_on[address, zone] = None

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Look for a zone that is refused on the way."""
        zone, is_granted = event
        if self._going_on.pop((address, zone), True) is None and not is_granted:
            raise broken(
                "ways are kept",
                f"node {address} was refused {describe(zone)} at {time:.3f} s",
                "the zone belongs to a way that had been announced, and granted in part",
            )


def describe(zone: Zone) -> str:
    """Write a zone in short."""
    path = " - ".join(f"({point.x:g}, {point.y:g})" for point in zone.path)
    return f"{path} ± {zone.radius:g}"
