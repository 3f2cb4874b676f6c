"""kumi: one robot program, from ten thousand simulated robots to the one on the floor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

try:
    import kumi._core
except ImportError as error:
    import kumi.installation

    again = kumi.installation.installation().again()
    raise ImportError(f"the core of kumi cannot be loaded: {error}; `{again}` installs it again") from error

from kumi.kernel import (
    Atomic,
    Coupled,
    Cut,
    InPort,
    Interrupted,
    KumiError,
    Lagged,
    OutPort,
    Preempted,
    Program,
    Resource,
    Run,
    Signal,
    Simulation,
    Stalled,
    Store,
    Tank,
    Task,
    TextLog,
    after,
    at,
    chance,
    every,
    note,
    now,
    run,
    sleep,
    sleep_until,
    together,
    unless,
    until,
)
from kumi.lazy import eager
from kumi.version import VERSION

if TYPE_CHECKING:
    from kumi.recording import Player, RunFile
    from kumi.recording.showing import Recorded

__all__ = [
    "Atomic",
    "Coupled",
    "Cut",
    "InPort",
    "Interrupted",
    "KumiError",
    "Lagged",
    "OutPort",
    "Preempted",
    "Program",
    "Resource",
    "Run",
    "Signal",
    "Simulation",
    "Stalled",
    "Store",
    "Tank",
    "Task",
    "TextLog",
    "after",
    "at",
    "chance",
    "every",
    "note",
    "now",
    "run",
    "show",
    "sleep",
    "sleep_until",
    "together",
    "unless",
    "until",
]

__version__ = VERSION


def show(run: RunFile | Recorded | str | Path, *, height: int = 480) -> Player:
    """Return a run as a notebook shows it: a run file, the path of one, or the outcome of a run that was recorded."""
    from kumi import recording

    return recording.show(run, height=height)


eager(__name__)
