"""A robot's side of its talk with a station: it finds it, proves who it is, calls, listens, and comes back when it was lost.

While it is in, it hears a pulse. When the pulse stays away it tries to enter again until it is in: all controllers of the
station answer, and it goes to the one with the fewest robots. Words that are not sealed by the station are dropped, and a
refusal at the door counts only with the proof that it is the station's: anybody could say so.

A stop is believed from every controller that has answered, under the session of this time or the one before: the controller
where the robot is may be gone, or may not have heard yet that the robot came back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from hmac import compare_digest
from math import inf
from typing import Any, TypeVar

import msgspec

from kumi.station.operation import INTERFACE, Request
from kumi.station.operations.robots import Welcome, Welcomed
from kumi.station.people.secrets import key_hash
from kumi.station.records import PoseRecord, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.wire import messages as talk
from kumi.station.wire.carrier import Carrier, CarrierError
from kumi.station.wire.sealing import Forged, Opener, Sealer, mark, nonce, session_key

A = TypeVar("A", bound=StationRecord)
STATION_TIMEOUT = 1.0
"""Seconds without a pulse after which the station counts as gone."""
ENTER_PERIOD = 0.3
"""Seconds between two attempts to enter."""
TIMEOUT = 3.0
"""Seconds to wait for an answer."""
RUSH = 15.0
"""Seconds to wait until one is welcome: a thousand may enter at once, and asking again would only add to the rush."""


SESSIONS_HEARD = 2
"""Sessions with a controller under which a stop is believed: the one of this time, and the one before."""
MOST_CONTROLLERS = 32
"""Controllers that are listened to; those of stations that ended are among them."""


class NotLetIn(Exception):
    """The station refuses the robot; it says why."""


class StationSession:
    """A robot that is in a station, or on its way back into it.

    `welcome` is what it enters with. It hears that it has `entered`, what it is `told` then, and, once for each time that it is
    outside, that it was `refused` in a way that anybody could have done; it goes on trying.
    """

    def __init__(
        self,
        carrier: Carrier,
        robot: str,
        key: str,
        welcome: Callable[[], Welcome],
        *,
        entered: Callable[[Welcomed], Awaitable[None]] | None = None,
        told: Callable[[talk.RobotNotice], None] = lambda _: None,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.robot = robot
        self.controller = ""
        self.is_in = False
        self._on_entered, self._on_told, self._on_refused = entered, told, refused
        self._carrier = carrier
        self._secret = key_hash(key)
        self._welcome = welcome
        self._sealer = Sealer(b"\0" * 32, talk.ROBOT)
        self._openers: dict[str, list[Opener]] = {}
        self._heard = self._said = -inf
        self._is_refusal_told = False
        self._is_removed = False
        self._listening: set[str] = set()

    @property
    def has_entered(self) -> bool:
        """Whether a station may take this robot for one that is there: it may not have heard yet that it is welcome."""
        return self.controller != "" and not self._is_removed

    @property
    def silence(self) -> float:
        """Seconds since a word of the station under the session that the robot has."""
        return _now() - self._heard

    async def call(self, request: Request[A], timeout: float = TIMEOUT) -> A:
        """Ask the station for an operation, and return its answer; `timeout` is in seconds."""
        sealed = self._sealer.seal("call", talk.asked(request))
        if self.controller not in self._openers:
            raise CarrierError("the robot has not entered yet")
        opener = self._openers[self.controller][0]
        answer = await self._carrier.call(talk.call_key(self.controller, self.robot), sealed, timeout)
        if not answer:
            self.is_in = False  # our session is not known there any more: enter again
            raise CarrierError("the station does not know this session")
        try:
            body = opener.open("answer", answer)
        except Forged as forged:
            raise CarrierError(f"the answer is not from the station: {forged}") from forged
        return talk.read_answered(body, request)

    def tell_position(self, pose: PoseRecord, values: dict[str, Any]) -> None:
        """Tell where the robot is; it may get lost on the way, another will follow."""
        self._send_position(talk.PositionReport(pose, values))

    def _send_position(self, position: talk.PositionReport | None) -> None:
        if self.is_in:
            self._said = _now()
            sealed = self._sealer.seal("pose", msgspec.msgpack.encode(position))
            self._carrier.publish(talk.pose_key(self.controller, self.robot), sealed, may_drop=True)

    async def run(self) -> None:
        """Stay in the station until cancelled; NotLetIn where it does not want this robot, or no more."""
        while True:
            if self._is_removed:
                raise NotLetIn(f"robot '{self.robot}' was removed from the station")
            if self.silence > STATION_TIMEOUT:
                self.is_in = False
            if self.is_in:
                if _now() - self._said > talk.BEAT:
                    self._send_position(None)
            else:
                await self._try_to_enter()
            await asyncio.sleep(talk.BEAT if self.is_in else ENTER_PERIOD)

    async def _try_to_enter(self) -> None:
        try:
            await self._enter()
            welcomed = await self.call(self._welcome(), RUSH)
        except CarrierError:
            return
        except Refused as refused:
            if refused.reason is Reason.UNAVAILABLE:
                return
            raise NotLetIn(f"robot '{self.robot}' is not let in: {refused.sentence}") from refused
        self.is_in = True
        self._is_refusal_told = False
        self._heard = _now()
        if self._on_entered is not None:
            await self._on_entered(welcomed)

    async def _enter(self) -> None:
        own = nonce()
        request = talk.Enter(
            INTERFACE, self.robot, own, mark(self._secret, b"enter", self.robot.encode(), own)
        )
        answers = await self._carrier.call_all(talk.ENTER, msgspec.msgpack.encode(request), RUSH)
        entered = [one for one in map(_entered, answers) if one is not None]
        proven = [one for one in entered if self._is_proven(one, own)]
        good = [one for one in proven if not one.refused]
        if not good:
            for one in proven:
                raise NotLetIn(one.refused)
            self._tell_refusal(entered)
            raise CarrierError("no station answers that knows this robot")
        chosen = min(good, key=self._preference)
        self._carrier.know(chosen.endpoints)
        for one in good:
            self._listen(one, session_key(self._secret, own, one.nonce))
        self.controller = chosen.controller
        self._sealer = Sealer(session_key(self._secret, own, chosen.nonce), talk.ROBOT)

    def _tell_refusal(self, entered: Iterable[talk.EnteredStation]) -> None:
        """Tell once that the robot is refused, by somebody who cannot prove to be its station."""
        for one in entered:
            if one.refused and not self._is_refusal_told:
                self._is_refusal_told = True
                self._on_refused("".join(letter for letter in one.refused[:200] if letter.isprintable()))

    def _preference(self, entered: talk.EnteredStation) -> tuple[int, bytes]:
        """The fewest robots; among equals each robot has an order of its own, so that many at once spread evenly."""
        return entered.load, mark(self._secret, b"order", entered.controller.encode())

    def _is_proven(self, entered: talk.EnteredStation, own: bytes) -> bool:
        return compare_digest(entered.proof(self._secret, own), entered.mark)

    def _listen(self, entered: talk.EnteredStation, session: bytes) -> None:
        """Hear a controller under the session that it offers, and the one before."""
        name = entered.controller
        self._openers[name] = [Opener(session, talk.STATION), *self._openers.pop(name, ())][:SESSIONS_HEARD]
        while len(self._openers) > MOST_CONTROLLERS:
            del self._openers[next(iter(self._openers))]
        for key, heard in (
            (talk.tell_key(name, self.robot), self._hear),
            (talk.pulse_key(name), self._hear_pulse),
        ):
            if key not in self._listening:
                self._listening.add(key)
                self._carrier.listen(key, heard)

    def _hear_pulse(self, key: str, _: bytes) -> None:
        if self.is_in and key == talk.pulse_key(self.controller):
            self._heard = _now()

    def _hear(self, key: str, sealed: bytes) -> None:
        openers = self._openers.get(talk.controller_of(key), ())
        for opener in openers:
            with suppress(Forged, msgspec.DecodeError):
                told = talk.read_notice(opener.open("tell", sealed))
                if isinstance(told, talk.HaltNow):
                    self._on_told(told)
                elif openers is self._openers.get(self.controller) and opener is openers[0]:
                    self._on_notice(told)
                return

    def _on_notice(self, told: talk.RobotNotice) -> None:
        """Heed what the controller says where the robot is."""
        if self.is_in:
            self._heard = _now()
        if isinstance(told, talk.MoveOn):
            self.is_in = False
        elif isinstance(told, talk.RobotRemoved):
            self.is_in, self._is_removed = False, True
        else:
            self._on_told(told)


def _now() -> float:
    """Return the time by the loop's clock, in seconds."""
    return asyncio.get_running_loop().time()


def _entered(answer: bytes) -> talk.EnteredStation | None:
    """Return an answer to a robot that enters, or None where it is none."""
    try:
        return msgspec.msgpack.decode(answer, type=talk.EnteredStation)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
