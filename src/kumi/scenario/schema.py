"""Which fields does a scenario have, and which values do they take?

Each table of the file is a class, each key a field, and the description of a field says what it takes:
it stands in the messages about wrong values, and in `docs/scenarios.md`.

A table with a `kind`, such as a drive or a sensor, is left as it is here: what it takes is what the class
of that kind takes. See `parts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from kumi.scenario.fields import ScenarioTable, field

Point = tuple[float, float]


def _is_above_0(number: float) -> bool:
    return number > 0


def _is_size(pixels: int) -> bool:
    return 64 <= pixels <= 8192


@dataclass(frozen=True, kw_only=True)
class Area(ScenarioTable):
    """A rectangle by its lower left corner and its size."""

    x: float = field("a number of metres", default=0.0)
    y: float = field("a number of metres", default=0.0)
    width: float = field("a number of metres greater than 0", rule=_is_above_0)
    height: float = field("a number of metres greater than 0", rule=_is_above_0)


@dataclass(frozen=True, kw_only=True)
class RobotsTable(ScenarioTable):
    """A group of robots that are alike."""

    count: int | None = field("a whole number of at least 1", default=None, rule=lambda count: count >= 1)
    name: str | None = field(
        "a name without a dot; several robots get it with a number",
        default=None,
        rule=lambda name: bool(name) and "." not in name,
    )
    radius: float | None = field("a number of metres greater than 0", default=None, rule=_is_above_0)
    shape: Any = field("a table with a kind: disc, polygon or ellipse", default=None)
    born: Literal["random"] | list[Point] = field(
        '"random", or an array with a point [x, y] for each robot', default="random"
    )
    within: Area | None = field("a table with x, y, width and height, for random born points", default=None)
    heading: Literal["random"] | float | None = field('"random", or a number of radians', default=None)
    heading_deg: float | None = field("a number of degrees", default=None)
    program: str = field('the name of a shipped program, "module:name", or "path.py:name"', rule=bool)
    team: bool = field("true or false", default=False)
    parameters: dict[str, Any] = field("a table of what the program takes beside its robot", default={})
    drive: Any = field("the name of a kind, or a table with a kind", default="wheel")
    sensors: dict[str, Any] = field("a table with a name and a kind for each sensor", default={})


@dataclass(frozen=True, kw_only=True)
class WorldTable(ScenarioTable):
    """The rules of the plane."""

    ghost: bool = field("true or false", default=False)
    on_contact: Literal["stop", "slide", "pass"] = field('"stop", "slide" or "pass"', default="stop")


@dataclass(frozen=True, kw_only=True)
class OutputTable(ScenarioTable):
    """What is written during the run."""

    log: str | None = field("the path of a text file", default=None, rule=bool)
    record: str | None = field("the path of a run file", default=None, rule=bool)


@dataclass(frozen=True, kw_only=True)
class Animation(ScenarioTable):
    """The video that is made of the run after it."""

    on: bool = field("true or false", default=False)
    file: str | None = field(
        "a path that ends in .mp4 or .gif",
        default=None,
        rule=lambda path: path.endswith((".mp4", ".gif")),
    )
    frame_rate: float = field(
        "a number of frames a second, up to 240", default=25.0, rule=lambda rate: 0 < rate <= 240
    )
    speed: float = field(
        "a number of simulated seconds a second, greater than 0", default=1.0, rule=_is_above_0
    )
    width: int = field("a whole number of pixels from 64 to 8192", default=800, rule=_is_size)
    height: int = field("a whole number of pixels from 64 to 8192", default=800, rule=_is_size)


@dataclass(frozen=True, kw_only=True)
class NetworkTable(ScenarioTable):
    """What carries messages between the robots."""

    kind: Literal["none", "simulated", "udp", "tcp"] = field(
        '"none", "simulated", or, for real sockets, "udp" or "tcp"', default="none"
    )
    effects: list[Any] = field(
        "an array of what happens to messages on their way, each the name of a kind or a table", default=[]
    )
    failures: list[Any] = field(
        "an array of tables with a kind, crash or pause, a node, a start and an end", default=[]
    )
    stack: str = field(
        'the name of a shipped stack, "module:name", or "path.py:name"', default="plain", rule=bool
    )
    peers: dict[str, str] = field(
        'a table with "host:port" for the number of each robot, for real sockets between processes',
        default={},
    )
    here: list[int] | None = field(
        "an array of the numbers of the robots that this process runs", default=None
    )


@dataclass(frozen=True, kw_only=True)
class ScenarioSettings(ScenarioTable):
    """All that a scenario says."""

    title: str = field("one line of text", default="")
    seed: int = field("a whole number", default=0)
    until: float = field(
        "a number of seconds of at least 0, or inf",
        default=inf,
        rule=lambda seconds: seconds >= 0,
        is_endless=True,
    )
    pace: float | None = field(
        "a number greater than 0: simulated seconds for each second of the wall clock",
        default=None,
        rule=_is_above_0,
    )
    on_error: Literal["robot", "run"] = field('"robot" or "run"', default="robot")
    map: str | dict[str, Any] = field("the path of a map, or a table that describes one", default={})
    world: WorldTable = field("a table", default=WorldTable())
    robots: list[RobotsTable] = field("a table, or an array of tables", default=[], rule=bool)
    models: dict[str, Any] | None = field(
        "a table with a kind, a class of models, in place of robots", default=None
    )
    network: NetworkTable = field("a table with a kind", default=NetworkTable())
    real: list[dict[str, Any]] = field(
        "an array of tables, one for each robot that is real, with its devices", default=[]
    )
    tracking: dict[str, Any] | None = field(
        "a table with what a tracking source takes, for real robots", default=None
    )
    tolerance: float = field("a number of seconds greater than 0", default=0.05, rule=_is_above_0)
    patience: float = field("a number of seconds greater than 0", default=15.0, rule=_is_above_0)
    output: OutputTable = field("a table", default=OutputTable())
    animation: Animation = field("a table", default=Animation())
