"""The messages of a run as lines between robots.

A message is shown for a moment from when it was sent, as a line from its sender to each receiver, in the colour of its
type. What a film shows is read once, from front to back; of all other records only the length is looked at.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from kumi.recording.journal import read_sent
from kumi.recording.layout import INSTANT, SENT, TIME, record_length
from kumi.recording.palette import TypeColours, inner_type, paler
from kumi.recording.strips import LegendEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kumi.recording.latest import BodyState
    from kumi.recording.painting import Painter
    from kumi.recording.records import Sent
    from kumi.recording.view import Viewport

MOMENT = 1.0
"""Seconds of the run for which a picture shows a message."""

FILM_MOMENT = 0.15
"""Seconds of a film for which it does."""

MOST_LINES = 2000
MANY_LINES = 60
"""Lines beyond which they are paler, so that robots are seen among them."""


def sendings(journals: Iterable[bytes], end: float = inf) -> Iterator[Sent]:
    """Go through the sendings of journals that come in order, each beginning with its time, up to an instant."""
    for data in journals:
        at, time = 0, 0.0
        while at < len(data):
            tag = data[at]
            if tag == TIME:
                (time,) = INSTANT.unpack_from(data, at + 1)
                if time > end:
                    return
            elif tag == SENT:
                yield read_sent(data, at + 1, time)
            at += record_length(data, at)


class Talk:
    """The messages that are shown at an instant; instants are asked for in order."""

    def __init__(self, journals: Iterable[bytes], moment: float) -> None:
        self._journals = iter(journals)
        self._read = -inf
        """When the last piece of the journal that was read begins; none is read before it is needed."""
        self._coming: deque[Sent] = deque()
        self._shown: deque[Sent] = deque()
        self._moment = moment
        self.colours = TypeColours()
        """Those of the types, the same for all instants."""

    def at(self, instant: float) -> list[Sent]:
        """Return what was sent not longer than a moment before an instant."""
        while self._read <= instant:
            data = next(self._journals, None)
            self._read = inf if data is None else begin_of(data)
            self._coming.extend(() if data is None else sendings([data]))
        while self._coming and self._coming[0].time <= instant:
            self._shown.append(self._coming.popleft())
        while self._shown and self._shown[0].time < instant - self._moment:
            self._shown.popleft()
        return list(self._shown)


def begin_of(journal: bytes) -> float:
    """Return the time with which a piece of a journal begins; one of old files may begin without."""
    return float(INSTANT.unpack_from(journal, 1)[0]) if journal[:1] == bytes([TIME]) else -inf


def paint_sendings(
    painter: Painter,
    view: Viewport,
    states: Sequence[BodyState],
    shown: Sequence[Sent],
    colours: TypeColours,
) -> set[str]:
    """Paint a line for each pair that talks, in the colour of what was said last; return the colours that are seen."""
    places = {state.number: view.dot(*state.pose.position) for state in states}
    said = [(one, colours.of(inner_type(one.kind, one.content))) for one in shown]
    pairs: dict[tuple[int, int], str] = {}
    for one, colour in reversed(said):
        for receiver in one.receivers:
            if receiver != one.sender and one.sender in places and receiver in places:
                pairs.setdefault((min(one.sender, receiver), max(one.sender, receiver)), colour)
    lines = list(pairs.items())[:MOST_LINES]
    for (sender, receiver), colour in lines:
        shade = colour if len(pairs) <= MANY_LINES else paler(colour)
        painter.line([places[sender], places[receiver]], shade, max(1.0, view.unit))
    return {colour for _, colour in lines}


def types_of(shown: Sequence[Sent], colours: TypeColours) -> list[LegendEntry]:
    """Return the types of messages with their colours, in the order in which they were said."""
    kinds = dict.fromkeys(inner_type(one.kind, one.content) for one in shown)
    return [LegendEntry(colours.of(kind), kind, is_line=True) for kind in kinds]
