"""How does a plan look?

The plane with its obstacles is drawn as in the picture of a run. On it lie the route, a thin line with a dot
for each sub-goal; the path, a broad line, with the ground that the robot's body covers as a faint band; the
start and the goal. Below it stands the speed over the way, if there is a profile.

What is drawn are plain places in metres, so that any planner's answer can be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kumi.geometry import Bounds
from kumi.maths import hypot
from kumi.recording.painted_scenery import paint_materials
from kumi.recording.painting import Dot, DotPainter, Painter, SvgPainter
from kumi.recording.picture import ENDINGS, FAINT, FLOOR, PAPER, PictureError, paint_scenery
from kumi.recording.strips import INK, LegendEntry, Strips
from kumi.recording.view import LETTERS, SIDE, STRIP, Viewport, joined, unit_of, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kumi.recording.scenery import Scenery

Place: TypeAlias = tuple[float, float]

ROUTE, PATH, BAND, START, GOAL, SPEED = "#8f6200", "#0072b2", "#d6eaf6", "#009e73", "#d55e00", "#0072b2"
PROFILE_SHARE = 0.26
"""The part of the picture's height that a profile takes."""


class DrawnPlan(msgspec.Struct, frozen=True):
    """What a robot means to do: sub-goals, places along a path, and (way, speed) pairs in m and m/s.

    `radius` is that of the robot, in metres. What is not there is not drawn.
    """

    route: Sequence[Place] = ()
    path: Sequence[Place] = ()
    profile: Sequence[tuple[float, float]] = ()
    radius: float = 0.0
    name: str = ""


def draw_plan(
    plans: DrawnPlan | Sequence[DrawnPlan],
    scenery: Scenery,
    file: Path,
    size: tuple[int, int] = (1280, 720),
    *,
    title: str = "",
) -> None:
    """Draw one plan or several into a file, of the kind that its name ends in: .png or .svg."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise PictureError(f"the name of a picture ends in {' or '.join(ENDINGS)}, unlike {str(file)!r}")
    every = [plans] if isinstance(plans, DrawnPlan) else list(plans)
    if ending == ".svg":
        lines = SvgPainter(size, PAPER)
        paint_plans(lines, every, scenery, size, title)
        file.write_text(lines.picture(), encoding="utf-8")
    else:
        dots = DotPainter(size, PAPER)
        paint_plans(dots, every, scenery, size, title)
        dots.picture().save(file)


def paint_plans(
    painter: Painter, plans: Sequence[DrawnPlan], scenery: Scenery, size: tuple[int, int], title: str = ""
) -> None:
    """Paint the plane with plans on it, and their profiles below."""
    has_profile = any(len(plan.profile) > 1 for plan in plans)
    height = round(size[1] * (1 - PROFILE_SHARE)) if has_profile else size[1]
    view = view_of(window_of(plans, scenery), (size[0], height), fills=scenery.bounds is None)
    paint_scenery(painter, view, scenery)
    for plan in plans:
        paint_band(painter, view, plan)
    for plan in plans:
        paint_plan(painter, view, plan)
    paint_words(painter, view, plans, scenery, title)
    if has_profile:
        paint_profiles(painter, plans, (0.0, float(height), float(size[0]), float(size[1])), unit_of(size))


def window_of(plans: Sequence[DrawnPlan], scenery: Scenery) -> Bounds:
    """Return the part of the plane to show: all of a finite one, or where plans lead, with some room."""
    if scenery.bounds:
        return scenery.bounds
    window: Bounds | None = None
    for plan in plans:
        for x, y in (*plan.route, *plan.path):
            box = Bounds(x - plan.radius, y - plan.radius, x + plan.radius, y + plan.radius)
            window = joined(window, box) if window else box
    left, bottom, right, top = window or Bounds(-1.0, -1.0, 1.0, 1.0)
    room = 0.1 * max(right - left, top - bottom, 1e-6)
    return Bounds(left - room, bottom - room, right + room, top + room)


def paint_band(painter: Painter, view: Viewport, plan: DrawnPlan) -> None:
    """Paint the ground that a round robot covers on its path, or on its route if there is no path."""
    dots = [view.dot(x, y) for x, y in plan.path or plan.route]
    radius = plan.radius * view.scale
    if len(dots) > 1 and radius > 0:
        apart = spread(dots, radius / 4)
        painter.line(apart, BAND, 2 * radius)
        for x, y in apart:
            painter.disc(x, y, radius, BAND)


def spread(dots: Sequence[Dot], least: float) -> list[Dot]:
    """Return the dots of a line that are at least so far from the one before, and the last."""
    kept = [dots[0]]
    for dot in dots[1:]:
        if hypot(dot[0] - kept[-1][0], dot[1] - kept[-1][1]) >= least:
            kept.append(dot)
    return [*kept, dots[-1]]


def paint_plan(painter: Painter, view: Viewport, plan: DrawnPlan) -> None:
    """Paint the lines of a plan, its sub-goals, its start and its goal."""
    unit = view.unit
    route, path = ([view.dot(x, y) for x, y in places] for places in (plan.route, plan.path))
    if len(path) > 1:
        painter.line(path, PATH, 4.0 * unit)
    if len(route) > 1:
        painter.line(route, ROUTE, 1.5 * unit)
    for x, y in route[1:-1]:
        painter.disc(x, y, 3.5 * unit, FLOOR, ROUTE, 1.5 * unit)
    for line in (path or route,):
        if line:
            painter.disc(*line[0], 6.0 * unit, START, FLOOR, 1.5 * unit)
            painter.disc(*line[-1], 6.0 * unit, GOAL, FLOOR, 1.5 * unit)
            if plan.name:
                painter.words(line[0][0] + 10 * unit, line[0][1], plan.name, LETTERS * unit, INK)


def paint_words(
    painter: Painter, view: Viewport, plans: Sequence[DrawnPlan], scenery: Scenery, title: str
) -> None:
    """Say what is shown, how large it is, and what the colours mean."""
    strips = Strips(painter, view)
    strips.paint_title(title)
    paint_materials(painter, view, scenery, strips.above)
    strips.paint_scale()
    entries = [LegendEntry(GOAL, "goal"), LegendEntry(START, "start")]
    if any(len(plan.path) > 1 for plan in plans):
        entries.append(LegendEntry(PATH, "path", is_line=True))
    if any(len(plan.route) > 1 for plan in plans):
        entries.append(LegendEntry(ROUTE, "route", is_line=True))
    strips.paint_legend(entries)


def paint_profiles(
    painter: Painter, plans: Sequence[DrawnPlan], box: tuple[float, float, float, float], unit: float
) -> None:
    """Paint the speeds over the way in a box of the picture, from its upper left to its lower right corner."""
    left, top = box[0] + SIDE * unit, box[1] + 4 * unit
    right, bottom = box[2] - SIDE * unit, box[3] - STRIP * unit / 2
    pairs = [pair for plan in plans for pair in plan.profile]
    far = max((s for s, _ in pairs), default=0.0) or 1.0
    fast = max((v for _, v in pairs), default=0.0) or 1.0
    painter.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], FLOOR, FAINT, 1.0)

    def dot(s: float, v: float) -> Dot:
        return left + (right - left) * s / far, bottom - (bottom - top) * 0.85 * v / fast

    for plan in plans:
        if len(plan.profile) > 1:
            painter.line([dot(s, v) for s, v in plan.profile], SPEED, 2.0 * unit)
    painter.line([(left, top), (left, bottom), (right, bottom)], INK, 1.5)
    small = 0.8 * LETTERS * unit
    painter.words(left + 6 * unit, dot(0, fast)[1] - 9 * unit, f"{fast:g} m/s", small, INK)
    painter.words(right, bottom + 10 * unit, f"{far:.4g} m", small, INK, "end")
