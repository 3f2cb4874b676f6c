"""What changes in the crowd of a station's robots, as a journal?

Robots that are there, or were lost, are bodies; those that left are none. Each has a number from when it is first heard of, which
no other gets. A journal holds only what changed since the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kumi.recording.layout import (
    ADDED,
    GONE,
    INSTANT,
    LEFT,
    NOBODY,
    NUMBER,
    PLACED,
    RESIZED,
    TIME,
)
from kumi.recording.records import ReservedZone
from kumi.recording.writing import reserved_record
from kumi.station.records import Pose, Robot
from kumi.station.service.booked_floor import Booked
from kumi.station.service.heard import Heard
from kumi.view.station_tracks import Place, Track, disc


@dataclass(frozen=True)
class Known:
    """What everybody may know of a robot besides where it is."""

    tag: str
    team: str
    body: str
    state: str


class Crowd:
    """All robots of a station, as they are drawn; `slack` is how late a report may be noticed, in seconds."""

    def __init__(self, slack: float) -> None:
        self.known: dict[int, Known] = {}
        self._slack = slack
        self._numbers: dict[str, int] = {}
        self._tracks: dict[str, Track] = {}
        self._reserved: dict[str, bytes] = {}
        self._unsaid: dict[str, Booked] = {}

    def number(self, tag: str | None) -> int:
        """Return the number of a robot, or that of nobody."""
        return NOBODY if tag is None else self._numbers.get(tag, NOBODY)

    def robots(
        self, robots: Iterable[Robot], heard: Mapping[str, Heard], now: float
    ) -> tuple[bytes, dict[int, Known | None]]:
        """Take all robots as the store has them, and return what is new: in the journal, and in what is known of them.

        Where a robot is that talks with this process is not in the store yet: `heard` counts for it.
        """
        parts: list[bytes] = []
        news: dict[int, Known | None] = {}
        gone = dict(self.known)
        for robot in robots:
            number = self._numbers.setdefault(robot.tag, len(self._numbers))
            gone.pop(number, None)
            known = Known(robot.tag, robot.team, robot.kind, robot.state)
            if self.known.get(number) != known:
                news[number] = self.known[number] = known
            parts.append(self._robot(number, robot, robot.tag in heard, now))
        for number, known in gone.items():
            parts.append(self._leave(known.tag))
            news[number] = None
            del self.known[number]
        return b"".join(parts), news

    def hear(self, heard: Mapping[str, Heard], now: float) -> bytes:
        """Take where robots were heard to be, and return what is new in the journal."""
        tracks = self._tracks
        return b"".join(
            tracks[tag].report(_place(one.pose), one.at, now) for tag, one in heard.items() if tag in tracks
        )

    def reserve(self, booked: Mapping[str, Booked]) -> bytes:
        """Take what robots have booked, as far as that has changed, and return it for the journal.

        Of a robot that was not heard of yet it is told later.
        """
        self._unsaid.update(booked)
        parts = []
        for tag in [tag for tag in self._unsaid if tag in self._numbers]:
            zones = [ReservedZone(zone.path, zone.radius, granted) for zone, granted in self._unsaid.pop(tag)]
            self._reserved[tag] = reserved_record(self._numbers[tag], zones)
            parts.append(self._reserved[tag])
        return b"".join(parts)

    def state(self, now: float) -> bytes:
        """Return a journal from which all bodies can be made as they are, and the floor that they reserved."""
        tracks = b"".join(track.state(now) for track in self._tracks.values())
        return tracks + b"".join(self._reserved.values())

    def _robot(self, number: int, robot: Robot, is_heard: bool, now: float) -> bytes:
        if robot.state == "away" or robot.pose is None:
            return self._leave(robot.tag)
        track = self._tracks.get(robot.tag)
        if track is None:
            place = _place(robot.pose)
            self._tracks[robot.tag] = Track(number, robot.radius, place, self._slack, robot.seen_at)
            return bytes([ADDED]) + PLACED.pack(number, *place) + disc(robot.radius)
        resized = b""
        if track.radius != robot.radius:
            track.radius = robot.radius
            resized = bytes([RESIZED]) + NUMBER.pack(number) + disc(robot.radius)
        if is_heard or robot.seen_at is None:
            return resized
        return resized + track.report(_place(robot.pose), robot.seen_at, now)

    def _leave(self, tag: str) -> bytes:
        track = self._tracks.pop(tag, None)
        return b"" if track is None else bytes([GONE]) + LEFT.pack(track.number, 0)


def instant(now: float) -> bytes:
    """Return the record that begins what happened at an instant."""
    return bytes([TIME]) + INSTANT.pack(now)


def _place(pose: Pose) -> Place:
    return pose.x, pose.y, pose.heading
