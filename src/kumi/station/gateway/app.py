"""How does the world outside call a station? By HTTP: one address an operation, all from one list.

`POST /v1/give_task` with a JSON object carries out the operation of that name. The token goes into the header
`Authorization: Bearer …`. An answer is a JSON object; a refusal is one, too, with `error` (a sentence) and `reason` (a
word), and the status that HTTP has for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from kumi.station.callers import Caller
from kumi.station.gateway.description import description, page
from kumi.station.gateway.xmlrpc import door_endpoint
from kumi.station.operation import LARGEST_FILE, Operation, Request
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import StoreFile
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import Service
from kumi.station.wording import complaint

LARGEST_REQUEST = 4 * 1024 * 1024
"""Bytes of a request without a file."""
WITH_FILE = LARGEST_REQUEST + LARGEST_FILE * 3 // 2
"""Bytes of a request with a file, which travels as base64."""


def application(service: Service, more: Sequence[BaseRoute] = ()) -> Starlette:
    """Return the web application of a station, with `more` that it serves besides."""
    routes: list[BaseRoute] = [
        Route(f"/v1/{one.name}", _endpoint(service, one), methods=["POST"]) for one in OPERATIONS
    ]
    described = _json(description())
    routes += [
        Route(
            "/RPC2", door_endpoint(service, lambda http: _body(http, WITH_FILE), from_where), methods=["POST"]
        ),
        Route("/openapi.json", _constant(described)),
        Route("/api", _constant(HTMLResponse(page()))),
        *more,
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _on_http_error})


def _endpoint(service: Service, operation: Operation) -> Callable[[HttpRequest], Awaitable[Response]]:
    decoder = msgspec.json.Decoder(operation.request)
    limit = WITH_FILE if operation.request is StoreFile else LARGEST_REQUEST

    async def endpoint(http: HttpRequest) -> Response:
        try:
            caller = await service.known.calling(_token(http), is_urgent=operation.is_urgent)
            caller = from_where(http, caller)
            most = limit if operation.why_not(caller) is None else LARGEST_REQUEST
            request: Request[Any] = _decoded(decoder, await _body(http, most))
            return _json(await service.call(request, caller))
        except Refused as refused:
            return _refusal(refused)

    return endpoint


def _constant(response: Response) -> Callable[[HttpRequest], Awaitable[Response]]:
    async def endpoint(_: HttpRequest) -> Response:
        return response

    return endpoint


def from_where(http: HttpRequest, caller: Caller) -> Caller:
    """Return a caller with the address that the call came from."""
    return caller if http.client is None else replace(caller, address=http.client.host)


def _token(http: HttpRequest) -> str | None:
    header = http.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(Reason.NOT_KNOWN, "the header 'Authorization' takes 'Bearer' and a token")
    return token.strip()


async def _body(http: HttpRequest, limit: int) -> bytes:
    parts, size = [], 0
    try:
        async for part in http.stream():
            size += len(part)
            if size > limit:
                raise Refused(Reason.TOO_LARGE, f"this request is larger than the {limit} bytes allowed")
            parts.append(part)
    except ClientDisconnect:
        raise Refused(Reason.INVALID, "the connection ended before the request did") from None
    return b"".join(parts)


def _decoded(decoder: msgspec.json.Decoder[Request[Any]], body: bytes) -> Request[Any]:
    try:
        return decoder.decode(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(Reason.INVALID, f"this is not what the operation takes: {complaint(error)}") from None


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _refusal(refused: Refused) -> Response:
    said = {"error": refused.sentence, "reason": refused.reason.name.lower()}
    response = _json(said, refused.reason.value)
    if refused.reason is Reason.NOT_KNOWN:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _on_http_error(http: HttpRequest, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {
        404: f"there is nothing at {http.url.path}; /api lists what there is",
        405: f"{http.url.path} does not take {http.method}",
    }.get(error.status_code, error.detail)
    response = _json({"error": said, "reason": "unknown"}, error.status_code)
    response.headers.update(error.headers or {})
    return response
