"""A run on disk, for the page: its chunks are sent as they stand in the file, still packed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.view.feed import described, title_of

if TYPE_CHECKING:
    from kumi.acting import Acting
    from kumi.recording import RunFile


class RecordedFeed:
    """Shows a run file."""

    acting: Acting | None = None

    def __init__(self, run: RunFile, title: str | None = None) -> None:
        self._run = run
        self._chunks = run.chunks
        self.description = described(
            run.meta,
            title or title_of(run.meta.scenario) or run.path.name,
            is_live=False,
            end=run.end,
            is_whole=run.is_whole,
            chunks=[(int(entry.kind), entry.time) for entry in self._chunks],
        )

    def chunk(self, number: int) -> bytes:
        """Return a chunk as it stands in the file, or say that it is damaged."""
        return self._run.stored(self._chunks[number])

    def join(self) -> None:
        """Return nothing: the page fetches what it needs."""

    def clock(self) -> None:
        """Return nothing: time goes on in the page."""
