"""Who may do something to a run from the page, and how is it answered?

The holder of the server's key, which is in the address that the command prints, may act; all others may look. Each
answer that is no is one sentence of plain text. What is asked is read before the run hears of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from kumi.control.actions import KINDS, read_action

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kumi.control import LiveActions

MOST_BYTES = 8 << 20
"""Bytes of an action; a map may be long."""
OBSERVER = "You may look, but not act: use the address with the key that kumi printed."
WRONG = (
    "The key in your address is not, or no longer, that of this run: open the address that kumi printed last."
)
NO_ACTIONS = "Nothing can be done here: this run was recorded."


def action_endpoint(
    acting: LiveActions | None, key: str | None, headers: Mapping[str, str]
) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers to an action."""

    def no(sentence: str, status: int) -> Response:
        return PlainTextResponse(sentence, status, headers=headers)

    async def endpoint(request: Request) -> Response:
        from kumi.control import ActionRefused

        if acting is None or key is None:
            return no(NO_ACTIONS, 409)
        if (refusal := refusal_of(request.headers.get("authorization"), key)) is not None:
            return no(refusal, 403)
        name = request.path_params["name"]
        if name not in KINDS:
            return no(f"A run knows no action {name!r}; it knows {', '.join(KINDS)}.", 404)
        body = await whole_body(request)
        if body is None:
            return no(f"That is too long: an action has at most {MOST_BYTES >> 20} MB.", 413)
        try:
            action = read_action(name, body)
        except ValueError as error:
            return no(f"{error}.", 400)
        try:
            came = await asyncio.to_thread(acting.ask, action)
        except ActionRefused as error:
            return no(str(error), 409)
        return Response(msgspec.json.encode(came), media_type="application/json", headers=dict(headers))

    return endpoint


def rights_endpoint(
    acting: LiveActions | None, key: str | None, headers: Mapping[str, str]
) -> Callable[[Request], Awaitable[Response]]:
    """Return what tells a page why its person may not act; an empty sentence where they may."""

    async def endpoint(request: Request) -> Response:
        if acting is None or key is None:
            why: str | None = NO_ACTIONS
        else:
            why = refusal_of(request.headers.get("authorization"), key)
        body = msgspec.json.encode({"why": why or ""})
        return Response(body, media_type="application/json", headers=dict(headers))

    return endpoint


def refusal_of(given: str | None, key: str) -> str | None:
    """Return why somebody may not act; None where they may."""
    if given is None:
        return OBSERVER
    kind, _, shown = given.partition(" ")
    if kind.lower() != "bearer" or not compare_digest(shown.encode(), key.encode()):
        return WRONG
    return None


async def whole_body(request: Request) -> bytes | None:
    """Return all that was sent; None where that is too long."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)
