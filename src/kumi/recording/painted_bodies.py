"""How is a robot drawn: at its size, with a mark where it looks, its number, and the way that it goes?

One that would be too small to see is drawn as a dot. One that fell into a hole is a cross in a ring.
"""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, TypeAlias

from kumi.geometry import Disc, Ellipse, Point
from kumi.maths import cos, pow, sin
from kumi.recording.painting import Dot, Painter, words_width
from kumi.recording.palette import LIGHT, ink_on, rim_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.recording.latest import BodyState, LostBody
    from kumi.recording.view import View

Box: TypeAlias = tuple[float, float, float, float]

INK = LIGHT["text"]
MOVING, RESTING, WAY, LOST = LIGHT["moving"], LIGHT["resting"], LIGHT["way"], LIGHT["contact"]
SMALLEST = 1.25
LEAST_CROSS = 5.0
ROOM_FOR_NUMBER = 13.0
ROOM_FOR_MARK = 3.0


def paint_way(painter: Painter, view: View, state: BodyState) -> None:
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


def paint_lost(painter: Painter, view: View, lost: Sequence[LostBody]) -> None:
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


def paint_numbers_beside(painter: Painter, view: View, states: Sequence[BodyState]) -> None:
    """Paint the numbers of small bodies beside them, where they cover neither a body nor another number."""
    size = 11.0 * view.unit
    taken = []
    for state in states:
        x, y = view.dot(*state.pose.position)
        reach = max(state.shape.reach * view.scale, SMALLEST)
        taken.append((x - reach, y - reach, x + reach, y + reach))
    for number, state in enumerate(states):
        x, y = view.dot(*state.pose.position)
        reach = max(state.shape.reach * view.scale, SMALLEST)
        text = str(state.number)
        aside = 0.7 * reach + 2.0
        left, middle = x + aside, y - aside - 2.0
        box = (left, middle - size / 2, left + words_width(text, size), middle + size / 2)
        hidden = any(other != number and _meet(box, one) for other, one in enumerate(taken))
        if reach < ROOM_FOR_NUMBER and not hidden:
            painter.words(left, middle, text, size, INK)
            taken.append(box)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def paint_body(painter: Painter, view: View, state: BodyState, fill: str = "") -> None:
    """Paint a body at its place, as well as its size allows; without a colour, in that of moving or resting ones."""
    x, y = view.dot(*state.pose.position)
    if not (0.0 <= x <= view.size[0] and 0.0 <= y <= view.size[1]):
        return
    fill = fill or (MOVING if state.is_moving else RESTING)
    edge, ink = rim_of(fill), ink_on(fill)
    reach = max(state.shape.reach * view.scale, SMALLEST)
    if reach < ROOM_FOR_MARK:
        painter.disc(x, y, reach, fill)
    else:
        width = min(1.5, reach / 6)
        if isinstance(state.shape, Disc):
            painter.disc(x, y, reach, fill, edge, width)
        else:
            painter.polygon([view.dot(*corner) for corner in outline(state)], fill, edge, width)
        paint_mark(painter, view, state, (x, y), ink)
    text = str(state.number)
    if reach >= ROOM_FOR_NUMBER:
        painter.words(
            x, y, text, min(1.5 * reach / pow(max(len(text), 2), 0.8), 40.0 * view.unit), ink, "middle"
        )


def paint_mark(painter: Painter, view: View, state: BodyState, at: Dot, ink: str) -> None:
    """Paint a mark from the middle of a body to its front, or only near the front where the number stands."""
    (x, y), heading = at, state.pose.heading
    reach, ahead = state.shape.reach * view.scale, front(state) * view.scale
    begin = 0.66 * ahead if reach >= ROOM_FOR_NUMBER else 0.0
    # A front with a corner is narrow.
    end, width = (ahead - 1.0, reach / 6) if isinstance(state.shape, Disc) else (0.88 * ahead, reach / 10)
    c, s = cos(heading), -sin(heading)
    painter.line([(x + begin * c, y + begin * s), (x + end * c, y + end * s)], ink, max(width, 1.0))


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
