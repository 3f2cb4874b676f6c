"""How are the fields of sensors drawn: as the outline of what each looks over, or as its beams?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.maths import cos, sin
from kumi.recording.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kumi.recording.latest import BodyState
    from kumi.recording.meta import RobotGroup, SensorField
    from kumi.recording.painting import Dot, Painter
    from kumi.recording.view import View

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
    view: View,
    states: Sequence[BodyState],
    fields: Mapping[int, Sequence[SensorField]],
) -> None:
    """Paint where sensors look."""
    for state in states:
        for field in fields.get(state.number, ()):
            for line in field_lines(view, state, field):
                painter.line(line, FIELD, max(1.0, view.unit))


def field_lines(view: View, state: BodyState, field: SensorField) -> list[list[Dot]]:
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
