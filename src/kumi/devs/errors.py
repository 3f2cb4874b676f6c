"""What can go wrong in the kernel, one class for each kind of mistake.

A message says what was done, where, and what is allowed. `Cut` is not a mistake: it carries the end of
a block through a program, and is a BaseException so that `except Exception` cannot swallow it.
"""

from __future__ import annotations

from kumi._core import provide


class KumiError(Exception):
    """Anything kumi reports about the way it is used or about a run."""


class TimeError(KumiError, ValueError):
    """A time that lies in the past, is negative where a duration is needed, or is no number."""


class PortError(KumiError):
    """A value of the wrong type, or a port or signal used by somebody who may not."""


class StructureError(KumiError):
    """Models put together in a way that makes no sense: names, ports, couplings, loops."""


class NoRun(KumiError, RuntimeError):
    """Something that needs a run was used outside of one."""


class NoResult(KumiError):
    """A task has not ended, or was cut: it has no result."""


class NeverAwaited(KumiError):
    """A coroutine, or a block such as until(), was made and dropped: an `await` or a `with` is missing.

    The message names the line that made a coroutine, and of kumi's own waits (sleep(), next()) the line
    that dropped them, mostly the same. Where that is a line of kumi's, it names the program's that called it. What a cut kept from being awaited is not reported.
    """


class NeverWaits(KumiError):
    """One turn of a program, or one transition, took longer than the patience of the run allows.

    It is raised inside that turn, at the place where it is: its traceback tells more.
    """


class BlocksRun(UserWarning):
    """A program calls what makes the whole run wait: `time.sleep`, or `input`."""


class Outlived(KumiError):
    """A task was started in a block that is over, or refused to end with its block."""


class EndlessLoop(KumiError):
    """So many steps at one instant, or turns of one program in a millisecond, that time seems to stand still."""


class Stalled(KumiError):
    """Nothing is left to happen, but the program has not ended."""


class TooLate(KumiError):
    """A run paced by the wall clock fell behind by more than the tolerance."""


class Lagged(KumiError):
    """A reader of a stream fell behind, and the oldest events were dropped.

    `by` tells how many. Reading on gives the events that were kept.
    """

    def __init__(self, by: int) -> None:
        super().__init__(
            f"the reader of a stream fell behind and missed {by} events; read faster or keep more"
        )
        self.by = by

    def __reduce__(self) -> tuple[type[Lagged], tuple[int]]:
        return Lagged, (self.by,)


class Interrupted(KumiError):
    """An `unless` block was ended by its signal; `event` tells what."""

    def __init__(self, event: object = None) -> None:
        super().__init__(f"the block was interrupted by {event!r}")
        self.event = event

    def __reduce__(self) -> tuple[type[Interrupted], tuple[object]]:
        return Interrupted, (self.event,)


class Preempted(KumiError):
    """The unit that this block held was taken by a more urgent request.

    `resource` is its name, `by` the task that took it, `since` the instant from which the block had held it.
    """

    def __init__(self, resource: str, by: str, since: float) -> None:
        super().__init__(f"the unit of {resource!r} held since t = {since} s was taken by task {by!r}")
        self.resource = resource
        self.by = by
        self.since = since

    def __reduce__(self) -> tuple[type[Preempted], tuple[str, str, float]]:
        return Preempted, (self.resource, self.by, self.since)


class Cut(BaseException):
    """Ends the block of a scope, or a whole task. Let it pass: clean up with `finally`."""


def place_of(error: BaseException) -> tuple[str, int] | None:
    """Return the file and the line that an error is about, where it was never raised there."""
    place: tuple[str, int] | None = getattr(error, "_place", None)
    return place


def sources_of(error: BaseException) -> tuple[str, ...]:
    """Return the paths of the tasks in whose turns an error came about; none where it was in nobody's."""
    sources: tuple[str, ...] = getattr(error, "_sources", ())
    return sources


# The errors that the core raises.
for _error in (
    Cut,
    EndlessLoop,
    Interrupted,
    Lagged,
    NeverAwaited,
    NoResult,
    NoRun,
    Outlived,
    PortError,
    StructureError,
    TimeError,
):
    provide(_error.__name__, _error)
