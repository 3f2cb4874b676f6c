"""How does the time of a stage's run pass, and when and why is it over?

The run goes on in slices of a fraction of a second of wall time. Between two of them the journal is handed on and
progress is told; what happens does not depend on where a slice ends. With a pace it follows the wall clock; where it is
late it catches up, and where that is too much it lets it go.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from kumi.devs import Simulation

LOOK_PERIOD = 0.05
"""Seconds of wall time between two looks at journal and progress."""
LATENESS = 1.0
"""Seconds by which a paced run may be late and still catch up."""
HURRY = 100.0
"""How many times faster than its pace a run may be while it catches up."""


class Running:
    """Lets the time of a simulation pass. `takes` says whether what came out of it is dealt with, and it goes on."""

    def __init__(
        self, simulation: Simulation, pace: float | None, takes: Callable[[Exception], bool]
    ) -> None:
        self.pace = pace
        self.given_up = 0.0
        """Seconds of wall time that it was behind and let go."""
        self.is_interrupted = self.is_under_way = False
        self._simulation, self._takes = simulation, takes
        self._passed = self._begun = 0.0
        self._anchor = 0.0, 0.0
        self._ended = ""
        self._until: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether any time was to pass yet."""
        return self._until is not None

    @property
    def wall(self) -> float:
        """Seconds of wall time that it took so far."""
        return self._passed + (time.perf_counter() - self._begun if self.is_under_way else 0.0)

    @property
    def late(self) -> float:
        """Seconds of wall time by which the run is behind its pace."""
        if self.pace is None:
            return 0.0
        wall, origin = self._anchor
        return max(0.0, time.perf_counter() - wall - (self._simulation.now - origin) / self.pace)

    def set_pace(self, pace: float) -> None:
        """Follow the wall clock at another pace from now on."""
        self.pace = pace
        self._anchor = time.perf_counter(), self._simulation.now

    @contextmanager
    def under_way(self, until: float) -> Iterator[None]:
        """Count the wall time of the block, in which the run goes on up to an instant."""
        if until != until:  # noqa: PLR0124  # NaN
            raise ValueError("a run goes until a time, which is a number of seconds, not nan")
        self._begun = time.perf_counter()
        self._anchor = self._begun, self._simulation.now
        self.is_interrupted, self._ended = False, ""
        limit: object = until  # what is no number is refused when time begins to pass
        self._until = limit if isinstance(limit, int | float) else None
        self.is_under_way = True
        try:
            yield
        finally:
            self._passed, self.is_under_way = self.wall, False

    def run(self, until: float, told: Callable[[], object], *, is_sliced: bool) -> None:
        """Let everything happen up to an instant, or until nothing is left; `told` is called after each slice."""
        with self._slices() if is_sliced else nullcontext():
            while not (self.is_interrupted or self._ended):
                target = self._target(until) if is_sliced else until
                with self._going_on():
                    if self.pace is None:
                        self._simulation.run_through(target)
                    else:
                        self._simulation.run(target, pace=self._pace_to(target))
                told()
                upcoming = self._simulation.next_time
                is_over = upcoming > until or upcoming == math.inf
                if is_over and (until == math.inf or self._simulation.now >= until):
                    return

    async def run_async(self, until: float, told: Callable[[], object]) -> None:
        """Run as `run` does, with sockets open; a message may come at any time, so it goes on until the end."""
        while not (self.is_interrupted or self._ended) and self._simulation.now < until:
            target = self._target(until)
            with self._going_on():
                await self._simulation.run_async(target, pace=self._pace_to(target))
            told()
            if until == math.inf and not self._simulation.tasks:
                return

    def end(self, why: str) -> None:
        """End the run after the present instant."""
        self._ended = self._ended or why
        self._simulation.stop()

    def interrupt(self) -> None:
        """End the run after the present instant, since somebody wants it to."""
        self.is_interrupted = True
        self._simulation.stop()

    @property
    def why_over(self) -> str:
        """Why the run was over, in words; nothing where it has not begun, or nothing was left to happen."""
        if self._until is None:
            return ""
        if self.is_interrupted:
            return "it was interrupted"
        if self._ended or self._simulation.now < self._until:
            return self._ended
        return f"{self._until:g} s are over"

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Let the run go on where all that came out of it is dealt with."""
        try:
            yield
        except Exception as error:
            if not self._takes(error):
                raise

    def _target(self, until: float) -> float:
        """Return how far the next slice goes; a paced one is short, so that its clock need not be stopped."""
        if self.pace is None:
            return until
        return min(until, self._simulation.now + LOOK_PERIOD * self.pace)

    def _pace_to(self, target: float) -> float | None:
        """Return the pace at which a slice ends when the wall clock says so, whatever was looked after before it.

        A run that is late by more than `LATENESS` lets that go.
        """
        way = target - self._simulation.now
        if self.pace is None or not 0.0 < way < math.inf:
            return self.pace
        wall, origin = self._anchor
        present = time.perf_counter()
        left = wall + (target - origin) / self.pace - present
        if left < -LATENESS:
            self.given_up -= left
            self._anchor = present, self._simulation.now
            return self.pace
        return way / max(left, way / (HURRY * self.pace))

    @contextmanager
    def _slices(self) -> Iterator[None]:
        """End the run under way again and again, so that there is time to look after other things."""
        over = threading.Event()

        def pulse() -> None:
            while not over.wait(LOOK_PERIOD):
                self._simulation.stop()

        thread = threading.Thread(target=pulse, name="stage", daemon=True)
        if self.pace is None:
            thread.start()
        try:
            yield
        finally:
            over.set()
            if thread.is_alive():
                thread.join()
