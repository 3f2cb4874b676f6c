"""What can happen to bodies in a run? One frozen record for each kind of thing.

The world writes these into its journal while it runs, and a run file gives them back. Bodies go by their
numbers. Lengths are metres, times seconds, angles radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, TypeAlias

import msgspec

from kumi.contract.published import Shown
from kumi.geometry import BodyShape, Point, Pose, wrapped
from kumi.motion import Piece

BORDER = -2
"""The number that stands for the border of the world where an obstacle is named."""


class Leaving(IntEnum):
    """Why a body is gone."""

    REMOVED = 0
    FELL = 1


class CommandKind(IntEnum):
    """What kind of command a body was given."""

    MOVE_TO = 1
    FORWARD = 2
    TURN = 3
    ARC = 4
    FOLLOW = 5
    STEER = 6
    STOP = 7
    OTHER = 8


class Ending(IntEnum):
    """Why a motion ended."""

    ARRIVED = 0
    STOPPED = 1
    CONTACT = 2
    GONE = 3


class Added(msgspec.Struct, frozen=True):
    """A body came into the world."""

    time: float
    body: int
    pose: Pose
    shape: BodyShape


class Gone(msgspec.Struct, frozen=True):
    """A body left the world."""

    time: float
    body: int
    why: Leaving


class Resized(msgspec.Struct, frozen=True):
    """A body has another shape from now on."""

    time: float
    body: int
    shape: BodyShape


class Jumped(msgspec.Struct, frozen=True):
    """A body was put elsewhere, where it rests."""

    time: float
    body: int
    pose: Pose


class Commanded(msgspec.Struct, frozen=True):
    """A body began to carry out a command. What does not apply to its kind is NaN.

    `angle` is what it turns by, positive to the left, and `distance` how far it goes.
    """

    time: float
    body: int
    order: CommandKind
    goal: Point
    angle: float
    distance: float
    turn_speed: float
    speed: float


class Moves(msgspec.Struct, frozen=True):
    """A body goes on along a piece of motion, at `rate` of the piece's own pace.

    The piece's own clock stands at `since` when the record is made. `speed` and `acceleration` are those along
    the path when it stands at 0. `turning` is a second on a line, and a metre on an arc.
    """

    time: float
    body: int
    rate: float
    since: float
    piece: Piece
    speed: float
    acceleration: float
    turning: float

    def clock(self, instant: float) -> float:
        """Return where the piece's own clock stands at an instant."""
        return self.since + self.rate * (instant - self.time)

    def pose(self, instant: float) -> Pose:
        """Return where the body is at an instant."""
        x, y, heading = self.piece.at(self.clock(instant))
        return Pose(Point(x, y), wrapped(heading))


class Ended(msgspec.Struct, frozen=True):
    """A motion ended, and the body rests."""

    time: float
    body: int
    why: Ending
    pose: Pose


class Touched(msgspec.Struct, frozen=True):
    """A body came into contact with another one, or with an obstacle of the map.

    Obstacles go by their place in the map, with the terrain counted after them; `BORDER` is the border.
    """

    time: float
    body: int
    other: int | None
    obstacle: int | None
    at: Point


class Note(msgspec.Struct, frozen=True):
    """A body, or the run, had something to say."""

    time: float
    body: int | None
    text: str


class PlannedWay(msgspec.Struct, frozen=True):
    """A body is about to go from place to place, as a command says of which only the last place is recorded."""

    time: float
    body: int
    places: tuple[Point, ...]


class ReservedZone(msgspec.Struct, frozen=True):
    """All floor within `radius` of a path: granted to a robot, or only asked for."""

    path: tuple[Point, ...]
    radius: float
    is_granted: bool = True


class Reserved(msgspec.Struct, frozen=True):
    """A body has reserved this floor, and waits for some of it; what it had before is replaced."""

    time: float
    body: int
    zones: tuple[ReservedZone, ...]


class Published(msgspec.Struct, frozen=True):
    """A program shows something under a name, of its body or of the run; what stood there before is replaced."""

    time: float
    body: int | None
    name: str
    value: Shown


class Counted(msgspec.Struct, frozen=True):
    """How often a body touched something, and how many messages it sent and received, up to a keyframe."""

    time: float
    body: int
    contacts: int
    sent: int
    received: int


class Stands(msgspec.Struct, frozen=True):
    """An obstacle stands from now on, described as in a map; its number is that of contacts with it."""

    time: float
    obstacle: int
    table: Mapping[str, Any]


class Cleared(msgspec.Struct, frozen=True):
    """An obstacle is gone."""

    time: float
    obstacle: int


class Sent(msgspec.Struct, frozen=True):
    """A message was sent, to these receivers; `number` counts the messages of the run."""

    time: float
    number: int
    sender: int
    receivers: tuple[int, ...]
    kind: str
    content: str


class Received(msgspec.Struct, frozen=True):
    """A message arrived; `number` is that of its sending."""

    time: float
    number: int
    receiver: int


class Dropped(msgspec.Struct, frozen=True):
    """A message did not arrive at a receiver; `reason` says why."""

    time: float
    number: int
    receiver: int
    reason: str


Record: TypeAlias = (
    Added
    | Gone
    | Resized
    | Jumped
    | Commanded
    | Moves
    | Ended
    | Touched
    | Note
    | PlannedWay
    | Reserved
    | Published
    | Counted
    | Stands
    | Cleared
    | Sent
    | Received
    | Dropped
)
