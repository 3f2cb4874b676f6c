"""What does the server of the page answer? The page itself, what the run is, its chunks, and one socket.

Over the socket goes what comes by itself: pieces of a live run as binary messages, and as text how far it has got, the
server's clock, what is done to it by hand, and what other windows of the same wall have set. Only the page itself may
open it. What a person does comes as requests of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from kumi.installation import PAGE
from kumi.recording import RunFileError
from kumi.recording.description import Description
from kumi.view.actions import action_endpoint, rights_endpoint
from kumi.view.feed import Feed
from kumi.view.together import Setting, SharedWindows

FILES = {"": "index.html", "index.html": "index.html", "page.js": "page.js", "page.css": "page.css"}
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
FRAME_PERIOD = 1 / 30
"""Seconds between two messages of a live run."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "media-src blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class ClockPing(msgspec.Struct, frozen=True, tag="ping", tag_field="kind"):
    """A page asks for the server's clock."""

    sent: float


_WORDS = msgspec.json.Decoder(ClockPing | Setting)


def application(feed: Feed, hosts: frozenset[str] | None = None, key: str | None = None) -> Starlette:
    """Return the web application that shows a run. With `hosts`, it answers only to those names of itself.

    The holder of the `key` may act on a run that can be acted on.
    """
    together = SharedWindows(feed.description.start, is_live=feed.description.is_live)
    routes: list[Route | WebSocketRoute] = [
        *page_routes(feed.description),
        Route("/chunk/{number:int}", _chunk(feed)),
        Route("/action/{name}", action_endpoint(feed.acting, key, HEADERS), methods=["POST"]),
        Route("/rights", rights_endpoint(feed.acting, key, HEADERS)),
        WebSocketRoute("/feed", _socket(feed, together, hosts)),
    ]
    return Starlette(routes=[guarded(route, hosts) for route in routes])


def page_routes(description: Description) -> list[Route]:
    """Return what every page needs: its files, and the description of what it shows."""
    files = [Route(f"/{path}", file(PAGE / name)) for path, name in FILES.items()]
    return [*files, Route("/run", constant(msgspec.json.encode(description)))]


def guarded(route: Route | WebSocketRoute, hosts: frozenset[str] | None) -> Route | WebSocketRoute:
    """Let a route answer only to names of this server: a page from elsewhere may have another name for it."""
    if isinstance(route, WebSocketRoute) or hosts is None:
        return route
    inside: Callable[[Request], Awaitable[Response]] = route.endpoint

    async def endpoint(request: Request) -> Response:
        if request.url.hostname not in hosts:
            raise HTTPException(421, "this server goes by another name")
        return await inside(request)

    return Route(route.path, endpoint, methods=list(route.methods or ()))


def file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers with a file."""

    async def endpoint(_: Request) -> Response:
        if not path.exists():
            return PlainTextResponse("This file of the page is missing.", 404, headers=HEADERS)
        return Response(path.read_bytes(), media_type=TYPES[path.suffix], headers=HEADERS)

    return endpoint


def constant(body: bytes) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers with the same JSON always."""

    async def endpoint(_: Request) -> Response:
        return Response(body, media_type="application/json", headers=HEADERS)

    return endpoint


def _chunk(feed: Feed) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            chunk = await asyncio.to_thread(feed.chunk, request.path_params["number"])
        except IndexError:
            return PlainTextResponse("There is no such chunk.", 404, headers=HEADERS)
        except (RunFileError, OSError) as error:
            return PlainTextResponse(f"{error}.", 410, headers=HEADERS)
        return Response(chunk, media_type="application/octet-stream", headers=HEADERS)

    return endpoint


def _socket(
    feed: Feed, together: SharedWindows, hosts: frozenset[str] | None
) -> Callable[[WebSocket], Awaitable[None]]:
    async def endpoint(socket: WebSocket) -> None:
        if not is_of_this_page(socket, hosts):
            await socket.close(4403)
            return
        await socket.accept()
        await converse(socket, feed, together)

    return endpoint


async def converse(
    socket: WebSocket, feed: Feed, together: SharedWindows, beside: Coroutine[Any, Any, None] | None = None
) -> None:
    """Talk with a page until it goes, or until what goes on `beside` ends."""
    queue = together.join() if "together" in socket.query_params else None
    jobs = [asyncio.create_task(_listen(socket, together, queue))]
    if beside is not None:
        jobs.append(asyncio.create_task(beside))
    if queue is not None:
        jobs.append(asyncio.create_task(_pass_on(socket, queue)))
    if (clock := feed.clock()) is not None:
        jobs.append(asyncio.create_task(_send(socket, feed, clock)))
    try:
        done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        for job in done:
            if not isinstance(job.exception(), WebSocketDisconnect | None):
                await job
    finally:
        for job in jobs:
            job.cancel()
        if queue is not None:
            together.leave(queue)


def is_of_this_page(socket: WebSocket, hosts: frozenset[str] | None) -> bool:
    """Tell whether the page that opens a socket came from this server; a program without a page may."""
    origin = socket.headers.get("origin")
    if hosts is not None and socket.url.hostname not in hosts:
        return False
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


async def _listen(socket: WebSocket, together: SharedWindows, queue: asyncio.Queue[bytes] | None) -> None:
    while True:
        try:
            word = _WORDS.decode(await socket.receive_text())
        except (msgspec.DecodeError, KeyError):
            await socket.close(1003, "not understood")
            return
        if isinstance(word, ClockPing):
            await say(socket, {"kind": "pong", "sent": word.sent, "stamp": monotonic()})
        elif queue is not None:
            together.set(word, queue)


async def _pass_on(socket: WebSocket, queue: asyncio.Queue[bytes]) -> None:
    while True:
        await socket.send_text((await queue.get()).decode())


async def _send(socket: WebSocket, feed: Feed, clock: Mapping[str, object]) -> None:
    """Send what is new again and again; a page that reads slowly is waited for, and what it misses is left out."""
    viewer = feed.join()
    assert viewer is not None
    told: Mapping[str, object] | None = None
    done: Mapping[str, object] | None = None
    try:
        while True:
            # Taken before the pieces, so that all up to it is among them.
            clock = feed.clock() or clock
            for piece in viewer.take():
                if isinstance(piece, str):
                    await socket.send_text(piece)
                else:
                    await socket.send_bytes(piece)
            if clock != told:
                await say(socket, {"kind": "clock", **clock})
                told = clock
            if feed.acting is not None and feed.acting.state is not done:
                done = feed.acting.state
                await say(socket, {"kind": "acting", **done})
            await asyncio.sleep(FRAME_PERIOD)
    finally:
        viewer.close()


async def say(socket: WebSocket, word: Mapping[str, object]) -> None:
    """Tell a page something as text."""
    await socket.send_text(msgspec.json.encode(word).decode())
