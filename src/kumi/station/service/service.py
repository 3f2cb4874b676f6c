"""What does a station do with a call?

It asks who calls, whether they may, and whose the thing is that the call is about; then it carries the call out, writes
down that it did or why it refused, and answers when all of it is on disk. A refused call changes nothing but the audit.

Whose a thing is, is in `owners`; who calls, in `tokens`; what is known without a look at the disk, in `known`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from kumi.station.answers import Done, Happenings, Notices, Station
from kumi.station.callers import NOBODY, Caller, Kind, why_not
from kumi.station.floor.counter import release, reserve
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.floor.last_report import Heard
from kumi.station.floor.reservation_log import FloorNews
from kumi.station.operations import BY_REQUEST, INTERFACE, OPERATIONS, Operation
from kumi.station.people.attempts import Attempts
from kumi.station.people.secrets import Signer
from kumi.station.positioning.positioning import Positioning
from kumi.station.positioning.tracker import Fix
from kumi.station.records import Record
from kumi.station.refusals import Reason, Refused
from kumi.station.requests import (
    AddPerson,
    Disconnect,
    DoneNotices,
    Events,
    Hello,
    ListRobots,
    Locate,
    LogIn,
    Release,
    ReportPosition,
    Request,
    Reserve,
    Stop,
    Welcome,
)
from kumi.station.service import contests, log, people, queue, robots, work_space
from kumi.station.service.cache import Known
from kumi.station.service.news import News
from kumi.station.service.owners import check_owner, check_team
from kumi.station.service.presence import Presence
from kumi.station.service.tokens import caller_of, make_feed_key, station_secret
from kumi.station.store.store import Store
from kumi.station.store.transaction import Transaction
from kumi.version import VERSION

A = TypeVar("A", bound=Record)
T = TypeVar("T")
Handler = Callable[[Transaction, Caller, Any], Record]

HANDLERS: dict[str, Handler] = {
    "log_out": people.log_out,
    "welcome": robots.welcome,
    "task_options": robots.task_options,
    "list_modules": robots.list_modules,
    "request_task": robots.request_task,
    "task_done": queue.task_done,
    "store_file": work_space.store_file,
    "mark_object": work_space.mark_object,
    "measure": work_space.measure,
    "disconnect": robots.disconnect,
    "get_map": work_space.get_map,
    "monitor": robots.monitor,
    "possible_tasks": robots.possible_tasks,
    "give_task": queue.give_task,
    "cancel_task": queue.cancel_task,
    "stop": queue.stop,
    "send_code": queue.send_code,
    "events": log.events,
    "done_notices": log.done_notices,
    "list_objects": work_space.list_objects,
    "get_layer": work_space.get_layer,
    "list_layers": work_space.list_layers,
    "get_medium": work_space.get_medium,
    "enrol_robot": robots.enrol_robot,
    "remove_robot": robots.remove_robot,
    "enter_contest": contests.enter_contest,
    "list_entries": contests.list_entries,
    "keep_board": contests.keep_board,
    "get_board": contests.get_board,
    "list_boards": contests.list_boards,
    "set_map": work_space.set_map,
    "make_feed_key": lambda transaction, _, __: make_feed_key(transaction),
    "add_team": people.add_team,
    "set_role": people.set_role,
    "revoke_tokens": people.revoke_tokens,
    "list_people": people.list_people,
    "audit": log.read_audit,
}
OWN = {
    "hello",
    "log_in",
    "add_person",
    "locate",
    "report_position",
    "list_robots",
    "reserve",
    "release",
}
"""Operations that the service carries out itself: they need what it holds, or work that is slow on purpose."""
assert set(HANDLERS) | OWN == {operation.name for operation in OPERATIONS}

OF_THE_MAP = {name for name, handler in HANDLERS.items() if handler.__module__ == work_space.__name__}
"""Operations about the map, which a process of its own may carry out."""


MOST_HASHES = 100
"""Passwords that may wait to be hashed: some seconds of work."""


class Service:
    """Carries out operations for callers.

    `halt` is told the tag of a robot to be stopped, before all else. `elsewhere` may have an operation done by another
    process, which has the map or the robot that it is about, and answers None where it is to be done here. So may
    `floor_elsewhere` for what is booked. `heard` is where robots are that talk with this process.
    """

    def __init__(self, store: Store, name: str = "kumi", halt: Callable[[str], None] | None = None) -> None:
        self.store = store
        self.name = name
        self._said = Station(name=name, interface=INTERFACE, version=VERSION)
        self.halt = halt or (lambda _: None)
        self.presence: Presence | None = None
        self.elsewhere: Callable[[Request[Any], Caller], Awaitable[Record | None]] | None = None
        self.floor_elsewhere: Callable[[FloorNews], Awaitable[FloorNews | None]] | None = None
        self.positioning = Positioning()
        self.heard: dict[str, Heard] = {}
        self.known = Known(store)
        self.floor = FloorKeeper()
        self.secret = store.write(station_secret).result()
        self._signer = Signer(self.secret)
        self._slow = asyncio.Semaphore(2)  # hashing takes a core for a while: not more than two at a time
        self._hashes = 0
        self._attempts = Attempts()
        self.news = News()
        store.listen(self.floor.on_commit)
        store.listen(self.news.on_commit)
        self._own: dict[str, Callable[[Operation, Any, Caller], Awaitable[Record]]] = {
            "log_in": self._log_in,
            "add_person": self._add_person,
            "report_position": self._report_position,
            "list_robots": self._list_robots,
            "locate": self._locate,
            "reserve": self._reserve,
            "release": self._release,
        }

    def caller(self, token: str | None) -> Caller:
        """Return who a token belongs to; refuse one that is worthless."""
        if not token:
            return NOBODY
        return self.known.caller(token) or self.known.learn_caller(token, lambda: self._looked_up(token))

    def _looked_up(self, token: str) -> Caller:
        with self.store.reading() as transaction:
            return caller_of(transaction, self._signer, token)

    async def call(self, request: Request[A], caller: Caller, *, here: bool = False) -> A:
        """Carry out an operation, `here` or where it belongs; the answer comes when it is on disk."""
        operation = BY_REQUEST[type(request)]
        if isinstance(request, Hello):
            return cast("A", self._said)
        found = None
        if self.elsewhere is not None and not here:
            found = await self.elsewhere(request, caller)
        answer = found if found is not None else await self._done_here(operation, request, caller)
        if self.presence is not None and caller.kind is Kind.ROBOT:
            if isinstance(request, Disconnect):
                self.presence.leave(caller.name)
            else:
                self.presence.hear(caller.name)
        return cast("A", answer)

    async def booked(self, known: FloorNews) -> FloorNews:
        """Return what robots have booked that is not known yet, from whichever process keeps the floor."""
        found = None if self.floor_elsewhere is None else await self.floor_elsewhere(known)
        return self.floor.booked_since(self.store.process, known) if found is None else found

    async def _done_here(self, operation: Operation, request: Record, caller: Caller) -> Record:
        try:
            return await self._carried_out(operation, request, caller)
        except Refused as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                sentence = refused.sentence
                await self._write(lambda it: log.write_down(it, operation, request, caller, sentence))
            raise

    async def _carried_out(self, operation: Operation, request: Record, caller: Caller) -> Record:
        reason = why_not(operation, caller)
        if reason is not None:
            raise Refused(Reason.NOT_KNOWN if caller.kind is Kind.NOBODY else Reason.FORBIDDEN, reason)
        own = self._own.get(operation.name)
        if own is not None:
            return await own(operation, request, caller)
        if isinstance(request, Welcome) and request.pose is not None:
            self.positioning.begin(caller.name, request.pose)
        if isinstance(request, Stop):
            self._halt(request, caller)
        handler = HANDLERS[operation.name]

        def work(transaction: Transaction) -> Record:
            check_owner(transaction, request, caller)
            return handler(transaction, caller, request)

        if operation.changes:
            return await self._audited(operation, request, caller, work)
        if isinstance(request, Events | DoneNotices) and request.wait > 0.0:
            return await self._noted(operation, request, caller, await self._awaited(request, caller, work))
        return await self._noted(operation, request, caller, await asyncio.to_thread(self._read, work))

    async def _awaited(
        self, request: Events | DoneNotices, caller: Caller, work: Callable[[Transaction], Record]
    ) -> Record:
        """Read when there is something to read, or when the caller waits no more."""
        with self.news.expected(request, caller) as waiter:
            while True:
                answer = cast("Happenings | Notices", await asyncio.to_thread(self._read, work))
                if answer.last != request.after or not await waiter.has_news():
                    return answer

    async def _log_in(self, operation: Operation, request: LogIn, caller: Caller) -> Record:
        self._attempts.begin(request.name)
        async with self._hashing():
            await asyncio.to_thread(people.check_password, self.store, request)
        self._attempts.succeed(request.name)
        return await self._audited(
            operation, request, caller, lambda it: people.log_in(it, self._signer, request)
        )

    async def _add_person(self, operation: Operation, request: AddPerson, caller: Caller) -> Record:
        async with self._hashing():
            password = await asyncio.to_thread(people.hash_password, request)
        return await self._audited(
            operation, request, caller, lambda it: people.add_person(it, password, request)
        )

    async def _report_position(self, operation: Operation, request: ReportPosition, caller: Caller) -> Record:
        corrected = self.positioning.report(caller.name, request.pose)
        return await self._audited(
            operation,
            request,
            caller,
            lambda it: robots.report_position(it, caller, corrected, request.values),
        )

    async def _list_robots(self, operation: Operation, request: ListRobots, caller: Caller) -> Record:
        return await self._noted(operation, request, caller, await self.known.robots())

    async def _locate(self, _: Operation, request: Locate, __: Caller) -> Record:
        self.known.robot(request.robot)  # or it is refused
        fix = Fix(request.at.x, request.at.y, request.heading, request.error)
        self.positioning.tell(request.robot, fix)
        return Done()

    async def _reserve(self, _: Operation, request: Reserve, caller: Caller) -> Record:
        return reserve(self.floor, request, caller.name, (await self.known.robots()).robots)

    async def _release(self, _: Operation, request: Release, caller: Caller) -> Record:
        return release(self.floor, request, caller.name)

    @asynccontextmanager
    async def _hashing(self) -> AsyncIterator[None]:
        """Wait for a turn to hash a password; refuse where too many wait."""
        if self._hashes >= MOST_HASHES:
            raise Refused(Reason.TOO_MANY, "too many log in at once; try again soon")
        self._hashes += 1
        try:
            async with self._slow:
                yield
        finally:
            self._hashes -= 1

    def _halt(self, request: Stop, caller: Caller) -> None:
        """Halt a robot before anything is read or written, if it is known whose it is: a stop waits for nothing else."""
        check_team(self.known.robot(request.robot).team, caller, f"robot '{request.robot}'")
        self.halt(request.robot)

    async def _noted(self, operation: Operation, request: Record, caller: Caller, answer: Record) -> Record:
        """Return an answer when it is written down that it was asked for."""
        await self._write(lambda it: log.write_down(it, operation, request, caller, "done"))
        return answer

    def _read(self, work: Callable[[Transaction], Record]) -> Record:
        with self.store.reading() as transaction:
            return work(transaction)

    async def _audited(
        self,
        operation: Operation,
        request: Record,
        caller: Caller,
        work: Callable[[Transaction], Record],
    ) -> Record:
        def both(transaction: Transaction) -> Record:
            answer = work(transaction)
            log.write_down(transaction, operation, request, caller, "done")
            return answer

        return await self._write(both)

    async def _write(self, work: Callable[[Transaction], T]) -> T:
        return await asyncio.wrap_future(self.store.write(work))
