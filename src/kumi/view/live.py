"""How does a run that goes on get to the pages that show it?

The run hands over its journal, and every viewer gets the same bytes. A viewer that comes later, or that fell behind,
gets the state of all bodies as it is, and the journal from there on: what it missed is not sent after it. From time to
time there is a keyframe between, so that a page can go back in what it has seen.

The run calls `write`, `tell` and `finish` from its own thread; viewers take from another.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from kumi.recording import RunMeta
from kumi.recording.description import described

if TYPE_CHECKING:
    from kumi.control import LiveActions
    from kumi.stage import Outcome, Progress

FRESH, KEYFRAME, JOURNAL = 1, 2, 3
"""What a piece is: a state before which something is not known, a state, what happened."""
FRAME_HEAD = struct.Struct("<Bd")
INSTANT = struct.Struct("<xd")
BACKLOG = 4 << 20
"""Bytes that may wait for a viewer; beyond them it fell behind."""
BETWEEN_KEYFRAMES = 1 << 20
KEYFRAME_SHARE = 8


def journal_piece(journal: bytes) -> bytes:
    """Return a piece of journal, which begins with its time, as all viewers get it."""
    (time,) = INSTANT.unpack_from(journal)
    return FRAME_HEAD.pack(JOURNAL, time) + journal


class LiveViewer:
    """One page that looks at a live run."""

    def __init__(self, lock: Lock, leave: Callable[[LiveViewer], None]) -> None:
        self._lock, self._leave = lock, leave
        self._waiting: list[bytes | str] = []
        self._size = 0
        self._since_keyframe = 0
        self._keyframe_due = BETWEEN_KEYFRAMES
        self.needs_state = True

    @property
    def wants_keyframe(self) -> bool:
        """Whether it is time for a state from which the page can go back."""
        return not self.needs_state and self._since_keyframe >= self._keyframe_due

    def give_state(self, time: float, state: bytes) -> None:
        """Let the state be the next that the viewer gets."""
        self._put(FRAME_HEAD.pack(FRESH if self.needs_state else KEYFRAME, time) + state)
        self.needs_state = False
        self._since_keyframe = 0
        self._keyframe_due = max(BETWEEN_KEYFRAMES, KEYFRAME_SHARE * len(state))

    def give(self, piece: bytes | str) -> None:
        """Let a piece of journal, or a word beside it, be the next, unless the viewer fell behind."""
        if self.needs_state:
            return
        if self._size + len(piece) > BACKLOG:
            self._waiting.clear()
            self._size = 0
            self.needs_state = True
            return
        self._since_keyframe += len(piece)
        self._put(piece)

    def take(self) -> list[bytes | str]:
        """Return what is new since the last time."""
        with self._lock:
            new, self._waiting, self._size = self._waiting, [], 0
        return new

    def close(self) -> None:
        """Stop looking."""
        self._leave(self)

    def _put(self, piece: bytes | str) -> None:
        self._waiting.append(piece)
        self._size += len(piece)


class LiveFeed:
    """Shows a run while it goes on. `snapshot` gives the state of all bodies as a journal, as a keyframe holds it.

    With `acting`, whoever has the key of the server can act on it.
    """

    def __init__(
        self, meta: RunMeta, title: str, snapshot: Callable[[], bytes], acting: LiveActions | None = None
    ) -> None:
        actions = () if acting is None else acting.offers
        self.description = described(meta, title, is_live=True, end=meta.until or meta.start, actions=actions)
        self.acting = acting
        self.lock = Lock()
        self._snapshot = snapshot
        self._viewers: list[LiveViewer] = []
        self._last_state: bytes | None = None
        self._clock: dict[str, Any] = {
            "stamp": monotonic(),
            "time": meta.start,
            "events": 0,
            "contacts": 0,
            "wall": 0.0,
            "pace": None,
            "late": 0.0,
            "givenUp": 0.0,
            "isOver": False,
        }

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run, beginning with their time."""
        piece = journal_piece(journal)
        with self.lock:
            for viewer in self._viewers:
                viewer.give(piece)

    def tell(self, progress: Progress) -> None:
        """Take how far the run has got, when all up to there was written; give states to those who want one."""
        if self.acting is not None:
            self.acting.look()
        self._tell(
            time=progress.simulated_seconds,
            events=progress.events,
            contacts=progress.contacts,
            wall=progress.wall_seconds,
            pace=progress.pace,
            late=progress.late,
            givenUp=progress.given_up,
        )

    def finish(self, outcome: Outcome) -> None:
        """Take what came out: nothing more happens, and whoever comes later sees the end."""
        if self.acting is not None:
            self.acting.finish()
        self._last_state = self._snapshot()
        self._tell(
            time=outcome.simulated_seconds,
            events=outcome.events,
            contacts=outcome.contacts,
            wall=outcome.wall_seconds,
            late=0.0,
            isOver=True,
        )

    def chunk(self, number: int) -> bytes:
        """Refuse: a live run has no chunks to fetch."""
        raise IndexError(number)

    def join(self) -> LiveViewer:
        """Add a viewer."""
        viewer = LiveViewer(self.lock, self.leave)
        with self.lock:
            if self._last_state is not None:
                viewer.give_state(self._clock["time"], self._last_state)
            self._viewers.append(viewer)
        return viewer

    def leave(self, viewer: LiveViewer) -> None:
        """Forget a viewer."""
        with self.lock:
            self._viewers.remove(viewer)

    def clock(self) -> Mapping[str, Any]:
        """Return how far the run has got, and when that was."""
        with self.lock:
            return dict(self._clock)

    def _tell(self, **told: Any) -> None:
        time = told["time"]
        with self.lock:
            wanting = [viewer for viewer in self._viewers if viewer.needs_state or viewer.wants_keyframe]
            if wanting:
                state = self._last_state or self._snapshot()
                for viewer in wanting:
                    viewer.give_state(time, state)
            self._clock = {**self._clock, **told, "stamp": monotonic()}
