"""What happens in one process of a check: everything that every run of it reports, line by line, in a file.

Called as `python -m kumi.testing.portability.child FILE script PATH`, or with `scenario NAME KEY=VALUE...`. A line is the
number of the run, the time, the kind of record, who, the value, and what else tells two records apart, with tabs between.
What happens on a plane stands before what comes of it. The last line of a run is its trace hash.

A script makes its runs itself, so each is watched from the moment it is made. The process is there for nothing else.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from kumi.devs import Simulation, atomics
from kumi.devs.tracing import Ended, Record, steady_repr
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.testing.portability.overheard import Overheard
from kumi.world import World

HASH = "hash"


@dataclass(frozen=True)
class Watched:
    """A run that goes on: its number in this process, and the planes in it."""

    number: int
    simulation: Simulation
    planes: list[Overheard]


class Watching:
    """Writes down what the simulations of this process report; what happens while one is closed is no part of its run."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._open: dict[int, Watched] = {}
        self._count = 0

    def begin(self) -> None:
        """Watch every simulation that is made from now on."""
        make, close = Simulation.__init__, Simulation.close

        def made(simulation: Simulation, *args: Any, **options: Any) -> None:
            make(simulation, *args, **options)
            self._watch(simulation)

        def closed(simulation: Simulation) -> None:
            self._leave(simulation)
            close(simulation)

        setattr(Simulation, "__init__", made)  # noqa: B010
        setattr(Simulation, "close", closed)  # noqa: B010

    def _watch(self, simulation: Simulation) -> None:
        models = [] if simulation.model is None else atomics(simulation.model)
        planes = [Overheard(model) for model in models if isinstance(model, World)]
        watched = self._open[id(simulation)] = Watched(self._count, simulation, planes)
        self._count += 1

        def write(record: Record) -> None:
            if id(simulation) in self._open:
                self._write_planes(watched)
                value = record.how if isinstance(record, Ended) else steady_repr(getattr(record, "value", ""))
                self._write(watched, record.time, type(record).__name__.lower(), record.source, value)

        simulation.trace(write)

    def _write_planes(self, watched: Watched) -> None:
        for plane in watched.planes:
            for words in plane.words():
                self._write(watched, *words)

    def _write(self, watched: Watched, time: float, *words: str) -> None:
        said = (str(watched.number), repr(time), *words)
        self._file.write("\t".join(" ".join(word.split()) for word in said) + "\n")

    def _leave(self, simulation: Simulation) -> None:
        """Write down the hash of a simulation that is over."""
        if (watched := self._open.pop(id(simulation), None)) is not None:
            self._write_planes(watched)
            self._write(watched, simulation.now, HASH, "", simulation.trace_hash)

    def end(self) -> None:
        """Write down the hashes of those that were never closed."""
        for watched in [*self._open.values()]:
            self._leave(watched.simulation)


def run_script(path: str) -> None:
    """Run a script as `python PATH` would."""
    sys.argv = [path]
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code not in {None, 0}:
            raise


def run_scenario(name: str, changes: Sequence[str]) -> None:
    """Run a scenario as fast as possible, as `kumi run` would."""
    staging = Staging(load_scenario(name, changes))
    with closing(staging.stage(None, None)) as stage:
        stage.run(staging.scenario.settings.until)


def main(arguments: Sequence[str]) -> None:
    """Run what is named, and leave the file."""
    path, kind, target, *changes = arguments
    with Path(path).open("w", encoding="utf-8") as file:
        watching = Watching(file)
        watching.begin()
        try:
            if kind == "script":
                run_script(target)
            else:
                run_scenario(target, changes)
        finally:
            watching.end()


if __name__ == "__main__":
    main(sys.argv[1:])
