"""What does the server need to show a run?

A description at the beginning, and then the run itself, which is its journal: the one in the run file, or the
same bytes as they come. A recorded run is fetched chunk by chunk; a live one is sent to each viewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from kumi.recording.description import Description

if TYPE_CHECKING:
    from kumi.control import LiveActions


class Viewer(Protocol):
    """What one page gets of a live run."""

    def take(self) -> list[bytes | str]:
        """Return what is new since the last time: pieces with their kind and time before them, and words beside them."""

    def close(self) -> None:
        """Let the feed know that nobody looks any more."""


class Feed(Protocol):
    """A run that can be shown."""

    description: Description
    acting: LiveActions | None
    """How it is acted on; None where it cannot be."""

    def chunk(self, number: int) -> bytes:
        """Return a chunk of a recorded run, as a page reads it."""

    def join(self) -> Viewer | None:
        """Add a viewer of a live run; None where nothing comes by itself."""

    def clock(self) -> Mapping[str, Any] | None:
        """Return how far a live run has got; None for a recorded one."""
