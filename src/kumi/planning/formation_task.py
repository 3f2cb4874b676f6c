"""Which march in formation do the words of a scenario describe, and how well was it kept?

A march says who drives where: the formation, the reference by which each robot finds its place, and the course. The
words are checked here, so that a program and what measures its run read them alike.

Three numbers tell it, as an onlooker sees it who knows where all robots were: how much farther than the course they
drove, how far they were from their places on average, and for which share of the time all of them were in place.
The place of a robot is where its reference puts it: relative to the true unit centre, the leader, or the neighbour.
Robots that keep no place, that is leaders, have no error.

Poses are given at the instants at which robots changed what they do. In between each drives a straight line or an
arc, so its way is exact. The error between two instants is the mean of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, remainder, tau
from typing import Literal, TypeAlias

from kumi.geometry import Point, Pose
from kumi.geometry.points import as_size
from kumi.maths import sin
from kumi.planning.course import Course
from kumi.planning.enclosing_circle import mean
from kumi.planning.formations import FORMATIONS, LEADER, Formation, Reference

SPACING = 2.0
"""Metres from a robot to the next, if nothing else is said."""
LOOKAHEAD = 3.0
"""Metres ahead on its course for which a formation heads, if nothing else is said."""

Places: TypeAlias = Sequence[Sequence[float]]
"""Points as a scenario writes them: [[x, y], ...]."""
FormationName: TypeAlias = Literal["line", "column", "diamond", "wedge"]
ReferenceName: TypeAlias = Literal["unit-centre", "leader", "neighbour"]


@dataclass(frozen=True)
class FormationTask:
    """The task of a formation: its shape, by which reference, along which course, and the spacing in metres."""

    formation: Formation
    reference: Reference
    course: Course
    spacing: float


def as_formation_task(
    count: int,
    formation: FormationName | Places,
    reference: ReferenceName,
    course: str,
    courses: Mapping[str, Places],
    spacing: float = SPACING,
    ahead: float = LOOKAHEAD,
) -> FormationTask:
    """Return what the words mean for so many robots.

    A formation is the name of one, or a list of places, one for each robot: [metres ahead, metres to the left].
    """
    as_size(spacing, "a spacing")
    return FormationTask(
        _formation(formation, count, spacing), _reference(reference), _course(course, courses, ahead), spacing
    )


def _formation(given: FormationName | Places, count: int, spacing: float) -> Formation:
    if isinstance(given, str):
        if given not in FORMATIONS:
            raise ValueError(
                f"a formation is one of {', '.join(FORMATIONS)}, or a list of places, not {given!r}"
            )
        return FORMATIONS[given](count, spacing)
    places = _points(given, "a formation")
    if len(places) != count:
        raise ValueError(f"a formation of {count} robots has {count} places, not {len(places)}")
    return Formation(places)


def _reference(given: ReferenceName) -> Reference:
    known = [reference.value for reference in Reference]
    if given not in known:
        raise ValueError(f"a reference is one of {', '.join(known)}, not {given!r}")
    return Reference(given)


def _course(name: str, courses: Mapping[str, Places], ahead: float) -> Course:
    if name not in courses:
        raise ValueError(f"a course is one of {', '.join(courses)}, not {name!r}")
    return Course(_points(courses[name], "a course"), ahead)


def _points(given: Places, what: str) -> tuple[Point, ...]:
    try:
        return tuple(Point(x, y) for x, y in given)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is a list of points [x, y] in metres, not {given!r}") from None


@dataclass(frozen=True)
class FormationMetrics:
    """What came out of one march.

    `path_ratio` is the way of the robots, on average, in lengths of the course. `error` is the distance of the
    robots from their places, in metres, averaged over robots and time, `end_error` the largest one at the end, and
    `in_formation` the share of the time in which every robot was within the tolerance of its place.
    """

    path_ratio: float
    error: float
    end_error: float
    in_formation: float


def measure(
    formation: Formation,
    reference: Reference,
    course: Course,
    tolerance: float,
    times: Sequence[float],
    poses: Sequence[Sequence[Pose]],
) -> FormationMetrics:
    """Return the metrics of a march; `poses` are those of all robots at each of the times, in seconds."""
    if len(times) < 2 or len(times) != len(poses):
        raise ValueError(f"a march has poses at two times at least, not {len(poses)} at {len(times)}")
    errors = _errors(formation, reference, course, poses)
    whole = times[-1] - times[0]
    summed = within = 0.0
    for (begin, end), (first, last) in zip(pairwise(times), pairwise(errors), strict=True):
        summed += (end - begin) * (fsum(first) + fsum(last)) / 2.0
        within += (end - begin) * (max(first, default=0.0) <= tolerance)
    keepers = max(1, len(formation.keepers(reference)))
    way = fsum(_way(before, after) for one in zip(*poses, strict=True) for before, after in pairwise(one))
    return FormationMetrics(
        path_ratio=way / len(formation) / course.length,
        error=summed / keepers / whole,
        end_error=max(errors[-1], default=0.0),
        in_formation=within / whole,
    )


def _errors(
    formation: Formation, reference: Reference, course: Course, poses: Sequence[Sequence[Pose]]
) -> list[list[float]]:
    """Return at each time how far each robot that keeps a place is from it."""
    keepers, leg, errors = formation.keepers(reference), 0, []
    for team in poses:
        at = {number: pose.position for number, pose in enumerate(team)}
        middle = mean(list(at.values())) if reference is Reference.UNIT_CENTRE else at[LEADER]
        leg = course.leg_at(middle, leg)
        heading = course.heading_at(middle, leg)
        places = {number: formation.place(reference, number, at, heading) for number in keepers}
        errors.append([at[number].distance_to(place) for number, place in places.items()])
    return errors


def _way(before: Pose, after: Pose) -> float:
    """Return the length of the arc, or the line, from one pose to another."""
    chord = before.position.distance_to(after.position)
    half = remainder(after.heading - before.heading, tau) / 2.0
    return chord * half / sin(half) if half else chord
