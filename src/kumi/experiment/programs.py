"""How does the program of a robot begin and end, and what if it raises?

What a program raises ends its robot, with the reason in the log, or the run. A robot that fell into a hole is
lost, which is no mistake of its program. What a layer of its radio raises ends the radio alone.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from kumi.contract import Lost
from kumi.experiment.noting import Noting, words
from kumi.experiment.outcome import ProgramError, what_ended
from kumi.experiment.slips import explain_slip
from kumi.kernel import Task
from kumi.robot import Robot
from kumi.world import SimulatedBody, World


class Programs:
    """The programs of the robots of one run; `on_failed` hears of each body whose program raised."""

    def __init__(
        self,
        simulation: Noting,
        world: World,
        *,
        ends_run: bool,
        on_failed: Callable[[SimulatedBody], object],
    ) -> None:
        self.errors: list[ProgramError] = []
        self._simulation = simulation
        self._world = world
        self._ends_run = ends_run
        self._on_failed = on_failed

    def begin(
        self,
        body: SimulatedBody,
        robot: Robot,
        begin: Callable[[], Coroutine[Any, Any, Any]],
        program: object,
    ) -> None:
        """Start the program of a robot."""
        begin.__qualname__ = getattr(program, "__qualname__", repr(program))
        ended = partial(self._ended, body, robot)
        task = self._simulation.begin_task(begin, (), name=body.name, parent=None, on_end=ended)
        if task.path != body.name:
            self._simulation.robot_of[task.path] = body.name

    def end(self, robot: Robot) -> None:
        """End the program of a robot, where it has one that goes on."""
        known = self._simulation.robot_of
        for task in self._simulation.tasks:
            if known.get(task.path, task.path) == robot.name:
                task.cut()

    def radio_failed(self, body: SimulatedBody, error: Exception) -> None:
        """Note what a layer of a robot's radio raised; the robot goes on without the radio."""
        self._keep(body, error, f"radio ended by {words(error)}")

    def _ended(self, body: SimulatedBody, robot: Robot, task: Task[Any]) -> None:
        error = what_ended(task)
        if error is not None:
            self._on_failed(body)
        if isinstance(error, Lost) and body.is_gone:
            at = body.position
            self._world.write_note(body, f"{body.name} is lost at ({at.x:g}, {at.y:g})")
        elif isinstance(error, Exception):
            explain_slip(error)
            robot.stop()
            self._keep(body, error, f"program ended by {words(error)}")
        elif error is not None:
            self._simulation.fail(error)
        else:
            robot.stop()

    def _keep(self, body: SimulatedBody, error: Exception, note: str) -> None:
        self.errors.append(ProgramError(body.name, self._simulation.now, error))
        self._world.write_note(body, note)
        if self._ends_run:
            self._simulation.fail(error)
