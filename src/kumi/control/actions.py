"""What may a page ask of a run? One message for each action, as JSON; its name is in the address.

Robots go by their numbers in the journal, obstacles by those of contacts. Lengths are metres, angles radians. A
message that does not fit is refused before the run hears of it.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Literal, TypeAlias

import msgspec

MOST_CODE = 200_000
"""Characters of a program, or of a list of commands."""
MOST_PLACES = 1000
MOST_PACE = 1000.0

Order: TypeAlias = Literal["queue", "interrupt"]


class Spot(msgspec.Struct, frozen=True):
    """A place on the plane."""

    x: float
    y: float

    def __post_init__(self) -> None:
        if not (isfinite(self.x) and isfinite(self.y)):
            raise ValueError("a place is two finite numbers")

    def __str__(self) -> str:
        return f"({self.x:g}, {self.y:g})"


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="action"):
    """What a person wants done."""


class GoTo(Action, frozen=True, tag="goTo"):
    """Let a robot go to a place."""

    robot: int
    at: Spot
    order: Order = "interrupt"


class FollowPath(Action, frozen=True, tag="followPath"):
    """Let a robot go from place to place."""

    robot: int
    way: list[Spot]
    order: Order = "interrupt"

    def __post_init__(self) -> None:
        if not 1 <= len(self.way) <= MOST_PLACES:
            raise ValueError(f"a way has 1 to {MOST_PLACES} places, not {len(self.way)}")


class StopRobot(Action, frozen=True, tag="stop"):
    """Stop a robot, or all, where they are, and hold them there."""

    robot: int | None = None


class GiveBack(Action, frozen=True, tag="release"):
    """Give a robot back to its program."""

    robot: int


class GiveCode(Action, frozen=True, tag="giveCode"):
    """Run a program in a robot in place of its own."""

    robot: int
    name: str
    code: str

    def __post_init__(self) -> None:
        check_length(self.code, "a program")


class CheckCode(Action, frozen=True, tag="checkCode"):
    """Tell what is wrong with a program for a robot, line by line, and run nothing."""

    robot: int
    code: str

    def __post_init__(self) -> None:
        check_length(self.code, "a program")


class Commands(Action, frozen=True, tag="commands"):
    """Let a robot carry out a list of commands in words."""

    robot: int
    text: str

    def __post_init__(self) -> None:
        check_length(self.text, "a list of commands")


class PlaceRobot(Action, frozen=True, tag="placeRobot"):
    """Put another robot into the world."""

    at: Spot
    heading: float = 0.0


class SetPace(Action, frozen=True, tag="setPace"):
    """Let the run go at another pace: seconds of the run a second."""

    pace: float

    def __post_init__(self) -> None:
        if not 0.0 < self.pace <= MOST_PACE:
            raise ValueError(f"a pace is a number above 0, up to {MOST_PACE:g}, not {self.pace:g}")


class TakeOut(Action, frozen=True, tag="removeRobot"):
    """Take a robot out of the world."""

    robot: int


class DrawWall(Action, frozen=True, tag="drawWall"):
    """Let a wall stand between two places."""

    start: Spot = msgspec.field(name="from")
    end: Spot = msgspec.field(name="to")


class RemoveWall(Action, frozen=True, tag="removeWall"):
    """Take an obstacle away."""

    wall: int


class LoadMap(Action, frozen=True, tag="loadMap"):
    """Let the obstacles of a map stand in place of those that stand now."""

    map: dict[str, Any] | str


class SaveMap(Action, frozen=True, tag="saveMap"):
    """Tell the map as it is now, as the text of a map file."""


class SetNoise(Action, frozen=True, tag="setNoise"):
    """Let motions and readings of a robot, or of all, err from now on; see `kumi.control.action_handler`."""

    motion: float
    sensors: float
    robot: int | None = None

    def __post_init__(self) -> None:
        for what, share in (("motion", self.motion), ("sensors", self.sensors)):
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"the noise of {what} is a share from 0 to 1, not {share:g}")


AnyAction: TypeAlias = (
    GoTo
    | FollowPath
    | StopRobot
    | GiveBack
    | GiveCode
    | CheckCode
    | Commands
    | PlaceRobot
    | TakeOut
    | DrawWall
    | RemoveWall
    | LoadMap
    | SaveMap
    | SetNoise
    | SetPace
)

KINDS: dict[str, type[AnyAction]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        GoTo,
        FollowPath,
        StopRobot,
        GiveBack,
        GiveCode,
        CheckCode,
        Commands,
        PlaceRobot,
        TakeOut,
        DrawWall,
        RemoveWall,
        LoadMap,
        SaveMap,
        SetNoise,
        SetPace,
    )
}
"""The actions by their names."""


def read_action(name: str, body: bytes) -> AnyAction:
    """Read the message of an action; ValueError with a sentence where it does not fit."""
    try:
        table = msgspec.json.decode(body or b"{}", type=dict[str, Any])
        return msgspec.convert({**table, "action": name}, KINDS[name])
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ValueError(f"{name} cannot be read: {error}") from error


def check_length(text: str, what: str) -> None:
    """Refuse a text that is too long."""
    if len(text) > MOST_CODE:
        raise ValueError(f"{what} has at most {MOST_CODE} characters, not {len(text)}")
