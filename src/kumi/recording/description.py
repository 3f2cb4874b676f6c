"""What does the page need to know of a run before it shows it?

How it was set up, from when to when it goes, and which chunks its file has. It is the same for a run file, a run that
goes on, and a page that plays by itself.

The reach of its radios is worked out from what its scenario says: their power, the loss on the first metre, and how the
loss grows with the distance. It ends where the power that arrives is just enough to be heard.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import msgspec

from kumi.maths import pow
from kumi.recording.chunks import ChunkEntry
from kumi.recording.meta import RobotGroup, RunMeta

FORMAT = 3
"""The format of what goes between server and page; the page refuses another one."""


class Description(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a run was set up, for the page. `id` is new for each run shown, `reach` that of the radios in metres.

    `actions` are what a page may ask for; with `log_in`, whoever acts must log in first, and of a station whoever looks.
    `calibrations` are those of robots that have one, by number.
    """

    title: str
    is_live: bool
    end: float
    is_whole: bool = True
    seed: int = 0
    version: str = ""
    map: Mapping[str, Any] = {}
    robots: Mapping[int, str] = {}
    start: float = 0.0
    reach: float | None = None
    groups: tuple[RobotGroup, ...] = ()
    chunks: tuple[tuple[int, float, int], ...] = ()
    actions: tuple[str, ...] = ()
    log_in: bool = False
    calibrations: Mapping[int, Mapping[str, Any]] = {}
    is_station: bool = False
    format: int = FORMAT
    id: str = msgspec.field(default_factory=lambda: uuid4().hex)


class StoredRun(Protocol):
    """A run on disk, as far as it is shown."""

    path: Path
    meta: RunMeta
    start: float
    end: float
    is_whole: bool

    @property
    def chunks(self) -> tuple[ChunkEntry, ...]:
        """Where the keyframes and pieces of the journal are, in order."""

    def stored(self, entry: ChunkEntry) -> bytes:
        """Return a chunk with its head, as a page reads it."""


def described(
    meta: RunMeta,
    title: str,
    *,
    is_live: bool,
    end: float,
    is_whole: bool = True,
    chunks: object = (),
    actions: tuple[str, ...] = (),
) -> Description:
    """Describe a run by what is written of it."""
    return Description(
        title=title,
        is_live=is_live,
        end=end,
        is_whole=is_whole,
        seed=meta.seed,
        version=meta.version,
        map=meta.map,
        robots=meta.robots,
        start=meta.start,
        reach=radio_reach(meta.scenario),
        groups=meta.groups,
        chunks=msgspec.convert(chunks, tuple[tuple[int, float, int], ...]),
        actions=actions,
        calibrations=calibrations_of(meta.scenario),
    )


def calibrations_of(scenario: str) -> dict[int, dict[str, Any]]:
    """Return the calibrations of robots that a control session wrote down, by number."""
    try:
        table = tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
        return {}
    robots = table.get("robots", ()) if "orders" in table else ()
    return {
        number: {key: value for key, value in robot.items() if key not in {"name", "at"}}
        for number, robot in enumerate(robots)
        if isinstance(robot, dict)
    }


def title_of(scenario: str) -> str:
    """Return the title that a scenario gives itself, or nothing."""
    try:
        return str(tomllib.loads(scenario).get("title", ""))
    except tomllib.TOMLDecodeError:
        return ""


def described_file(run: StoredRun, title: str | None = None) -> Description:
    """Describe a run file; of each chunk its kind, its time, and how many bytes it has in the file."""
    ends = [entry.at for entry in run.chunks[1:]] + [run.path.stat().st_size] * bool(run.chunks)
    return described(
        run.meta,
        title or title_of(run.meta.scenario) or run.path.name,
        is_live=False,
        end=run.end,
        is_whole=run.is_whole,
        chunks=[
            (int(entry.kind), entry.time, end - entry.at) for entry, end in zip(run.chunks, ends, strict=True)
        ],
    )


def radio_reach(scenario: str) -> float | None:
    """Return the reach in metres; None where the scenario has no radio, or says something else about it."""
    try:
        effects: list[Any] = tomllib.loads(scenario).get("network", {}).get("effects", [])
        radio = next((one for one in effects if one["kind"] == "radio"), None)
        if radio is None:
            return None
        budget = (
            radio.get("power", 20.0) - radio.get("sensitivity", -90.0) - radio.get("loss_at_one_metre", 40.0)
        )
        return float(pow(10.0, budget / (10.0 * radio.get("exponent", 2.5))))
    except (tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ArithmeticError):
        return None
