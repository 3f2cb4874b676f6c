"""The server of the page, in a thread of its own, so that a run can go on beside it."""

from __future__ import annotations

import socket
import threading
import time
from ipaddress import ip_address
from typing import TYPE_CHECKING, Self

import uvicorn

from kumi.devs import KumiError
from kumi.devs.secrets import new_secret
from kumi.installation import missing_of_page, page_complaint
from kumi.view.app import application
from kumi.view.study_app import StudyPages

if TYPE_CHECKING:
    from kumi.view.feed import Feed

THREAD_TIMEOUT = 10.0
"""Seconds that a server may take to begin and to end."""


class ViewError(KumiError):
    """The view cannot be shown."""


class ViewServer:
    """Shows a run, or the results of a study, at an address until it is closed. Port 0 takes any that is free.

    A run that can be acted on has a key, good for as long as the server is there. Without one given, it is new.
    """

    def __init__(
        self, shown: Feed | StudyPages, host: str = "127.0.0.1", port: int = 0, *, key: str | None = None
    ) -> None:
        if missing_of_page():
            raise ViewError(page_complaint())
        self._socket = _listening(host, port)
        self.host, self.port = host, self._socket.getsockname()[1]
        can_act = not isinstance(shown, StudyPages) and shown.acting is not None
        self.key = (key or new_secret()) if can_act else None
        hosts = frozenset({host, "localhost", "127.0.0.1", "::1"}) if is_here(host) else None
        config = uvicorn.Config(
            shown.application(hosts)
            if isinstance(shown, StudyPages)
            else application(shown, hosts, self.key),
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="wsproto",
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="view", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + THREAD_TIMEOUT
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise ViewError(f"the server of the view did not begin within {THREAD_TIMEOUT:g} s")
            time.sleep(0.005)

    @property
    def url(self) -> str:
        """Where the page is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"

    @property
    def acting_url(self) -> str:
        """Where the page is for who may act; the key is not sent to look at the page."""
        return self.url if self.key is None else f"{self.url}#key={self.key}"

    def close(self) -> None:
        """End the server; a second call does nothing."""
        self._server.should_exit = True
        self._thread.join(THREAD_TIMEOUT)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise ViewError(f"the view cannot be shown at {host}:{port}: {error.strerror or error}") from error
    return listening


def is_here(host: str) -> bool:
    """Tell whether a host is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
