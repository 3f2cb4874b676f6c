"""A carrier over Eclipse Zenoh: each process of a station is a router, robots are clients, in a star around each.

A robot has a session with each process that it knows of, so it can go to another at once when one dies. What it says goes to
the one where its last call under that name was answered, or to all where none was.

Zenoh calls back on threads of its own; everything crosses into the asyncio loop here and nowhere else. A lease of 2 s lets a
robot that hangs be dropped soon. What may be dropped never makes anybody wait; what may not is small. A refusal is silent
in Zenoh, so each call has a time after which it counts as unanswered.

A robot finds its station by asking the local network; on a machine with nothing but a loopback, that must be asked by name.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import zenoh

from kumi.station.wire.carrier import CarrierError

LEASE_MS = 2000
PORT = 7447
SCOUT = 0.6
"""Seconds in which stations answer that there are."""
AT_ONCE = 64
"""Words that are taken in before others get their turn in the loop: about 2 ms of work."""
OTHERS = 0.2
"""Seconds in which others answer after the first."""


class ZenohCarrier:
    """A `Carrier` over sessions of Zenoh, by their endpoints."""

    def __init__(self, sessions: dict[str, zenoh.Session] | None = None) -> None:
        self._sessions = sessions or {}
        self._loop = asyncio.get_running_loop()
        self._kept: list[Any] = []
        self._answering: set[asyncio.Task[None]] = set()
        self._heard: list[tuple[str, Callable[[zenoh.Sample], None]]] = []
        self._answered_at: dict[str, zenoh.Session] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._inbox: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._is_awake = False

    @classmethod
    async def listening(cls, endpoint: str = f"tcp/127.0.0.1:{PORT}") -> ZenohCarrier:
        """Open the station's side, which robots connect to at an endpoint like tcp/0.0.0.0:7447."""
        settings = {
            "mode": '"router"',
            "listen/endpoints": json.dumps([endpoint]),
            "scouting/multicast/enabled": "true",
            "scouting/multicast/interface": '"lo"' if "127.0.0.1" in endpoint else '"auto"',
        }
        try:
            return cls({endpoint: await asyncio.to_thread(_open, settings)})
        except zenoh.ZError as error:
            raise OSError(f"cannot listen for robots at {endpoint}: {_said(error)}") from error

    @classmethod
    async def connected(cls, endpoint: str, *others: str) -> ZenohCarrier:
        """Open a robot's side: to the first endpoint that answers, and to the others when they do."""
        endpoints = (endpoint, *others)
        for number, one in enumerate(endpoints):
            try:
                carrier = cls({one: await asyncio.to_thread(_connect, one)})
            except zenoh.ZError as error:
                if number == len(endpoints) - 1:
                    tried = ", ".join(endpoints)
                    raise CarrierError(f"no station can be reached at {tried}: {_said(error)}") from error
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
            session = await asyncio.to_thread(_connect, endpoint)
        except zenoh.ZError:
            return  # it is told of again if it lives
        self._sessions[endpoint] = session
        self._kept += [session.declare_subscriber(key, _direct(heard)) for key, heard in self._heard]

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
                )
            if ways:
                await asyncio.wait_for(over.wait(), timeout + 0.5)
        except (zenoh.ZError, TimeoutError):
            pass
        if not answers:
            self._answered_at.pop(_whose(key), None)
        return answers

    def _handler(self, session: zenoh.Session, take: Callable[[zenoh.Session, bytes | None], None]) -> Any:
        def on_reply(reply: zenoh.Reply) -> None:
            if reply.ok is not None:
                self._cross(take, session, reply.ok.payload.to_bytes())

        def on_end() -> None:
            self._cross(take, session, None)

        return zenoh.handlers.Callback(on_reply, on_end, indirect=False)

    def serve(self, key: str, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on."""

        def on_query(query: zenoh.Query) -> None:
            payload = b"" if query.payload is None else query.payload.to_bytes()
            self._cross(self._begin, query, payload, answer)

        (session,) = self._sessions.values()  # who serves listens, at one endpoint
        self._kept.append(session.declare_queryable(key, _direct(on_query), complete=True))

    def _begin(self, query: Any, payload: bytes, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        async def reply() -> None:
            told = await answer(payload)
            query.reply(query.key_expr, told, express=True)
            query.drop()

        task = asyncio.ensure_future(reply())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key."""
        for session in self._ways(key):
            with suppress(zenoh.ZError):  # the session is closed: nobody hears us
                session.put(
                    key,
                    payload,
                    congestion_control=zenoh.CongestionControl.DROP
                    if may_drop
                    else zenoh.CongestionControl.BLOCK,
                    priority=zenoh.Priority.REAL_TIME if urgent else zenoh.Priority.DATA,
                    express=True,
                )

    def listen(self, key: str, heard: Callable[[str, bytes], None]) -> None:
        """Hear what is published under a key."""

        def on_sample(sample: zenoh.Sample) -> None:
            self._cross(heard, str(sample.key_expr), sample.payload.to_bytes())

        self._heard.append((key, on_sample))
        self._kept += [
            session.declare_subscriber(key, _direct(on_sample)) for session in self._sessions.values()
        ]

    def _cross(self, function: Callable[..., object], *values: object) -> None:
        """Go on in the loop, unless it has ended; the loop is woken once for all that waits."""
        self._inbox.append((function, values))
        if not self._is_awake:
            self._is_awake = True
            with suppress(RuntimeError):  # the loop was closed while Zenoh still had something to say
                self._loop.call_soon_threadsafe(self._take_in)

    def _take_in(self) -> None:
        """Go on with what waits, some at a time, so that others get their turn in the loop."""
        self._is_awake = False
        for _ in range(min(AT_ONCE, len(self._inbox))):
            function, values = self._inbox.popleft()
            function(*values)
        if self._inbox and not self._is_awake:
            self._is_awake = True
            self._loop.call_soon(self._take_in)

    async def close(self) -> None:
        """End all sessions."""
        for task in list(self._opening.values()):
            task.cancel()
        for session in self._sessions.values():
            await asyncio.to_thread(session.close)


def _direct(function: Callable[[Any], None]) -> Any:
    """Return a callback without a thread of its own: a station has one for each robot, and they only cross to the loop."""
    return zenoh.handlers.Callback(function, indirect=False)


def _whose(key: str) -> str:
    """Return the part of a key that names who serves it."""
    return key.split("/", 2)[1]


def _connect(endpoint: str) -> zenoh.Session:
    settings = {
        "mode": '"client"',
        "connect/endpoints": json.dumps([endpoint]),
        "connect/timeout_ms": "2000",
        "scouting/multicast/enabled": "false",
    }
    return _open(settings)


def _open(settings: dict[str, str]) -> zenoh.Session:
    config = zenoh.Config()
    config.insert_json5("transport/link/tx/lease", str(LEASE_MS))
    for key, value in settings.items():
        config.insert_json5(key, value)
    return zenoh.open(config)


async def find_stations() -> list[str]:
    """Return the endpoints of the stations that answer on the local network, else on this machine."""
    for interface in ("auto", "lo"):
        found = await asyncio.to_thread(_scouted, interface)
        if found:
            return found
    return [f"tcp/127.0.0.1:{PORT}"]


def _scouted(interface: str) -> list[str]:
    config = zenoh.Config()
    config.insert_json5("scouting/multicast/interface", f'"{interface}"')
    found: list[str] = []

    def on_hello(hello: zenoh.Hello) -> None:
        found.extend(locator for locator in hello.locators if locator not in found)

    handler: Any = on_hello
    scout: Any = zenoh.scout(handler, what="router", config=config)
    deadline = time.monotonic() + SCOUT
    while time.monotonic() < deadline:
        time.sleep(0.02)
        if found:
            deadline = min(deadline, time.monotonic() + OTHERS)
    scout.stop()
    return found


def _said(error: Exception) -> str:
    return str(error).split(" at ")[0].strip()
