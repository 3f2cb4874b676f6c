"""What keeps a robot standing? A latch, with a list of who holds it; while anybody does, nothing is driven.

A stop holds it until the robot is given something new: a task with a higher number than any that it had when the stop was written.
So a stop that is not written yet holds against everything. A button holds it while it is pressed, and so does the absence of the
station; they hold beside the stops of persons, and each lets go for itself.

A task that a stop cut is never driven again, whatever the station hands out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kumi.station.operations.stops import MOST_REPORTED, ReportedStop

MOST_KNOWN = 1000
"""Stops that are remembered; the station repeats each until it knows that it was heard."""


@dataclass(frozen=True)
class HeldStop:
    """A stop that holds the latch: by whom, the task that it cut, and from which task on it holds no more, once that is known."""

    stop: str
    by: str
    task: int | None
    last_task: int | None = None


class StopLatch:
    """The latch of one robot."""

    def __init__(self) -> None:
        self._stops: dict[str, HeldStop] = {}
        self._others: set[str] = set()
        self._known: dict[str, None] = {}
        self._cut: set[int] = set()
        self._last = 0

    @property
    def holders(self) -> tuple[str, ...]:
        """Who holds it, each once, those of stops first."""
        return tuple(dict.fromkeys([*(one.by for one in self._stops.values()), *sorted(self._others)]))

    @property
    def unwritten(self) -> tuple[ReportedStop, ...]:
        """The stops of which the station has not said yet that they are written."""
        waiting = [one for one in self._stops.values() if one.last_task is None]
        return tuple(
            ReportedStop(stop=one.stop, by=one.by, task=one.task) for one in waiting[-MOST_REPORTED:]
        )

    def allows(self, task: int) -> bool:
        """Tell whether a task may be driven."""
        is_new = all(one.last_task is not None and task > one.last_task for one in self._stops.values())
        return is_new and not self._others and task > self._last and task not in self._cut

    def begin(self, task: int) -> None:
        """A task that is allowed begins: it is the new word for which the stops held the latch."""
        assert self.allows(task)
        self._stops.clear()

    def stop(self, stop: str, by: str, task: int | None) -> bool:
        """Hold it by a stop, which cuts a task; return whether the stop is new."""
        if stop in self._known:
            return False
        self._known[stop] = None
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._stops[stop] = HeldStop(stop, by, task)
        if task is not None:
            self._cut.add(task)
        return True

    def written(self, stop: str, last_task: int) -> None:
        """A stop is written; it holds for tasks up to a number."""
        self._last = max(self._last, last_task)
        self._cut = {one for one in self._cut if one > self._last}
        if stop in self._stops:
            self._stops[stop] = replace(self._stops[stop], last_task=last_task)

    def hold(self, by: str) -> bool:
        """Hold it until `release`; return whether it was not held by that before."""
        is_new = by not in self._others
        self._others.add(by)
        return is_new

    def release(self, by: str) -> bool:
        """Hold it by that no more; return whether it was."""
        was_held = by in self._others
        self._others.discard(by)
        return was_held
