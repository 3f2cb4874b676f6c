"""What are the rules of a contest?

They are frozen values, read from a TOML file: the arena as a map, where robots start, what is hidden, what counts how many
points, what robots can do, and what programs may use. A file that makes no sense is refused in one sentence that says where.

A start is a place for one team, with a pose for each of its robots. There are at least as many starts as teams.
"""

from __future__ import annotations

import tomllib
from math import radians
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kumi.devs import KumiError
from kumi.geometry import Disc, Point, Pose
from kumi.station.wording import complaint
from kumi.world import Map, MapError, Overlap, World, map_from_table

SHIPPED = Path(__file__).with_name("shipped")
Length = Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=86400.0)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Gain = Annotated[float, msgspec.Meta(ge=0.0)]
Loss = Annotated[float, msgspec.Meta(le=0.0)]


class BadRules(KumiError):
    """A file of rules makes no sense; the message says where."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of the rules, which refuses what it does not know."""


class StartRules(_Part, frozen=True):
    """Where the robots of one team start: x and y in metres and a heading in degrees for each."""

    robots: Annotated[tuple[tuple[float, float, float], ...], msgspec.Meta(min_length=1, max_length=20)]

    @property
    def poses(self) -> tuple[Pose, ...]:
        """The poses of the robots."""
        return tuple(Pose(Point(x, y), radians(degrees)) for x, y, degrees in self.robots)


class Objects(_Part, frozen=True):
    """What is hidden: `count` things at places by seed, or things at `places`."""

    count: Count = 6
    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9-]{0,20}$")] = "victim"
    radius: Length = 0.12
    apart: Length = 1.0
    """Metres between two of them, at least."""
    from_starts: Length = 3.0
    """Metres from each start, at least."""
    places: tuple[tuple[float, float], ...] = ()


class RobotRules(_Part, frozen=True):
    """What each robot is and can do: the same for all teams."""

    radius: Length = 0.15
    speed: Length = 0.5
    turn_speed: Length = 2.0
    sight: Length = 2.0
    """Metres within which `sight` tells what is there."""
    view_deg: Annotated[float, msgspec.Meta(gt=0.0, le=360.0)] = 120.0
    """Degrees that `sight` sees, and that a picture shows: half to the left of ahead, half to the right."""
    rays: Annotated[int, msgspec.Meta(ge=1, le=360)] = 16
    """Directions that `lidar` measures, all around."""
    reach: Length = 5.0
    """Metres that `lidar` measures at most."""


class Points(_Part, frozen=True):
    """What counts how much."""

    found: Gain = 10.0
    """For the first team with a robot near an object and in sight of it."""
    reported: Gain = 20.0
    """For the first team that reports an object at its place."""
    picture: Gain = 10.0
    """For such a report with the object in the picture."""
    haste: Gain = 10.0
    """For such a report, times the share of the match that is left, to a tenth of a point."""
    wrong: Loss = -10.0
    """For a report of something that is not there."""
    contact: Loss = -2.0
    """For each contact that a moving robot makes."""
    failed: Loss = -20.0
    """For code that ended by an error or by a limit, once for each robot."""


class Judging(_Part, frozen=True):
    """How near is near."""

    found_within: Length = 1.0
    """Metres from a robot's middle to an object's middle, with nothing between, that count as found."""
    reported_within: Length = 0.3
    """Metres from a reported place to an object's middle that are right."""
    contact_apart: Length = 0.05
    """Metres that a robot moves before a contact with the same thing counts again."""


class ContestLimits(_Part, frozen=True):
    """What takes time in the contest, and what a program may use of the machine."""

    look: Seconds = 0.2
    """Simulated seconds that a look takes."""
    report: Seconds = 1.0
    """Simulated seconds that a report and its picture take."""
    turn: Annotated[float, msgspec.Meta(gt=0.0, le=3600.0)] = 20.0
    """Seconds that a program takes for itself from one call to the next, at most; the time of others does not count."""
    cpu: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 60
    """Seconds of processor time in a match, at most."""
    memory_mb: Annotated[int, msgspec.Meta(ge=64, le=4096)] = 256
    printed: Annotated[int, msgspec.Meta(ge=1000, le=100_000_000)] = 200_000
    """Bytes that a program prints and notes, at most."""
    calls: Annotated[int, msgspec.Meta(ge=100, le=10_000_000)] = 100_000
    """Times that a program calls its robot or waits, at most."""


class ContestRules(_Part, frozen=True):
    """The rules of a contest."""

    title: str
    time: Annotated[float, msgspec.Meta(gt=0.0, le=86400.0)]
    """Simulated seconds of a match."""
    map: dict[str, Any]
    starts: Annotated[tuple[StartRules, ...], msgspec.Meta(min_length=1, max_length=20)]
    objects: Objects = Objects()
    robots: RobotRules = RobotRules()
    points: Points = Points()
    judging: Judging = Judging()
    limits: ContestLimits = ContestLimits()

    @property
    def arena(self) -> Map:
        """The arena as a map."""
        return map_from_table(self.map, "rules")


def shipped_contests() -> list[str]:
    """Return the names of the contests that ship."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def rules_file(name: str) -> Path:
    """Return the file of a contest: one that ships, or a path."""
    shipped = SHIPPED / f"{name}.toml"
    if name in shipped_contests():
        return shipped
    path = Path(name)
    if not path.is_file():
        known = ", ".join(shipped_contests())
        raise BadRules(
            f"there is no contest {name!r}: it takes a TOML file of rules, or one that ships: {known}"
        )
    return path


def load_rules(name: str) -> ContestRules:
    """Return the rules in a file, or of a contest that ships; BadRules where they make no sense."""
    path = rules_file(name)
    try:
        return read_rules(path.read_text(encoding="utf-8"))
    except BadRules as error:
        raise BadRules(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise BadRules(f"{path}: this is no text: {error}") from None


def read_rules(text: str) -> ContestRules:
    """Return the rules in a text; BadRules where they make no sense."""
    try:
        rules = msgspec.convert(tomllib.loads(text), ContestRules, strict=False)
        _check(rules)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, MapError, Overlap) as error:
        raise BadRules(complaint(error)) from None
    return rules


def _check(rules: ContestRules) -> None:
    """Refuse starts that are not alike, or not free."""
    if not rules.arena.is_finite:
        raise BadRules("map: an arena has a width and a height")
    numbers = {len(start.robots) for start in rules.starts}
    if len(numbers) > 1:
        raise BadRules(f"starts: each team has as many robots as the others, not {sorted(numbers)}")
    world = World(rules.arena)
    for number, start in enumerate(rules.starts, start=1):
        for robot, pose in enumerate(start.poses, start=1):
            name = f"robot {robot} of start {number}"
            world.add_body(pose.position, heading=pose.heading, shape=Disc(rules.robots.radius), name=name)
