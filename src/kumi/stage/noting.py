"""What does a program note, and who hears it?

A note goes to the trace of the run, to the journal of the world, for the robot whose program it is, and to
whoever listens. Whatever is noted becomes text that can be written.
"""

from __future__ import annotations

from collections.abc import Callable

from kumi.devs import Model, Simulation
from kumi.world import World


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
