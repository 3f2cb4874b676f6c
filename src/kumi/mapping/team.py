"""Where are all robots of a team, and what do they know together?

Each robot has a `Slam` of its own. The team knows more than each of them: what a beam met may be another robot, and is
then no wall; and what the others drew helps a robot to find itself, as soon as their maps lie in one frame. Robots
whose start is known are in the common frame from the beginning. The others begin in a frame of their own, whose origin
is their start, and join when their map matches the common one, or when they meet a robot that has joined.

When all is seen, the map is drawn again (`redraw`): each robot goes its log through once more, and has from the first
scan on what the others saw until the last, and what it found out about its own steering. What it had to guess at first it
now knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from kumi._core import Chance, Point
from kumi.geometry import Pose
from kumi.mapping.matching import agreement, match
from kumi.mapping.merging import composed, inverse, merge, moved, placed
from kumi.mapping.models import BACK, FRONT, PACKET_BEAMS, Beam, FilterSettings, OdometryModel, RangeModel
from kumi.mapping.occupancy import OccupancyMap
from kumi.mapping.scan import MappingError, Scan
from kumi.mapping.slam import NO_ERRORS, PARTICLES, Estimate, Slam, SystematicErrors

HERE = Pose(Point(0.0, 0.0))
MIDDLE = Point((FRONT - BACK) / 2.0, 0.0)
"""The middle of a platform, from the middle of its rear axle."""

PLATFORM_RADIUS = 0.19
"""Metres from the middle of a platform within which all of it lies, and a little more."""

JOIN, AGREE = 0.45, 0.85
"""How much of a robot's map must overlap the common one, and agree with it, before it joins: a wrong frame spoils all."""

TRY = 12
"""How many times as seldom as others are consulted a robot tries to join: a match is counted for some tenths of a second."""

ROUNDS = 3
"""How often each robot's map is drawn again."""

REMAINING_DOUBT = 0.3
"""The share of a doubt about the steering that is left when a robot has been all about."""

SURE_DOUBT = 0.15
"""Metres of spread up to which a robot's map is told to the others."""


@dataclass
class TeamMember:
    """What the team keeps of a robot; `frame` is the pose of its frame in the common one, or None.

    `start` is in its own frame; `scans` are without what met other robots, and `poses` what was estimated at each.
    """

    slam: Slam
    frame: Pose | None
    chance: Chance
    start: Pose
    scans: list[Scan] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)


class MappingTeam:
    """Robots that find themselves and draw one map."""

    def __init__(
        self,
        *,
        ranges: RangeModel | None = None,
        odometry: OdometryModel | None = None,
        beams: Sequence[Beam] = PACKET_BEAMS,
        particles: int = PARTICLES,
        settings: FilterSettings | None = None,
        shares: bool = True,
        period: int = 8,
    ) -> None:
        self.ranges = ranges or RangeModel()
        self.odometry = odometry or OdometryModel()
        self.beams = tuple(beams)
        self.particles = particles
        self.settings = settings or FilterSettings()
        self.shares = shares
        self.period = period
        self.members: dict[str, TeamMember] = {}

    def add(self, name: str, chance: Chance, start: Pose | None = None) -> None:
        """Take a robot into the team: with its start in the common frame, or without, if that is not known."""
        if name in self.members:
            raise MappingError(f"a robot named {name!r} is in the team already")
        frame = HERE if start is not None or not self.members else None
        begun = start or HERE
        self.members[name] = TeamMember(self._slam(chance, begun), frame, chance, begun)

    def observe(self, name: str, scan: Scan) -> Estimate:
        """Take a robot's next scan and return where it is: in the common frame, or in its own if it has not joined."""
        member = self._member(name)
        scan = self._without_robots(member, scan)
        estimate = member.slam.add(scan)
        member.scans.append(scan)
        if len(member.scans) % self.period == 0:
            self._consult(member)
        estimate = Estimate(self._common(member, estimate.pose), estimate.spread)
        member.poses.append(estimate.pose)
        return estimate

    def meet(self, name: str, frame: Pose) -> None:
        """Let a robot join whose frame in the common one is known, such as by a meeting."""
        self._member(name).frame = frame

    def redraw(self) -> None:
        """Draw the map again from all scans, one robot after the other, each by what the others drew of all the place.

        A map is kept that agrees better with those of the others than the one before.
        """
        for member in ROUNDS * self._joined():
            others = self._maps_for(member)
            if not (self.shares and others and member.scans):
                continue
            drawn = self._seen_from(member, merge(others))
            slam = self._slam(member.chance, member.start, member.slam.errors)
            slam.share(drawn)
            for scan in member.scans:
                slam.add(scan)
            if agreement(drawn, slam.map) >= agreement(drawn, member.slam.map):
                member.slam = slam

    def pose(self, name: str) -> Pose:
        """Return where a robot is: in the common frame, or in its own if it has not joined."""
        member = self._member(name)
        return self._common(member, member.slam.estimate.pose)

    def has_joined(self, name: str) -> bool:
        """Tell whether a robot's place in the common frame is known."""
        return self._member(name).frame is not None

    @property
    def map(self) -> OccupancyMap:
        """The common map: that of all robots in the common frame."""
        return merge([self._map(member) for member in self._joined()])

    def map_of(self, name: str) -> OccupancyMap:
        """Return one robot's own map, in the common frame if it has joined."""
        return self._map(self._member(name))

    def _member(self, name: str) -> TeamMember:
        try:
            return self.members[name]
        except KeyError:
            known = ", ".join(sorted(self.members)) or "none"
            raise MappingError(f"there is no robot {name!r} in the team; there are: {known}") from None

    def _joined(self) -> list[TeamMember]:
        return [member for member in self.members.values() if member.frame is not None]

    def _common(self, member: TeamMember, pose: Pose) -> Pose:
        return pose if member.frame is None or member.frame == HERE else composed(member.frame, pose)

    def _map(self, member: TeamMember) -> OccupancyMap:
        drawn = member.slam.map
        return drawn if member.frame is None or member.frame == HERE else moved(drawn, member.frame)

    def _slam(self, chance: Chance, start: Pose, known: SystematicErrors | None = None) -> Slam:
        """Return a new filter; what is known to be wrong with the steering leaves the less to guess.

        A scale is not known before its way is: what a beam says of the one depends on the other.
        """
        odometry, errors = self.odometry, NO_ERRORS
        if known is not None:
            bias, lag = odometry.steering_bias * REMAINING_DOUBT, odometry.lag * REMAINING_DOUBT
            odometry, errors = replace(odometry, steering_bias=bias, lag=lag), known._replace(scale=0.0)
        return Slam(
            chance,
            start,
            ranges=self.ranges,
            odometry=odometry,
            errors=errors,
            beams=self.beams,
            particles=self.particles,
            settings=self.settings,
        )

    def _maps_for(self, member: TeamMember) -> list[OccupancyMap]:
        """Return the maps of the others that know something, and where they are."""
        return [
            self._map(other)
            for other in self._joined()
            if other is not member
            and len(other.scans) >= self.period
            and other.slam.estimate.spread <= SURE_DOUBT
        ]

    def _seen_from(self, member: TeamMember, drawn: OccupancyMap) -> OccupancyMap:
        """Return a map of the common frame in that of a robot."""
        return drawn if member.frame is None or member.frame == HERE else moved(drawn, inverse(member.frame))

    def _consult(self, member: TeamMember) -> None:
        """Let a robot join if its map matches, and tell it what the others drew."""
        others = self._maps_for(member)
        if not others:
            return
        drawn = merge(others)
        if member.frame is None:
            if len(member.scans) % (TRY * self.period):
                return
            found = match(drawn, member.slam.map, least_overlap=JOIN, least_agreement=AGREE)
            if found is None:
                return
            member.frame = found.frame
        if self.shares:
            member.slam.share(self._seen_from(member, drawn))

    def _without_robots(self, member: TeamMember, scan: Scan) -> Scan:
        """Take out the ranges whose beams end at another robot."""
        if member.frame is None:
            return scan
        pose = self._common(member, self._ahead(member, scan))
        middles = [
            placed(self._common(other, other.slam.estimate.pose), MIDDLE)
            for other in self._joined()
            if other is not member and other.scans
        ]
        if not middles:
            return scan
        room = PLATFORM_RADIUS + 0.08 + member.slam.estimate.spread
        ranges = [
            None
            if reading is not None and reading < inf and _is_near(_end(pose, beam, reading), middles, room)
            else reading
            for reading, beam in zip(scan.ranges, self.beams, strict=True)
        ]
        return replace(scan, ranges=tuple(ranges))

    def _ahead(self, member: TeamMember, scan: Scan) -> Pose:
        """Return about where the robot is now: a little further than at its last scan."""
        pose = member.slam.estimate.pose
        way = scan.distance - member.scans[-1].distance if member.scans else 0.0
        return Pose(pose.position + Point.polar(way, pose.heading), pose.heading)


def _end(pose: Pose, beam: Beam, reading: float) -> Point:
    return placed(pose, Point(beam.x, beam.y) + Point.polar(reading, beam.bearing))


def _is_near(place: Point, middles: Iterable[Point], room: float) -> bool:
    return any(abs(place - middle) <= room for middle in middles)
