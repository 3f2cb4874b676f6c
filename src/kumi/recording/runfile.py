"""What happened in a run, and where was everything at any instant?

A run file is opened by reading its index, or, if its writing was cut off, by going through its chunks. The
state at an instant is built from the last keyframe before it and the records between; asking for later and
later instants goes on from the last answer.
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kumi.recording.bodies import Bodies
from kumi.recording.chunks import (
    ChunkEntry,
    ChunkKind,
    Packing,
    RunFileError,
    find_index,
    is_intact,
    pack,
    read_head,
    read_inside,
    read_opening,
    scan,
)
from kumi.recording.journal import JournalReader
from kumi.recording.latest import BodyState, LostBody
from kumi.recording.layout import last_time
from kumi.recording.meta import Index, RunMeta, joined
from kumi.recording.player import Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kumi.recording.records import Published, Record, Reserved


class RunFile:
    """A run on disk.

    `meta` tells how it was set up and `summary` what came out, if that was written. The file `is_whole` unless
    its writing was cut off.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        index, entries = self._open()
        self.is_whole = index is not None
        self.summary = index.summary if index else None
        self.meta = self._read_meta(entries)
        self._chunks = [entry for entry in entries if entry.kind in {ChunkKind.KEYFRAME, ChunkKind.JOURNAL}]
        self._times = [entry.time for entry in self._chunks]
        self.start = self.meta.start
        self.end = self.summary.end if self.summary else self._last_time()
        self._asked = -inf
        self._chunk, self._data, self._at = 0, b"", 0
        self._bodies = Bodies()
        self._rewind(0)

    def __repr__(self) -> str:
        return f"RunFile({str(self.path)!r}): {len(self._chunks)} chunks from {self.start} to {self.end}"

    def check_time(self, instant: float) -> None:
        """Refuse an instant that is not within the run."""
        if not self.start <= instant <= self.end:
            raise RunFileError(
                f"time {instant:g} is outside the run in {self.path}, which goes from {self.start:g} to {self.end:g}"
            )

    def state_at(self, instant: float) -> list[BodyState]:
        """Return all bodies as they were at an instant, by number, after all that happened then."""
        self.check_time(instant)
        keyframe = self._keyframe_before(instant)
        if instant < self._asked or keyframe > self._chunk:
            self._rewind(keyframe)
        self._asked = instant
        while self._advance(instant):
            pass
        return self._bodies.states(instant)

    def map_at(self, instant: float) -> Mapping[str, Any]:
        """Return the table of the map as it was at an instant: obstacles may come and go in a run."""
        self.state_at(instant)
        return self._bodies.scenery(self.meta.map)

    def reserved_at(self, instant: float) -> list[Reserved]:
        """Return the floor that robots had reserved at an instant, or waited for, by number."""
        self.state_at(instant)
        return self._bodies.reserved()

    def published_at(self, instant: float) -> list[Published]:
        """Return what programs showed at an instant: of robots by number, and of the run at last."""
        self.state_at(instant)
        return self._bodies.published()

    def lost_at(self, instant: float) -> list[LostBody]:
        """Return the robots that had fallen into holes by an instant, in the order in which they did."""
        self.state_at(instant)
        return self._bodies.lost()

    def records(self, start: float = -inf, end: float = inf) -> Iterator[Record]:
        """Go through all that happened from one instant to another, both included."""
        for entry in self._chunks[self._first_from(start) :]:
            if entry.time > end:
                return
            if entry.kind is ChunkKind.JOURNAL:
                for record in JournalReader(entry.time).read(self._inside(entry)):
                    if record.time > end:
                        return
                    if record.time >= start:
                        yield record

    def journal(self, start: float = -inf) -> Iterator[bytes]:
        """Go through the journal as it was written, in pieces of whole records that begin with their time.

        With a `start`, pieces that end before it are left out.
        """
        for entry in self._chunks[self._first_from(start) :]:
            if entry.kind is ChunkKind.JOURNAL:
                yield self._inside(entry)

    @property
    def chunks(self) -> tuple[ChunkEntry, ...]:
        """Where the keyframes and pieces of the journal are, in order."""
        return tuple(self._chunks)

    def stored(self, entry: ChunkEntry) -> bytes:
        """Return a chunk with its head, compressed as a page can read it, or say that it is damaged."""
        with self.path.open("rb") as file:
            head = read_head(file, entry.at)
            if head is None or head.kind is not entry.kind or not is_intact(file, head):
                raise RunFileError(f"{self.path} is damaged at byte {entry.at}")
            if head.packing is Packing.JOURNAL:
                return pack(head.kind, head.time, read_inside(file, head), Packing.ZLIB)
            file.seek(entry.at)
            return file.read(head.end - entry.at)

    def show(self, *, height: int = 480) -> Player:
        """Return the run as a notebook shows it, so many pixels high."""
        return Player(self, height)

    def _first_from(self, start: float) -> int:
        """Return the first chunk that may hold records from an instant on."""
        first = max(bisect_right(self._times, start) - 1, 0)
        # Records of one time may be spread over chunks: begin with the first of them.
        while first > 0 and self._times[first] >= start:
            first -= 1
        return first

    def _open(self) -> tuple[Index | None, list[ChunkEntry]]:
        """Read the index, if there is one, and where the chunks are."""
        if not self.path.exists():
            raise RunFileError(f"{self.path}: there is no such file")
        with self.path.open("rb") as file:
            size = self.path.stat().st_size
            read_opening(file)
            head = find_index(file, size)
            if head is not None:
                index = msgspec.json.decode(read_inside(file, head), type=Index)
                return index, list(index.chunks)
            entries = scan(file, size)
        if not entries:
            raise RunFileError(f"{self.path} was cut off before the run began")
        return None, entries

    def _read_meta(self, entries: list[ChunkEntry]) -> RunMeta:
        """Read how the run was set up, and which robots came later."""
        first, *later = (
            msgspec.json.decode(self._inside(entry), type=RunMeta)
            for entry in entries
            if entry.kind is ChunkKind.META
        )
        robots, groups = dict(first.robots), list(first.groups)
        for one in later:
            robots.update(one.robots)
            groups += one.groups
        return msgspec.structs.replace(first, robots=robots, groups=joined(groups)) if later else first

    def _inside(self, entry: ChunkEntry) -> bytes:
        with self.path.open("rb") as file:
            head = read_head(file, entry.at)
            if head is None or head.kind is not entry.kind:
                raise RunFileError(f"{self.path} is damaged at byte {entry.at}")
            return read_inside(file, head)

    def _last_time(self) -> float:
        """Return the time of the last record."""
        for entry in reversed(self._chunks):
            if entry.kind is ChunkKind.JOURNAL:
                return last_time(self._inside(entry), entry.time)
        return self.start

    def _keyframe_before(self, instant: float) -> int:
        """Return the number of the last keyframe not after an instant, or 0 for the beginning."""
        number = bisect_right(self._times, instant) - 1
        while number > 0 and self._chunks[number].kind is not ChunkKind.KEYFRAME:
            number -= 1
        return max(number, 0)

    def _rewind(self, chunk: int) -> None:
        """Begin anew with a keyframe or at the beginning."""
        self._asked = -inf
        self._bodies = Bodies()
        self._chunk = chunk
        self._data, self._at = b"", 0
        if chunk < len(self._chunks):
            self._data = self._inside(self._chunks[chunk])

    def _advance(self, instant: float) -> bool:
        """Take the records of the present chunk up to an instant; tell whether the next chunk has more."""
        self._at = self._bodies.take(self._data, self._at, instant)
        following = self._chunk + 1
        if self._at < len(self._data) or following >= len(self._chunks) or self._times[following] > instant:
            return False
        self._chunk, self._at = following, 0
        is_keyframe = self._chunks[following].kind is ChunkKind.KEYFRAME
        self._data = b"" if is_keyframe else self._inside(self._chunks[following])
        return True
