"""Who calls, whose is a robot, who has it, and where are they all? What a station is asked again and again.

A token belongs to a user, by a number that the station signed; to a robot or a positioning system, by a key.

A stop must not wait for a disk, so who may stop what is known in memory, from the start on: whose the robots are, and who has
which token. What is known is put right when something happened that changed it; the store tells of that before whoever changed
it is answered, and within 0.1 s where another process did. While the store is away, or does not answer, nothing changes, and
what was known last is what counts for a stop. All other calls look tokens up anew after some seconds in any case.

Where all robots are is asked by many at once, and read once for all of them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeVar

import sqlalchemy as sql

from kumi.devs.secrets import new_secret
from kumi.station.callers import NOBODY, Caller, CallerKind, Role
from kumi.station.people.secrets import CLOCK_ERROR, FEED, Signer, is_key
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
"""Tokens that are known at most: the newest."""
READ_TIMEOUT = 1.0
"""Seconds that a stop waits for the store where something is not known."""
FRESH = 0.1
"""Seconds for which a list of robots is good, if nothing happened meanwhile: they move."""

T = TypeVar("T")


@dataclass(frozen=True)
class Whereabouts:
    """Whose a robot is, the hash of its key, and the process that heard it last."""

    team: str
    key: bytes
    process: str


@dataclass(frozen=True)
class HeldToken:
    """Who holds a token, since when, and for how many seconds it is good."""

    holder: Caller
    made_at: float
    life: float

    def rest(self, now: float) -> float:
        """Return for how many seconds more it is good; nothing for one of a clock that was wrong."""
        age = now - self.made_at
        return self.life - age if age >= -CLOCK_ERROR else -inf


class StationCache:
    """What is known of a store."""

    def __init__(self, store: StationStore) -> None:
        self.secret = store.write(_secret).result()
        self.signer = Signer(self.secret)
        self._store = store
        self._callers: dict[str, tuple[Caller, float]] = {}
        self._lock = threading.Lock()
        self._rights = self._news = 0
        self._list: tuple[int, float, asyncio.Future[tuple[RobotRecord, ...]]] | None = None
        store.listen(self._on_commit)
        with store.reading() as transaction:
            self._robots = _robots(transaction)
            self._tokens = _tokens(transaction)

    def _on_commit(self, told: list[LogNotice]) -> None:
        self._news += 1
        for one in told:
            if one.robot is not None:
                self._put_right(one.kind, one.robot, one.data.get("controller"))
        if any(one.kind in RIGHTS for one in told):
            with self._lock:
                self._rights += 1
                self._callers.clear()
        for name in {one.data.get("name") for one in told if one.kind == Happens.RIGHTS_CHANGED}:
            with self._lock:
                self._tokens = {key: one for key, one in self._tokens.items() if one.holder.name != name}
            with (
                suppress(Refused),
                self._store.reading() as transaction,
            ):  # else they are not known until they call
                self._remember(_tokens(transaction, name))

    def _put_right(self, kind: str, tag: str, process: str | None) -> None:
        """Know whose a robot is, and where, after something happened to it."""
        if kind == Happens.ROBOT_REMOVED:
            self._robots.pop(tag, None)
        elif kind == Happens.ROBOT_ENROLLED:
            self._robots.pop(tag, None)
            with suppress(Refused), self._store.reading() as transaction:
                self._robots |= _robots(transaction, tag)
        elif process is not None and (known := self._robots.get(tag)) is not None:
            self._robots[tag] = replace(known, process=process)

    def _remember(self, tokens: dict[int, HeldToken]) -> None:
        with self._lock:
            self._tokens |= tokens
            while len(self._tokens) > MOST_ENTRIES:
                del self._tokens[next(iter(self._tokens))]

    def caller(self, token: str | None) -> Caller:
        """Return who a token belongs to, and know it from now on; refuse one that is worthless. May look at the disk."""
        known = self.known_caller(token)
        if token is None or known is not None:
            return known or NOBODY
        rights = self._rights
        with self._store.reading() as transaction:
            held = _held(transaction, self.signer, token)
            found, life = held.holder, min(LIFE, held.rest(transaction.now))
        with self._lock:
            if rights == self._rights:
                if len(self._callers) >= MOST_ENTRIES:
                    self._callers.clear()
                self._callers[token] = found, time.monotonic() + life
        if found.token is not None and rights == self._rights:
            self._remember({found.token: held})
        return found

    def known_caller(self, token: str | None) -> Caller | None:
        """Return who a token belongs to, if that is known without a look at the disk."""
        if not token:
            return NOBODY
        found = self._callers.get(token)
        return found[0] if found is not None and found[1] > time.monotonic() else None

    async def calling(self, token: str | None, *, is_urgent: bool = False) -> Caller:
        """Return who a token belongs to; what is urgent goes by what was known last, and never waits long for the store."""
        known = self.known_caller(token)
        if known is None and is_urgent and token is not None:
            number = self.signer.number(token)
            found = None if number is None else self._tokens.get(number)
            if found is not None and found.rest(self._store.clock()) >= 0.0:
                known = found.holder
        if known is not None:
            return known
        looking = asyncio.to_thread(self.caller, token)
        return await (_in_time(looking) if is_urgent else looking)

    def robot(self, tag: str) -> Whereabouts | None:
        """Return whose a robot is, and which process has it, as far as is known."""
        return self._robots.get(tag)

    async def whose(self, tag: str) -> Whereabouts:
        """Return whose a robot is, and which process has it; refuse a tag that no robot has."""
        known = self.robot(tag)
        if known is not None:
            return known

        def look() -> Whereabouts:
            with self._store.reading() as transaction:
                row = robot_row(
                    transaction, tag
                )  # another process has let it in a moment ago, or there is none
            return Whereabouts(row.team, row.key, row.controller)

        return await _in_time(asyncio.to_thread(look))

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


async def _in_time(looking: Coroutine[Any, Any, T]) -> T:
    """Wait for a look at the store, but not for long."""
    try:
        async with asyncio.timeout(READ_TIMEOUT):
            return await looking
    except TimeoutError:
        raise Refused(Reason.UNAVAILABLE, "the store does not answer now") from None


def _robots(transaction: Transaction, tag: str | None = None) -> dict[str, Whereabouts]:
    """Return whose all robots are, or one of them."""
    wanted = sql.select(
        schema.robots.c.tag, schema.robots.c.team, schema.robots.c.key, schema.robots.c.controller
    )
    rows = transaction.all(wanted if tag is None else wanted.where(schema.robots.c.tag == tag))
    return {row.tag: Whereabouts(row.team, row.key, row.controller) for row in rows}


def _tokens(transaction: Transaction, name: str | None = None) -> dict[int, HeldToken]:
    """Return who holds which token: of the newest tokens, or those of one person."""
    newest = _HOLDERS.order_by(schema.tokens.c.id.desc()).limit(MOST_ENTRIES)
    rows = transaction.all(newest if name is None else newest.where(schema.people.c.name == name))
    return {row.id: _held_by(row) for row in reversed(rows)}


def _held(transaction: Transaction, signer: Signer, token: str) -> HeldToken:
    """Return who holds a token; refuse one that is worthless. A key is good until it is changed."""
    if token.startswith("robot:"):
        return HeldToken(_robot(transaction, token), transaction.now, inf)
    if token.startswith("feed:"):
        return HeldToken(_feed(transaction, token), transaction.now, inf)
    return _user(transaction, signer, token)


_HOLDERS = sql.select(
    schema.people.c.name,
    schema.people.c.team,
    schema.people.c.role,
    schema.tokens.c.id,
    schema.tokens.c.made_at,
    schema.tokens.c.life,
).join(schema.tokens, schema.tokens.c.person == schema.people.c.name)


def _held_by(row: sql.Row[Any]) -> HeldToken:
    holder = Caller(CallerKind.USER, row.name, row.team, Role.named(row.role), row.id)
    return HeldToken(holder, row.made_at, row.life)


def _user(transaction: Transaction, signer: Signer, token: str) -> HeldToken:
    number = signer.number(token)
    row = None if number is None else transaction.one(_HOLDERS.where(schema.tokens.c.id == number))
    if row is None:
        raise Refused(Reason.NOT_KNOWN, "this token is not valid, or was revoked; log in again")
    held = _held_by(row)
    if held.rest(transaction.now) < 0.0:
        raise Refused(Reason.NOT_KNOWN, "this token has expired; log in again")
    return held


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
