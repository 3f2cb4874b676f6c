"""What does the record of a match prove?

The run file holds every motion as a closed form, and every contact. From it follow the instants at which a robot first was near
an object with nothing between, and the contacts that robots made. Nothing that code says has a part in this, and anybody can
judge a match again from its file.

Motions are looked at in steps of 10 ms, and the instant at which an object comes into sight is then narrowed down to a
microsecond: what is in sight for less than a step may be missed. A contact counts for each robot that was driving. One with the same
thing counts again when the robot has moved away from where it last counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from kumi.geometry import Point, Pose
from kumi.maths import hypot
from kumi.recording import BodyAdded, Gone, Jumped, MotionEnded, Moves, Record, Touched
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import Judging
from kumi.station.contest.sight import is_clear
from kumi.world import World

SAMPLE_PERIOD = 0.01
NARROWED = 1e-6


@dataclass
class _Track:
    """What is known of one body while its records are read."""

    pose: Pose
    motion: Moves | None = None
    counted: dict[object, Point] = field(default_factory=dict)
    """Where it was at its last contact with each thing that counted."""

    @property
    def is_driving(self) -> bool:
        """Whether it goes somewhere; to turn on the spot is none."""
        return self.motion is not None and self.motion.piece.length > 0.0

    def at(self, instant: float) -> Point:
        """Return where it is at an instant of its present motion."""
        return self.pose.position if self.motion is None else self.motion.pose(instant).position


@dataclass(frozen=True)
class Bump:
    """A contact that counts: when, which body, and what it met."""

    time: float
    body: int
    other: int | None
    obstacle: int | None


@dataclass(frozen=True)
class Proof:
    """What a record proves: when each body first found each object, and each contact that counts."""

    found: Mapping[tuple[int, str], float]
    bumps: Sequence[Bump]


def read_proof(
    records: Iterable[Record], end: float, world: World, hidden: Sequence[Hidden], judging: Judging
) -> Proof:
    """Return what the records of a match up to its end prove; `world` has its obstacles."""
    reader = _Reader(world, hidden, judging)
    for record in records:
        reader.take(record)
    for body in reader.tracks:
        reader.follow(body, end)
    return Proof(reader.found, reader.bumps)


class _Reader:
    """Follows the bodies of a match through its records."""

    def __init__(self, world: World, hidden: Sequence[Hidden], judging: Judging) -> None:
        self.tracks: dict[int, _Track] = {}
        self.found: dict[tuple[int, str], float] = {}
        self.bumps: list[Bump] = []
        self._world = world
        self._hidden = hidden
        self._judging = judging

    def take(self, record: Record) -> None:
        """Go on to the next record."""
        match record:
            case BodyAdded(time, body, pose):
                self.tracks[body] = _Track(pose)
                self.follow(body, time)
            case Moves(time, body):
                self.follow(body, time)
                self.tracks[body].motion = record
            case MotionEnded(time, body, _, pose) | Jumped(time, body, pose):
                self.follow(body, time)
                self.tracks[body].motion, self.tracks[body].pose = None, pose
            case Gone(time, body):
                self.follow(body, time)
                del self.tracks[body]
            case Touched():
                self.bumps += _counted(record, self.tracks, self._judging.contact_apart)

    def follow(self, body: int, until: float) -> None:
        """Look at what a body came near to on its present motion, up to an instant."""
        for one in self._hidden:
            if (body, one.name) not in self.found:
                when = _first_in_sight(self.tracks[body], until, self._world, one, self._judging.found_within)
                if when is not None:
                    self.found[body, one.name] = when


def _counted(touched: Touched, tracks: Mapping[int, _Track], apart: float) -> Iterator[Bump]:
    """Give the contact for each body that made it by moving."""
    met: object = ("obstacle", touched.obstacle) if touched.other is None else ("body", touched.other)
    pairs = [(touched.body, met, touched.other, touched.obstacle)]
    if touched.other is not None:
        pairs.append((touched.other, ("body", touched.body), touched.body, None))
    for body, thing, other, obstacle in pairs:
        track = tracks[body]
        if not track.is_driving:
            continue
        here = track.at(touched.time)
        last = track.counted.get(thing)
        if last is None or hypot(here.x - last.x, here.y - last.y) > apart:
            track.counted[thing] = here
            yield Bump(touched.time, body, other, obstacle)


def _first_in_sight(track: _Track, until: float, world: World, thing: Hidden, within: float) -> float | None:
    """Return when a body first is near a thing with nothing between, in its present motion up to an instant."""

    def sees(instant: float) -> bool:
        here = track.at(instant)
        return hypot(here.x - thing.at.x, here.y - thing.at.y) <= within and is_clear(world, here, thing.at)

    motion = track.motion
    if motion is None:
        return until if sees(until) else None
    first = motion.time
    if not track.is_driving or until <= first:
        return first if sees(first) else None
    count = max(1, ceil((until - first) / SAMPLE_PERIOD))
    before = first
    for number in range(count + 1):
        instant = until if number == count else first + number * SAMPLE_PERIOD
        if sees(instant):
            return instant if number == 0 else _narrowed(sees, before, instant)
        before = instant
    return None


def _narrowed(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return an instant at which something has just come to hold."""
    while high - low > NARROWED:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
