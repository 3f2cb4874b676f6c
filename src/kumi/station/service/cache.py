"""Who calls, whose is a robot, who has it, and where are they all? What a station is asked again and again.

A token belongs to a user, by a number that the station signed; to a robot or a positioning system, by a key.

A stop must not wait for a disk, so who may stop what is kept in memory. What is kept is forgotten when something happened
that may have changed it; the store tells of that before whoever changed it is answered, and within 0.1 s where another process
did. It is looked up anew after some seconds in any case.

Where all robots are is asked by many at once, and read once for all of them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass

import sqlalchemy as sql

from kumi.devs.secrets import new_secret
from kumi.station.callers import NOBODY, Caller, CallerKind, Role
from kumi.station.people.secrets import CLOCK_ERROR, FEED, TOKEN_LIFE, Signer, is_key
from kumi.station.records import Happens, RobotRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.store import schema
from kumi.station.store.rows import all_robots, robot_row
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import LogNotice, Transaction

RIGHTS = {Happens.RIGHTS_CHANGED, Happens.ROBOT_ENROLLED, Happens.ROBOT_REMOVED}
"""What may change who may do what."""
LIFE = 10.0
"""Seconds for which something is known without another look."""
MOST_ENTRIES = 10_000
"""Callers and robots that are known at most."""
FRESH = 0.1
"""Seconds for which a list of robots is good, if nothing happened meanwhile: they move."""


@dataclass(frozen=True)
class Whereabouts:
    """Whose a robot is, and the process that heard it last."""

    team: str
    process: str


class StationCache:
    """What is known of a store."""

    def __init__(self, store: StationStore) -> None:
        self.secret = store.write(_secret).result()
        self.signer = Signer(self.secret)
        self._store = store
        self._callers: dict[str, tuple[Caller, float]] = {}
        self._robots: dict[str, tuple[Whereabouts, float]] = {}
        self._lock = threading.Lock()
        self._rights = self._news = 0
        self._list: tuple[int, float, asyncio.Future[tuple[RobotRecord, ...]]] | None = None
        store.listen(self._on_commit)

    def _on_commit(self, told: list[LogNotice]) -> None:
        self._news += 1
        with self._lock:
            for one in told:
                if one.kind == Happens.ROBOT_ENTERED and one.robot is not None:
                    self._rights += 1
                    self._robots.pop(one.robot, None)
        if any(one.kind in RIGHTS for one in told):
            with self._lock:
                self._rights += 1
                self._callers.clear()
                self._robots.clear()

    def caller(self, token: str | None) -> Caller:
        """Return who a token belongs to, and know it from now on; refuse one that is worthless. May look at the disk."""
        known = self.known_caller(token)
        if token is None or known is not None:
            return known or NOBODY
        rights = self._rights
        with self._store.reading() as transaction:
            found = _caller_of(transaction, self.signer, token)
        with self._lock:
            if rights == self._rights:
                if len(self._callers) >= MOST_ENTRIES:
                    self._callers.clear()
                self._callers[token] = found, time.monotonic() + LIFE
        return found

    def known_caller(self, token: str | None) -> Caller | None:
        """Return who a token belongs to, if that is known without a look at the disk."""
        if not token:
            return NOBODY
        found = self._callers.get(token)
        return found[0] if found is not None and found[1] > time.monotonic() else None

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
                if len(self._robots) >= MOST_ENTRIES:
                    self._robots.clear()
                self._robots[tag] = here, time.monotonic() + LIFE
        return here

    async def robots(self) -> tuple[RobotRecord, ...]:
        """Return all robots, as they were at most 0.1 s ago."""
        news, now = self._news, time.monotonic()
        if self._list is None or self._list[0] != news or self._list[1] < now:
            self._list = news, now + FRESH, asyncio.ensure_future(asyncio.to_thread(self._read))
        reading = self._list[2]
        return reading.result() if reading.done() else await asyncio.shield(reading)

    def _read(self) -> tuple[RobotRecord, ...]:
        with self._store.reading() as transaction:
            return all_robots(transaction)


def _caller_of(transaction: Transaction, signer: Signer, token: str) -> Caller:
    """Return who a token belongs to; refuse one that is worthless."""
    if token.startswith("robot:"):
        return _robot(transaction, token)
    if token.startswith("feed:"):
        return _feed(transaction, token)
    return _user(transaction, signer, token)


def _user(transaction: Transaction, signer: Signer, token: str) -> Caller:
    number = signer.number(token)
    found = sql.select(schema.people, schema.tokens.c.made_at).join(
        schema.tokens, schema.tokens.c.person == schema.people.c.name
    )
    row = None if number is None else transaction.one(found.where(schema.tokens.c.id == number))
    if row is None:
        raise Refused(Reason.NOT_KNOWN, "this token is not valid, or was revoked; log in again")
    if not -CLOCK_ERROR <= transaction.now - row.made_at <= TOKEN_LIFE:
        raise Refused(Reason.NOT_KNOWN, "this token has expired; log in again")
    return Caller(CallerKind.USER, row.name, row.team, Role.named(row.role), number)


def _robot(transaction: Transaction, token: str) -> Caller:
    _, tag, key = [*token.split(":", 2), "", ""][:3]
    row = transaction.one(
        sql.select(schema.robots.c.team, schema.robots.c.key).where(schema.robots.c.tag == tag)
    )
    if row is None or not is_key(key, row.key):
        raise Refused(Reason.NOT_KNOWN, f"robot '{tag}' is not enrolled here, or its key is wrong")
    return Caller(CallerKind.ROBOT, tag, row.team)


def _feed(transaction: Transaction, token: str) -> Caller:
    row = transaction.one(sql.select(schema.facts.c.value).where(schema.facts.c.name == FEED))
    if row is None or not is_key(token.removeprefix("feed:"), bytes.fromhex(row.value)):
        raise Refused(Reason.NOT_KNOWN, "this is not the key of the positioning system here")
    return Caller(CallerKind.POSITIONING, "the positioning system")


def _secret(transaction: Transaction) -> str:
    """Return the station's secret, which is made once."""
    row = transaction.one(sql.select(schema.facts.c.value).where(schema.facts.c.name == "secret"))
    if row is not None:
        return str(row.value)
    secret = new_secret()
    transaction.run(schema.facts.insert().values(name="secret", value=secret))
    return secret
