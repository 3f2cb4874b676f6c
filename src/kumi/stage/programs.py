"""How does the program of a robot, or of a team, begin and end, what does it note, and what if it raises?

What a program raises ends its robot, or its team, with the reason in the log, or the run. A robot that fell into a hole is
lost, which is no mistake of its program. What a layer of its radio raises ends the radio alone.

A program that somebody gives to a robot during the run ends alone, whatever it does: what it raises, and what would come
out of the run because of it, is told to who gave it.

A note goes to the trace of the run, to the journal of the world, for the robot whose program it is, and to whoever
listens. Whatever is noted becomes text that can be written.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from kumi.contract import Lost
from kumi.devs import Model, Simulation, Task
from kumi.devs.errors import sources_of
from kumi.robot import Robot
from kumi.stage.outcome import ProgramError, what_ended
from kumi.stage.slips import explain_slip
from kumi.world import SimulatedBody, World

if TYPE_CHECKING:
    from kumi.robot import Team


class Noting(Simulation):
    """A run whose programs' notes go to the journal of the world, too, and to whoever hears them."""

    def __init__(
        self,
        model: Model | None,
        *,
        seed: int,
        patience: float = 10.0,
        max_steps: int = 1_000_000,
        world: World | None = None,
    ) -> None:
        super().__init__(model, seed=seed, patience=patience, max_steps=max_steps)
        self._world = model if isinstance(model, World) else world
        self.hears: list[Callable[[str, object], object]] = []
        self.robot_of: dict[str, str] = {}
        """Whose program a task is, where it is not named so: a robot may get another one."""

    def note(self, source: str, value: object) -> None:
        """Write something down in the trace, and for the robot of that program in the journal."""
        super().note(source, value)
        task = source.split(".", maxsplit=1)[0]
        robot = self.robot_of.get(task, task)
        if self._world is not None:
            self._world.write_note(self._world.body_of(robot), written(value))
        for told in self.hears:
            told(robot, value)


def words(error: BaseException) -> str:
    """Return the kind of an error and what it says, in characters that can be written."""
    return f"{type(error).__name__}: {written(error)}"


def written(value: object) -> str:
    """Return a value as text, in characters that can be written."""
    try:
        said = str(value)
    except Exception:  # noqa: BLE001  # a value whose text fails is still to be noted
        said = "its text cannot be read"
    return said.encode("utf-8", "replace").decode()


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
        self._given: dict[str, Callable[[BaseException], object]] = {}

    def begin(
        self,
        body: SimulatedBody,
        robot: Robot,
        begin: Callable[[], Coroutine[Any, Any, Any]],
        program: object,
        told: Callable[[BaseException], object] | None = None,
    ) -> None:
        """Start the program of a robot; with `told`, what goes wrong in it ends nothing else, and `told` hears of it."""
        begin.__qualname__ = getattr(program, "__qualname__", repr(program))
        ended = partial(self._ended, body, robot)
        task = self._simulation.begin_task(begin, (), name=body.name, parent=None, on_end=ended)
        if task.path != body.name:
            self._simulation.robot_of[task.path] = body.name
        if told is not None:
            self._given[task.path] = partial(self._given_failed, task, body, robot, told)

    def begin_team(
        self,
        team: Team,
        bodies: Sequence[SimulatedBody],
        begin: Callable[[], Coroutine[Any, Any, Any]],
        program: object,
    ) -> None:
        """Start the program of a team; `bodies` are those of its robots, also of those that come later."""
        begin.__qualname__ = getattr(program, "__qualname__", repr(program))
        ended = partial(self._team_ended, team, bodies)
        self._simulation.begin_task(begin, (), name=team.name, parent=None, on_end=ended)

    def end(self, robot: Robot) -> None:
        """End the program of a robot, where it has one that goes on."""
        known = self._simulation.robot_of
        for task in self._simulation.tasks:
            if known.get(task.path, task.path) == robot.name:
                task.cut()

    def takes(self, error: Exception) -> bool:
        """Tell whether all that came out of the run is a matter of programs that were given; those are ended."""
        failures = list(leaves_of(error))
        for one in failures:
            for path in self._givers(one):
                self._given[path](one)
        return all(self._givers(one) for one in failures)

    def _givers(self, error: BaseException) -> list[str]:
        roots = {path.split(".", maxsplit=1)[0] for path in sources_of(error)}
        return sorted(roots & self._given.keys())

    def _given_failed(
        self,
        task: Task[Any],
        body: SimulatedBody,
        robot: Robot,
        told: Callable[[BaseException], object],
        error: BaseException,
    ) -> None:
        self._world.write_note(body, f"program ended by {words(error)}")
        if not task.has_ended:
            task.cut()
        robot.stop()
        told(error)

    def radio_failed(self, body: SimulatedBody, error: Exception) -> None:
        """Note what a layer of a robot's radio raised; the robot goes on without the radio."""
        self._keep(body.name, body, error, f"radio ended by {words(error)}")

    def _ended(self, body: SimulatedBody, robot: Robot, task: Task[Any]) -> None:
        error = what_ended(task)
        given = self._given.get(task.path)
        if given is not None and error is not None and not body.is_gone:
            given(error)
            return
        if error is not None:
            self._on_failed(body)
        if isinstance(error, Lost) and body.is_gone:
            at = body.position
            self._world.write_note(body, f"{body.name} is lost at ({at.x:g}, {at.y:g})")
        elif isinstance(error, Exception):
            explain_slip(error)
            robot.stop()
            self._keep(body.name, body, error, f"program ended by {words(error)}")
        elif error is not None:
            self._simulation.fail(error)
        else:
            robot.stop()

    def _team_ended(self, team: Team, bodies: Sequence[SimulatedBody], task: Task[Any]) -> None:
        error = what_ended(task)
        if error is not None:
            for body in bodies:
                self._on_failed(body)
        if error is not None and not isinstance(error, Exception):
            self._simulation.fail(error)
            return
        team.stop()
        if error is not None:
            explain_slip(error)
            self._keep(team.name, None, error, f"program of {team.name} ended by {words(error)}")

    def _keep(self, name: str, body: SimulatedBody | None, error: Exception, note: str) -> None:
        self.errors.append(ProgramError(name, self._simulation.now, error))
        self._world.write_note(body, note)
        if self._ends_run:
            self._simulation.fail(error)


def leaves_of(error: BaseException) -> Iterator[BaseException]:
    """Return the errors of a group, and of groups within it; of another error, itself."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from leaves_of(one)
    else:
        yield error
