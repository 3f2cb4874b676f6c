"""A robot's side of its talk with a station: it finds it, proves who it is, calls, listens, and comes back when it was lost.

While it is in, it hears a pulse. When the pulse stays away, the robot is told so (it should stop by itself), and tries to enter
again until it is in: all controllers of the station answer, and it goes to the one with the fewest robots. Words that are not
sealed by the station are dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from hmac import compare_digest
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


class NotLetIn(Exception):
    """The station refuses the robot; it says why."""


class StationSession:
    """A robot that is in a station, or on its way back into it.

    `welcome` is what it enters with. It hears that it has `entered`, what it is `told` then, and that the station is `lost`.
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
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self.robot = robot
        self.controller = ""
        self.is_in = False
        self._on_entered, self._on_told, self._on_lost = entered, told, lost
        self._carrier = carrier
        self._secret = key_hash(key)
        self._welcome = welcome
        self._sealer = Sealer(b"\0" * 32, talk.ROBOT)
        self._told = self._answers = Opener(b"\0" * 32, talk.STATION)
        self._heard = self._said = 0.0
        self._is_lost = True
        self._is_removed = False
        self._listening: set[str] = set()

    @property
    def has_entered(self) -> bool:
        """Whether a station may take this robot for one that is there: it may not have heard yet that it is welcome."""
        return self.controller != "" and not self._is_removed

    async def call(self, request: Request[A], timeout: float = TIMEOUT) -> A:
        """Ask the station for an operation, and return its answer; `timeout` is in seconds."""
        sealed = self._sealer.seal("call", talk.asked(request))
        answer = await self._carrier.call(talk.call_key(self.controller, self.robot), sealed, timeout)
        if not answer:
            self.is_in = False  # our session is not known there any more: enter again
            raise CarrierError("the station does not know this session")
        try:
            body = self._answers.open("answer", answer)
        except Forged as forged:
            raise CarrierError(f"the answer is not from the station: {forged}") from forged
        return talk.read_answered(body, request)

    def tell_position(self, pose: PoseRecord, values: dict[str, Any]) -> None:
        """Tell where the robot is; it may get lost on the way, another will follow."""
        self._send_position(talk.PositionReport(pose, values))

    def _send_position(self, position: talk.PositionReport | None) -> None:
        if self.is_in:
            self._said = time.monotonic()
            sealed = self._sealer.seal("pose", msgspec.msgpack.encode(position))
            self._carrier.publish(talk.pose_key(self.controller, self.robot), sealed, may_drop=True)

    async def run(self) -> None:
        """Stay in the station until cancelled; NotLetIn where it does not want this robot, or no more."""
        while True:
            if self._is_removed:
                raise NotLetIn(f"robot '{self.robot}' was removed from the station")
            if not self._is_lost and time.monotonic() - self._heard > STATION_TIMEOUT:
                self.is_in = False
                self._is_lost = True
                self._on_lost()
            if self.is_in:
                if time.monotonic() - self._said > talk.BEAT:
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
        self._is_lost = False
        self._heard = time.monotonic()
        if self._on_entered is not None:
            await self._on_entered(welcomed)

    async def _enter(self) -> None:
        own = nonce()
        request = talk.Enter(
            INTERFACE, self.robot, own, mark(self._secret, b"enter", self.robot.encode(), own)
        )
        answers = await self._carrier.call_all(talk.ENTER, msgspec.msgpack.encode(request), RUSH)
        entered = [one for one in map(_entered, answers) if one is not None]
        good = [one for one in entered if not one.refused and self._is_proven(one, own)]
        if not good:
            if entered and entered[0].refused:
                raise NotLetIn(entered[0].refused)
            raise CarrierError("no station answers that knows this robot")
        chosen = min(good, key=self._preference)
        self._carrier.know(chosen.endpoints)
        key = session_key(self._secret, own, chosen.nonce)
        self.controller = chosen.controller
        self._sealer = Sealer(key, talk.ROBOT)
        self._told = self._answers = Opener(key, talk.STATION)
        self._listen()

    def _preference(self, entered: talk.EnteredStation) -> tuple[int, bytes]:
        """The fewest robots; among equals each robot has an order of its own, so that many at once spread evenly."""
        return entered.load, mark(self._secret, b"order", entered.controller.encode())

    def _is_proven(self, entered: talk.EnteredStation, own: bytes) -> bool:
        return compare_digest(entered.proof(self._secret, own), entered.mark)

    def _listen(self) -> None:
        for key, heard in (
            (talk.tell_key(self.controller, self.robot), self._hear),
            (talk.pulse_key(self.controller), self._hear_pulse),
        ):
            if key not in self._listening:
                self._listening.add(key)
                self._carrier.listen(key, heard)

    def _hear_pulse(self, key: str, _: bytes) -> None:
        if key == talk.pulse_key(self.controller):
            self._heard = time.monotonic()

    def _hear(self, _: str, sealed: bytes) -> None:
        try:
            told = talk.read_notice(self._told.open("tell", sealed))
        except (Forged, msgspec.DecodeError):
            return
        self._heard = time.monotonic()
        if isinstance(told, talk.MoveOn):
            self.is_in = False
        elif isinstance(told, talk.RobotRemoved):
            self.is_in, self._is_removed = False, True
        else:
            self._on_told(told)


def _entered(answer: bytes) -> talk.EnteredStation | None:
    """Return an answer to a robot that enters, or None where it is none."""
    try:
        return msgspec.msgpack.decode(answer, type=talk.EnteredStation)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
