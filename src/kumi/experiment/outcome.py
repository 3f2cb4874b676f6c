"""What comes out of a run, while it goes on and at its end."""

from __future__ import annotations

from typing import Protocol

import msgspec

from kumi.kernel import Lateness


class ProgramError(msgspec.Struct, frozen=True):
    """What ended a robot's program, and when."""

    robot: str
    time: float
    error: Exception


class Progress(msgspec.Struct, frozen=True):
    """How far a run has got."""

    simulated_seconds: float
    wall_seconds: float
    events: int
    collisions: int


class Messages(msgspec.Struct, frozen=True):
    """What became of messages: how many were sent and arrived, and how many were dropped for which reason.

    One that was sent to several arrives several times.
    """

    sent: int
    arrived: int
    dropped: dict[str, int]


class Outcome(msgspec.Struct, frozen=True):
    """What came out of a run so far."""

    simulated_seconds: float
    wall_seconds: float
    events: int
    collisions: int
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


class Recorder(Protocol):
    """Takes what happens, as it happens."""

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
