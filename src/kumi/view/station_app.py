"""What does a gateway serve so that its station can be looked at? The page of the view, and one socket.

Nothing of the station goes over the socket until the page has proved who looks: its first word holds the token that `log_in`
gave. It is not in the address, which others may write down. While the page looks, the token is tried again every second: one that
was revoked or has expired ends the talk with the station's sentence, and another role or team shows what it may see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from kumi.station.callers import Caller
from kumi.station.operations import BY_NAME
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import Service
from kumi.view.app import converse, is_of_this_page, page_routes, say
from kumi.view.station_feed import StationFeed
from kumi.view.together import SharedWindows

LOG_IN_TIMEOUT = 10.0
"""Seconds in which a page must say who looks."""
TOKEN_PERIOD = 1.0
"""Seconds between two looks at the token."""
NOT_KNOWN, FORBIDDEN, GONE = 4401, 4403, 4000
"""Why the station ends the talk: nobody known looks, it may not, the station cannot tell."""
LONGEST_REASON = 120
"""Bytes of the sentence with which a socket is closed."""
LOOKING = BY_NAME["list_robots"]
"""The right to see positions is the right to look."""


class PageProof(msgspec.Struct, frozen=True, tag="prove", tag_field="kind"):
    """The first word of a page: who looks."""

    token: str


_PROOF = msgspec.json.Decoder(PageProof)


def station_routes(service: Service) -> Sequence[BaseRoute]:
    """Return what shows a station: the page, what it is about, and the socket with all else."""
    feed = StationFeed(service)
    together = SharedWindows(0.0, is_live=True)

    async def endpoint(socket: WebSocket) -> None:
        if not is_of_this_page(socket, None):
            await socket.close(FORBIDDEN)
            return
        await socket.accept()
        try:
            await _show(socket, service, feed, together)
        except Refused as refused:
            code = {Reason.NOT_KNOWN: NOT_KNOWN, Reason.FORBIDDEN: FORBIDDEN}.get(refused.reason, GONE)
            await socket.close(code, _short(refused.sentence))
        except WebSocketDisconnect:
            pass  # the page went before it said who looks

    return [*page_routes(feed.description), WebSocketRoute("/feed", endpoint)]


async def _show(socket: WebSocket, service: Service, feed: StationFeed, together: SharedWindows) -> None:
    token = await _token(socket)
    while True:
        caller = await _looker(service, token)
        told = {"name": caller.name, "team": caller.team, "role": caller.role and caller.role.title}
        await say(socket, {"kind": "known", **told})
        change = asyncio.ensure_future(_change(service, token, caller))
        try:
            await converse(socket, feed.channel(caller), together, _until(change))
        finally:
            change.cancel()
        if not change.done() or change.cancelled():
            return
        change.result()


async def _token(socket: WebSocket) -> str:
    try:
        async with asyncio.timeout(LOG_IN_TIMEOUT):
            return _PROOF.decode(await socket.receive_text()).token
    except TimeoutError:
        raise Refused(Reason.NOT_KNOWN, "the page did not say who looks; log in") from None
    except (msgspec.DecodeError, KeyError):
        raise Refused(Reason.NOT_KNOWN, "the first word of a page says who looks; log in") from None


async def _looker(service: Service, token: str) -> Caller:
    """Return who looks; refuse whoever may not."""
    caller = await asyncio.to_thread(service.known.caller, token)
    reason = LOOKING.why_not(caller)
    if reason is not None:
        raise Refused(Reason.NOT_KNOWN, reason)
    return caller


async def _change(service: Service, token: str, known: Caller) -> None:
    """End when somebody has other rights than before; Refused where they may look no more."""
    while True:
        await asyncio.sleep(TOKEN_PERIOD)
        try:
            if await _looker(service, token) != known:
                return
        except Refused as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                raise


async def _until(change: asyncio.Future[None]) -> None:
    await asyncio.wait([change])


def _short(sentence: str) -> str:
    return sentence.encode()[:LONGEST_REASON].decode(errors="ignore")
