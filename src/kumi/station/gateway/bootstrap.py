"""How does a bare machine get a robot's part from the station, and know that it is the station's?

`GET /robot.py` answers a single file that needs nothing but Python, of the interface version that the station speaks. With
`?robot=TAG` the header `Kumi-Signature` is an HMAC of the file by the hash of that robot's key, which only the robot and the
station know: whoever stands between them cannot change the file unnoticed.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from pathlib import Path

import sqlalchemy as sql
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

import kumi.station.bootstrap
from kumi.station.refusals import unknown
from kumi.station.service.service import Service
from kumi.station.store.schema import robots

SIGNATURE = "Kumi-Signature"


def robot_file() -> bytes:
    """Return the file that a bare machine runs."""
    return (Path(kumi.station.bootstrap.__file__).parent / "robot.py").read_bytes()


def signature(key: bytes, content: bytes) -> str:
    """Return what proves that a file comes from a station that knows a robot, by the hash of its key."""
    return hmac.new(key, content, "sha256").hexdigest()


def robot_endpoint(service: Service) -> Callable[[HttpRequest], Awaitable[Response]]:
    """Return what answers with the file; Refused where there is no such robot."""
    content = robot_file()

    def key_of(tag: str) -> bytes:
        with service.store.reading() as transaction:
            row = transaction.one(sql.select(robots.c.key).where(robots.c.tag == tag))
        if row is None:
            raise unknown(f"there is no robot '{tag}' to sign this file for")
        return bytes(row.key)

    async def endpoint(http: HttpRequest) -> Response:
        response = Response(content, media_type="text/x-python")
        tag = http.query_params.get("robot")
        if tag is not None:
            response.headers[SIGNATURE] = signature(await asyncio.to_thread(key_of, tag), content)
        return response

    return endpoint
