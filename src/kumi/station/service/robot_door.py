"""How does a station talk with the robots that entered?

Each robot has a session with one controller: its own key for seals, and what it was heard to say last. A stop goes out from
here before anything is written. Positions are taken as they come, the newest counts, and all are written together.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.station.callers import Caller, Kind
from kumi.station.operations import INTERFACE
from kumi.station.people.secrets import new_bytes
from kumi.station.refusals import Refused
from kumi.station.service.robots import write_positions
from kumi.station.service.service import Service
from kumi.station.store.schema import robots
from kumi.station.store.transaction import Told as Happened
from kumi.station.wire import talk
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.sealing import Forged, Opener, Sealer, mark, nonce, session_key

TELLS = {"task_given": "task", "task_ended": "task", "map_changed": "map"}
"""What a robot is told of, by what happened."""


class Session:
    """One robot that entered."""

    def __init__(self, tag: str, team: str, key: bytes) -> None:
        self.caller = Caller(Kind.ROBOT, tag, team)
        self.sealer = Sealer(key, talk.STATION)
        self.calls = Opener(key, talk.ROBOT)


class RobotDoor:
    """Lets robots in, and carries words both ways."""

    def __init__(self, service: Service, carrier: Carrier, controller: str | None = None) -> None:
        self.controller = controller or new_bytes(8).hex()
        self.forged = 0
        self._service = service
        self._carrier = carrier
        self._loop = asyncio.get_running_loop()
        self._sessions: dict[str, Session] = {}
        self._positions: dict[str, talk.Position] = {}
        carrier.serve(talk.ENTER, self._enter)
        carrier.listen(f"kumi/{self.controller}/pose/*", self._hear_position)
        service.halt = self.halt
        service.store.listen(self._on_commit)

    async def run(self) -> None:
        """Show that the station is alive, and write down where robots are, until cancelled."""
        while True:
            self._carrier.publish(talk.pulse_key(self.controller), b"", may_drop=True)
            await self.flush()
            await asyncio.sleep(talk.PULSE)

    def halt(self, tag: str) -> None:
        """Stop a robot, now."""
        self._tell(tag, talk.Told("stop"), urgent=True)

    async def flush(self) -> None:
        """Write down where robots are."""
        if self._positions:
            taken, self._positions = self._positions, {}
            await asyncio.wrap_future(self._service.store.write(lambda it: write_positions(it, taken)))

    async def _enter(self, payload: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(payload, type=talk.Enter)
        except msgspec.DecodeError:
            return self._refusal("this is no request to enter")
        if asked.interface != INTERFACE:
            return self._refusal(
                f"the station speaks interface {INTERFACE}, and the robot {asked.interface}: "
                "get the robot's part from this station"
            )
        with self._service.store.reading() as transaction:
            known = sql.select(robots.c.team, robots.c.key).where(robots.c.tag == asked.tag)
            row = transaction.one(known)
        if row is None or mark(row.key, b"enter", asked.tag.encode(), asked.nonce) != asked.mark:
            return self._refusal(f"robot '{asked.tag}' is not enrolled here, or its key is wrong")
        own = nonce()
        is_new = asked.tag not in self._sessions
        self._sessions[asked.tag] = Session(asked.tag, row.team, session_key(row.key, asked.nonce, own))
        if is_new:
            self._carrier.serve(
                talk.call_key(self.controller, asked.tag), lambda body: self._call(asked.tag, body)
            )
        proof = mark(row.key, b"entered", asked.nonce, own, self.controller.encode())
        entered = talk.Entered(INTERFACE, self.controller, len(self._sessions), own, proof)
        return msgspec.msgpack.encode(entered)

    def _refusal(self, why: str) -> bytes:
        return msgspec.msgpack.encode(talk.Entered(INTERFACE, self.controller, 0, b"", b"", why))

    async def _call(self, tag: str, sealed: bytes) -> bytes:
        session = self._sessions[tag]
        try:
            body = session.calls.open("call", sealed)
        except Forged:
            self.forged += 1
            return b""  # the caller cannot read our answer either
        answer: Any
        try:
            answer = await self._service.call(talk.read_asked(body), session.caller)
        except Refused as refused:
            answer = refused
        return session.sealer.seal("answer", talk.answered(answer))

    def _hear_position(self, key: str, sealed: bytes) -> None:
        try:
            session = self._sessions[talk.tag_of(key)]
            body = session.calls.open("pose", sealed)
            position = msgspec.msgpack.decode(body, type=talk.Position | None)
        except (KeyError, ValueError, Forged, msgspec.DecodeError):
            self.forged += 1
            return
        tag = session.caller.name
        if self._service.presence is not None:
            self._service.presence.hear(tag)
        if position is not None:
            self._positions[tag] = position

    def _on_commit(self, told: list[Happened]) -> None:
        """Go on in the loop, from the thread that writes."""
        with suppress(RuntimeError):  # the loop has ended: nobody listens any more
            self._loop.call_soon_threadsafe(self._on_happened, told)

    def _on_happened(self, told: list[Happened]) -> None:
        for one in told:
            kind = TELLS.get(one.kind)
            if kind == "map":
                for tag in self._sessions:
                    self._tell(tag, talk.Told("map"))
            elif kind is not None and one.robot is not None:
                self._tell(one.robot, talk.Told(kind))

    def _tell(self, tag: str, told: talk.Told, *, urgent: bool = False) -> None:
        session = self._sessions.get(tag)
        if session is not None:
            sealed = session.sealer.seal("tell", msgspec.msgpack.encode(told))
            self._carrier.publish(talk.tell_key(self.controller, tag), sealed, urgent=urgent)
