"""Which march in formation do the words of a scenario describe?

A march says who drives where: the formation, the reference by which each robot finds its place, and the course. The
words are checked here, so that a program and what measures its run read them alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kumi.geometry import Point
from kumi.geometry.points import as_size
from kumi.planning.course import Course
from kumi.planning.formations import FORMATIONS, Formation, Reference

SPACING = 2.0
"""Metres from a robot to the next, if nothing else is said."""
AHEAD = 3.0
"""Metres ahead on its course for which a formation heads, if nothing else is said."""

Places: TypeAlias = Sequence[Sequence[float]]
"""Points as a scenario writes them: [[x, y], ...]."""
FormationName: TypeAlias = Literal["line", "column", "diamond", "wedge"]
ReferenceName: TypeAlias = Literal["unit-centre", "leader", "neighbour"]


@dataclass(frozen=True)
class March:
    """Who drives where: the formation, by which reference, along which course, and the spacing in metres."""

    formation: Formation
    reference: Reference
    course: Course
    spacing: float


def as_march(
    count: int,
    formation: FormationName | Places,
    reference: ReferenceName,
    course: str,
    courses: Mapping[str, Places],
    spacing: float = SPACING,
    ahead: float = AHEAD,
) -> March:
    """Return what the words mean for so many robots.

    A formation is the name of one, or a list of places, one for each robot: [metres ahead, metres to the left].
    """
    as_size(spacing, "a spacing")
    return March(
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
