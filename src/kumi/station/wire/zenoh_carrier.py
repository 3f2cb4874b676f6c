"""A carrier over Eclipse Zenoh: the station is a router, robots are its clients, in a star.

Zenoh calls back on threads of its own; everything crosses into the asyncio loop here and nowhere else. A lease of 2 s lets a
robot that hangs be dropped soon. What may be dropped never makes anybody wait; what may not is small. A refusal is silent
in Zenoh, so each call has a time after which it counts as unanswered.

A robot finds its station by asking the local network; on a machine with nothing but a loopback, that must be asked by name.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import zenoh

from kumi.station.wire.carrier import CarrierError

LEASE_MS = 2000
PORT = 7447
SCOUT = 0.6
"""Seconds in which stations answer that there are."""


class ZenohCarrier:
    """A `Carrier` over a session of Zenoh."""

    def __init__(self, session: zenoh.Session) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._kept: list[Any] = []
        self._answering: set[asyncio.Task[None]] = set()

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
            return cls(await asyncio.to_thread(_open, settings))
        except zenoh.ZError as error:
            raise OSError(f"cannot listen for robots at {endpoint}: {_said(error)}") from error

    @classmethod
    async def connected(cls, endpoint: str) -> ZenohCarrier:
        """Open a robot's side."""
        settings = {
            "mode": '"client"',
            "connect/endpoints": json.dumps([endpoint]),
            "connect/timeout_ms": "2000",
            "scouting/multicast/enabled": "false",
        }
        try:
            return cls(await asyncio.to_thread(_open, settings))
        except zenoh.ZError as error:
            raise CarrierError(f"no station can be reached at {endpoint}: {_said(error)}") from error

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key; the first answer counts."""
        answers = await self._get(key, payload, timeout, most=1)
        if not answers:
            raise CarrierError(f"nobody answered at {key} within {timeout:g} s")
        return answers[0]

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key."""
        return await self._get(key, payload, timeout, most=None)

    async def _get(self, key: str, payload: bytes, timeout: float, most: int | None) -> list[bytes]:
        answers: list[bytes] = []
        over = asyncio.Event()

        def take(answer: bytes | None) -> None:
            if answer is not None:
                answers.append(answer)
            if answer is None or len(answers) == most:
                over.set()

        def on_reply(reply: zenoh.Reply) -> None:
            if reply.ok is not None:
                self._cross(take, reply.ok.payload.to_bytes())

        def on_end() -> None:
            self._cross(take, None)

        target = zenoh.QueryTarget.ALL
        handler = zenoh.handlers.Callback(on_reply, on_end)
        try:
            self._session.get(
                key,
                handler,
                target=target,
                timeout=timeout,
                payload=payload,
                consolidation=zenoh.ConsolidationMode.NONE,
                express=True,
            )
            await asyncio.wait_for(over.wait(), timeout + 0.5)
        except (zenoh.ZError, TimeoutError):
            return answers
        return answers

    def serve(self, key: str, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on."""

        def on_query(query: zenoh.Query) -> None:
            payload = b"" if query.payload is None else query.payload.to_bytes()
            self._cross(self._begin, query, payload, answer)

        self._kept.append(self._session.declare_queryable(key, on_query, complete=True))

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
        self._session.put(
            key,
            payload,
            congestion_control=zenoh.CongestionControl.DROP if may_drop else zenoh.CongestionControl.BLOCK,
            priority=zenoh.Priority.REAL_TIME if urgent else zenoh.Priority.DATA,
            express=True,
        )

    def listen(self, key: str, heard: Callable[[str, bytes], None]) -> None:
        """Hear what is published under a key."""

        def on_sample(sample: zenoh.Sample) -> None:
            self._cross(heard, str(sample.key_expr), sample.payload.to_bytes())

        self._kept.append(self._session.declare_subscriber(key, on_sample))

    def _cross(self, function: Callable[..., object], *values: object) -> None:
        """Go on in the loop, unless it has ended."""
        with suppress(RuntimeError):  # the loop was closed while Zenoh still had something to say
            self._loop.call_soon_threadsafe(function, *values)

    async def close(self) -> None:
        """End the session."""
        await asyncio.to_thread(self._session.close)


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
    while not found and time.monotonic() < deadline:
        time.sleep(0.02)
    scout.stop()
    return found


def _said(error: Exception) -> str:
    return str(error).split(" at ")[0].strip()
