"""What does the server answer when it shows the results of a study?

The page with the table and the plots, what the runs came to, and for each row that is asked for the run itself, below an
address of its own, as the server of a recorded run answers. To ask for a row is a POST, and only the page itself may.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from kumi.installation import PAGE
from kumi.recording import RunFile
from kumi.view.app import HEADERS, application, constant, file, guarded
from kumi.view.recorded import RecordedFeed
from kumi.view.replays import Replays
from kumi.view.study import described_study

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kumi.study.results import Results

FILES = {"": "results.html", "results.js": "results.js", "page.css": "page.css"}
MOST_SERVERS = 8
"""Rows whose servers are kept."""


class StudyPages:
    """Shows the results of a study, and the runs of its rows. Close it when it is no longer shown."""

    def __init__(self, results: Results) -> None:
        self.replays = Replays(results)
        self._described = msgspec.json.encode(described_study(results))

    def application(self, hosts: frozenset[str] | None = None) -> Starlette:
        """Return the web application. With `hosts`, it answers only to those names of itself."""
        plain = [
            *(Route(f"/{path}", file(PAGE / name)) for path, name in FILES.items()),
            Route("/results", constant(self._described)),
            Route("/rows/{row:int}/replay", self._tell),
            Route("/rows/{row:int}/replay", self._begin, methods=["POST"]),
        ]
        rows = Mount("/rows/{row:int}", app=Rows(self.replays, hosts))
        return Starlette(routes=[*(guarded(route, hosts) for route in plain), rows])

    def close(self) -> None:
        """End the runs that are under way."""
        self.replays.close()

    async def _tell(self, request: Request) -> Response:
        return answer(self.replays.state(request.path_params["row"]))

    async def _begin(self, request: Request) -> Response:
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return PlainTextResponse("Only the page itself may ask for a run.", 403, headers=HEADERS)
        try:
            return answer(await asyncio.to_thread(self.replays.begin, request.path_params["row"]))
        except KeyError:
            return PlainTextResponse("There is no such row.", 404, headers=HEADERS)


class Rows:
    """The servers of rows that are ready, one below each row's address."""

    def __init__(self, replays: Replays, hosts: frozenset[str] | None) -> None:
        self._replays, self._hosts = replays, hosts
        self._apps: dict[int, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the server of the row."""
        row = scope["path_params"]["row"]
        if row not in self._apps:
            if self._replays.state(row)["state"] != "ready":
                await PlainTextResponse("This row was not run again yet.", 404, headers=HEADERS)(
                    scope, receive, send
                )
                return
            feed = RecordedFeed(RunFile(self._replays.path(row)), f"row {row}")
            self._apps[row] = application(feed, self._hosts)
            if len(self._apps) > MOST_SERVERS:
                del self._apps[next(iter(self._apps))]
        await self._apps[row](scope, receive, send)


def answer(word: dict[str, Any]) -> Response:
    """Answer with JSON."""
    return Response(msgspec.json.encode(word), media_type="application/json", headers=HEADERS)
