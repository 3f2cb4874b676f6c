"""How is a run shown, whatever a person has of it: the file, its path, or what came out?"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kumi.recording.player import Player, PlayerError
from kumi.recording.runfile import RunFile


class Recorded(Protocol):
    """A run of which a file may have been written."""

    @property
    def record(self) -> Path | None:
        """The run file."""


def show(run: RunFile | Recorded | str | Path, *, height: int = 480) -> Player:
    """Return a run as a notebook shows it: a run file, the path of one, or the outcome of a run that was recorded."""
    if isinstance(run, RunFile):
        return Player(run, height)
    if isinstance(run, str | Path):
        return Player(RunFile(run), height)
    if not hasattr(run, "record"):
        raise TypeError(
            f"show takes a RunFile, the path of one, or the outcome of a recorded run, not {type(run).__name__}"
        )
    if run.record is None:
        raise PlayerError("this run was not recorded; `record` of a stage names a file for it")
    return Player(RunFile(run.record), height)
