"""What can be asked of a station: each file of this folder declares the operations about one topic."""

from __future__ import annotations

from types import ModuleType

from kumi.station.operation import Operation, Request
from kumi.station.operations import contests, finds, floor, log, maps, output, people, robots, stops, tasks

TOPICS = (people, robots, tasks, output, stops, floor, maps, finds, log, contests)


def _declared_in(topic: ModuleType) -> list[Operation]:
    """Return the operations that a file declares, in its order."""
    requests = [one for one in vars(topic).values() if isinstance(one, type) and issubclass(one, Request)]
    return [one.operation for one in requests if one.__module__ == topic.__name__]


OPERATIONS = tuple(operation for topic in TOPICS for operation in _declared_in(topic))
"""All that a station does for others."""
BY_NAME = {operation.name: operation for operation in OPERATIONS}
