"""What is known of a run besides its records: how it was set up, and what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kumi.recording.chunks import ChunkEntry
from kumi.version import VERSION


class SensorField(msgspec.Struct, frozen=True, kw_only=True):
    """Where a sensor looks: from `offset` metres before the middle of the robot up to a reach, in metres.

    It looks in a direction relative to the robot's heading, over an angle, both in radians; an angle of 0 is a beam. One
    with `rays` has so many beams over its angle.
    """

    name: str
    reach: float
    view: float = 0.0
    bearing: float = 0.0
    offset: float = 0.0
    rays: int = 0


class RobotGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Robots that are alike, with numbers that follow each other; `team` is empty for those without a name."""

    first: int
    count: int
    team: str = ""
    sensors: tuple[SensorField, ...] = ()


def joined(groups: Iterable[RobotGroup]) -> tuple[RobotGroup, ...]:
    """Return groups by number, those that are alike and follow each other as one."""
    found: list[RobotGroup] = []
    for one in sorted(groups, key=lambda group: group.first):
        last = found[-1] if found else None
        if (
            last is not None
            and (last.team, last.sensors) == (one.team, one.sensors)
            and last.first + last.count == one.first
        ):
            found[-1] = msgspec.structs.replace(last, count=last.count + one.count)
        else:
            found.append(one)
    return tuple(found)


class RunMeta(msgspec.Struct, frozen=True, kw_only=True):
    """How a run was set up.

    `scenario` is the text of the scenario file, `map` the map as a table, as in such a file; both may be
    empty. `robots` gives names by number, where they have names of their own. `until` is the time limit, None
    where there was none. `version` is that of kumi. `groups` are all robots that were there at any time, where that is known.
    """

    scenario: str = ""
    seed: int = 0
    map: Mapping[str, Any] = {}
    robots: Mapping[int, str] = {}
    start: float = 0.0
    until: float | None = None
    groups: tuple[RobotGroup, ...] = ()
    version: str = VERSION


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of a run: the instant at which it ended, its hash, and counts.

    `still_since` is the instant since which nobody moved, None where somebody did to the end.
    """

    end: float
    trace_hash: str = ""
    events: int = 0
    contacts: int = msgspec.field(default=0, name="collisions")  # the key in run files of format 2
    robots: int = 0
    errors: tuple[str, ...] = ()
    is_interrupted: bool = False
    still_since: float | None = None


class Index(msgspec.Struct, frozen=True):
    """The summary of a run, and all chunks before the index."""

    summary: RunSummary | None
    chunks: tuple[ChunkEntry, ...]
