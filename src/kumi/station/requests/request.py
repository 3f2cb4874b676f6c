"""What a request is: a frozen value that knows the type of its answer, and whose thing it is about."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from msgspec import Meta

from kumi.station.records import Name, Number, Record

Limit = Annotated[int, Meta(ge=1, le=1000)]
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes in the largest file that a station takes."""

A_co = TypeVar("A_co", bound=Record, covariant=True)


class Request(Record, Generic[A_co], frozen=True, kw_only=True):
    """Something to ask of a station, which answers with an `A_co`."""


class OfRobot(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a robot, which belongs to a team."""

    robot: Name


class OfTask(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a task, which belongs to the team of its robot."""

    task: Number


class OfMedium(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a stored file, which belongs to a team."""

    medium: Number


class OfTeam(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a team."""

    team: Name
