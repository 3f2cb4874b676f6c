"""What happens in one process of a check: everything that every run of it reports, line by line, in a file.

Called as `python -m kumi.testing.portability.child FILE script PATH`, or with `scenario NAME KEY=VALUE...`. A line is the
number of the run, the time, the kind of record, who, the value, and what else tells two records apart, with tabs between.
What happens on a plane stands before what comes of it. The last line of a run is its trace hash.

A script makes its runs itself, so each is watched from the moment it is made. The process is there for nothing else.

The journal of a world can be taken once. Here it is taken, read, and handed on to whoever else asks for it, whole.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TextIO

from kumi.devs import Simulation, atomics
from kumi.devs.tracing import Record, TaskEnded, steady_repr
from kumi.motion import Piece
from kumi.recording.journal import JournalReader
from kumi.recording.layout import record_length
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.world import World

HASH = "hash"


Words = tuple[float, str, str, str, str]
"""When, what kind of record, who, with which values, and a hash of the bytes, which tells the last bit."""


class Overheard:
    """The journal of a world, for one more reader."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._take, self._keep = world.take_journal, world.keep_journal
        self._is_wanted = False
        self._kept = self._heard = b""
        self._reader = JournalReader()
        self._names: dict[int, str] = {}
        vars(world).update(take_journal=self._taken, keep_journal=self._wanted)
        self._keep(True)

    def _wanted(self, keeps: bool) -> None:
        """Note whether somebody else wants the journal from now on."""
        self._listen()
        self._is_wanted, self._kept = keeps, b""

    def _taken(self) -> bytes:
        """Give somebody else what is new since they last asked."""
        self._listen()
        given, self._kept = self._kept, b""
        return given

    def _listen(self) -> None:
        new = self._take()
        self._heard += new
        if self._is_wanted:
            self._kept += new

    def words(self) -> Iterator[Words]:
        """Go through what is new since the last call."""
        self._listen()
        data, self._heard = self._heard, b""
        at = 0
        while at < len(data):
            raw = data[at : at + record_length(data, at)]
            at += len(raw)
            for record in self._reader.read(raw):
                yield self._written(record, raw)

    def _written(self, record: Any, raw: bytes) -> Words:
        names = [name for name in record.__struct_fields__ if name not in {"time", "body"}]
        values = ", ".join(f"{name}={shown(getattr(record, name))}" for name in names)
        body = getattr(record, "body", None)
        who = "" if body is None else self._name(body)
        return (
            record.time,
            type(record).__name__.lower(),
            who,
            values,
            blake2b(raw, digest_size=6).hexdigest(),
        )

    def _name(self, number: int) -> str:
        if number not in self._names:
            self._names.update({body.number: body.name for body in self._world.bodies})
        return self._names.get(number, f"body {number}")


def shown(value: object) -> str:
    """Return a value of a record as text; a piece of motion by its ends."""
    if isinstance(value, Piece):
        return f"{value.kind} from {value.at(0.0)} to {value.at(value.duration)} in {value.duration!r} s"
    return steady_repr(value)


@dataclass(frozen=True)
class Watched:
    """A run that goes on: its number in this process, and the planes in it."""

    number: int
    simulation: Simulation
    planes: list[Overheard]


class TraceWriter:
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
                value = (
                    record.how if isinstance(record, TaskEnded) else steady_repr(getattr(record, "value", ""))
                )
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
        watching = TraceWriter(file)
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
