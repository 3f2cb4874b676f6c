"""Programs on robots at the other end of a link, in real time.

What a `Stage` is for simulated robots, a `LinkedStage` is for real ones, or emulated ones that nobody can tell
from them: a robot is added with its program and its port, and all run together on one agenda that follows the
wall clock. A program begins when its robot has answered. When a program ends, however it does, its robot
stops; the run is over when all have ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

from kumi.devs import Lateness, Simulation, Task
from kumi.devs.interrupts import ended_by_signals
from kumi.geometry import PointLike
from kumi.geometry.points import as_size
from kumi.link.calibration import Calibration
from kumi.link.linked_body import LinkedBody
from kumi.link.ports import Port, open_port
from kumi.link.remote import Remote
from kumi.link.stop_and_wait import FADE
from kumi.link.wires import PortWire
from kumi.network import Network
from kumi.protocols import Stack
from kumi.robot import Radio, Robot
from kumi.stage.noting import Noting
from kumi.stage.outcome import ProgramError, what_ended
from kumi.stage.publishing import Publisher
from kumi.stage.radios import Radios
from kumi.stage.twins import Twins
from kumi.world import Map

LAST_WORDS = 0.5
"""Seconds that robots have to hear that they should stop."""
SLICE = 0.02
"""Seconds between two looks whether they have."""


@dataclass(frozen=True)
class LinkedOutcome:
    """What came of a run on linked robots."""

    seconds: float
    errors: tuple[ProgramError, ...]
    is_interrupted: bool
    lateness: Lateness
    """How far the run was behind the wall clock."""


class LinkedStage:
    """Real robots and their programs. Use it in a `with` block, which closes the ports.

    What a program raises comes out of `run`; with `on_error="robot"` it ends that robot alone and stands in
    `LinkedOutcome.errors`. `record` names a run file to write, with where the robots believe to be; `map_` is shown
    around them there. `pace` is how many of the run's seconds a second of the wall clock has: that of robots whose
    clocks all go faster, as emulated ones can.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        on_error: Literal["robot", "run"] = "run",
        record: str | Path | None = None,
        map_: Map | None = None,
        pace: float = 1.0,
    ) -> None:
        if on_error not in {"robot", "run"}:
            raise ValueError(f'on_error is "robot" or "run", not {on_error!r}')
        self._pace = as_size(pace, "a pace")
        self._record = record
        self._twins = None if record is None else Twins(map_)
        self.simulation: Simulation = Noting(None if self._twins is None else self._twins.world, seed=seed)
        self.robots: list[Robot] = []
        self._ends_run = on_error == "run"
        self._bodies: list[LinkedBody] = []
        self._radios: Radios | None = None
        self._errors: list[ProgramError] = []
        self._running = 0
        self._is_interrupted = self._is_ending = False

    def connect(self, network: Network, stack: Callable[[], Stack] = Stack) -> None:
        """Give every robot that is added from now on a radio on a network of this run's own simulation.

        The programs of all robots run here, so what they say to each other need not leave this process.
        """
        if self.robots:
            raise ValueError("connect the stage to a network before the first robot is added")
        self._radios = Radios(self.simulation, network, stack, None)

    def add(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        *args: Any,
        port: str | Callable[[], Port],
        address: int = 0,
        baud: int = 9600,
        fade: float = FADE,
        at: PointLike = (0.0, 0.0),
        heading: float = 0.0,
        calibration: Calibration | None = None,
        aliases: Mapping[str, str] | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Robot:
        """Connect a robot at a port, by name or by a function that opens it; its program gets the robot.

        `aliases` gives its sensors further names, as in `LinkedBody`. A robot that does not answer for `fade` seconds is
        lost.
        """
        opening = partial(open_port, port, baud=baud) if isinstance(port, str) else port
        wire = PortWire(self.simulation, opening)
        remote = Remote(self.simulation, wire, address, baud=baud, fade=fade, name=name)
        number = len(self._bodies)
        body = LinkedBody(remote, calibration, at=at, heading=heading, number=number, aliases=aliases)
        self._bodies.append(body)
        publish = None
        if self._twins is not None:
            publish = Publisher(self._twins.world, self._twins.add(body)).show
        robot = Robot(body, self._radio_for(body), publish)

        async def begin() -> None:
            await remote.connect()
            await program(robot, *args, **parameters)

        begin.__qualname__ = getattr(program, "__qualname__", repr(program))
        self.simulation.begin_task(begin, (), name=body.name, parent=None, on_end=partial(self._ended, body))
        self._running += 1
        self.robots.append(robot)
        return robot

    def _radio_for(self, body: LinkedBody) -> Radio | None:
        if self._radios is None:
            return None
        return self._radios.add(body.number, body.name, partial(self._failed, body))

    def _failed(self, body: LinkedBody, error: Exception) -> None:
        self._errors.append(ProgramError(body.name, self.simulation.now, error))
        if self._ends_run:
            self.simulation.fail(error)

    def _ended(self, body: LinkedBody, task: Task[Any]) -> None:
        self._running -= 1
        body.stop()
        error = what_ended(task)
        if isinstance(error, Exception):
            self._failed(body, error)
        elif error is not None:
            self.simulation.fail(error)
        if not self._running and not self._is_ending:
            self.simulation.stop()

    def run(self, until: float = math.inf) -> LinkedOutcome:
        """Follow the wall clock up to `until` seconds, or until all programs have ended; Ctrl-C ends it, too.

        Programs that have not ended by then are cut, and their robots stop. After that Ctrl-C raises
        KeyboardInterrupt, and SIGTERM ends the process.
        """
        with ended_by_signals(self._interrupt):
            try:
                if self._radios is not None:
                    self._radios.begin()
                if self._twins is not None and self._record is not None:
                    self._twins.open(self._record, self.simulation)
                if self._running:
                    self.simulation.run(until, pace=self._pace, open_ended=True)
            finally:
                self._end_all()
        return self.outcome

    @property
    def outcome(self) -> LinkedOutcome:
        """What came out so far."""
        return LinkedOutcome(
            self.simulation.now, tuple(self._errors), self._is_interrupted, self.simulation.lateness
        )

    def _interrupt(self) -> None:
        self._is_interrupted = True
        if not self._is_ending:  # else robots are about to hear that they should stop
            self.simulation.stop()

    def _end_all(self) -> None:
        """Cut the programs that are left, and wait until the robots have heard that they should stop."""
        self._is_ending = True
        for task in self.simulation.tasks:
            task.cut()
        end = self.simulation.now + LAST_WORDS
        while True:
            self.simulation.run(min(end, self.simulation.now + SLICE), pace=self._pace)
            if self.simulation.now >= end or not any(body.remote.waiting for body in self._bodies):
                return

    def close(self) -> None:
        """End all programs and close the ports."""
        try:
            self.simulation.close()
        finally:
            if self._twins is not None:
                errors = tuple(f"{error.robot}: {error.error}" for error in self._errors)
                self._twins.close(self.simulation.now, errors, is_interrupted=self._is_interrupted)
            for body in self._bodies:
                body.remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
