"""Which fields does a scenario have, and which values do they take?

Each table of the file is a class, each key a field, and the description of a field says what it takes:
it stands in the messages about wrong values, and in `docs/scenarios.md`.

A table with a `kind`, such as a drive or a sensor, is left as it is here: what it takes is what the class
of that kind takes. See `parts`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Positive = Annotated[float, Field(gt=0)]
Point = tuple[float, float]


def _is_word(value: Any) -> str:
    return "word" if isinstance(value, str) else "other"


Random = Annotated[Literal["random"], Tag("word")]
Born = Annotated[Random | Annotated[list[Point], Tag("other")], Discriminator(_is_word)]
Heading = Annotated[Random | Annotated[float, Tag("other")], Discriminator(_is_word)]
PathOrTable = Annotated[
    Annotated[str, Tag("word")] | Annotated[dict[str, Any], Tag("other")], Discriminator(_is_word)
]


class Table(BaseModel):
    """A table of the file: a key that is not a field is a mistake, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Area(Table):
    """A rectangle by its lower left corner and its size."""

    x: float = Field(default=0.0, description="a number of metres")
    y: float = Field(default=0.0, description="a number of metres")
    width: Positive = Field(description="a number of metres greater than 0")
    height: Positive = Field(description="a number of metres greater than 0")


class Robots(Table):
    """A group of robots that are alike."""

    count: int | None = Field(default=None, ge=1, description="a whole number of at least 1")
    name: str | None = Field(
        default=None,
        pattern=r"^[^.]+$",
        description="a name without a dot; several robots get it with a number",
    )
    radius: float | None = Field(default=None, gt=0, description="a number of metres greater than 0")
    shape: Any = Field(default=None, description="a table with a kind: disc, polygon or ellipse")
    born: Born = Field(
        default="random", description='"random", or an array with a point [x, y] for each robot'
    )
    within: Area | None = Field(
        default=None, description="a table with x, y, width and height, for random born points"
    )
    heading: Heading | None = Field(default=None, description='"random", or a number of radians')
    heading_deg: float | None = Field(default=None, description="a number of degrees")
    program: str = Field(
        min_length=1, description='the name of a shipped program, "module:name", or "path.py:name"'
    )
    parameters: dict[str, Any] = Field(
        default={}, description="a table of what the program takes beside its robot"
    )
    drive: Any = Field(default="wheel", description="the name of a kind, or a table with a kind")
    sensors: dict[str, Any] = Field(default={}, description="a table with a name and a kind for each sensor")


class World(Table):
    """The rules of the plane."""

    ghost: bool = Field(default=False, description="true or false")
    on_contact: Literal["stop", "slide", "pass"] = Field(
        default="stop", description='"stop", "slide" or "pass"'
    )


class Output(Table):
    """What is written during the run."""

    log: str | None = Field(default=None, min_length=1, description="the path of a text file")
    record: str | None = Field(default=None, min_length=1, description="the path of a run file")


class Animation(Table):
    """The video that is made of the run after it."""

    on: bool = Field(default=False, description="true or false")
    file: str | None = Field(
        default=None, pattern=r"\.(mp4|gif)$", description="a path that ends in .mp4 or .gif"
    )
    frame_rate: float = Field(
        default=25.0, gt=0, le=240, description="a number of frames a second, up to 240"
    )
    speed: float = Field(
        default=1.0, gt=0, description="a number of simulated seconds a second, greater than 0"
    )
    width: int = Field(default=800, ge=64, le=8192, description="a whole number of pixels from 64 to 8192")
    height: int = Field(default=800, ge=64, le=8192, description="a whole number of pixels from 64 to 8192")


class Network(Table):
    """What carries messages between the robots."""

    kind: Literal["none", "simulated", "udp", "tcp"] = Field(
        default="none",
        description='"none", "simulated", or, for real sockets, "udp" or "tcp"',
    )
    effects: list[Any] = Field(
        default=[],
        description="an array of what happens to messages on their way, each the name of a kind or a table",
    )
    failures: list[Any] = Field(
        default=[],
        description="an array of tables with a kind, crash or pause, a node, a start and an end",
    )
    stack: str = Field(
        default="plain",
        min_length=1,
        description='the name of a shipped stack, "module:name", or "path.py:name"',
    )
    peers: dict[str, str] = Field(
        default={},
        description='a table with "host:port" for the number of each robot, for real sockets between processes',
    )
    here: list[int] | None = Field(
        default=None, description="an array of the numbers of the robots that this process runs"
    )


class Settings(Table):
    """All that a scenario says."""

    title: str = Field(default="", description="one line of text")
    seed: int = Field(default=0, description="a whole number")
    until: Annotated[float, Field(allow_inf_nan=True)] = Field(
        default=float("inf"), ge=0, description="a number of seconds of at least 0, or inf"
    )
    pace: float | None = Field(
        default=None,
        gt=0,
        description="a number greater than 0: simulated seconds for each second of the wall clock",
    )
    on_error: Literal["robot", "run"] = Field(default="robot", description='"robot" or "run"')
    map: PathOrTable = Field(default={}, description="the path of a map, or a table that describes one")
    world: World = Field(default=World(), description="a table")
    robots: list[Robots] = Field(default=[], min_length=1, description="a table, or an array of tables")
    models: dict[str, Any] | None = Field(
        default=None, description="a table with a kind, a class of models, in place of robots"
    )
    network: Network = Field(default=Network(), description="a table with a kind")
    real: list[dict[str, Any]] = Field(
        default=[], description="an array of tables, one for each robot that is real, with its devices"
    )
    tracking: dict[str, Any] | None = Field(
        default=None, description="a table with what a tracking source takes, for real robots"
    )
    tolerance: Positive = Field(default=0.05, description="a number of seconds greater than 0")
    patience: Positive = Field(default=15.0, description="a number of seconds greater than 0")
    output: Output = Field(default=Output(), description="a table")
    animation: Animation = Field(default=Animation(), description="a table")
