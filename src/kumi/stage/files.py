"""The files of a run: a run file, a text log, or both.

The text log has all that was written at any time. The run file is finished by `close`; if nobody calls it, when the
files are forgotten or the process ends.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

from kumi.recording import RunMeta, RunSummary, RunWriter, TextLogWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import TextIOWrapper

    from kumi.recording.meta import RobotGroup
    from kumi.stage.outcome import Outcome
    from kumi.world import World


class Files:
    """Takes the journal of a run and writes it to files, which it opens at once."""

    def __init__(
        self,
        world: World,
        meta: RunMeta | Callable[[], RunMeta],
        record: str | Path | None,
        log: str | Path | None,
    ) -> None:
        self._log: TextIOWrapper | None = None
        self._text: TextLogWriter | None = None
        self._close_log: Callable[[], object] | None = None
        self._run: RunWriter | None = None
        if log is not None:
            self._log = Path(log).open("w", encoding="utf-8")  # noqa: SIM115  # closed by close()
            self._text = TextLogWriter(self._log)
            self._close_log = finalize(self, self._log.close)
        if record is not None:
            self._run = RunWriter(record, meta, snapshot=world.snapshot)

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        if self._run is not None:
            self._run.write(journal)
        if self._text is not None and self._log is not None:
            self._text.write(journal)
            self._log.flush()

    def meet(self, group: RobotGroup, name: str | None) -> None:
        """Take a robot that comes, as a group of its own, with the name that it was given."""
        if self._run is not None:
            self._run.meet(group, name)

    def keep(self, outcome: Outcome) -> None:
        """Take what came out of the run so far: it stands in the run file if nobody calls `close`."""
        if self._run is not None:
            self._run.keep(summary_of(outcome))

    def close(self, outcome: Outcome | None = None) -> None:
        """Finish the files, with what came out of the run; a second call does nothing."""
        if self._run is not None:
            self._run.close(None if outcome is None else summary_of(outcome))
        if self._close_log is not None:
            self._close_log()


def summary_of(outcome: Outcome) -> RunSummary:
    """Return what a run file keeps of an outcome."""
    return RunSummary(
        end=outcome.simulated_seconds,
        trace_hash=outcome.trace_hash,
        events=outcome.events,
        contacts=outcome.contacts,
        robots=outcome.robots,
        errors=tuple(f"{one.robot}: {one.error}" for one in outcome.errors),
        is_interrupted=outcome.is_interrupted,
        still_since=outcome.still_since,
    )
