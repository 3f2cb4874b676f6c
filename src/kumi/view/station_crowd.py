"""What changes in the crowd of a station's robots, as a journal?

Robots that are there, or were lost, are bodies; those that left are none. Each has a number from when it is first heard of, which
no other gets. A journal holds only what changed since the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kumi.recording.layout import GONE, INSTANT, LEFT, NOBODY, TIME
from kumi.recording.records import ReservedZone
from kumi.recording.writing import reserved_record
from kumi.station.floor.reservation_log import Booked, BookedZone, FloorNews
from kumi.station.positioning.positioning import LastReport
from kumi.station.records import PoseRecord, RobotRecord, RobotState
from kumi.view.station_tracks import Place, Tracks


class ShownRobot(msgspec.Struct, frozen=True):
    """What everybody may know of a robot besides where it is."""

    tag: str
    team: str
    body: str
    state: RobotState


class StationCrowd:
    """All robots of a station, as they are drawn; `slack` is how late a report may be noticed, in seconds."""

    def __init__(self, slack: float) -> None:
        self.known: dict[int, ShownRobot] = {}
        self._numbers: dict[str, int] = {}
        self._drawn: dict[str, int] = {}  # the numbers of those that are bodies
        self._tracks = Tracks(slack)
        self._reserved: dict[str, bytes] = {}
        self._unsaid: dict[str, Booked] = {}
        self._keeper = ""

    def number(self, tag: str | None) -> int:
        """Return the number of a robot, or that of nobody."""
        return NOBODY if tag is None else self._numbers.get(tag, NOBODY)

    def robots(
        self, robots: Iterable[RobotRecord], heard: Mapping[str, LastReport], now: float
    ) -> tuple[bytes, dict[int, ShownRobot | None]]:
        """Take all robots as the store has them, and return what is new: in the journal, and in what is known of them.

        Where a robot is that talks with this process is not in the store yet: `heard` counts for it.
        """
        parts: list[bytes] = []
        news: dict[int, ShownRobot | None] = {}
        told: dict[str, tuple[PoseRecord, float]] = {}
        gone = dict(self.known)
        for robot in robots:
            number = self._numbers.setdefault(robot.tag, len(self._numbers))
            gone.pop(number, None)
            known = ShownRobot(robot.tag, robot.team, robot.kind, robot.state)
            if self.known.get(number) != known:
                news[number] = self.known[number] = known
            if robot.state == "away" or robot.pose is None:
                parts.append(self._leave(robot.tag))
            elif robot.tag not in self._drawn:
                self._drawn[robot.tag] = number
                parts.append(self._tracks.add(number, robot.radius, _place(robot.pose), robot.seen_at))
            else:
                parts.append(self._tracks.resize(number, robot.radius))
                if robot.tag not in heard and robot.seen_at is not None:
                    told[robot.tag] = robot.pose, robot.seen_at
        for number, known in gone.items():
            parts.append(self._leave(known.tag))
            news[number] = None
            del self.known[number]
        return b"".join(parts) + self._report(told, now), news

    def hear(self, heard: Mapping[str, LastReport], now: float) -> bytes:
        """Take where robots were heard to be, and return what is new in the journal."""
        return self._report(
            {tag: (one.pose, one.at) for tag, one in heard.items() if tag in self._drawn}, now
        )

    def reserve(self, news: FloorNews) -> bytes:
        """Take what robots have booked, as far as that has changed, and return it for the journal.

        Of a robot that was not heard of yet it is told later. What one keeper of the floor does not know of is free, whatever
        another has told.
        """
        if news.keeper != self._keeper:
            self._keeper = news.keeper
            self._unsaid = dict.fromkeys(self._reserved, ())
        self._unsaid.update(news.booked)
        parts = []
        for tag in [tag for tag in self._unsaid if tag in self._numbers]:
            zones = [_reserved(zone) for zone in self._unsaid.pop(tag)]
            self._reserved[tag] = reserved_record(self._numbers[tag], zones)
            parts.append(self._reserved[tag])
        return b"".join(parts)

    def state(self, now: float) -> bytes:
        """Return a journal from which all bodies can be made as they are, and the floor that they reserved."""
        return self._tracks.state(now) + b"".join(self._reserved.values())

    def _report(self, told: Mapping[str, tuple[PoseRecord, float]], now: float) -> bytes:
        numbers = [self._drawn[tag] for tag in told]
        places = [_place(pose) for pose, _ in told.values()]
        return self._tracks.report(numbers, places, [at for _, at in told.values()], now)

    def _leave(self, tag: str) -> bytes:
        number = self._drawn.pop(tag, None)
        if number is None:
            return b""
        self._tracks.remove(number)
        return bytes([GONE]) + LEFT.pack(number, 0)


def instant(now: float) -> bytes:
    """Return the record that begins what happened at an instant."""
    return bytes([TIME]) + INSTANT.pack(now)


def _reserved(zone: BookedZone) -> ReservedZone:
    return ReservedZone(zone.points, zone.radius, zone.is_granted)


def _place(pose: PoseRecord) -> Place:
    return pose.x, pose.y, pose.heading
