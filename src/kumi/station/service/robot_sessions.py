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

from kumi.station.callers import Caller, CallerKind
from kumi.station.operation import INTERFACE
from kumi.station.operations.robots import write_positions
from kumi.station.positioning.positioning import LastReport, Positioning, is_worth_telling
from kumi.station.records import Happens
from kumi.station.refusals import Reason, Refused
from kumi.station.service.presence import Presence
from kumi.station.service.service import Service
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import LogNotice as Happened
from kumi.station.unwritten_stop import StopOrder
from kumi.station.wire import messages as talk
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.sealing import Forged, Opener, Sealer, mark, nonce, session_key

TELLS: dict[str, talk.RobotNotice] = {
    Happens.TASK_GIVEN: talk.TasksChanged(),
    Happens.TASK_ENDED: talk.TasksChanged(),
    Happens.MAP_CHANGED: talk.MapChanged(),
    Happens.OBJECT_FOUND: talk.MapChanged(),
    Happens.FLOOR_KEPT: talk.FloorKept(),
}
"""What robots are told when something happened, besides a stop: the one that it happened to, or, of the map and the floor, all whom it concerns."""


class RobotSession:
    """One robot that entered."""

    def __init__(self, tag: str, team: str, key: bytes) -> None:
        self.caller = Caller(CallerKind.ROBOT, tag, team)
        self.sealer = Sealer(key, talk.STATION)
        self.calls = Opener(key, talk.ROBOT)


class Sessions:
    """The robots that entered here: what they are told, and where they are heard to be."""

    def __init__(
        self,
        store: StationStore,
        carrier: Carrier,
        positioning: Positioning | None = None,
        presence: Presence | None = None,
    ) -> None:
        self.controller = store.process
        self.forged = 0
        self._store = store
        self._carrier = carrier
        self._positioning = positioning or Positioning()
        self._presence = presence
        self._loop = asyncio.get_running_loop()
        self._sessions: dict[str, RobotSession] = {}
        self._entering: dict[str, RobotSession] = {}
        self._positions: dict[str, LastReport] = {}
        carrier.listen(talk.pose_key(self.controller), self._hear_position, thick=True)
        store.listen(self._on_commit)

    @property
    def load(self) -> int:
        """How many robots are here."""
        return len(self._sessions) if self._presence is None else self._presence.count

    def begin(self, session: RobotSession) -> None:
        """Let a robot in that has proved who it is; it has the session from its first call on."""
        self._entering[session.caller.name] = session

    def opened(self, tag: str, sealed: bytes) -> tuple[RobotSession, bytes]:
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

    async def flush(self) -> None:
        """Write down where robots are."""
        if self._positions:
            taken, self._positions = self._positions, {}
            await asyncio.wrap_future(self._store.write(lambda it: write_positions(it, taken)))

    def halt(self, stop: StopOrder, is_heard: bool = False) -> None:
        """Stop a robot, now; it is told once more when the stop is on disk, and that word waits until it arrives.

        One that has heard it is not told again. It is told under the session in which it asked to come in, too: it may not have called yet, or be in elsewhere.
        """
        notice = talk.HaltNow(stop.stop, stop.by)
        for sessions in (self._sessions, self._entering):
            if stop.robot in sessions and not is_heard:
                self._tell_in(sessions[stop.robot], notice, urgent=True)

    def move(self, count: int) -> None:
        """Ask so many robots to enter again, where there is less to do."""
        for tag in list(self._sessions)[:count]:
            self._tell(tag, talk.MoveOn())

    def _hear_position(self, key: str, sealed: bytes) -> None:
        try:
            session = self._sessions[talk.tag_of(key)]
            body = session.calls.open("pose", sealed)
            position = talk.read_position(body)
        except (KeyError, ValueError, Forged, msgspec.DecodeError, RecursionError):
            self.forged += 1
            return
        tag = session.caller.name
        if self._presence is not None:
            self._presence.hear(tag)
        if position is not None:
            self._take(tag, position)

    def _take(self, tag: str, position: talk.PositionReport) -> None:
        """Keep where a robot is, and tell it where that is not where it believes it is."""
        corrected = self._positioning.report(tag, position.pose)
        heard = LastReport(corrected, position.values, self._store.clock())
        self._positions[tag] = self._positioning.heard[tag] = heard
        if corrected is not position.pose and is_worth_telling(position.pose, corrected):
            self._tell(tag, talk.PoseCorrected(corrected, position.pose), may_drop=True)

    def _on_commit(self, told: list[Happened]) -> None:
        """Go on in the loop, from the thread that writes."""
        with suppress(RuntimeError):  # the loop has ended: nobody listens any more
            self._loop.call_soon_threadsafe(self._on_happened, told)

    def _on_happened(self, told: list[Happened]) -> None:
        for one in told:
            notice = notice_of(one)
            if isinstance(notice, talk.MapChanged | talk.FloorKept):
                for tag, session in self._sessions.items():
                    if one.team is None or one.team == session.caller.team:
                        self._tell(tag, notice)
            elif one.robot is None:
                continue
            elif notice is not None:
                self._tell(one.robot, notice)
            elif self._is_end(one):
                if one.kind == Happens.ROBOT_REMOVED:
                    self._tell(one.robot, talk.RobotRemoved())
                    self._entering.pop(one.robot, None)
                self._drop(one.robot)

    def _is_end(self, one: Happened) -> bool:
        """Tell whether a robot's session here ended: it left, was removed, or entered elsewhere."""
        is_here = one.data.get("controller") == self.controller
        return (
            one.kind == Happens.ROBOT_REMOVED
            or (one.kind == Happens.ROBOT_LEFT and is_here)
            or (one.kind == Happens.ROBOT_ENTERED and not is_here)
        )

    def _drop(self, tag: str) -> None:
        """Forget a robot that is not here any more; the session in which it asked to come in can still tell it to stop."""
        self._sessions.pop(tag, None)
        self._positioning.heard.pop(tag, None)
        if self._presence is not None:
            self._presence.leave(tag)

    def _tell(self, tag: str, notice: talk.RobotNotice, *, may_drop: bool = False) -> None:
        session = self._sessions.get(tag)
        if session is not None:
            self._tell_in(session, notice, may_drop=may_drop)

    def _tell_in(
        self,
        session: RobotSession,
        notice: talk.RobotNotice,
        *,
        may_drop: bool = False,
        urgent: bool = False,
    ) -> None:
        sealed = session.sealer.seal("tell", msgspec.msgpack.encode(notice))
        key = talk.tell_key(self.controller, session.caller.name)
        self._carrier.publish(key, sealed, may_drop=may_drop, urgent=urgent)


def notice_of(one: Happened) -> talk.RobotNotice | None:
    """Return what robots are told when something happened."""
    if one.kind == Happens.STOP:
        return talk.HaltNow(one.data["stop"], one.data["by"], one.data["last_task"])
    return TELLS.get(one.kind)


class RobotDoor:
    """Lets robots in, and carries out what they call; `endpoints` tells where else they may enter."""

    def __init__(
        self,
        service: Service,
        carrier: Carrier,
        sessions: Sessions,
        endpoints: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._service = service
        self._sessions = sessions
        self._endpoints = endpoints
        carrier.serve(talk.ENTER, self._enter)
        carrier.serve(talk.call_key(sessions.controller), self._call)

    async def _enter(self, _: str, payload: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(payload, type=talk.Enter)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._refusal("this is no request to enter")
        try:
            robot = await self._service.known.whose(asked.tag)
        except Refused as refused:
            if refused.reason is Reason.UNAVAILABLE:
                return b""  # the store is away: the robot asks again
            return self._refusal(f"robot '{asked.tag}' is not enrolled here, or its key is wrong")
        if not compare_digest(mark(robot.key, b"enter", asked.tag.encode(), asked.nonce), asked.mark):
            return self._refusal(f"robot '{asked.tag}' is not enrolled here, or its key is wrong")
        if asked.interface != INTERFACE:
            return self._refusal(
                f"the station speaks interface {INTERFACE}, and the robot {asked.interface}: "
                "get the robot's part from this station",
                (robot.key, asked.nonce),
            )
        own = nonce()
        self._sessions.begin(RobotSession(asked.tag, robot.team, session_key(robot.key, asked.nonce, own)))
        controller, load = self._sessions.controller, self._sessions.load
        entered = talk.EnteredStation(INTERFACE, controller, load, own, b"", "", self._endpoints())
        proof = entered.proof(robot.key, asked.nonce)
        return msgspec.msgpack.encode(msgspec.structs.replace(entered, mark=proof))

    def _refusal(self, why: str, proven_by: tuple[bytes, bytes] | None = None) -> bytes:
        """Say why a robot is not let in; with its key and what it asked with, so that it must believe that."""
        refused = talk.EnteredStation(INTERFACE, self._sessions.controller, 0, b"", b"", why)
        if proven_by is not None:
            refused = msgspec.structs.replace(refused, mark=refused.proof(*proven_by))
        return msgspec.msgpack.encode(refused)

    async def _call(self, key: str, sealed: bytes) -> bytes:
        try:
            session, body = self._sessions.opened(talk.tag_of(key), sealed)
        except (Forged, ValueError):
            self._sessions.forged += 1
            return b""  # the caller cannot read our answer either
        answer: Any
        try:
            answer = await self._service.call(talk.read_asked(body), session.caller)
        except Refused as refused:
            answer = refused
        return session.sealer.seal("answer", talk.answered(answer))
