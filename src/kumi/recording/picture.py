"""How does a run look at an instant?

The plane fills the picture as far as its proportions allow; of an infinite plane that part is shown where
the robots are. Robots that move are blue, those that rest are orange: two colours that everybody can tell
apart. Who sent a message to whom in the last second is joined by a line. A robot is drawn at its size, with a mark
where it looks and its number where there is room; one that would be too small to see is drawn as a dot. The colours are
those of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kumi.kernel import KumiError
from kumi.recording.colouring import Colouring, colouring
from kumi.recording.latest import BodyState, LostBody
from kumi.recording.painted_bodies import (
    MOVING,
    RESTING,
    paint_body,
    paint_lost,
    paint_numbers_beside,
    paint_way,
)
from kumi.recording.painted_published import (
    BELIEVED_FREE,
    BELIEVED_TAKEN,
    maps_to_draw,
    paint_maps,
    paint_marks,
    paint_paths,
)
from kumi.recording.painted_scenery import paint_materials, paint_thing
from kumi.recording.painting import DotPainter, Painter, SvgPainter, words_width
from kumi.recording.palette import LIGHT, TypeColours, rim_of
from kumi.recording.records import Published, Reserved, Sent
from kumi.recording.scenery import Scenery, read_scenery
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
from kumi.recording.zones import ASKED, ASKED_EDGE, GRANTED, GRANTED_EDGE, paint_zones

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PIL import Image

    from kumi.contract.published import ShownMap
    from kumi.recording.runfile import RunFile

ENDINGS = (".png", ".svg")
FAINT, PAPER, FLOOR = LIGHT["grid"], LIGHT["ground"], LIGHT["plane"]
MOST_WAYS = 40
MOST_NUMBERS_BESIDE = 200
NO_FILLS: Mapping[int, str] = {}


class PictureError(KumiError):
    """A picture that cannot be made."""


class Moment(msgspec.Struct, frozen=True):
    """What there is to be seen of a run at an instant, besides the scenery."""

    states: Sequence[BodyState]
    time: float
    talk: Sequence[Sent] = ()
    reserved: Sequence[Reserved] = ()
    lost: Sequence[LostBody] = ()
    published: Sequence[Published] = ()


def write_picture(run: RunFile, instant: float, path: Path, size: tuple[int, int] = (1280, 720)) -> None:
    """Draw a run at an instant into a file, of the kind that its name ends in."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PictureError(f"the name of a picture ends in {' or '.join(ENDINGS)}, unlike {str(path)!r}")
    moment = moment_of(run, instant, Talk(run.journal(instant - MOMENT), MOMENT).at(instant))
    painter = SvgPainter(size, PAPER) if ending == ".svg" else DotPainter(size, PAPER)
    paint(painter, moment, read_scenery(run.map_at(instant)), size, title_of(run))
    if isinstance(painter, SvgPainter):
        path.write_text(painter.picture(), encoding="utf-8")
    else:
        painter.picture().save(path)


def moment_of(run: RunFile, instant: float, talk: Sequence[Sent]) -> Moment:
    """Return what a picture of a run shows at an instant, with what was said lately."""
    return Moment(
        run.state_at(instant),
        instant,
        talk,
        run.reserved_at(instant),
        run.lost_at(instant),
        run.published_at(instant),
    )


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
    paint(painter, Moment(states, time, talk), scenery, size, title)
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
    paint(painter, Moment(states, time, talk), scenery, size, title)
    return painter.picture()


def paint(painter: Painter, moment: Moment, scenery: Scenery, size: tuple[int, int], title: str) -> None:
    """Paint a whole picture."""
    view = view_of(window_around(moment.states, scenery), size, fills=scenery.bounds is None)
    paint_scenery(painter, view, scenery, title)
    paint_moment(painter, view, moment, scenery)


def paint_moment(
    painter: Painter,
    view: View,
    moment: Moment,
    scenery: Scenery,
    colours: TypeColours | None = None,
    words: TypeColours | None = None,
) -> None:
    """Paint all that moves, comes and goes upon the scenery; `colours` are those of messages, `words` those of states."""
    maps, coloured = maps_to_draw(moment.published), colouring(moment.published, words=words)
    paint_maps(painter, view, maps, scenery.things)
    if maps:
        paint_margins(painter, view)
    paint_zones(painter, view, moment.reserved)
    paint_sendings(painter, view, moment.states, moment.talk, colours)
    paint_paths(painter, view, moment.published)
    paint_states(painter, view, moment.states, coloured.fills)
    paint_marks(painter, view, moment.published)
    paint_lost(painter, view, moment.lost)
    unit = view.unit
    painter.words(SIDE * unit, STRIP * unit / 2, f"t = {moment.time:.3f} s", LARGE_LETTERS * unit, INK)
    paint_legend(painter, view, legend_of(moment, coloured, maps))


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
    x, y = view.size[0] - SIDE * view.unit, STRIP * view.unit / 2
    if title:
        painter.words(x, y, title, LETTERS * view.unit, INK, "end")
        x -= words_width(title, LETTERS * view.unit) + 24 * view.unit
    paint_materials(painter, view, scenery, x, y)


def paint_grid(painter: Painter, view: View) -> None:
    """Paint faint lines at round places."""
    left, bottom, right, top = view.window
    step = scale_step(view)
    for x in multiples(step, left, right):
        painter.line([view.dot(x, bottom), view.dot(x, top)], FAINT, 1.0)
    for y in multiples(step, bottom, top):
        painter.line([view.dot(left, y), view.dot(right, y)], FAINT, 1.0)


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


def paint_states(
    painter: Painter, view: View, states: Sequence[BodyState], fills: Mapping[int, str] = NO_FILLS
) -> None:
    """Paint the bodies, where they go, and their numbers; `fills` are the colours of those that have one of their own."""
    if len(states) <= MOST_WAYS:
        for state in states:
            paint_way(painter, view, state)
    for state in states:
        paint_body(painter, view, state, fills.get(state.number, ""))
    if len(states) <= MOST_NUMBERS_BESIDE:
        paint_numbers_beside(painter, view, states)


def legend_of(moment: Moment, coloured: Colouring, maps: Sequence[ShownMap]) -> list[tuple[str, str, str]]:
    """Return what the colours mean, from the right: fill, edge and words."""
    plain = [state.is_moving for state in moment.states if state.number not in coloured.fills]
    zones = [zone for one in moment.reserved for zone in one.zones]
    entries = [(colour, rim_of(colour), text) for colour, text in reversed(coloured.legend)]
    if plain or not entries:
        entries += [
            (RESTING, rim_of(RESTING), f"{len(plain) - sum(plain):,} resting"),
            (MOVING, rim_of(MOVING), f"{sum(plain):,} moving"),
        ]
    if not all(zone.is_granted for zone in zones):
        entries.append((ASKED, ASKED_EDGE, "waited for"))
    if zones:
        entries.append((GRANTED, GRANTED_EDGE, "reserved"))
    if maps:
        entries.append((BELIEVED_TAKEN, rim_of(BELIEVED_TAKEN), "believed taken"))
        entries.append((BELIEVED_FREE, BELIEVED_TAKEN, "believed free"))
    return entries


def paint_legend(painter: Painter, view: View, entries: Sequence[tuple[str, str, str]]) -> None:
    """Say in the lower right corner what the colours mean."""
    unit = view.unit
    x, y = view.size[0] - SIDE * unit, view.size[1] - STRIP * unit / 2
    for fill, edge, text in entries:
        painter.words(x, y, text, LETTERS * unit, INK, "end")
        x -= words_width(text, LETTERS * unit) + 14 * unit
        painter.disc(x, y, 6.5 * unit, fill, edge, 1.2)
        x -= 22 * unit
