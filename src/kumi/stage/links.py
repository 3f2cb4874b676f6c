"""The linked robots of a stage: real ones at the end of a port, or emulated ones that nobody can tell from them.

Each has a counterpart in the world, a body that others see and touch and that follows where the robot believes it is. The
run follows the wall clock and does not hurry after it. Whenever it ends, all linked robots stop; if it goes on, so do the
motions under way. A robot that does not answer for `fade` seconds is lost: its program is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from weakref import finalize

from kumi.geometry import PointLike
from kumi.link.calibration import Calibration
from kumi.link.linked_body import LinkedBody
from kumi.link.ports import Port, open_port
from kumi.link.remote import Remote
from kumi.link.stop_and_wait import FADE
from kumi.link.wires import PortWire
from kumi.loop.choices import Kind
from kumi.loop.counterpart import Counterpart
from kumi.loop.mixed_body import MixedBody
from kumi.loop.real_time import RealTime
from kumi.world import SimulatedBody, World

if TYPE_CHECKING:
    from kumi.devs import Simulation
    from kumi.stage.outcome import Outcome

LOOK_PERIOD = 0.1
"""Seconds of the run between two looks at progress and at whether all programs have ended."""
TOLERANCE = 0.05
"""Seconds of wall time by which an instant may be late without being counted."""


@dataclass(frozen=True)
class RobotPort:
    """How a robot is reached: the port, by its name or by a function that opens it, and what is said on it.

    `aliases` gives the robot's sensors further names. `contacts` says by what its motions are blocked: by its "real"
    switches alone, by what its counterpart touches in the world ("virtual"), or by both ("hil").
    """

    port: str | Callable[[], Port]
    address: int = 0
    baud: int = 9600
    fade: float = FADE
    calibration: Calibration | None = None
    aliases: Mapping[str, str] | None = None
    contacts: Kind = "hil"

    def __post_init__(self) -> None:
        if self.contacts not in {"real", "virtual", "hil"}:
            raise ValueError(f'contacts are "real", "virtual" or "hil", not {self.contacts!r}')


class RobotLinks:
    """The linked robots of one run, at a pace."""

    def __init__(
        self, simulation: Simulation, world: World, pace: float, end: Callable[[str], object]
    ) -> None:
        self._simulation, self._world, self._end = simulation, world, end
        self._bodies: list[LinkedBody] = []
        self._time = RealTime(simulation, lambda: self._bodies, pace=pace, tolerance=TOLERANCE)
        self._is_running = False
        self._closing = finalize(self, _close, self._bodies)

    def add(
        self, line: RobotPort, at: PointLike, heading: float, name: str | None
    ) -> tuple[SimulatedBody, MixedBody, Remote]:
        """Connect a robot; return its counterpart, its body for its program, and its end of the link."""
        calibration = line.calibration or Calibration.default()
        twin = self._world.add_body(at, heading=heading, shape=calibration.shape, name=name)
        try:
            opening = (
                partial(open_port, line.port, baud=line.baud) if isinstance(line.port, str) else line.port
            )
            wire = PortWire(self._simulation, opening)
            remote = Remote(
                self._simulation, wire, line.address, baud=line.baud, fade=line.fade, name=twin.name
            )
            linked = LinkedBody(
                remote, calibration, at=at, heading=heading, number=twin.number, aliases=line.aliases
            )
        except BaseException:
            twin.remove()
            raise
        counterpart = Counterpart(linked, twin, follows_answers=True)
        self._bodies.append(linked)
        return twin, MixedBody(linked, twin, linked, counterpart, line.contacts, linked.sensors), remote

    def run(self, until: float, told: Callable[[], object]) -> None:
        """Follow the wall clock up to an instant, or until all programs have ended; then all robots stop."""
        self._is_running = True

        def tick() -> None:
            if not self._is_running:
                return
            told()
            if not self._simulation.tasks:
                self._end("all programs have ended")
            self._simulation.schedule(self._simulation.now + LOOK_PERIOD, tick)

        self._simulation.schedule(self._simulation.now, tick)
        try:
            self._time.run(until)
        except BaseException:
            for task in self._simulation.tasks:
                task.cut()
            raise
        finally:
            self._is_running = False
            self._time.stop_robots()

    def interrupt(self) -> None:
        """End `run` after the present instant; may be called from any thread."""
        self._time.interrupt()

    def close(self, _outcome: Outcome) -> None:
        """Close the ports."""
        self._closing()


def _close(bodies: list[LinkedBody]) -> None:
    for body in bodies:
        body.remote.close()
