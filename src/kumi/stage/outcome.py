"""What comes out of a run, while it goes on and at its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from kumi.devs import Lateness, Task
from kumi.recording import Player, show
from kumi.teaching import Teaching

if TYPE_CHECKING:
    from kumi.recording.meta import RobotGroup


class ProgramError(msgspec.Struct, frozen=True):
    """What ended a robot's program, and when."""

    robot: str
    time: float
    error: Exception


def what_ended(task: Task[Any]) -> BaseException | None:
    """Return what a program raised; an exit is its mistake like any other, and ends neither the run nor the process."""
    error = task.error
    if not isinstance(error, SystemExit):
        return error
    said = "" if error.code is None else repr(error.code)
    mistake = RuntimeError(f"the program called sys.exit({said}); a robot's program ends when it returns")
    return mistake.with_traceback(error.__traceback__)


class Progress(msgspec.Struct, frozen=True):
    """How far a run has got."""

    simulated_seconds: float
    wall_seconds: float
    events: int
    contacts: int
    pace: float | None = None
    """Seconds of the run that a second on the wall is to have; None where it goes as fast as it can."""
    late: float = 0.0
    """Seconds of wall time by which it is behind its pace now."""
    given_up: float = 0.0
    """Seconds of wall time that it was behind and let go, since it could not catch up."""


class Messages(msgspec.Struct, frozen=True):
    """What became of messages: how many were sent and arrived, and how many were dropped for which reason.

    One that was sent to several arrives several times.
    """

    sent: int
    arrived: int
    dropped: dict[str, int]


class Outcome(Teaching, msgspec.Struct, frozen=True):
    """What came out of a run so far."""

    simulated_seconds: float
    wall_seconds: float
    events: int
    contacts: int
    robots: int
    trace_hash: str
    errors: tuple[ProgramError, ...]
    lost: tuple[str, ...]
    is_interrupted: bool
    messages: Messages | None = None
    """None where there is no network."""
    lateness: Lateness | None = None
    """How late instants were; None where the run did not follow the wall clock."""
    still_since: float | None = None
    """The instant since which nobody moves; None while somebody does."""
    record: Path | None = None
    """The run file that was written; None where there was none."""
    end: str = ""
    """Why the run was over, in words."""

    def show(self, *, height: int = 480) -> Player:
        """Return the run, if it was recorded, as a notebook shows it; whole when the stage is closed."""
        return show(self, height=height)


class Recorder(Protocol):
    """Takes what happens, as it happens."""

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""


@runtime_checkable
class RosterRecorder(Protocol):
    """A recorder that also keeps who was there."""

    def meet(self, group: RobotGroup, name: str | None) -> None:
        """Take a robot that comes, as a group of its own, with the name that it was given."""


def host_of(recorder: object) -> RosterRecorder | None:
    """Return a recorder that keeps who was there; None where it does not."""
    return recorder if isinstance(recorder, RosterRecorder) else None
