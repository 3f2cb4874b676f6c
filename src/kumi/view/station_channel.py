"""What do those who may see the same of a station get? The same bytes, made once.

Where robots are everybody may know who may look at all. What robots were told and what they found is for their own team, and for
super-users. So there is a channel for each team that somebody of looks, and one for super-users; each viewer of a channel gets
what the others get, and who comes or fell behind gets all as it is. What happened is told in words, too: the notes of the page's event log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kumi.station.records import FoundObject, Happens
from kumi.view.live import LiveViewer, journal_piece

if TYPE_CHECKING:
    from kumi.control import LiveActions
    from kumi.recording.description import Description
    from kumi.station.store.transaction import LogNotice


class ChannelSource(Protocol):
    """What a channel is of: a station, as everybody may know it."""

    description: Description
    clock: Mapping[str, Any]

    def state(self, now: float) -> bytes:
        """Return all bodies as they are drawn at an instant."""

    def words(self) -> list[str]:
        """Return what else everybody may know."""

    def wake(self) -> None:
        """Begin to look, since somebody does."""


class StationChannel:
    """What the members of a team get, or super-users, whose team is None."""

    def __init__(self, feed: ChannelSource, team: str | None) -> None:
        self.team = team
        self.description = feed.description
        self.acting: LiveActions | None = None  # actions are operations of the station
        self.objects: list[FoundObject] = []
        self._feed = feed
        self._lock = Lock()
        self._viewers: list[LiveViewer] = []

    @property
    def is_watched(self) -> bool:
        """Whether anybody looks."""
        return bool(self._viewers)

    def may_know(self, told: LogNotice) -> bool:
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


WORDS: dict[str, Callable[[LogNotice], str]] = {
    Happens.ROBOT_ENROLLED: lambda it: f"may enter from now on, for team {it.data['owner']}",
    Happens.ROBOT_REMOVED: lambda _: "was removed: it may not enter any more",
    Happens.ROBOT_ENTERED: lambda _: "entered",
    Happens.ROBOT_LEFT: lambda _: "left",
    Happens.ROBOT_LOST: lambda _: "is lost: nothing was heard of it for a second",
    Happens.ROBOT_FOUND: lambda _: "is heard again",
    Happens.TASK_OPTIONS: lambda it: f"can do {', '.join(it.data['names'])}",
    Happens.TASK_GIVEN: lambda it: f"got {_task(it)}{', which goes first' if it.data['now'] else ''}",
    Happens.TASK_SENT: lambda it: f"begins {_task(it)}",
    Happens.TASK_ENDED: lambda it: f"{_task(it)} {it.data['state']}{_because(it.data['outcome'])}",
    Happens.STOP: lambda it: f"was stopped by {it.data['by']}",
    Happens.OBJECT_FOUND: lambda it: f"found '{it.data['name']}' at ({it.data['x']:.2f}, {it.data['y']:.2f})",
    Happens.FILE_STORED: lambda it: f"stored '{it.data['name']}', file {it.data['medium']}",
    Happens.MEASURED: lambda it: f"measured {it.data['layer']} at {it.data['count']} places",
    Happens.MAP_CHANGED: lambda it: f"the map changed: version {it.data['version']}",
    Happens.CONTEST_ENTERED: lambda it: f"team {it.team} entered the contest {it.data['contest']}",
    Happens.CONTEST_OVER: lambda it: (
        f"the contest {it.data['contest']} is over: {' and '.join(it.data['first']) or 'nobody'} won"
    ),
}


def words_of(told: LogNotice) -> str:
    """Return a happening in words."""
    said = WORDS.get(told.kind)
    return told.kind.replace("_", " ") if said is None else said(told)


def _task(it: LogNotice) -> str:
    return f"{it.data['name']} (task {it.data['task']})"


def _because(outcome: str) -> str:
    return f": {outcome}" if outcome else ""
