"""How are the pictures of a film drawn, one after the other?

All on the same ground, which is painted once for each state of the map, and with one view for the whole film. Trails
are there in the first picture, and go on from picture to picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumi.recording.painting import DotPainter
from kumi.recording.palette import WordColours
from kumi.recording.picture import PAPER, moment_of, paint_moment, paint_scenery, title_of
from kumi.recording.scenery import Scenery, read_scenery
from kumi.recording.sendings import FILM_MOMENT, Talk
from kumi.recording.trails import trails_of
from kumi.recording.view import Viewport, joined, view_of, window_around

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

    from kumi.recording.runfile import RunFile

LOOKS = 100
"""Instants that are looked at to find where on an infinite plane a run takes place."""


class Scene:
    """Draws frame after frame of a run from an instant on, so many times as fast as it was."""

    def __init__(self, run: RunFile, view: Viewport, start: float, speed: float) -> None:
        self._run = run
        self._view = view
        self._title = title_of(run)
        self._talk = Talk(run.journal(start - FILM_MOMENT * speed), FILM_MOMENT * speed)
        self._trails = trails_of(run, start, view.window)
        self._words = WordColours()
        self._map: Mapping[str, Any] | None = None
        self._scenery = Scenery()
        self._ground = DotPainter(view.size, PAPER, smooth=2)

    def frame(self, instant: float) -> Image.Image:
        """Draw the run at an instant; instants come in order."""
        table = self._run.map_at(instant)
        if table is not self._map and table != self._map:
            self._map, self._scenery = table, read_scenery(table)
            self._ground = DotPainter(self._view.size, PAPER, smooth=2)
            paint_scenery(self._ground, self._view, self._scenery)
        painter = self._ground.copy()
        self._trails.add(self._run.state_at(instant))
        moment = moment_of(self._run, instant, self._talk.at(instant), self._trails.lines())
        paint_moment(painter, self._view, moment, self._scenery, self._title, self._talk.colours, self._words)
        return painter.picture()


def view_of_run(run: RunFile, start: float, end: float, size: tuple[int, int]) -> Viewport:
    """Choose a view that shows all from one instant to another: a finite plane, or wherever robots are at some time."""
    scenery = read_scenery(run.meta.map)
    if scenery.bounds:
        return view_of(scenery.bounds, size)
    window = window_around(run.state_at(start), scenery)
    for look in range(1, LOOKS + 1):
        instant = min(start + look * (end - start) / LOOKS, end)
        window = joined(window, window_around(run.state_at(instant), scenery))
    return view_of(window, size, fills=True)
