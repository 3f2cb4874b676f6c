"""How does what a program publishes get into the run file?

As records in the journal of the world, each at its instant and whole, and not into the trace: a run that is recorded is
the same as one that is not. What stands already is not written again. Metrics are published in the same way, for the run.
"""

from __future__ import annotations

from kumi.contract.published import Shown, ShownMarks
from kumi.recording import published_record
from kumi.world import World


class Publisher:
    """Writes what is shown of one robot, or, without a number, of the run."""

    def __init__(self, world: World, number: int | None = None) -> None:
        self._world = world
        self._number = number
        self._written: dict[str, bytes] = {}
        self._marks: dict[str, ShownMarks] = {}

    def show(self, name: str, value: Shown) -> None:
        """Write a value down, unless it stands there already; marks are added to those that stand."""
        if isinstance(value, ShownMarks):
            value = self._marked(name, value)
        elif name in self._marks:
            del self._marks[name]
        record = published_record(self._number, name, value)
        if self._written.get(name) != record:
            self._written[name] = record
            self._world.write_record(record)

    def _marked(self, name: str, more: ShownMarks) -> ShownMarks:
        known = self._marks.get(name, ShownMarks(()))
        self._marks[name] = ShownMarks(
            (*known.places, *(one for one in more.places if one not in known.places))
        )
        return self._marks[name]
