"""Which robots are there? Those who were heard of within the last second.

Silence is measured by a clock that does not jump. A robot that falls silent is marked lost, and found again when it is heard:
its tasks stay. After a start of the station, those who were there have as long as any other to be heard.

Each process of a station watches over the robots that entered through it; those of a process that died are given to another.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import sqlalchemy as sql

from kumi.station.operations.robots import set_state
from kumi.station.records import Happens, RobotState
from kumi.station.store.schema import processes, robots
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction

ROBOT_TIMEOUT = 1.0
"""Seconds of silence after which a robot is lost."""
DEAF = 0.3
"""Seconds between two looks that are usual on a busy machine."""


class Presence:
    """Keeps when each robot was heard last."""

    def __init__(self, store: StationStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._heard: dict[str, float] = {}
        self._lost: set[str] = set()
        self._looked = clock()
        with store.reading() as transaction:
            known = transaction.all(sql.select(robots.c.tag, robots.c.state, robots.c.controller))
            living = {row.name for row in transaction.all(sql.select(processes.c.name))} - {store.process}
        for row in known:
            if row.state == "lost":
                self._lost.add(row.tag)
            elif row.state == "connected" and row.controller not in living:
                self._heard[row.tag] = clock()

    @property
    def count(self) -> int:
        """How many robots are there."""
        return len(self._heard)

    def adopt(self, tag: str) -> None:
        """Watch over a robot from now on, whose process died."""
        self._heard.setdefault(tag, self._clock())

    def hear(self, tag: str) -> None:
        """A robot gave a sign of life."""
        self._heard[tag] = self._clock()
        if tag in self._lost:
            self._lost.discard(tag)
            self._store.write(lambda it: _change(it, [tag], "lost", "connected", Happens.ROBOT_FOUND))

    def leave(self, tag: str) -> None:
        """A robot said that it leaves."""
        self._heard.pop(tag, None)
        self._lost.discard(tag)

    def look(self) -> list[str]:
        """Mark those lost who have been silent for too long; return them.

        A process that could not look for a while was deaf itself: that time is nobody's silence.
        """
        now = self._clock()
        deaf = now - self._looked - DEAF
        self._looked = now
        if deaf > 0.0:
            self._heard = {tag: heard + deaf for tag, heard in self._heard.items()}
        silent = [tag for tag, heard in self._heard.items() if now - heard > ROBOT_TIMEOUT]
        for tag in silent:
            del self._heard[tag]
            self._lost.add(tag)
        if silent:
            self._store.write(lambda it: _change(it, silent, "connected", "lost", Happens.ROBOT_LOST))
        return silent


def _change(
    transaction: Transaction, tags: list[str], before: RobotState, after: RobotState, kind: Happens
) -> None:
    """Change the state of robots, except where it changed meanwhile, or is another process' business by now."""
    for tag in tags:
        row = transaction.one(sql.select(robots.c.state, robots.c.controller).where(robots.c.tag == tag))
        if row is None or row.state != before:
            continue
        if after == "connected" or not is_elsewhere(transaction, row.controller):
            set_state(transaction, tag, after, kind)


def is_elsewhere(transaction: Transaction, process: str) -> bool:
    """Tell whether a process is another one, and lives as far as is known."""
    if process == transaction.process:
        return False
    return transaction.one(sql.select(processes.c.name).where(processes.c.name == process)) is not None
