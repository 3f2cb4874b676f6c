"""How do the processes of a station work together?

They share a store. Each has a row there, whose beat it raises again and again; who sees a beat rest for a while takes the row
away, and the robots of the dead process with it. Nobody compares clocks: each measures by its own how long a beat has rested.

A stop goes straight to the other processes, which then have it before it is written. Operations about the map go to a process
whose role is the map, where there is one; where a positioning system sees a robot goes to the process that has the robot.
One process keeps the floor that robots reserve, from one beat to the next; when it dies another does, and has all robots tell
anew where they stand. Others take it for dead later than it has ceased to grant, so no two ever do.

What they say to each other is sealed with a key made from the station's secret and both names, which are new with each start.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from typing import Any, Literal, TypeVar

import msgspec
import sqlalchemy as sql

from kumi.station.callers import Caller
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.floor.reservation_log import FloorNews
from kumi.station.operation import Home, Request
from kumi.station.operations.maps import Locate
from kumi.station.records import Happens, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.service.cache import StationCache
from kumi.station.service.presence import Presence
from kumi.station.service.robot_sessions import Sessions
from kumi.station.service.service import Service
from kumi.station.store.schema import facts, processes, robots
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from kumi.station.unwritten_stop import StopOrder
from kumi.station.wire import messages as talk
from kumi.station.wire.carrier import Carrier, CarrierError
from kumi.station.wire.sealing import Forged, Opener, Sealer, session_key

A = TypeVar("A", bound=StationRecord)
Role = Literal["all", "controller", "map", "gateway"]
BEAT = 0.25
"""Seconds between two beats."""
DEAD = 1.25
"""Seconds for which a beat rests until the process counts as dead."""
TIMEOUT = 5.0
"""Seconds to wait for another process to carry out an operation."""
LEASE = 1.0
"""Seconds from a beat on for which the keeper of the floor grants: less than until it counts as dead."""
SETTLE = 2.0
"""Seconds that robots have to tell a new keeper of the floor where they stand; without a station they stop in this time."""
FLOOR_FACT = "floor"
"""The fact that tells which process keeps the floor."""
UNEVEN = 4
"""Robots by which two controllers may differ until some are asked to move."""


class ForwardedOperation(msgspec.Struct, frozen=True, array_like=True):
    """An operation that one process asks of another."""

    caller: Caller
    asked: bytes


@dataclass
class Peer:
    """Another process of the station."""

    name: str
    role: Role
    endpoint: str
    load: int
    beat: int
    seen: float
    sealer: Sealer
    opener: Opener


class Peers:
    """The other processes of a station, as one of them sees them, and reaches them through `out`.

    `sessions` are the robots that entered here, if robots do; `here` is where others reach this one, if they do.
    """

    def __init__(
        self,
        store: StationStore,
        known: StationCache,
        floor: FloorKeeper,
        role: Role,
        out: Carrier,
        endpoint: str,
        sessions: Sessions | None = None,
        presence: Presence | None = None,
        here: Carrier | None = None,
    ) -> None:
        self.role: Role = role
        self.endpoint = endpoint
        self._store = store
        self._known = known
        self._floor = floor
        self._out, self._here = out, here
        self._sessions = sessions
        self._presence = presence
        self._secret = sha256(known.secret.encode()).digest()
        self._own = store.process
        self._beat = 0
        self._others: dict[str, Peer] = {}
        self._lines: dict[str, tuple[Sealer, Opener]] = {}
        self._keeper = ""
        floor.keep_until(-inf)

    def find(self, name: str) -> Peer | None:
        """Return another process, if it is known."""
        return self._others.get(name)

    def endpoints(self) -> tuple[str, ...]:
        """Return where robots can enter."""
        others = [one.endpoint for one in self._others.values() if one.role in ("all", "controller")]
        return (self.endpoint, *others)

    def halt(self, stop: StopOrder, is_heard: bool) -> None:
        """Tell a robot to stop, wherever it is; or, where it has heard that, the others alone."""
        if self._sessions is not None:
            self._sessions.halt(stop, is_heard)
        told = msgspec.msgpack.encode(talk.StopSpread(stop, is_heard))
        for peer in self._others.values():
            carrier = (
                self._here if peer.role == "gateway" else self._out
            )  # a gateway is reached by its own lines
            if carrier is not None:
                key = talk.halt_key(peer.name, self._own)
                carrier.publish(key, peer.sealer.seal("halt", told), urgent=True)

    async def carry_out(self, request: Request[A], caller: Caller) -> A | None:
        """Forward an operation to the process that owns its subject; None if that is this process, or it is down."""
        peer = self._home(request, caller)
        if peer is None:
            return None
        home = request.operation.home
        errand = msgspec.msgpack.encode(ForwardedOperation(caller, talk.asked(request)))
        try:
            sealed = peer.sealer.seal("do", errand)
            answer = await self._out.call(talk.do_key(peer.name, self._own), sealed, TIMEOUT)
            done = talk.read_answered(peer.opener.open("done", answer), request)
        except (CarrierError, Forged) as error:
            sentence = f"the process that has the {home.name.lower()} does not answer; ask again"
            raise Refused(Reason.UNAVAILABLE, sentence) from error
        if home is Home.FLOOR and peer.name != self._keeper:
            raise Refused(Reason.UNAVAILABLE, "another process keeps the floor by now; ask again")
        return done

    async def booked(self, known: FloorNews) -> FloorNews | None:
        """Ask the floor keeper for all bookings; None if that is this process, or it is down."""
        peer = self._others.get(self._keeper)
        if peer is None:
            return None
        asked = msgspec.msgpack.encode(FloorNews(known.keeper, known.changes))
        try:
            sealed = peer.sealer.seal("floor", asked)
            answer = await self._out.call(talk.floor_key(peer.name, self._own), sealed, LEASE)
            return msgspec.msgpack.decode(peer.opener.open("booked", answer), type=FloorNews)
        except (CarrierError, Forged) as error:
            sentence = "the process that keeps the floor does not answer; ask again"
            raise Refused(Reason.UNAVAILABLE, sentence) from error

    def _home(self, request: Request[Any], caller: Caller) -> Peer | None:
        """Return the other process that carries an operation out; None if that is this process, or it is down."""
        home = request.operation.home
        if home is Home.ANY or not self._others or request.operation.why_not(caller) is not None:
            return None
        if home is Home.FLOOR:
            return self._others.get(self._keeper)
        if isinstance(request, Locate):
            robot = self._known.robot(request.robot)
            return None if robot is None else self._others.get(robot.process)
        if self.role == "map":
            return None
        return next((one for one in self._others.values() if one.role == "map"), None)

    async def run(self) -> None:
        """Show that this process lives, and watch the others, until cancelled."""
        while True:
            with suppress(Refused):  # the store is away: nobody can be seen, and nobody is judged
                await self.look()
            await asyncio.sleep(BEAT)

    async def look(self) -> None:
        """Beat once; take notice of who came and who died."""
        self._beat += 1
        load = 0 if self._sessions is None else self._sessions.load
        begun = time.monotonic()
        dead = [one for one in self._others.values() if begun - one.seen > DEAD]
        rows, orphans, keeper = await self._write(lambda it: self._beaten(it, load, dead))
        if keeper != self._keeper:
            self._keeper = keeper
            if keeper == self._own:
                self._floor.restart(SETTLE)
        self._floor.keep_until(begun + LEASE if keeper == self._own else -inf)
        for one in dead:
            del self._others[one.name]
        for tag in orphans:
            if self._presence is not None:
                self._presence.adopt(tag)
        self._meet(rows)
        self._even_out(load)

    async def leave(self) -> None:
        """Say that this process ends."""
        self._floor.keep_until(-inf)
        with suppress(Refused):
            await self._write(lambda it: it.run(processes.delete().where(processes.c.name == self._own)))

    async def _write(self, work: Any) -> Any:
        return await asyncio.wrap_future(self._store.write(work))

    def _beaten(
        self, transaction: Transaction, load: int, dead: list[Peer]
    ) -> tuple[list[sql.Row[Any]], list[str], str]:
        orphans: list[str] = []
        for one in dead:
            is_still_dead = sql.and_(processes.c.name == one.name, processes.c.beat == one.beat)
            if transaction.run(processes.delete().where(is_still_dead)):
                theirs = robots.c.controller == one.name, robots.c.state == "connected"
                orphans += [row.tag for row in transaction.all(sql.select(robots.c.tag).where(*theirs))]
                mine = robots.update().where(*theirs).values(controller=self._own)
                transaction.run(mine)
        values = {"role": self.role, "endpoint": self.endpoint, "load": load, "beat": self._beat}
        ours = processes.update().where(processes.c.name == self._own).values(**values)
        if not transaction.run(ours):
            transaction.run(processes.insert().values(name=self._own, **values))
        rows = transaction.all(processes.select().where(processes.c.name != self._own))
        return rows, orphans, self._kept(transaction, {row.name for row in rows})

    def _kept(self, transaction: Transaction, others: set[str]) -> str:
        """Return the process that keeps the floor; a controller takes it over from one that is gone, and robots are told."""
        row = transaction.one(sql.select(facts.c.value).where(facts.c.name == FLOOR_FACT))
        keeper = "" if row is None else str(row.value)
        if keeper == self._own or keeper in others or self.role not in ("all", "controller"):
            return keeper
        transaction.run(facts.delete().where(facts.c.name == FLOOR_FACT))
        transaction.run(facts.insert().values(name=FLOOR_FACT, value=self._own))
        transaction.tell(Happens.FLOOR_KEPT, team=None, process=self._own)
        return self._own

    def _meet(self, rows: list[sql.Row[Any]]) -> None:
        now = time.monotonic()
        for row in rows:
            known = self._others.get(row.name)
            if known is None:
                self._others[row.name] = self._new(row, now)
            elif known.beat != row.beat:
                known.beat, known.load, known.seen = row.beat, row.load, now
        for name in set(self._others) - {row.name for row in rows}:
            del self._others[name]
        self._out.know(tuple(one.endpoint for one in self._others.values() if one.endpoint))

    def _new(self, row: sql.Row[Any], now: float) -> Peer:
        """Return a process that was not there before.

        Both sides count what they say; who was taken for dead and is not counts on, or nothing of it would be believed.
        """
        line = self._lines.get(row.name)
        if line is None:
            ours, theirs = self._own.encode(), row.name.encode()
            key = session_key(self._secret, min(ours, theirs), max(ours, theirs))
            line = self._lines[row.name] = Sealer(key, ours), Opener(key, theirs)
        return Peer(row.name, row.role, row.endpoint, row.load, row.beat, now, *line)

    def _even_out(self, load: int) -> None:
        """Ask some robots to move where another controller has far fewer."""
        loads = [one.load for one in self._others.values() if one.role in ("all", "controller")]
        if self._sessions is not None and loads and load - min(loads) > max(UNEVEN, load // 10):
            mean = (load + sum(loads)) / (1 + len(loads))
            self._sessions.move(max(1, int((load - mean) / 4)))


class PeerDoor:
    """Does what the other processes of a station ask of this one; a gateway only hears of stops."""

    def __init__(self, service: Service, carrier: Carrier, peers: Peers) -> None:
        self._service = service
        self._peers = peers
        self._own = service.store.process
        carrier.listen(talk.halt_key(self._own), self._halt)
        if peers.role != "gateway":  # of which nobody asks anything
            carrier.serve(talk.do_key(self._own), self._carry_out)
            carrier.serve(talk.floor_key(self._own), self._tell_booked)

    def _halt(self, key: str, sealed: bytes) -> None:
        with suppress(Forged, msgspec.DecodeError):
            told = self._sender(key).opener.open("halt", sealed)
            spread = msgspec.msgpack.decode(told, type=talk.StopSpread)
            self._service.stops.take(spread.stop, is_heard=spread.is_heard)

    async def _carry_out(self, key: str, sealed: bytes) -> bytes:
        try:
            peer = self._sender(key)
            errand = msgspec.msgpack.decode(peer.opener.open("do", sealed), type=ForwardedOperation)
        except (Forged, msgspec.DecodeError):
            return b""
        answer: Any
        try:
            answer = await self._service.carry_out(talk.read_asked(errand.asked), errand.caller)
        except Refused as refused:
            answer = refused
        return peer.sealer.seal("done", talk.answered(answer))

    async def _tell_booked(self, key: str, sealed: bytes) -> bytes:
        try:
            peer = self._sender(key)
            known = msgspec.msgpack.decode(peer.opener.open("floor", sealed), type=FloorNews)
        except (Forged, msgspec.DecodeError):
            return b""
        news = self._service.floor.booked_since(self._own, known)
        return peer.sealer.seal("booked", msgspec.msgpack.encode(news))

    def _sender(self, key: str) -> Peer:
        peer = self._peers.find(talk.sender_of(key))
        if peer is None:
            raise Forged("no such process is known")
        return peer
