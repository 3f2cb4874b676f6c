"""What does the page need to know of a run?

A description at the beginning, and then the run itself, which is its journal: the one in the run file, or the
same bytes as they come. A recorded run is fetched chunk by chunk; a live one is sent to each viewer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import msgspec

from kumi.recording import RunMeta
from kumi.view.reach import radio_reach

if TYPE_CHECKING:
    from kumi.acting import Acting

FORMAT = 1
"""The format of what goes between server and page; the page refuses another one."""


class Description(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a run was set up, for the page. `id` is new for each run shown, `reach` that of the radios in metres.

    `deeds` are what a page may ask for; with `log_in`, whoever acts must log in first, and of a station whoever looks.
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
    chunks: tuple[tuple[int, float], ...] = ()
    deeds: tuple[str, ...] = ()
    log_in: bool = False
    calibrations: Mapping[int, Mapping[str, Any]] = {}
    is_station: bool = False
    format: int = FORMAT
    id: str = msgspec.field(default_factory=lambda: uuid4().hex)


class Viewer(Protocol):
    """What one page gets of a live run."""

    def take(self) -> list[bytes | str]:
        """Return what is new since the last time: pieces with their kind and time before them, and words beside them."""

    def close(self) -> None:
        """Let the feed know that nobody looks any more."""


class Feed(Protocol):
    """A run that can be shown."""

    description: Description
    acting: Acting | None
    """How it is acted on; None where it cannot be."""

    def chunk(self, number: int) -> bytes:
        """Return a chunk of a recorded run as it stands in the file."""

    def join(self) -> Viewer | None:
        """Add a viewer of a live run; None where nothing comes by itself."""

    def clock(self) -> Mapping[str, Any] | None:
        """Return how far a live run has got; None for a recorded one."""


def described(
    meta: RunMeta,
    title: str,
    *,
    is_live: bool,
    end: float,
    is_whole: bool = True,
    chunks: object = (),
    deeds: tuple[str, ...] = (),
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
        chunks=msgspec.convert(chunks, tuple[tuple[int, float], ...]),
        deeds=deeds,
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
