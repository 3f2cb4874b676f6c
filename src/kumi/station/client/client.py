"""How does a program talk to a station?

    with Client("http://127.0.0.1:7440", token=token) as station:
        given = station.call(GiveTask(robot="r1", task="goTo", arguments={"at": {"x": 1, "y": 2}}))

`call` takes any request of `kumi.station.operations` and returns its answer, with the right type. A refusal raises `Refused`
with the station's sentence; a station that does not answer raises `StationGone`.
"""

from __future__ import annotations

import ssl
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import httpx
import msgspec

from kumi.station.operation import Request
from kumi.station.records import StationRecord
from kumi.station.refusals import Reason, Refused

A = TypeVar("A", bound=StationRecord)
TIMEOUT = 10.0
"""Seconds to wait for an answer."""


class StationGone(ConnectionError):
    """There is no station at the address, or it does not answer."""


class Client:
    """Calls a station, and waits for each answer."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.Client(headers=_headers(token), timeout=timeout, verify=_trust(url, verify))

    def call(self, request: Request[A]) -> A:
        """Ask for an operation, and return its answer."""
        try:
            response = self._http.post(_address(self.url, request), content=msgspec.json.encode(request))
        except httpx.HTTPError as error:
            raise _gone(self.url, error) from error
        return _answer(request, response)

    def use(self, token: str) -> None:
        """Call with this token from now on."""
        self._http.headers.update(_headers(token))

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """Calls a station from `asyncio`, many calls at once if need be."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.AsyncClient(headers=_headers(token), timeout=timeout, verify=_trust(url, verify))

    async def call(self, request: Request[A]) -> A:
        """Ask for an operation, and return its answer."""
        try:
            response = await self._http.post(
                _address(self.url, request), content=msgspec.json.encode(request)
            )
        except httpx.HTTPError as error:
            raise _gone(self.url, error) from error
        return _answer(request, response)

    def use(self, token: str) -> None:
        """Call with this token from now on."""
        self._http.headers.update(_headers(token))

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def trusting(certificate: str | None) -> ssl.SSLContext | bool:
    """Return whom to trust: the station's own certificate where it is given, else the authorities of this machine."""
    return True if certificate is None else ssl.create_default_context(cafile=certificate)


def _trust(url: str, verify: ssl.SSLContext | bool) -> ssl.SSLContext | bool:
    """Return whom to trust at an address: on a plain connection nobody is asked, and no authorities need be loaded."""
    return False if url.lower().startswith("http://") else verify


def _headers(token: str | None) -> dict[str, str]:
    return {"Content-Type": "application/json"} | (
        {} if token is None else {"Authorization": f"Bearer {token}"}
    )


def _address(url: str, request: Request[Any]) -> str:
    return f"{url}/v1/{request.operation.name}"


def _answer(request: Request[A], response: httpx.Response) -> A:
    if response.status_code == 200:
        return cast("A", msgspec.json.decode(response.content, type=request.operation.answer))
    try:
        said = msgspec.json.decode(response.content, type=dict[str, str])
        raise Refused(Reason[said["reason"].upper()], said["error"])
    except (msgspec.DecodeError, KeyError):
        raise StationGone(
            f"what answers at {response.url.host}:{response.url.port} is no kumi station: "
            f"it said {response.status_code}"
        ) from None


def _gone(url: str, error: httpx.HTTPError) -> StationGone:
    why = (
        "it does not answer in time"
        if isinstance(error, httpx.TimeoutException)
        else str(error) or "no answer"
    )
    return StationGone(f"the station at {url} cannot be reached: {why}")
