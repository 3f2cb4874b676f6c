"""What is written of a run while it goes on?

A text log, a run file, both or none. The files are opened when everything else about the scenario has
proved right, so that a mistake in it leaves older files as they were.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from kumi.devs.extras import need
from kumi.recording import RunMeta
from kumi.stage.files import Files
from kumi.stage.seen import groups_of
from kumi.world import map_to_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kumi.recording.meta import RobotGroup
    from kumi.scenario.scenario import Scenario
    from kumi.stage.outcome import Outcome
    from kumi.world import World


class RunOutput:
    """The files of a run; with `only`, that run file in place of those that the scenario names.

    `unsaid` is the run file where the scenario names none. Use it in a `with` block around the run.
    """

    def __init__(self, scenario: Scenario, *, only: Path | None = None, unsaid: Path | None = None) -> None:
        output, animation = scenario.settings.output, scenario.settings.animation
        self.log = Path(output.log) if output.log and only is None else None
        self.record = only or (Path(output.record) if output.record else unsaid)
        has_film = animation.on and only is None
        self.film = Path(animation.file or f"{scenario.name}.mp4") if has_film else None
        if has_film:
            need("film", "av")
        self.run_file = self.record
        """The run file, also one that is kept only until the film is made."""
        self._scenario = scenario
        self._open = ExitStack()
        self._files: Files | None = None
        if self.log is not None and self.log == self.record:
            place = scenario.document.place("output", "log")
            raise place.error("output.log and output.record are the same file; give two")

    @property
    def is_empty(self) -> bool:
        """Tells whether nothing is to be written."""
        return not (self.log or self.record or self.film)

    def open(self, world: World, names: Mapping[int, str]) -> None:
        """Open the files; `names` are those of robots that have one of their own, by number."""
        if self.film is not None and self.record is None:
            self.run_file = Path(self._open.enter_context(TemporaryDirectory(prefix="kumi-"))) / "run.kumi"
        meta = meta_of(self._scenario, world, names)
        self._files = self._open.enter_context(closing(Files(world, meta, self.run_file, self.log)))

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        if self._files is not None:
            self._files.write(journal)

    def meet(self, group: RobotGroup, name: str | None) -> None:
        """Take a robot that comes; those that were there when the files were opened are known."""
        if self._files is not None:
            self._files.meet(group, name)

    def finish(self, outcome: Outcome) -> None:
        """Write down what came out of the run."""
        if self._files is not None:
            self._files.close(outcome)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()


def meta_of(scenario: Scenario, world: World, names: Mapping[int, str]) -> RunMeta:
    """Return what is written of a scenario's run; `names` are those of robots that have one, by number."""
    settings = scenario.settings
    return RunMeta(
        scenario=scenario.document.present_text,
        seed=settings.seed,
        map=map_to_table(world.map),
        robots=names,
        start=world.now,
        until=settings.until if settings.until < float("inf") else None,
        groups=groups_of(world.bodies, names),
    )
