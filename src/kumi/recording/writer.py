"""How does a run get on disk while it goes on, at little cost to it?

The run hands over its journal in pieces. They are gathered into chunks of about a megabyte, or of a second
if little happens, and a thread of its own packs and writes each chunk while the run goes on. When the
thread cannot keep up, chunks are written as they are, and when even that is too slow, the run waits.

From time to time a keyframe is written: the state of all bodies, from which any later instant can be
rebuilt without reading the file from its beginning. Keyframes take an eighth of the journal at most.

A file is whole when it is closed. Where nobody does that, it is closed when the writer is forgotten or the process
ends; one to which nothing was written by then is left without an end.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from os import getpid
from pathlib import Path
from threading import RLock, current_thread
from time import monotonic
from typing import TYPE_CHECKING, Self

import msgspec

from kumi.devs.endings import finished_at_the_end, is_finished, undisturbed
from kumi.recording.bodies import Bodies
from kumi.recording.chunks import (
    CLOSED,
    CLOSING,
    FORMAT,
    OPENING,
    SIGNATURE,
    ChunkEntry,
    ChunkKind,
    Packing,
    RunFileError,
    pack,
)
from kumi.recording.layout import INSTANT, TIME, JournalError, last_time
from kumi.recording.meta import Index, RobotGroup, RunMeta, RunSummary, joined

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 1 << 20
CHUNK_SECONDS = 1.0
KEYFRAME_SHARE = 8
PACK_BELOW = 8 << 20
WAIT_ABOVE = 64 << 20
THREAD = "run file"


ENDING = ".kumi"


def as_run_path(path: str | Path) -> Path:
    """Return where a run file is to be; refuse the name of another kind of file, and a folder that is not there."""
    if not isinstance(path, str | Path):
        raise TypeError(f"a run file is named by its path, not {path!r}")
    path = Path(path)
    if path.suffix not in {"", ENDING}:
        raise RunFileError(
            f"{path}: a run file ends in {ENDING}; `kumi log`, `kumi show` and `kumi video` make a text, pictures and a film of it"
        )
    if not path.parent.is_dir():
        raise RunFileError(f"{path}: there is no folder {str(path.parent)!r}")
    return path


class RunWriter:
    """Writes a run file. What was there under its name is replaced.

    `meta` tells how the run was set up; a function is asked for it when there is something to be written.
    `snapshot` gives the state of all bodies as a journal, as a keyframe holds it, at the moment when it is
    called: after the journal given to `write`. Without it, the writer follows the journal itself, which
    costs about a third of a microsecond a record.
    """

    def __init__(
        self,
        path: str | Path,
        meta: RunMeta | Callable[[], RunMeta],
        *,
        snapshot: Callable[[], bytes] | None = None,
    ) -> None:
        path = as_run_path(path)
        self._bodies = None if snapshot else Bodies()
        self._snapshot = snapshot or self._follow
        self._last = b""
        self._pieces: list[bytes] = []
        self._gathered = 0
        self._since_keyframe = 0
        self._keyframe = b""
        self._keyframe_due = CHUNK
        self._begun = monotonic()
        self._index: list[ChunkEntry] = []
        self._waiting: deque[tuple[int, Future[None]]] = deque()
        self._outstanding = 0
        self._is_broken = self._is_closing = False
        self._names: dict[int, str] = {}
        self._groups: list[RobotGroup] = []
        self._file = path.open("wb", buffering=0)  # closed by close()
        self._end = 0
        try:
            self._put(OPENING.pack(SIGNATURE, FORMAT))
            self._meta: RunMeta | Callable[[], RunMeta] | None = meta
            if isinstance(meta, RunMeta):
                self._describe()
        except OSError:
            self._file.close()
            raise
        self._summary: RunSummary | None = None
        self._lock = RLock()  # a process may end by its main thread while another one writes
        self._process = getpid()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=THREAD)
        self._forgotten: _Forgotten | None = _Forgotten(self)
        finished_at_the_end(self, self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        if not journal:
            return
        with undisturbed(), self._lock:
            self._take(journal)

    def _take(self, journal: bytes) -> None:
        if journal[0] != TIME:
            journal = self._present() + journal
        self._last = journal
        self._pieces.append(journal)
        self._gathered += len(journal)
        self._since_keyframe += len(journal)
        if self._bodies is not None:
            self._bodies.take(journal)
        if self._gathered >= CHUNK or monotonic() - self._begun >= CHUNK_SECONDS:
            self._flush()

    def meet(self, group: RobotGroup, name: str | None = None) -> None:
        """Take a robot that comes, or several that are alike; they stand in the file before what they do.

        What was written of them is not kept: a run in which robots come and go for days needs no more memory for it.
        """
        self._groups.append(group)
        if name is not None:
            self._names[group.first] = name

    def keep(self, summary: RunSummary) -> None:
        """Take what came out of the run so far: it stands in the file if `close` is called without, or not at all."""
        self._summary = summary

    def flush(self) -> None:
        """Let all that was taken so far be on its way to the disk."""
        with undisturbed(), self._lock:
            self._flush()

    def _flush(self) -> None:
        self._begun = monotonic()
        if not self._pieces:
            return
        self._describe()
        journal = b"".join(self._pieces)
        self._pieces.clear()
        self._gathered = 0
        (time,) = INSTANT.unpack_from(journal, 1)
        if self._groups:
            self._send(ChunkKind.META, time, msgspec.json.encode(self._with_newcomers(RunMeta(start=time))))
        if self._keyframe:
            self._send(ChunkKind.KEYFRAME, time, self._keyframe)
            self._keyframe = b""
        self._send(ChunkKind.JOURNAL, time, journal)
        if self._since_keyframe >= self._keyframe_due:
            self._keyframe = self._snapshot()
            self._keyframe_due = max(CHUNK, KEYFRAME_SHARE * len(self._keyframe))
            self._since_keyframe = 0

    def close(self, summary: RunSummary | None = None) -> None:
        """Finish the file, with what came out of the run. A second call does nothing."""
        if self._is_elsewhere:
            return
        with undisturbed(), self._lock:
            if self._file.closed:
                return
            self._is_closing = True
            try:
                self._flush()
                self._settle(0)
                self._describe()
                index = msgspec.json.encode(Index(summary or self._summary, tuple(self._index)))
                begin = self._end
                self._append(ChunkKind.INDEX, 0.0, index, Packing.ZLIB)
                self._put(CLOSING.pack(begin, CLOSED))
            finally:
                self._let_go()

    def finish(self) -> None:
        """Close the file for those who did not; one to which nothing was written is left without an end."""
        if self._is_elsewhere:
            return
        with self._lock:
            if self._last:
                self.close()
            elif not self._file.closed:
                self._let_go()

    def _let_go(self) -> None:
        # A thread that collects what was forgotten may be the one of a writer, and cannot wait for itself.
        self._worker.shutdown(wait=not current_thread().name.startswith(THREAD))
        self._file.close()
        self._forgotten = None
        is_finished(self)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether this process was forked: then file and thread belong to the one that opened it."""
        return self._process != getpid()

    def _describe(self) -> None:
        """Write how the run was set up, once, before all else."""
        if self._meta is not None:
            meta = self._meta if isinstance(self._meta, RunMeta) else self._meta()
            self._meta = None
            described = msgspec.json.encode(self._with_newcomers(meta))
            self._append(ChunkKind.META, meta.start, described, Packing.ZLIB)

    def _with_newcomers(self, meta: RunMeta) -> RunMeta:
        """Return what is told of a run with the robots that came since it was last told."""
        names, self._names = self._names, {}
        groups, self._groups = self._groups, []
        return msgspec.structs.replace(
            meta, robots={**meta.robots, **names}, groups=joined([*meta.groups, *groups])
        )

    def _present(self) -> bytes:
        """Return the record of the time in force, so that each piece begins with its time."""
        if not self._last:
            raise JournalError("the first record of a journal must be its time")
        return bytes([TIME]) + INSTANT.pack(last_time(self._last, 0.0))

    def _follow(self) -> bytes:
        assert self._bodies is not None
        return self._bodies.keyframe()

    def _send(self, kind: ChunkKind, time: float, data: bytes) -> None:
        """Let the thread write a chunk; wait for it when too much is on its way."""
        packing = Packing.ZLIB if kind is ChunkKind.META else Packing.JOURNAL
        if self._is_closing:  # the thread may be gone: Python ends, or the writer was forgotten
            self._settle(0)
            self._append(kind, time, data, packing)
            return
        self._settle(WAIT_ABOVE)
        if self._outstanding >= PACK_BELOW:
            packing = Packing.NONE
        self._outstanding += len(data)
        written = self._worker.submit(self._append, kind, time, data, packing)
        self._waiting.append((len(data), written))

    def _settle(self, limit: int) -> None:
        """Forget the chunks that were written, and wait while more than a limit is on its way."""
        while self._waiting and (self._outstanding > limit or self._waiting[0][1].done()):
            length, written = self._waiting.popleft()
            written.result()
            self._outstanding -= length

    def _append(self, kind: ChunkKind, time: float, data: bytes, packing: Packing) -> None:
        """Write a chunk at the end of the file, in one go; after one that failed, write no more."""
        if self._is_broken:
            return
        begin = self._end
        self._put(pack(kind, time, data, packing))
        self._index.append(ChunkEntry(kind, time, begin))

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._is_broken = True
            error.filename = self._file.name
            raise
        self._end += len(data)


class _Forgotten:
    """Finishes a writer that is collected while it is open.

    One that was closed has none: Python drops a Ctrl-C that comes while a finalizer runs, so there are few of them.
    """

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer

    def __del__(self) -> None:
        self._writer.finish()
