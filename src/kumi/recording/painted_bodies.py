"""How is a robot drawn: at its size, with a mark where it looks, its number, its way, and the fields of its sensors?

One that would be too small to see is drawn larger, as a disc with its mark, or as a dot where there are very many. One that fell into a hole is a cross in a ring.
"""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kumi.geometry import Disc, Ellipse, Point, Polygon
from kumi.maths import cos, pow, sin
from kumi.recording.painting import Anchor, Dot, Painter, words_width
from kumi.recording.palette import LIGHT, ink_on, rim_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kumi.recording.latest import BodyState, LostBody
    from kumi.recording.meta import RobotGroup, SensorField
    from kumi.recording.view import Viewport


Box: TypeAlias = tuple[float, float, float, float]

INK = LIGHT["text"]
MOVING, RESTING, WAY, LOST = LIGHT["moving"], LIGHT["resting"], LIGHT["way"], LIGHT["contact"]
LEAST_DOT_RADIUS = 1.25
"""Pixels of the radius of a dot."""
CLEAR, MANY, VERY_MANY = 5.0, 150, 1500
"""Pixels of the radius at which a robot is clearly seen, in a picture of usual size; robots beyond which it is less."""
LEAST_CROSS = 5.0
ROOM_FOR_NUMBER = 13.0
ROOM_FOR_MARK = 3.0


def paint_way(painter: Painter, view: Viewport, state: BodyState) -> None:
    """Paint where a body is going, if it is known: on the way that it noted, or straight."""
    if state.destination:
        end = view.dot(*state.destination)
        ahead = state.way[next_place(state.way, state.pose.position) :]
        places = [view.dot(*place) for place in (state.pose.position, *ahead)]
        painter.line([*places, end], WAY, 1.5)
        painter.disc(*end, 3.0 * view.unit, WAY)


def next_place(way: Sequence[Point], here: Point) -> int:
    """Return the number of the place of a way that comes next: after the piece that is nearest to where a body is."""
    following, least = 0, float("inf")
    for number in range(1, len(way)):
        (ax, ay), (bx, by) = way[number - 1], way[number]
        along, up = bx - ax, by - ay
        square = along * along + up * up
        share = 0.0 if square == 0.0 else ((here.x - ax) * along + (here.y - ay) * up) / square
        share = min(max(share, 0.0), 1.0)
        gap = Point(ax + share * along, ay + share * up).distance_to(here)
        if gap < least - 1e-9:
            least, following = gap, number if share > 0.0 else number - 1
    return following


def paint_lost(painter: Painter, view: Viewport, lost: Sequence[LostBody]) -> None:
    """Paint where bodies fell into holes."""
    for body in lost:
        x, y = view.dot(*body.pose.position)
        size, width = max(body.shape.reach * view.scale, LEAST_CROSS * view.unit), 2.0 * view.unit
        ring = [(x + size * cos(k * pi / 24), y + size * sin(k * pi / 24)) for k in range(49)]
        for dots in (
            [(x - size, y - size), (x + size, y + size)],
            [(x - size, y + size), (x + size, y - size)],
            ring,
        ):
            painter.line(dots, LOST, width)


def paint_numbers(
    painter: Painter,
    view: Viewport,
    states: Sequence[BodyState],
    least: float,
    fills: Mapping[int, str],
    words: Sequence[Box],
) -> None:
    """Paint the numbers of bodies: on those with room for it, beside the others, and none over a body or other words."""
    bodies = [box_of(view, state, least) for state in states]
    taken = list(words)
    for number, state in enumerate(states):
        others = (one for other, one in enumerate(bodies) if other != number)
        label = label_of(view, state, least, fills[state.number])
        if not any(meet(label.box, one) for one in (*others, *taken)) and is_within(label.box, view):
            painter.words(label.x, label.y, label.text, label.size, label.ink, label.anchor)
            taken.append(label.box)


class Label(msgspec.Struct, frozen=True):
    """A number, and where it would stand."""

    x: float
    y: float
    text: str
    size: float
    ink: str
    anchor: Anchor
    box: Box


def label_of(view: Viewport, state: BodyState, least: float, fill: str) -> Label:
    """Return where the number of a body would stand: on it, or beside it where it is small."""
    (x, y), text = view.dot(*state.pose.position), str(state.number)
    reach = reach_of(view, state, least)
    if reach >= ROOM_FOR_NUMBER:
        behind, room = behind_arrow(state, view.scale)
        size = min(1.5 * reach / pow(max(len(text), 2), 0.8), room, 40.0 * view.unit)
        ink, half = ink_on(fill), words_width(text, size) / 2
        x, y = x + behind * cos(state.pose.heading), y - behind * sin(state.pose.heading)
        box = (x - half, y - size / 2, x + half, y + size / 2)
        return Label(x, y, text, size, ink, "middle", box)
    size, aside = 11.0 * view.unit, 0.7 * reach + 2.0
    left, middle = x + aside, y - aside - 2.0
    box = (left, middle - size / 2, left + words_width(text, size), middle + size / 2)
    return Label(left, middle, text, size, INK, "start", box)


def box_of(view: Viewport, state: BodyState, least: float) -> Box:
    """Return the square around a body."""
    x, y = view.dot(*state.pose.position)
    reach = reach_of(view, state, least)
    return x - reach, y - reach, x + reach, y + reach


def reach_of(view: Viewport, state: BodyState, least: float) -> float:
    """Return the radius in pixels with which a body is drawn."""
    return max(state.shape.reach * view.scale, least)


def is_within(box: Box, view: Viewport) -> bool:
    """Tell whether a box lies on the plane, where no other words are."""
    left, top = view.dot(view.window.left, view.window.top)
    right, bottom = view.dot(view.window.right, view.window.bottom)
    return left <= box[0] and box[2] <= right and top <= box[1] and box[3] <= bottom


def meet(one: Box, other: Box) -> bool:
    """Tell whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def least_reach(count: int, view: Viewport) -> float:
    """Return the least radius in pixels with which each of so many robots is drawn."""
    if count > VERY_MANY:
        return LEAST_DOT_RADIUS
    return CLEAR * max(view.unit, 0.8) * (0.6 if count > MANY else 1.0)


def paint_body(painter: Painter, view: Viewport, state: BodyState, least: float, fill: str) -> None:
    """Paint a body at its place in a colour, as well as its size allows, with a radius of at least some pixels."""
    x, y = view.dot(*state.pose.position)
    if not (0.0 <= x <= view.size[0] and 0.0 <= y <= view.size[1]):
        return
    edge, ink = rim_of(fill), ink_on(fill)
    true, reach = state.shape.reach * view.scale, reach_of(view, state, least)
    if reach < ROOM_FOR_MARK:
        painter.disc(x, y, reach, fill)
    else:
        width = min(1.5, reach / 6)
        if isinstance(state.shape, Disc) or true < reach:
            painter.disc(x, y, reach, fill, edge, width)
        else:
            painter.polygon([view.dot(*corner) for corner in outline(state)], fill, edge, width)
        paint_mark(painter, view, state, (x, y), ink, reach)


def paint_mark(painter: Painter, view: Viewport, state: BodyState, at: Dot, ink: str, reach: float) -> None:
    """Paint a line from the middle of a body to its front, or only an arrowhead there where the number stands."""
    (x, y), heading = at, state.pose.heading
    is_round = isinstance(state.shape, Disc) or state.shape.reach * view.scale < reach
    ahead = reach if is_round else front(state) * view.scale
    # A front with a corner is narrow.
    end, width = (ahead - 1.0, reach / 6) if is_round else (0.88 * ahead, reach / 10)
    c, s = cos(heading), -sin(heading)

    def dot(forward: float, aside: float = 0.0) -> Dot:
        return x + forward * c - aside * s, y + forward * s + aside * c

    if reach >= ROOM_FOR_NUMBER:
        painter.polygon([dot(end), dot(0.6 * end, 0.25 * end), dot(0.6 * end, -0.25 * end)], ink)
    else:
        painter.line([dot(0.0), dot(end)], ink, max(width, 1.0))


def outline(state: BodyState) -> list[Dot]:
    """Return the corners of a body at its place; those of an ellipse are near one another."""
    (x, y), heading = state.pose.position, state.pose.heading
    c, s = cos(heading), sin(heading)
    if isinstance(state.shape, Ellipse):
        a, b = state.shape.length / 2, state.shape.width / 2
        own = [(a * cos(k * pi / 24), b * sin(k * pi / 24)) for k in range(48)]
    else:
        assert not isinstance(state.shape, Disc)
        own = [(corner.x, corner.y) for corner in state.shape.corners]
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in own]


def front(state: BodyState) -> float:
    """Return how far a body reaches in the direction in which it looks."""
    if isinstance(state.shape, Disc):
        return state.shape.radius
    if isinstance(state.shape, Ellipse):
        return state.shape.length / 2
    ahead: float = max(corner.x for corner in state.shape.corners)
    return ahead


ARROW_BASE = 0.53
"""Where the arrowhead on a body begins, as a share of the way to its front."""


def behind_arrow(state: BodyState, scale: float) -> tuple[float, float]:
    """Return how far ahead of its position the room of a body is in which its number stands, and its size, in pixels."""
    if not isinstance(state.shape, Polygon):
        reach = state.shape.reach * scale
        return -0.15 * reach, 1.5 * reach
    rear, ahead = min(corner.x for corner in state.shape.corners), ARROW_BASE * front(state)
    width = min(corner.y for corner in state.shape.corners), max(corner.y for corner in state.shape.corners)
    return (rear + ahead) / 2 * scale, min(ahead - rear, width[1] - width[0]) * scale


FIELD = LIGHT["faint"]
SIDES = 24
"""Sides of the line that the end of a field is."""


def fields_of(groups: Sequence[RobotGroup]) -> dict[int, tuple[SensorField, ...]]:
    """Return the fields of each robot's sensors, by its number."""
    return {
        number: group.sensors
        for group in groups
        for number in range(group.first, group.first + group.count)
        if group.sensors
    }


def paint_fields(
    painter: Painter,
    view: Viewport,
    states: Sequence[BodyState],
    fields: Mapping[int, Sequence[SensorField]],
) -> None:
    """Paint where sensors look."""
    for state in states:
        for field in fields.get(state.number, ()):
            for line in field_lines(view, state, field):
                painter.line(line, FIELD, max(1.0, view.unit))


def field_lines(view: Viewport, state: BodyState, field: SensorField) -> list[list[Dot]]:
    """Return the lines of a field: its beams, or its outline."""
    (x, y), heading = state.pose.position, state.pose.heading
    x, y = x + field.offset * cos(heading), y + field.offset * sin(heading)
    middle, first = heading + field.bearing, heading + field.bearing - field.view / 2
    begin = view.dot(x, y)

    def end(angle: float) -> Dot:
        return view.dot(x + field.reach * cos(angle), y + field.reach * sin(angle))

    if field.view == 0.0:
        return [[begin, end(middle)]]
    if field.rays > 1:
        return [[begin, end(first + field.view * ray / (field.rays - 1))] for ray in range(field.rays)]
    arc = [end(first + field.view * side / SIDES) for side in range(SIDES + 1)]
    return [[begin, *arc, begin]]
