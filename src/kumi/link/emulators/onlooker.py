"""Where does a robot truly stand in a world of another process?

Whoever measures needs to know what no robot can tell. An `Onlooker` asks the world: it has no body, so nobody sees it.
An answer takes some tenths of a millisecond.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from types import TracebackType
from typing import Self

from kumi.geometry import Point, Pose
from kumi.link.emulators.world_words import (
    LONGEST,
    PATIENCE,
    AskPose,
    Refused,
    Seen,
    WorldError,
    connected,
    heard_by_robot,
    line_of,
)


class Onlooker:
    """Sees the robots in the world at an address; may be asked from any thread. Use it in a `with` block."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._where = f"{address[0]}:{address[1]}"
        self._connection = connected(address)
        self._connection.settimeout(PATIENCE)
        self._lines = self._connection.makefile("rb")
        self._lock = Lock()

    def pose_of(self, name: str) -> Pose | None:
        """Return where a robot is now; None where no robot of that name has joined."""
        with self._lock:
            try:
                self._connection.sendall(line_of(AskPose(name)))
                line = self._lines.readline(LONGEST)
            except TimeoutError:
                raise WorldError(f"the world at {self._where} has not answered for {PATIENCE:g} s") from None
            except OSError:
                line = b""
        if not line:
            raise WorldError(f"the world at {self._where} is gone")
        answer = heard_by_robot(line)
        if isinstance(answer, Refused):
            raise WorldError(answer.reason)
        assert isinstance(answer, Seen)
        if answer.at is None:
            return None
        x, y, heading = answer.at
        return Pose(Point(x, y), heading)

    def close(self) -> None:
        """Look no more."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
