"""What a robot asks of a station: to come in, what to do next, and to take in what it found; or to leave."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kumi.station.answers import Corrected, Done, Marked, Modules, NextTask, Reserved, Stored, Welcomed
from kumi.station.records import Name, Number, Pose, Radius, Reach, Sample, Spot, TaskOption, Word, Words
from kumi.station.requests.request import OfTask, Request

Path = Annotated[tuple[Spot, ...], Meta(min_length=1, max_length=200)]
"""Where a piece of a way leads through."""


class Welcome(Request[Welcomed], frozen=True, kw_only=True):
    """A robot enters, or comes back; options that are not told stay as they were."""

    kind: Words = "robot"
    radius: Radius = 0.15
    pose: Pose | None = None
    options: tuple[TaskOption, ...] | None = None


class TellTaskOptions(Request[Done], frozen=True, kw_only=True):
    """A robot announces the tasks it can do, in place of those announced before."""

    options: tuple[TaskOption, ...]


class ListModules(Request[Modules], frozen=True, kw_only=True):
    """A robot that was started anew asks for the modules that it had taken."""


class RequestTask(Request[NextTask], frozen=True, kw_only=True):
    """A robot asks for its next task."""


class ReportPosition(Request[Corrected], frozen=True, kw_only=True):
    """A robot tells where it believes to be, and what else its team may know."""

    pose: Pose
    values: dict[str, Any] = msgspec.field(default_factory=dict)


class TaskDone(OfTask[NextTask], frozen=True, kw_only=True):
    """A robot ended a task."""

    succeeded: bool = True
    outcome: Words = ""


class StoreFile(Request[Stored], frozen=True, kw_only=True):
    """A robot stores a file; `content` travels as base64 in JSON."""

    name: Name
    kind: Words = "application/octet-stream"
    content: bytes


class MarkObject(Request[Marked], frozen=True, kw_only=True):
    """A robot marks something that it discovered."""

    name: Words
    at: Spot
    medium: Number | None = None


class Measure(Request[Done], frozen=True, kw_only=True):
    """A robot adds what it measured to a named layer of the map."""

    layer: Word
    samples: Annotated[tuple[Sample, ...], Meta(min_length=1, max_length=10_000)]


class Disconnect(Request[Done], frozen=True, kw_only=True):
    """A robot leaves."""


class Reserve(Request[Reserved], frozen=True, kw_only=True):
    """A robot asks for the floor of a piece of its way; with way 0 it only tells where it is.

    Ways are numbered by the robot, each higher than the one before. With the first piece come the paths of all; those that
    follow are asked for by their number. A robot that tells where it is in the midst of a piece tells that piece, too.
    """

    way: Number
    piece: Number = 0
    at: Spot
    radius: Reach
    pieces: Annotated[tuple[Path, ...], Meta(max_length=2000)] = ()


class Release(Request[Done], frozen=True, kw_only=True):
    """A robot has arrived at the end of a piece of its way, or `at` a place on it, or, `is_cut`, goes no farther."""

    way: Number
    piece: Number = 0
    is_cut: bool = False
    at: Spot | None = None
