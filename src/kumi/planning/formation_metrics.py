"""How well was a formation kept?

Three numbers tell it, as an onlooker sees it who knows where all robots were: how much farther than the course they
drove, how far they were from their places on average, and for which share of the time all of them were in place.
The place of a robot is where its reference puts it: relative to the true unit centre, the leader, or the neighbour.
Robots that keep no place, that is leaders, have no error.

Poses are given at the instants at which robots changed what they do. In between each drives a straight line or an
arc, so its way is exact. The error between two instants is the mean of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, remainder, tau

from kumi.geometry import Pose
from kumi.maths import sin
from kumi.planning.course import Course
from kumi.planning.enclosing_circle import mean
from kumi.planning.formations import LEADER, Formation, Reference


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
