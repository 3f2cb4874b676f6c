"""Which robots are there? Those who were heard of within the last second.

Silence is measured by a clock that does not jump. A robot that falls silent is marked lost, and found again when it is heard:
its tasks stay. After a start of the station, those who were there have as long as any other to be heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import sqlalchemy as sql

from kumi.station.service.robots import set_state
from kumi.station.store.schema import robots
from kumi.station.store.store import Store
from kumi.station.store.transaction import Transaction

SILENCE = 1.0
"""Seconds of silence after which a robot is lost."""


class Presence:
    """Keeps when each robot was heard last."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._heard: dict[str, float] = {}
        self._lost: set[str] = set()
        with store.reading() as transaction:
            for row in transaction.all(sql.select(robots.c.tag, robots.c.state)):
                if row.state == "connected":
                    self._heard[row.tag] = clock()
                elif row.state == "lost":
                    self._lost.add(row.tag)

    def hear(self, tag: str) -> None:
        """A robot gave a sign of life."""
        self._heard[tag] = self._clock()
        if tag in self._lost:
            self._lost.discard(tag)
            self._store.write(lambda it: _change(it, tag, "lost", "connected", "robot_found"))

    def leave(self, tag: str) -> None:
        """A robot said that it leaves."""
        self._heard.pop(tag, None)
        self._lost.discard(tag)

    def look(self) -> list[str]:
        """Mark those lost who have been silent for too long; return them."""
        now = self._clock()
        silent = [tag for tag, heard in self._heard.items() if now - heard > SILENCE]
        for tag in silent:
            del self._heard[tag]
            self._lost.add(tag)
            self._store.write(lambda it, tag=tag: _change(it, tag, "connected", "lost", "robot_lost"))  # type: ignore[misc]
        return silent


def _change(transaction: Transaction, tag: str, before: str, after: str, kind: str) -> None:
    row = transaction.one(sql.select(robots.c.state).where(robots.c.tag == tag))
    if row is not None and row.state == before:
        set_state(transaction, tag, after, kind)
