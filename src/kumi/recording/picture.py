"""How does a run look at an instant?

The plane fills the picture as far as its proportions allow; of an infinite plane that part is shown where
the robots are. Robots that move are blue, those that rest are orange: two colours that everybody can tell
apart. A robot is drawn at its size, with a mark where it looks and its number where there is room; one that would be too
small to see is drawn as a dot. The colours are those of the page.

The rest lies in layers, each of which may be left out: the map, where robots have been lately, who sent a message to
whom in the last second, reserved floor, and where sensors look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kumi.contract.published import ShownMap
from kumi.devs import KumiError
from kumi.recording.latest import BodyState, LostBody
from kumi.recording.painted_bodies import (
    MOVING,
    RESTING,
    fields_of,
    least_reach,
    paint_body,
    paint_fields,
    paint_lost,
    paint_numbers,
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
from kumi.recording.painted_scenery import (
    ASKED,
    ASKED_EDGE,
    GRANTED,
    GRANTED_EDGE,
    paint_materials,
    paint_thing,
    paint_zones,
)
from kumi.recording.painting import DotPainter, Painter, SvgPainter
from kumi.recording.palette import LIGHT, Colouring, TypeColours, WordColours, colouring, rim_of
from kumi.recording.records import Published, Reserved, Sent
from kumi.recording.scenery import Scenery, read_scenery
from kumi.recording.sendings import MOMENT, Talk, paint_sendings, types_of
from kumi.recording.strips import INK, LegendEntry, Strips
from kumi.recording.trails import Trail, paint_trails, trails_of
from kumi.recording.view import (
    Viewport,
    multiples,
    scale_step,
    view_of,
    window_around,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from PIL import Image

    from kumi.recording.meta import SensorField
    from kumi.recording.runfile import RunFile

ENDINGS = (".png", ".svg")
LAYERS = ("trails", "sensors", "map", "messages", "reserved")
USUAL = ("trails", "map", "messages", "reserved")
"""The layers of a picture that was not asked for others."""
FAINT, PAPER, FLOOR = LIGHT["grid"], LIGHT["ground"], LIGHT["plane"]
MOST_WAYS = 40
MOST_NUMBERS = 150


class PictureError(KumiError):
    """A picture that cannot be made."""


class Moment(msgspec.Struct, frozen=True):
    """What there is to be seen of a run at an instant, besides the scenery."""

    states: Sequence[BodyState]
    time: float
    talk: Sequence[Sent] = ()
    reserved: Sequence[Reserved] = ()
    lost: Sequence[LostBody] = ()
    trails: Sequence[Trail] = ()
    fields: Mapping[int, Sequence[SensorField]] = {}
    published: Sequence[Published] = ()


def write_picture(
    run: RunFile,
    instant: float,
    path: Path,
    size: tuple[int, int] = (1280, 720),
    layers: Collection[str] = USUAL,
) -> None:
    """Draw a run at an instant into a file, of the kind that its name ends in, with some of the `LAYERS`."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PictureError(f"the name of a picture ends in {' or '.join(ENDINGS)}, unlike {str(path)!r}")
    unknown = [layer for layer in layers if layer not in LAYERS]
    if unknown:
        raise PictureError(f"a picture has the layers {', '.join(LAYERS)}, but no {unknown[0]!r}")
    talk = Talk(run.journal(instant - MOMENT), MOMENT).at(instant) if "messages" in layers else ()
    scenery = scenery_at(run, instant, layers)
    window = window_around(run.state_at(instant), scenery)
    trails = trails_of(run, instant, window).lines() if "trails" in layers else ()
    moment = moment_of(run, instant, talk, trails, layers)
    painter = SvgPainter(size, PAPER) if ending == ".svg" else DotPainter(size, PAPER)
    paint(painter, moment, scenery, size, title_of(run))
    if isinstance(painter, SvgPainter):
        path.write_text(painter.picture(), encoding="utf-8")
    else:
        painter.picture().save(path)


def moment_of(
    run: RunFile,
    instant: float,
    talk: Sequence[Sent],
    trails: Sequence[Trail] = (),
    layers: Collection[str] = USUAL,
) -> Moment:
    """Return what a picture of a run shows at an instant, with what was said lately, and where robots have been."""
    return Moment(
        run.state_at(instant),
        instant,
        talk,
        run.reserved_at(instant) if "reserved" in layers else (),
        run.lost_at(instant),
        trails,
        fields_of(run.meta.groups) if "sensors" in layers else {},
        [one for one in run.published_at(instant) if "map" in layers or not isinstance(one.value, ShownMap)],
    )


def scenery_at(run: RunFile, instant: float, layers: Collection[str] = USUAL) -> Scenery:
    """Return what a picture shows of the map at an instant: all, or without its layer the size alone."""
    scenery = read_scenery(run.map_at(instant))
    return scenery if "map" in layers else Scenery(scenery.bounds)


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
    paint_scenery(painter, view, scenery)
    paint_moment(painter, view, moment, scenery, title)


def paint_moment(
    painter: Painter,
    view: Viewport,
    moment: Moment,
    scenery: Scenery,
    title: str = "",
    colours: TypeColours | None = None,
    words: WordColours | None = None,
) -> None:
    """Paint all that moves, comes and goes upon the scenery, and say what it is.

    `colours` are those of messages, `words` those of what robots show.
    """
    colours = colours or TypeColours()
    maps, coloured = maps_to_draw(moment.published), colouring(moment.published, words=words)
    if maps:
        paint_maps(painter, view, maps, scenery.things)
        paint_margins(painter, view)
        paint_border(painter, view, scenery)
    paint_zones(painter, view, moment.reserved)
    paint_trails(painter, view, moment.trails)
    if moment.fields:
        paint_fields(painter, view, moment.states, moment.fields)
        paint_margins(painter, view)
        paint_border(painter, view, scenery)
    seen = paint_sendings(painter, view, moment.states, moment.talk, colours)
    paint_paths(painter, view, moment.published)
    paint_states(painter, view, moment, coloured)
    paint_lost(painter, view, moment.lost)
    strips = Strips(painter, view)
    strips.paint_time(moment.time)
    strips.paint_scale()
    strips.paint_legend(robots_of(moment, coloured))
    if moment.talk:
        strips.paint_talk(types_of(moment.talk, colours), len(moment.talk), seen)
    strips.paint_floor_legend(floor_of(moment, are_believed=bool(maps)))
    strips.paint_title(title)
    paint_materials(painter, view, scenery, strips.above)
    strips.paint_rest()


def paint_scenery(painter: Painter, view: Viewport, scenery: Scenery) -> None:
    """Paint all that does not move: the plane, and what lies and stands on it."""
    left, bottom, right, top = view.window
    corners = [view.dot(*corner) for corner in ((left, bottom), (right, bottom), (right, top), (left, top))]
    painter.polygon(corners, FLOOR)
    paint_grid(painter, view)
    for thing in scenery.things:
        paint_thing(painter, view, thing)
    paint_margins(painter, view)
    paint_border(painter, view, scenery)


def paint_grid(painter: Painter, view: Viewport) -> None:
    """Paint faint lines at round places."""
    left, bottom, right, top = view.window
    step = scale_step(view)
    for x in multiples(step, left, right):
        painter.line([view.dot(x, bottom), view.dot(x, top)], FAINT, 1.0)
    for y in multiples(step, bottom, top):
        painter.line([view.dot(left, y), view.dot(right, y)], FAINT, 1.0)


def paint_border(painter: Painter, view: Viewport, scenery: Scenery) -> None:
    """Paint the line around a finite plane."""
    if scenery.bounds:
        left, bottom, right, top = view.window
        corners = [
            (left, bottom),
            (right, bottom),
            (right, top),
            (left, top),
            (left, bottom),
            (right, bottom),
        ]
        painter.line([view.dot(*corner) for corner in corners], INK, 1.5)


def paint_margins(painter: Painter, view: Viewport) -> None:
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


def paint_states(painter: Painter, view: Viewport, moment: Moment, coloured: Colouring) -> None:
    """Paint the bodies, where they go, the places that they marked, and their numbers."""
    states = moment.states
    if len(states) <= MOST_WAYS:
        for state in states:
            paint_way(painter, view, state)
    least = least_reach(len(states), view)
    plain = {state.number: MOVING if state.is_moving else RESTING for state in states}
    fills = {**plain, **coloured.fills}
    words = paint_marks(painter, view, moment.published)
    for state in states:
        paint_body(painter, view, state, least, fills[state.number])
    if len(states) <= MOST_NUMBERS:
        paint_numbers(painter, view, states, least, fills, words)


def robots_of(moment: Moment, coloured: Colouring) -> list[LegendEntry]:
    """Return what the colours of robots mean, from the right."""
    entries = [LegendEntry(colour, text, rim_of(colour)) for colour, text in reversed(coloured.legend)]
    plain = [state.is_moving for state in moment.states if state.number not in coloured.fills]
    counts = {RESTING: len(plain) - sum(plain), MOVING: sum(plain)}
    words = {RESTING: "resting", MOVING: "moving"}
    return entries + [
        LegendEntry(colour, f"{count:,} {words[colour]}", rim_of(colour))
        for colour, count in counts.items()
        if count
    ]


def floor_of(moment: Moment, *, are_believed: bool) -> list[LegendEntry]:
    """Return what the colours of floor mean, from the right; of believed cells, where there are some."""
    zones = [zone for one in moment.reserved for zone in one.zones]
    entries = [LegendEntry(GRANTED, "reserved", GRANTED_EDGE)] if zones else []
    if not all(zone.is_granted for zone in zones):
        entries.append(LegendEntry(ASKED, "waited for", ASKED_EDGE))
    if are_believed:
        entries.append(LegendEntry(BELIEVED_TAKEN, "believed taken", rim_of(BELIEVED_TAKEN)))
        entries.append(LegendEntry(BELIEVED_FREE, "believed free", BELIEVED_TAKEN))
    return entries
