"""How does a run go on in which real robots take part?

It follows the wall clock, and does not hurry after it: where the machine stood still, time stood still in the run, and the
robots stopped by their watchdogs. A pause stops all motors and then time; after it every motion is finished. At the end
all robots hear that they should stop. Where no robot is real, it is as fast as it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kumi.devs import Simulation
from kumi.devs.mailbox import Bell
from kumi.link.linked_body import LinkedBody

LAST_WORDS = 0.5
"""Seconds that robots have to hear that they should stop."""
LOOK_PERIOD = 0.02
"""Seconds between two looks whether they have."""


class RealTime:
    """Lets the time of a run pass in which linked bodies take part, at a pace.

    `tolerance` is how many seconds of wall time an instant may be late.
    """

    def __init__(
        self,
        simulation: Simulation,
        bodies: Callable[[], Sequence[LinkedBody]],
        *,
        pace: float | None,
        tolerance: float,
    ) -> None:
        self._simulation = simulation
        self._bodies = bodies
        self._paced = pace
        self._tolerance = tolerance
        self.is_interrupted = self._is_under_way = self._is_paused = self._is_to_hold = False
        self._is_held = False
        self._goes_on = Bell()
        self._then: Callable[[], object] | None = None

    @property
    def _pace(self) -> float | None:
        return self._paced if self._bodies() else None

    def interrupt(self) -> None:
        """End the run after the present instant; may be called from any thread."""
        self.is_interrupted = True
        self._is_paused = False
        self._goes_on.ring()
        self._simulation.stop()

    def pause(self, then: Callable[[], object] | None = None) -> None:
        """Stop all motors, and let time stand still until `resume`; may be called from any thread.

        Before the run begins, it is paused when it does. `then` is called when the motors have stopped, in the thread of the run.
        """
        self._then = then
        self._is_paused = self._is_to_hold = True
        if self._is_under_way:  # robots that are being greeted are not disturbed
            self._simulation.stop()

    def resume(self) -> None:
        """Go on after `pause`: motions are taken up where they were; may be called from any thread."""
        self._is_paused = False
        self._goes_on.ring()

    def run(self, until: float) -> None:
        """Run to the end, with pauses in between; motions that were held are taken up first."""
        self._is_under_way = True
        if self._is_held:
            self.go_on()
        while not self.is_interrupted:
            if not self._is_to_hold:
                self._go(until)
            if not self._is_to_hold:
                break
            self._is_to_hold = False
            self._hold()
        self.is_interrupted = False

    def _go(self, until: float) -> None:
        for body in self._bodies():
            if body.clock is not None:
                body.clock.jump()
        self._simulation.run(until, pace=self._pace, late="wait", tolerance=self._tolerance)

    def _hold(self) -> None:
        """Stop all motors, wait until somebody goes on, and take the motions up again."""
        self.stop_robots()
        if self._then is not None:
            self._then()
        while self._is_paused:
            self._goes_on.wait()
        self.go_on()

    def go_on(self) -> None:
        """Take up the motions that were held."""
        self._is_held = False
        self._soon(lambda body: body.go_on())

    def stop_robots(self) -> None:
        """Let all robots hear that they should stop, and run on until they have answered, and no longer."""
        bodies, simulation = self._bodies(), self._simulation
        self._is_held = True
        self._soon(lambda body: body.hold())
        end = simulation.now + LAST_WORDS
        while bodies and simulation.now < end:
            simulation.run(min(end, simulation.now + LOOK_PERIOD), pace=self._pace)
            if not any(body.remote.waiting for body in bodies):
                return

    def _soon(self, tell: Callable[[LinkedBody], object]) -> None:
        """Tell all robots something when the run goes on: one that is gone ends its motion, which others hear."""

        def all_() -> None:
            for body in self._bodies():
                tell(body)

        self._simulation.schedule(self._simulation.now, all_)
