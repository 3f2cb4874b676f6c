"""Who calls, whose is a robot, who has it, and where are they all? What a station is asked again and again, without a look at the disk.

A stop must not wait for a disk, so who may stop what is kept in memory. What is kept is forgotten when something happened
that may have changed it; the store tells of that before whoever changed it is answered, and within 0.1 s where another process
did. It is looked up anew after some seconds in any case.

Where all robots are is asked by many at once, and read once for all of them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from kumi.station.answers import Robots
from kumi.station.callers import Caller
from kumi.station.service.rows import all_robots, robot_row
from kumi.station.store.store import Store
from kumi.station.store.transaction import Told

RIGHTS = {"rights_changed", "robot_enrolled", "robot_removed"}
"""What may change who may do what."""
LIFE = 10.0
"""Seconds for which something is known without another look."""
MOST = 10_000
"""Callers and robots that are known at most."""
FRESH = 0.1
"""Seconds for which a list of robots is good, if nothing happened meanwhile: they move."""


@dataclass(frozen=True)
class Whereabouts:
    """Whose a robot is, and the process that heard it last."""

    team: str
    process: str


class Known:
    """What is known of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._callers: dict[str, tuple[Caller, float]] = {}
        self._robots: dict[str, tuple[Whereabouts, float]] = {}
        self._lock = threading.Lock()
        self._rights = self._news = 0
        self._list: tuple[int, float, asyncio.Future[Robots]] | None = None
        store.listen(self._on_commit)

    def _on_commit(self, told: list[Told]) -> None:
        self._news += 1
        with self._lock:
            for one in told:
                if one.kind == "robot_entered" and one.robot is not None:
                    self._rights += 1
                    self._robots.pop(one.robot, None)
        if any(one.kind in RIGHTS for one in told):
            with self._lock:
                self._rights += 1
                self._callers.clear()
                self._robots.clear()

    def caller(self, token: str) -> Caller | None:
        """Return who a token belongs to, if that is known."""
        found = self._callers.get(token)
        return found[0] if found is not None and found[1] > time.monotonic() else None

    def learn_caller(self, token: str, look_up: Callable[[], Caller]) -> Caller:
        """Return who a token belongs to, and know it from now on."""
        rights = self._rights
        found = look_up()
        with self._lock:
            if rights == self._rights:
                if len(self._callers) >= MOST:
                    self._callers.clear()
                self._callers[token] = found, time.monotonic() + LIFE
        return found

    def robot(self, tag: str) -> Whereabouts:
        """Return whose a robot is, and which process has it; refuse a tag that no robot has."""
        found = self._robots.get(tag)
        if found is not None and found[1] > time.monotonic():
            return found[0]
        rights = self._rights
        with self._store.reading() as transaction:
            row = robot_row(transaction, tag)
        here = Whereabouts(row.team, row.controller)
        with self._lock:
            if rights == self._rights:
                if len(self._robots) >= MOST:
                    self._robots.clear()
                self._robots[tag] = here, time.monotonic() + LIFE
        return here

    async def robots(self) -> Robots:
        """Return all robots, as they were at most 0.1 s ago."""
        news, now = self._news, time.monotonic()
        if self._list is None or self._list[0] != news or self._list[1] < now:
            self._list = news, now + FRESH, asyncio.ensure_future(asyncio.to_thread(self._read))
        reading = self._list[2]
        return reading.result() if reading.done() else await asyncio.shield(reading)

    def _read(self) -> Robots:
        with self._store.reading() as transaction:
            return Robots(robots=all_robots(transaction))
