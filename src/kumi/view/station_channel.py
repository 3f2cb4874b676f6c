"""What do those who may see the same of a station get? The same bytes, made once.

Where robots are everybody may know who may look at all. What robots were told and what they found is for their own team, and for
super-users. So there is a channel for each team that somebody of looks, and one for super-users; each viewer of a channel gets
what the others get, and who comes or fell behind gets all as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kumi.station.records import FoundObject
from kumi.view.live import LiveViewer, journal_piece

if TYPE_CHECKING:
    from kumi.control import Acting
    from kumi.recording.description import Description
    from kumi.station.store.transaction import Told


class Source(Protocol):
    """What a channel is of: a station, as everybody may know it."""

    description: Description
    clock: Mapping[str, Any]

    def state(self, now: float) -> bytes:
        """Return all bodies as they are drawn at an instant."""

    def words(self) -> list[str]:
        """Return what else everybody may know."""

    def wake(self) -> None:
        """Begin to look, since somebody does."""


class Channel:
    """What the members of a team get, or super-users, whose team is None."""

    def __init__(self, feed: Source, team: str | None) -> None:
        self.team = team
        self.description = feed.description
        self.acting: Acting | None = None  # deeds are operations of the station
        self.objects: list[FoundObject] = []
        self._feed = feed
        self._lock = Lock()
        self._viewers: list[LiveViewer] = []

    @property
    def is_watched(self) -> bool:
        """Whether anybody looks."""
        return bool(self._viewers)

    def may_know(self, told: Told) -> bool:
        """Tell whether a happening is for this channel."""
        return self.team is None or told.team is None or told.team == self.team

    def write(self, journal: bytes, words: list[str]) -> None:
        """Give all viewers what is new: a journal that begins with its time, and words beside it."""
        pieces: list[bytes | str] = [*words]
        if journal:
            pieces.append(journal_piece(journal))
        with self._lock:
            for viewer in self._viewers:
                for piece in pieces:
                    viewer.give(piece)

    def refresh(self, now: float) -> None:
        """Give a state to those who need one, with all that is known beside it."""
        with self._lock:
            for viewer in self._viewers:
                if viewer.needs_state:
                    viewer.give_state(now, self._feed.state(now))
                    for one in (*self._feed.words(), word("objects", objects=self.objects, isAll=True)):
                        viewer.give(one)
                elif viewer.wants_keyframe:
                    viewer.give_state(now, self._feed.state(now))

    def chunk(self, number: int) -> bytes:
        """Refuse: a station has no chunks to fetch."""
        raise IndexError(number)

    def join(self) -> LiveViewer:
        """Add a viewer."""
        viewer = LiveViewer(self._lock, self._leave)
        with self._lock:
            self._viewers.append(viewer)
        self._feed.wake()
        return viewer

    def clock(self) -> Mapping[str, Any]:
        """Return which instant the journals have reached."""
        return self._feed.clock

    def _leave(self, viewer: LiveViewer) -> None:
        with self._lock:
            self._viewers.remove(viewer)


def word(kind: str, **fields: Any) -> str:
    """Return a word to the page."""
    return msgspec.json.encode({"kind": kind, **fields}).decode()
