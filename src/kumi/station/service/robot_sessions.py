"""How does a station talk with the robots that entered?

Each robot has a session with one controller: its own key for seals, and what it was heard to say last. All controllers answer
a robot that asks to come in; the one it calls then has it. Until that call an older session stays good, so nobody can push a
robot out by repeating what it once said. A robot that enters elsewhere, leaves or is removed loses its session here.

A stop goes out from here before anything is written, and once more when it is. Positions are taken as they come, the newest
counts, and all are written together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.station.callers import Caller, Kind
from kumi.station.floor.last_report import Heard
from kumi.station.operations import INTERFACE
from kumi.station.positioning.positioning import is_worth_telling
from kumi.station.refusals import Refused
from kumi.station.service.robots import write_positions
from kumi.station.service.service import Service
from kumi.station.store.schema import robots
from kumi.station.store.transaction import Told as Happened
from kumi.station.wire import messages as talk
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.sealing import Forged, Opener, Sealer, mark, nonce, session_key

TELLS = {
    "stop": "stop",
    "task_given": "task",
    "task_ended": "task",
    "map_changed": "map",
    "object_found": "map",
    "floor_kept": "floor",
}
"""What a robot is told of, by what happened."""


class Session:
    """One robot that entered."""

    def __init__(self, tag: str, team: str, key: bytes) -> None:
        self.caller = Caller(Kind.ROBOT, tag, team)
        self.sealer = Sealer(key, talk.STATION)
        self.calls = Opener(key, talk.ROBOT)


class RobotDoor:
    """Lets robots in, and carries words both ways; `endpoints` tells where else they may enter."""

    def __init__(
        self, service: Service, carrier: Carrier, endpoints: Callable[[], tuple[str, ...]] = tuple
    ) -> None:
        self.controller = service.store.process
        self.forged = 0
        self._service = service
        self._carrier = carrier
        self._endpoints = endpoints
        self._loop = asyncio.get_running_loop()
        self._sessions: dict[str, Session] = {}
        self._entering: dict[str, Session] = {}
        self._positions: dict[str, Heard] = {}
        carrier.serve(talk.ENTER, self._enter)
        carrier.serve(talk.call_key(self.controller), self._call)
        carrier.listen(talk.pose_key(self.controller), self._hear_position, thick=True)
        service.halt = self.halt
        service.store.listen(self._on_commit)

    @property
    def load(self) -> int:
        """How many robots are here."""
        presence = self._service.presence
        return len(self._sessions) if presence is None else presence.count

    async def run(self) -> None:
        """Show that the station is alive, and write down where robots are, until cancelled.

        The sign of life waits for nothing: robots would take a slow disk for a dead station, and all enter again.
        """
        writing: asyncio.Future[None] | None = None
        while True:
            self._carrier.publish(talk.pulse_key(self.controller), b"", may_drop=True)
            if writing is None or writing.done():
                writing = asyncio.ensure_future(self._flush_if_possible())
            await asyncio.sleep(talk.PULSE)

    async def _flush_if_possible(self) -> None:
        with suppress(Refused):  # the store is away: the newest positions are written when it is back
            await self.flush()

    def halt(self, tag: str) -> None:
        """Stop a robot, now; it is told once more when the stop is on disk, and that word waits until it arrives."""
        self._tell(tag, talk.Told("stop"), urgent=True)

    def move(self, count: int) -> None:
        """Ask so many robots to enter again, where there is less to do."""
        for tag in list(self._sessions)[:count]:
            self._tell(tag, talk.Told("move"))

    async def flush(self) -> None:
        """Write down where robots are."""
        if self._positions:
            taken, self._positions = self._positions, {}
            await asyncio.wrap_future(self._service.store.write(lambda it: write_positions(it, taken)))

    async def _enter(self, _: str, payload: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(payload, type=talk.Enter)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._refusal("this is no request to enter")
        if asked.interface != INTERFACE:
            return self._refusal(
                f"the station speaks interface {INTERFACE}, and the robot {asked.interface}: "
                "get the robot's part from this station"
            )
        try:
            with self._service.store.reading() as transaction:
                known = sql.select(robots.c.team, robots.c.key).where(robots.c.tag == asked.tag)
                row = transaction.one(known)
        except Refused:
            return b""  # the store is away: the robot asks again
        if row is None or not compare_digest(
            mark(row.key, b"enter", asked.tag.encode(), asked.nonce), asked.mark
        ):
            return self._refusal(f"robot '{asked.tag}' is not enrolled here, or its key is wrong")
        own = nonce()
        self._entering[asked.tag] = Session(asked.tag, row.team, session_key(row.key, asked.nonce, own))
        entered = talk.Entered(INTERFACE, self.controller, self.load, own, b"", "", self._endpoints())
        proof = entered.proof(row.key, asked.nonce)
        return msgspec.msgpack.encode(msgspec.structs.replace(entered, mark=proof))

    def _refusal(self, why: str) -> bytes:
        return msgspec.msgpack.encode(talk.Entered(INTERFACE, self.controller, 0, b"", b"", why))

    async def _call(self, key: str, sealed: bytes) -> bytes:
        try:
            session, body = self._opened(talk.tag_of(key), sealed)
        except (Forged, ValueError):
            self.forged += 1
            return b""  # the caller cannot read our answer either
        answer: Any
        try:
            answer = await self._service.call(talk.read_asked(body), session.caller)
        except Refused as refused:
            answer = refused
        return session.sealer.seal("answer", talk.answered(answer))

    def _opened(self, tag: str, sealed: bytes) -> tuple[Session, bytes]:
        """Open a call by the session that a robot has, or by the one that it asked for last, which it then has."""
        session = self._sessions.get(tag)
        if session is not None:
            with suppress(Forged):
                return session, session.calls.open("call", sealed)
        session = self._entering.get(tag)
        if session is None:
            raise Forged("the robot has not entered here")
        body = session.calls.open("call", sealed)
        self._sessions[tag] = self._entering.pop(tag)
        return session, body

    def _hear_position(self, key: str, sealed: bytes) -> None:
        try:
            session = self._sessions[talk.tag_of(key)]
            body = session.calls.open("pose", sealed)
            position = talk.read_position(body)
        except (KeyError, ValueError, Forged, msgspec.DecodeError, RecursionError):
            self.forged += 1
            return
        tag = session.caller.name
        if self._service.presence is not None:
            self._service.presence.hear(tag)
        if position is not None:
            self._take(tag, position)

    def _take(self, tag: str, position: talk.Position) -> None:
        """Keep where a robot is, and tell it where that is not where it believes to be."""
        corrected = self._service.positioning.report(tag, position.pose)
        heard = Heard(corrected, position.values, self._service.store.clock())
        self._positions[tag] = self._service.heard[tag] = heard
        if corrected is not position.pose and is_worth_telling(position.pose, corrected):
            self._tell(tag, talk.Told("pose", corrected, position.pose), may_drop=True)

    def _on_commit(self, told: list[Happened]) -> None:
        """Go on in the loop, from the thread that writes."""
        with suppress(RuntimeError):  # the loop has ended: nobody listens any more
            self._loop.call_soon_threadsafe(self._on_happened, told)

    def _on_happened(self, told: list[Happened]) -> None:
        for one in told:
            kind = TELLS.get(one.kind)
            if kind in ("map", "floor"):
                for tag, session in self._sessions.items():
                    if one.team is None or one.team == session.caller.team:
                        self._tell(tag, talk.Told(kind))
            elif one.robot is None:
                continue
            elif kind is not None:
                self._tell(one.robot, talk.Told(kind))
            elif self._is_end(one):
                if one.kind == "robot_removed":
                    self._tell(one.robot, talk.Told("removed"))
                self._drop(one.robot)

    def _is_end(self, one: Happened) -> bool:
        """Tell whether a robot's session here ended: it left, was removed, or entered elsewhere."""
        is_here = one.data.get("controller") == self.controller
        return (
            one.kind == "robot_removed"
            or (one.kind == "robot_left" and is_here)
            or (one.kind == "robot_entered" and not is_here)
        )

    def _drop(self, tag: str) -> None:
        """Forget a robot that is not here any more."""
        self._sessions.pop(tag, None)
        self._entering.pop(tag, None)
        self._service.heard.pop(tag, None)
        if self._service.presence is not None:
            self._service.presence.leave(tag)

    def _tell(self, tag: str, told: talk.Told, *, may_drop: bool = False, urgent: bool = False) -> None:
        session = self._sessions.get(tag)
        if session is not None:
            sealed = session.sealer.seal("tell", msgspec.msgpack.encode(told))
            key = talk.tell_key(self.controller, tag)
            self._carrier.publish(key, sealed, may_drop=may_drop, urgent=urgent)
