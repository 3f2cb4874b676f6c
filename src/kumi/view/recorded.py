"""A run on disk, for the page: its chunks are sent compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.recording.description import described_file

if TYPE_CHECKING:
    from kumi.control import LiveActions
    from kumi.recording import RunFile


class RecordedFeed:
    """Shows a run file."""

    acting: LiveActions | None = None

    def __init__(self, run: RunFile, title: str | None = None) -> None:
        self._run = run
        self._chunks = run.chunks
        self.description = described_file(run, title)

    def chunk(self, number: int) -> bytes:
        """Return a chunk, or say that it is damaged."""
        return self._run.stored(self._chunks[number])

    def join(self) -> None:
        """Return nothing: the page fetches what it needs."""

    def clock(self) -> None:
        """Return nothing: time goes on in the page."""
