"""What does a station do with a call?

It asks who calls, whether they may, and whose the thing is that the call is about; then it carries the call out, writes
down that it did or why it refused, and answers when all of it is on disk. A refused call changes nothing but the audit.

How an operation is carried out stands with its declaration, in `kumi.station.operations`; what it needs, the service holds.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol, TypeVar

from kumi.station.callers import STATION, Caller, CallerKind
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.floor.reservation_log import FloorNews
from kumi.station.operation import INTERFACE, Request
from kumi.station.operations.robots import Disconnect
from kumi.station.operations.stops import ANSWER_TIMEOUT
from kumi.station.people.secrets import Attempts, network_of
from kumi.station.positioning.positioning import Positioning
from kumi.station.records import Station, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.service.cache import StationCache
from kumi.station.service.news import NewsReaders
from kumi.station.service.presence import Presence
from kumi.station.service.unwritten_stops import UnwrittenStops
from kumi.station.store.reserve import DiskFull
from kumi.station.store.schema import audit
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from kumi.station.unwritten_stop import StopOrder, UnwrittenStop
from kumi.version import VERSION

A = TypeVar("A", bound=StationRecord)
T = TypeVar("T")

MOST_HASHES = 100
"""Passwords that may wait to be hashed: some seconds of work."""
MOST_HASHES_OF_ONE = 25
"""Of these, passwords from one address: who floods a station leaves room for others."""


class OtherProcesses(Protocol):
    """The other processes of a station, each of which may have what an operation is about."""

    def halt(self, stop: StopOrder, is_heard: bool) -> None:
        """Tell a robot to stop, wherever it is; or, where it has heard that, the others alone."""

    async def carry_out(self, request: Request[A], caller: Caller) -> A | None:
        """Forward an operation to the process that owns its subject; None if that is this process or it is down."""

    async def booked(self, known: FloorNews) -> FloorNews | None:
        """Ask the process that keeps the floor what robots have booked; None where that is this one, or gone."""


class Alone:
    """No other processes."""

    def __init__(self, halt: Callable[[StopOrder, bool], None] = lambda *_: None) -> None:
        self.halt = halt

    async def carry_out(self, _: Request[A], __: Caller) -> A | None:
        """Everything is here."""
        return None

    async def booked(self, _: FloorNews) -> FloorNews | None:
        """The floor is kept here."""
        return None


class Service:
    """Carries out operations for callers; `presence` is there where robots enter or call."""

    def __init__(
        self,
        store: StationStore,
        name: str = "kumi",
        *,
        known: StationCache | None = None,
        floor: FloorKeeper | None = None,
        positioning: Positioning | None = None,
        presence: Presence | None = None,
        others: OtherProcesses | None = None,
    ) -> None:
        self.store = store
        self.about = Station(name=name, interface=INTERFACE, version=VERSION)
        self.known = known or StationCache(store)
        self.floor = floor or FloorKeeper()
        self.positioning = positioning or Positioning()
        self.presence = presence
        self.attempts = Attempts()
        self.stops = UnwrittenStops(store, (others or Alone()).halt)
        self.news = NewsReaders()
        self._others = others or Alone()
        self._slow = asyncio.Semaphore(2)  # hashing takes a core for a while: not more than two at a time
        self._hashes = Counter[str]()
        self._missed = 0  # calls that were not written down, since the disk was full
        store.listen(self.floor.on_commit)
        store.listen(self.news.on_commit)

    async def call(self, request: Request[A], caller: Caller) -> A:
        """Carry out an operation where it belongs; the answer comes when it is on disk."""
        found = await self._others.carry_out(request, caller)
        answer = found if found is not None else await self.carry_out(request, caller)
        if self.presence is not None and caller.kind is CallerKind.ROBOT:
            if isinstance(request, Disconnect):
                self.presence.leave(caller.name)
            else:
                self.presence.hear(caller.name)
        return answer

    async def carry_out(self, request: Request[A], caller: Caller) -> A:
        """Carry out an operation in this process; where it is refused, that is written down."""
        try:
            reason = request.operation.why_not(caller)
            if reason is not None:
                raise Refused(
                    Reason.NOT_KNOWN if caller.kind is CallerKind.NOBODY else Reason.FORBIDDEN, reason
                )
            return await request.serve(self, caller)
        except Refused as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                sentence = refused.sentence
                writing = self._note(request, caller, sentence)
                await (_soon(writing) if request.operation.is_urgent else writing)
            raise

    async def booked(self, known: FloorNews) -> FloorNews:
        """Return what robots have booked that is not known yet, from whichever process keeps the floor."""
        found = await self._others.booked(known)
        return self.floor.booked_since(self.store.process, known) if found is None else found

    # What operations are carried out with.

    def stop(self, order: StopOrder, *, is_heard: bool = False) -> UnwrittenStop:
        """Tell a robot to stop, and have that written; `is_heard` where it is the robot that tells of it."""
        return self.stops.take(order, is_heard=is_heard)

    @asynccontextmanager
    async def hashing(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn to hash a password; refuse where too many wait, from this address or in all."""
        own = network_of(address)
        if self._hashes.total() >= MOST_HASHES or self._hashes[own] >= MOST_HASHES_OF_ONE:
            where = " from your address" if self._hashes.total() < MOST_HASHES else ""
            raise Refused(Reason.TOO_MANY, f"too many log in at once{where}; try again soon")
        self._hashes[own] += 1
        try:
            async with self._slow:
                yield
        finally:
            self._hashes[own] -= 1
            self._hashes += Counter()  # which leaves away whoever has none

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Look at what is kept, at one instant."""
        return await asyncio.to_thread(self._read, work)

    async def noted(self, request: Request[Any], caller: Caller, answer: A) -> A:
        """Return an answer when it is written down that it was asked for."""
        if request.operation.is_audited:
            await self._note(request, caller, "done")
        return answer

    async def written(self, request: Request[Any], caller: Caller, work: Callable[[Transaction], A]) -> A:
        """Change what is kept, and write down in the same transaction that it was asked for."""

        def both(transaction: Transaction) -> A:
            answer = work(transaction)
            if request.operation.is_audited:
                _write_down(transaction, request, caller, "done")
            return answer

        return await self._write(both, takes_room=request.operation.takes_room)

    async def _note(self, request: Request[Any], caller: Caller, outcome: str) -> None:
        """Write down what was asked for and changed nothing; on a full disk it is answered all the same, and counted."""

        def work(transaction: Transaction) -> int:
            missed = self._missed
            if missed:
                told = f"the disk was full: {missed} calls before this are not written down"
                _write_down(transaction, request, STATION, told)
            _write_down(transaction, request, caller, outcome)
            return missed

        try:
            self._missed -= await self._write(work, takes_room=True)
        except DiskFull:
            self._missed += 1

    def _read(self, work: Callable[[Transaction], T]) -> T:
        with self.store.reading() as transaction:
            return work(transaction)

    async def _write(self, work: Callable[[Transaction], T], *, takes_room: bool = False) -> T:
        return await asyncio.wrap_future(self.store.write(work, takes_room=takes_room))


async def _soon(writing: Coroutine[Any, Any, None]) -> None:
    """Write something down, and wait for that for a while only; it is written when that is possible."""
    with suppress(Refused, TimeoutError):
        async with asyncio.timeout(ANSWER_TIMEOUT):
            await writing


def _write_down(transaction: Transaction, request: Request[Any], caller: Caller, outcome: str) -> None:
    """Keep that an operation was called, by whom, about what, and what came of it."""
    named = (getattr(request, name, None) for name in ("robot", "task", "name", "team"))
    about = next((str(one) for one in named if one is not None), "")
    transaction.run(
        audit.insert().values(
            at=transaction.now,
            who=str(caller),
            operation=request.operation.name,
            about=about[:80],
            outcome=outcome,
        )
    )
