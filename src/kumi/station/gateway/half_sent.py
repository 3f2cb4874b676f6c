"""How many connections may there be whose request has not come whole? So many, and where one more comes, the oldest is closed.

Who sends half a request and waits would otherwise hold a connection, and memory, for as long as it likes. A request that comes
whole is counted for as long as it is on its way, so however many hold theirs back, nobody else is kept out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST_HALF_SENT = 200
"""Connections whose request has not come whole."""


def bounded_protocol(most: int = MOST_HALF_SENT) -> type[asyncio.Protocol]:
    """Return the protocol of a web server that lets so many connections wait for the rest of their request."""
    waiting: dict[Any, None] = {}  # the oldest first

    class BoundedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """Speaks HTTP, and is known for as long as its request is not whole."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            """Wait for a request."""
            super().connection_made(transport)
            waiting[self] = None
            self._close_oldest()

        def data_received(self, data: bytes) -> None:
            """Take some of a request."""
            super().data_received(data)
            if self._is_half_sent():
                waiting.setdefault(self)
                self._close_oldest()
            else:
                waiting.pop(self, None)

        def connection_lost(self, exc: Exception | None) -> None:
            """Wait no more."""
            waiting.pop(self, None)
            super().connection_lost(exc)

        def _is_half_sent(self) -> bool:
            if self.transport.get_protocol() is not self:  # a web socket by now
                return False
            cycle = self.cycle
            if cycle is None:
                return True
            is_between = cycle.response_complete
            return self.timeout_keep_alive_task is None if is_between else cycle.more_body

        def _close_oldest(self) -> None:
            while len(waiting) > most:
                oldest = next(iter(waiting))
                del waiting[oldest]
                oldest.transport.abort()

    return BoundedProtocol
