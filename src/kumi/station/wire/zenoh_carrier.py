"""A carrier over Eclipse Zenoh: each process of a station is a router, robots are clients, in a star around each.

A robot has a session with each process that it knows of, so it can go to another at once when one dies. What it says goes to
the one where its last call under that name was answered, or to all where none was.

Zenoh calls back on threads of its own, and each such call waits for Python's lock. Where words come thick, Zenoh keeps them in
a ring instead, and the loop takes them out many at a time: nobody waits for a lock, and when too many come the oldest go.

Threads put down what is to be done in the loop, and wake it once for all that waits; some is done at a time, so that others get
their turn. The loop never waits for a network. What may be dropped, and what is urgent, goes out at once or not at all; what must arrive is
sent by a thread of its own. A refusal is silent in Zenoh, so each call has a time after which it counts as unanswered.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import zenoh

from kumi.station.wire.carrier import CarrierError, Hearing
from kumi.station.wire.zenoh_opening import OTHERS, PORT, open_client, open_router, said

WORDS_PER_TURN = 64
"""Words that are taken in before others get their turn in the loop: about 2 ms of work."""
BURST_PERIOD = 0.01
"""Seconds between two looks at words that come thick, while they come."""
SELDOM = 0.05
"""Seconds between two looks while none come."""
RING = 16_384
"""Words that wait to be taken out: 1.6 s of a thousand robots at 10 Hz."""
ELSEWHERE = zenoh.Locality.REMOTE
"""Nobody talks to itself: Zenoh would compare each word with all that is listened to here, one robot after the other."""


class LoopInbox:
    """What threads want done in a loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._is_awake = False

    def put(self, function: Callable[..., object], *values: object) -> None:
        """Go on in the loop, unless it has ended."""
        self._waiting.append((function, values))
        if not self._is_awake:
            self._is_awake = True
            with suppress(RuntimeError):  # the loop was closed while others still had something to say
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._is_awake = False
        for _ in range(min(WORDS_PER_TURN, len(self._waiting))):
            function, values = self._waiting.popleft()
            function(*values)
        if self._waiting and not self._is_awake:
            self._is_awake = True
            self._loop.call_soon(self._take)


class Outbox:
    """What a loop wants sent, however long that takes; in the order of being put."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send, name="outbox", daemon=True)
        self._thread.start()

    def put(self, send: Callable[[], object]) -> None:
        """Send this after all that waits."""
        self._waiting.put(send)

    def close(self) -> None:
        """Send what waits, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _send(self) -> None:
        while (send := self._waiting.get()) is not None:
            send()


class ZenohCarrier:
    """A `Carrier` over sessions of Zenoh, by their endpoints."""

    def __init__(self, sessions: dict[str, zenoh.Session] | None = None) -> None:
        self._sessions = sessions or {}
        self._loop = asyncio.get_running_loop()
        self._kept: list[Any] = []
        self._answering: set[asyncio.Task[None]] = set()
        self._heard: dict[str, list[Hearing]] = {}
        self._rings: list[tuple[str, Hearing]] = []
        self._looks: list[asyncio.TimerHandle] = []
        self._answered_at: dict[str, zenoh.Session] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._inbox = LoopInbox(self._loop)
        self._outbox = Outbox()

    @classmethod
    async def listening(cls, endpoint: str = f"tcp/127.0.0.1:{PORT}") -> ZenohCarrier:
        """Open the station's side, which robots connect to at an endpoint like tcp/0.0.0.0:7447."""
        try:
            return cls({endpoint: await asyncio.to_thread(open_router, endpoint)})
        except zenoh.ZError as error:
            raise OSError(f"cannot listen for robots at {endpoint}: {said(error)}") from error

    @classmethod
    async def connected(cls, endpoint: str, *others: str) -> ZenohCarrier:
        """Open a robot's side: to the first endpoint that answers, and to the others when they do."""
        endpoints = (endpoint, *others)
        for number, one in enumerate(endpoints):
            try:
                carrier = cls({one: await asyncio.to_thread(open_client, one)})
            except zenoh.ZError as error:
                if number == len(endpoints) - 1:
                    tried = ", ".join(endpoints)
                    raise CarrierError(f"no station can be reached at {tried}: {said(error)}") from error
            else:
                carrier.know(endpoints)
                return carrier
        raise AssertionError

    def know(self, endpoints: tuple[str, ...]) -> None:
        """Have a session with each of these, too, as soon as it answers."""
        for endpoint in endpoints:
            if endpoint not in self._sessions and endpoint not in self._opening:
                task = self._loop.create_task(self._add(endpoint))
                self._opening[endpoint] = task
                task.add_done_callback(lambda _, endpoint=endpoint: self._opening.pop(endpoint, None))  # type: ignore[misc]

    async def _add(self, endpoint: str) -> None:
        try:
            session = await asyncio.to_thread(open_client, endpoint)
        except zenoh.ZError:
            return  # it is told of again if it lives
        self._sessions[endpoint] = session
        for key in self._heard:
            self._subscribe(session, key)
        for key, heard in self._rings:
            self._subscribe_thick(session, key, heard)

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key; the first answer counts."""
        answers = await self._get(key, payload, timeout, most=1)
        if not answers:
            raise CarrierError(f"nobody answered at {key} within {timeout:g} s")
        return answers[0]

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key."""
        return await self._get(key, payload, timeout, most=None)

    def _ways(self, key: str) -> list[zenoh.Session]:
        known = self._answered_at.get(_whose(key))
        return list(self._sessions.values()) if known is None else [known]

    async def _get(self, key: str, payload: bytes, timeout: float, most: int | None) -> list[bytes]:
        answers: list[bytes] = []
        over = asyncio.Event()
        ways = self._ways(key)
        open_ways = len(ways)

        def take(session: zenoh.Session, answer: bytes | None) -> None:
            nonlocal open_ways
            if answer is None:
                open_ways -= 1
            else:
                answers.append(answer)
                if most == 1:
                    self._answered_at[_whose(key)] = session
                else:
                    self._loop.call_later(OTHERS, over.set)
            if open_ways == 0 or len(answers) == most:
                over.set()

        try:
            for session in ways:
                session.get(
                    key,
                    self._handler(session, take),
                    target=zenoh.QueryTarget.ALL,
                    timeout=timeout,
                    payload=payload,
                    consolidation=zenoh.ConsolidationMode.NONE,
                    express=True,
                    allowed_destination=ELSEWHERE,
                )
            if ways:
                async with asyncio.timeout(timeout + 0.5):
                    await over.wait()
        except (zenoh.ZError, TimeoutError):
            pass
        if not answers:
            self._answered_at.pop(_whose(key), None)
        return answers

    def _handler(self, session: zenoh.Session, take: Callable[[zenoh.Session, bytes | None], None]) -> Any:
        def on_reply(reply: zenoh.Reply) -> None:
            if reply.ok is not None:
                self._inbox.put(take, session, reply.ok.payload.to_bytes())

        def on_end() -> None:
            self._inbox.put(take, session, None)

        return zenoh.handlers.Callback(on_reply, on_end, indirect=False)

    def serve(self, key: str, answer: Callable[[str, bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on."""

        def on_query(query: zenoh.Query) -> None:
            payload = b"" if query.payload is None else query.payload.to_bytes()
            self._inbox.put(self._begin, query, payload, answer)

        (session,) = self._sessions.values()  # who serves listens, at one endpoint
        self._kept.append(session.declare_queryable(key, _direct(on_query), complete=True))

    def _begin(
        self, query: zenoh.Query, payload: bytes, answer: Callable[[str, bytes], Awaitable[bytes]]
    ) -> None:
        async def reply() -> None:
            told = await answer(str(query.key_expr), payload)
            self._outbox.put(partial(_reply, query, told))

        task = asyncio.ensure_future(reply())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key."""
        for session in self._ways(key):
            if may_drop or urgent:
                _put(session, key, payload, may_drop=True, urgent=urgent)
            else:
                self._outbox.put(partial(_put, session, key, payload, may_drop=False, urgent=False))

    def listen(self, key: str, heard: Hearing, *, thick: bool = False) -> None:
        """Hear what is published under a key."""
        if thick:
            self._rings.append((key, heard))
            for session in self._sessions.values():
                self._subscribe_thick(session, key, heard)
        elif key in self._heard:
            self._heard[key].append(heard)
        else:
            self._heard[key] = [heard]
            for session in self._sessions.values():
                self._subscribe(session, key)

    def _subscribe(self, session: zenoh.Session, key: str) -> None:
        def on_sample(sample: zenoh.Sample) -> None:
            self._inbox.put(self._tell, key, str(sample.key_expr), sample.payload.to_bytes())

        self._kept.append(session.declare_subscriber(key, _direct(on_sample)))

    def _tell(self, key: str, found: str, payload: bytes) -> None:
        for heard in list(self._heard[key]):
            heard(found, payload)

    def _subscribe_thick(self, session: zenoh.Session, key: str, heard: Hearing) -> None:
        ring = session.declare_subscriber(key, zenoh.handlers.RingChannel(RING))
        number = len(self._looks)

        def look() -> None:
            for taken in range(WORDS_PER_TURN):
                sample = ring.try_recv()
                if sample is None:
                    self._looks[number] = self._loop.call_later(BURST_PERIOD if taken else SELDOM, look)
                    return
                heard(str(sample.key_expr), sample.payload.to_bytes())
            self._looks[number] = self._loop.call_later(0.0, look)

        self._looks.append(self._loop.call_later(0.0, look))

    async def close(self) -> None:
        """End all sessions."""
        for task in list(self._opening.values()):
            task.cancel()
        for look in self._looks:
            look.cancel()
        await asyncio.to_thread(self._outbox.close)
        for session in self._sessions.values():
            await asyncio.to_thread(session.close)


def _put(session: zenoh.Session, key: str, payload: bytes, *, may_drop: bool, urgent: bool) -> None:
    with suppress(zenoh.ZError):  # the session is closed: nobody hears us
        session.put(
            key,
            payload,
            congestion_control=zenoh.CongestionControl.DROP if may_drop else zenoh.CongestionControl.BLOCK,
            priority=zenoh.Priority.REAL_TIME if urgent else zenoh.Priority.DATA,
            express=urgent or not may_drop,
            allowed_destination=ELSEWHERE,
        )


def _reply(query: Any, told: bytes) -> None:
    with suppress(zenoh.ZError):  # who asked is gone
        query.reply(query.key_expr, told, express=True)
    query.drop()


def _direct(function: Callable[[Any], None]) -> Any:
    """Return a callback without a thread of its own: it only puts what it hears into the inbox."""
    return zenoh.handlers.Callback(function, indirect=False)


def _whose(key: str) -> str:
    """Return the part of a key that names who serves it."""
    return key.split("/", 2)[1]
