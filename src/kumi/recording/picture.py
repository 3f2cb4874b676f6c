"""How does a run look at an instant?

The plane fills the picture as far as its proportions allow; of an infinite plane that part is shown where
the robots are. Robots that move are blue, those that rest are orange: two colours that everybody can tell
apart. Who sent a message to whom in the last second is joined by a line. A robot is drawn at its size, with a mark
where it looks and its number where there is room; one that would be too small to see is drawn as a dot. The colours are
those of the page.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, TypeAlias

from kumi.geometry import Disc, Ellipse
from kumi.kernel import KumiError
from kumi.recording.painting import Dot, DotPainter, Painter, SvgPainter, words_width
from kumi.recording.palette import LIGHT, ink_on, rim_of
from kumi.recording.scenery import Cornered, Ridge, Round, Scenery, read_scenery
from kumi.recording.sendings import INK, MOMENT, Talk, paint_sendings
from kumi.recording.view import (
    LARGE_LETTERS,
    LETTERS,
    SIDE,
    STRIP,
    View,
    length,
    multiples,
    scale_step,
    view_of,
    window_around,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL import Image

    from kumi.recording.bodies import BodyState
    from kumi.recording.records import Sent
    from kumi.recording.runfile import RunFile

Box: TypeAlias = tuple[float, float, float, float]

ENDINGS = (".png", ".svg")
FAINT, PAPER, FLOOR = LIGHT["grid"], LIGHT["ground"], LIGHT["plane"]
MOVING, RESTING, WAY = LIGHT["moving"], LIGHT["resting"], LIGHT["way"]
COLOURS = {
    **dict.fromkeys(("wall", "pillar", "block"), (LIGHT["obstacle"], "")),
    "slow": (LIGHT["slow"], LIGHT["slow-edge"]),
    "hole": (LIGHT["hole"], ""),
    "forbidden": (LIGHT["forbidden"], LIGHT["forbidden-edge"]),
}
SMALLEST = 1.25
ROOM_FOR_NUMBER = 13.0
ROOM_FOR_MARK = 3.0
MOST_WAYS = 40
MOST_NUMBERS_BESIDE = 200


class PictureError(KumiError):
    """A picture that cannot be made."""


def write_picture(run: RunFile, instant: float, path: Path, size: tuple[int, int] = (1280, 720)) -> None:
    """Draw a run at an instant into a file, of the kind that its name ends in."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PictureError(f"the name of a picture ends in {' or '.join(ENDINGS)}, unlike {str(path)!r}")
    states, scenery = run.state_at(instant), read_scenery(run.map_at(instant))
    talk = Talk(run.journal(instant - MOMENT), MOMENT).at(instant)
    if ending == ".svg":
        text = draw_svg(states, scenery, size, time=instant, title=title_of(run), talk=talk)
        path.write_text(text, encoding="utf-8")
    else:
        draw(states, scenery, size, time=instant, title=title_of(run), talk=talk).save(path)


def title_of(run: RunFile) -> str:
    """Return what a picture of a run is named."""
    return f"{run.path.stem}, seed {run.meta.seed}"


def draw(
    states: Sequence[BodyState],
    scenery: Scenery,
    size: tuple[int, int] = (1280, 720),
    *,
    time: float,
    title: str = "",
    talk: Sequence[Sent] = (),
) -> Image.Image:
    """Draw bodies as dots, with smooth edges."""
    painter = DotPainter(size, PAPER)
    paint(painter, states, scenery, size, time, title, talk)
    return painter.picture()


def draw_svg(
    states: Sequence[BodyState],
    scenery: Scenery,
    size: tuple[int, int] = (1280, 720),
    *,
    time: float,
    title: str = "",
    talk: Sequence[Sent] = (),
) -> str:
    """Draw bodies as an SVG text."""
    painter = SvgPainter(size, PAPER)
    paint(painter, states, scenery, size, time, title, talk)
    return painter.picture()


def paint(
    painter: Painter,
    states: Sequence[BodyState],
    scenery: Scenery,
    size: tuple[int, int],
    time: float,
    title: str,
    talk: Sequence[Sent] = (),
) -> None:
    """Paint a whole picture."""
    view = view_of(window_around(states, scenery), size, fills=scenery.bounds is None)
    paint_scenery(painter, view, scenery, title)
    paint_sendings(painter, view, states, talk)
    paint_states(painter, view, states, time)


def paint_scenery(painter: Painter, view: View, scenery: Scenery, title: str = "") -> None:
    """Paint all that does not move: the plane, what lies and stands on it, the scale."""
    left, bottom, right, top = view.window
    corners = [view.dot(*corner) for corner in ((left, bottom), (right, bottom), (right, top), (left, top))]
    painter.polygon(corners, FLOOR)
    paint_grid(painter, view)
    for thing in scenery.things:
        paint_thing(painter, view, thing)
    paint_margins(painter, view)
    if scenery.bounds:
        painter.line([*corners, *corners[:2]], INK, 1.5)
    paint_scale(painter, view)
    if title:
        x, y = view.size[0] - SIDE * view.unit, STRIP * view.unit / 2
        painter.words(x, y, title, LETTERS * view.unit, INK, "end")


def paint_grid(painter: Painter, view: View) -> None:
    """Paint faint lines at round places."""
    left, bottom, right, top = view.window
    step = scale_step(view)
    for x in multiples(step, left, right):
        painter.line([view.dot(x, bottom), view.dot(x, top)], FAINT, 1.0)
    for y in multiples(step, bottom, top):
        painter.line([view.dot(left, y), view.dot(right, y)], FAINT, 1.0)


def paint_thing(painter: Painter, view: View, thing: Ridge | Round | Cornered) -> None:
    """Paint an obstacle or terrain."""
    fill, edge = COLOURS[thing.kind]
    if isinstance(thing, Ridge):
        width = max(thing.thickness * view.scale, 2.0)
        ends = [view.dot(*thing.start), view.dot(*thing.end)]
        painter.line(ends, fill, width)
        for x, y in ends:
            painter.disc(x, y, width / 2, fill)
    elif isinstance(thing, Round):
        painter.disc(*view.dot(*thing.centre), max(thing.radius * view.scale, SMALLEST), fill, edge, 1.5)
    else:
        painter.polygon([view.dot(x, y) for x, y in thing.corners], fill, edge, 1.5)


def paint_margins(painter: Painter, view: View) -> None:
    """Cover what reaches out of the window."""
    width, height = view.size
    left, top = view.dot(view.window.left, view.window.top)
    right, bottom = view.dot(view.window.right, view.window.bottom)
    for x0, y0, x1, y1 in (
        (0.0, 0.0, width, top),
        (0.0, bottom, width, height),
        (0.0, top, left, bottom),
        (right, top, width, bottom),
    ):
        painter.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], PAPER)


def paint_scale(painter: Painter, view: View) -> None:
    """Paint a bar of a round length in the lower left corner."""
    step, unit = scale_step(view), view.unit
    x, y = SIDE * unit, view.size[1] - STRIP * unit / 2
    end, tick = x + step * view.scale, 5 * unit
    painter.line([(x, y - tick), (x, y), (end, y), (end, y - tick)], INK, 2.0 * unit)
    painter.words(end + 10 * unit, y - tick / 2, length(step), LETTERS * unit, INK)


def paint_states(painter: Painter, view: View, states: Sequence[BodyState], time: float) -> None:
    """Paint the bodies, and what is known of them all."""
    if len(states) <= MOST_WAYS:
        for state in states:
            paint_way(painter, view, state)
    for state in states:
        paint_body(painter, view, state)
    if len(states) <= MOST_NUMBERS_BESIDE:
        paint_numbers_beside(painter, view, states)
    unit = view.unit
    painter.words(SIDE * unit, STRIP * unit / 2, f"t = {time:.3f} s", LARGE_LETTERS * unit, INK)
    moving = sum(state.is_moving for state in states)
    paint_legend(painter, view, moving, len(states) - moving)


def paint_way(painter: Painter, view: View, state: BodyState) -> None:
    """Paint where a body is going, if it is known."""
    if state.destination:
        end = view.dot(*state.destination)
        painter.line([view.dot(*state.pose.position), end], WAY, 1.5)
        painter.disc(*end, 3.0 * view.unit, WAY)


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


def paint_body(painter: Painter, view: View, state: BodyState) -> None:
    """Paint a body at its place, as well as its size allows."""
    x, y = view.dot(*state.pose.position)
    if not (0.0 <= x <= view.size[0] and 0.0 <= y <= view.size[1]):
        return
    fill = MOVING if state.is_moving else RESTING
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
            x, y, text, min(1.5 * reach / max(len(text), 2) ** 0.8, 40.0 * view.unit), ink, "middle"
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


def paint_legend(painter: Painter, view: View, moving: int, resting: int) -> None:
    """Say in the lower right corner what the colours mean."""
    unit = view.unit
    x, y = view.size[0] - SIDE * unit, view.size[1] - STRIP * unit / 2
    for fill, text in ((RESTING, f"{resting:,} resting"), (MOVING, f"{moving:,} moving")):
        painter.words(x, y, text, LETTERS * unit, INK, "end")
        x -= words_width(text, LETTERS * unit) + 14 * unit
        painter.disc(x, y, 6.5 * unit, fill, rim_of(fill), 1.2)
        x -= 22 * unit
