"""Does a drive keep its promises?

It gives legs for the commands it can carry out and raises CannotDo for the others. Its legs are finite
numbers throughout, and without noise they end where the command says.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nan, pi, remainder, tau
from typing import Any, NamedTuple, cast

from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Sample, Steer, Track, Turn
from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.motion import Drive, Leg, Piece
from kumi.testing.demands import demand, no_other_chance

STARTS = (Pose(Point(0.0, 0.0), 0.0), Pose(Point(1.0, -2.0), 2.5))
COMMANDS: tuple[Command, ...] = (
    MoveTo((3.0, 2.0)),
    MoveTo((-4.0, 1.0), 0.5, 1.0),
    Forward(2.0),
    Forward(-1.0, 0.5),
    Forward(0.0),
    Forward(inf),
    Turn(1.0),
    Turn(-3.0, 0.5),
    Turn(0.0),
    Arc(1.0, pi / 2),
    Arc(-2.0, 1.0, 0.5),
    Follow(((3.0, 0.0), (6.0, 2.0), (9.0, 2.0))),
    Track((Sample(1.0, (1.0, 0.0), 0.0), Sample(2.0, (1.5, 0.5), 1.0), Sample(3.0, (1.5, 1.5), 1.5))),
    Steer(0.5),
    Steer(0.5, 0.2),
    Steer(0.0, 0.0),
)
NO_NUMBERS: tuple[Command, ...] = (
    MoveTo((nan, 0.0)),
    Forward(nan),
    Turn(nan),
    Arc(nan, 1.0),
    Forward(1.0, nan),
    Steer(nan),
)


class StandIn(NamedTuple):
    """What a drive may know of its body."""

    position: Point
    heading: float
    chance: Chance


def check_drive(drive: Drive, *, tolerance: float = 1e-9, seed: int = 0) -> None:
    """Raise AssertionError, with a sentence, where a drive of your own breaks a promise.

    It is asked for each kind of command. A drive with a `noise` need not end at the goal; one without it
    does, within the tolerance in metres and radians.
    """
    who = type(drive).__name__
    is_exact = getattr(drive, "noise", None) is None
    can_do = 0
    with no_other_chance(who):
        for start in STARTS:
            for command in COMMANDS:
                end = _end(drive, command, start, seed, who)
                if end is None:
                    continue
                can_do += 1
                demand(
                    end == _end(drive, command, start, seed, who),
                    f"{who} plans {command} in two ways with the same seed ({seed}); draw from body.chance alone",
                )
                if is_exact:
                    _check_end(who, command, start, end, tolerance)
            for command in NO_NUMBERS:
                _check_refused(drive, command, start, seed, who)
    demand(can_do > 0, f"{who} raises CannotDo for every command; a drive carries out at least one")


def _plan(drive: Drive, command: Command, start: Pose, seed: int, who: str) -> Sequence[Leg] | None:
    """Return the legs for a command, or None where the drive cannot carry it out."""
    body = StandIn(start.position, start.heading, stream(seed, "drive"))
    try:
        given = drive.plan(command, body)
    except CannotDo:
        return None
    legs: Any = [given] if isinstance(given, Leg) else given
    demand(
        isinstance(legs, Sequence) and all(isinstance(leg, Leg) for leg in legs),
        f"{who}.plan gives {given!r} for {command}; it gives a Leg or a list of them",
    )
    return cast("Sequence[Leg]", legs)


def _end(drive: Drive, command: Command, start: Pose, seed: int, who: str) -> Pose | None:
    """Return where the legs end, after a look at each; None where the drive cannot carry the command out."""
    try:
        legs = _plan(drive, command, start, seed, who)
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(
            f"{who} raised {type(error).__name__} for {command}: {error}; "
            f"it raises CannotDo for what it cannot carry out"
        ) from error
    if legs is None:
        return None
    here = start
    for leg in legs:
        try:
            piece = Piece.of(leg, here.position, here.heading)
        except ValueError as error:
            raise AssertionError(f"{who} carries out {command} with a leg that cannot be: {error}") from error
        for clock in (0.0, piece.duration / 2, piece.duration):
            pose = piece.at(clock if isfinite(clock) else 1e3)
            demand(
                all(map(isfinite, pose)),
                f"{who} carries out {command} with a leg that is at {pose} after {clock:g} s; poses are finite",
            )
            here = Pose(Point(pose[0], pose[1]), pose[2])
    return here


def _check_end(who: str, command: Command, start: Pose, end: Pose, tolerance: float) -> None:
    place, heading = _goal(command, start)
    demand(
        place is None or end.position.distance_to(place) <= tolerance,
        f"{who} ends {command} from {start} at {end.position}, not at {place}",
    )
    demand(
        heading is None or abs(remainder(end.heading - heading, tau)) <= tolerance,
        f"{who} ends {command} from {start} with a heading of {end.heading!r}, not {heading!r}",
    )


def _goal(command: Command, start: Pose) -> tuple[Point | None, float | None]:
    """Return where a command ends, and looking where; None where it leaves that open."""
    at, heading = start.position, start.heading
    match command:
        case MoveTo(goal):
            return Point(*goal), None
        case Forward(distance) if isfinite(distance):
            return at + Point.polar(distance, heading), heading
        case Turn(angle):
            return at, heading + angle
        case Arc(radius, angle):
            centre = at + Point.polar(radius, heading + pi / 2)
            return centre + (at - centre).turned(angle), heading + angle
        case Follow(path):
            return Point(*path[-1]), None
        case Track(samples):
            return Point(*samples[-1].at), samples[-1].heading
        case _:
            return None, None


def _check_refused(drive: Drive, command: Command, start: Pose, seed: int, who: str) -> None:
    """Check that what is no number does not become a motion."""
    try:
        legs = _plan(drive, command, start, seed, who)
        for leg in legs or ():
            Piece.of(leg, start.position, start.heading)
    except (ValueError, TypeError):
        return
    demand(legs is None, f"{who} makes legs of {command}; what is no number is refused with a ValueError")
