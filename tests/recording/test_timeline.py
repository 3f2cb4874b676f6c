"""A timeline shows each bar where and how long it was."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.recording.timeline import TimelineBar, ticks, timeline

SVG = "{http://www.w3.org/2000/svg}"


def bars_of(picture: str, colour: str) -> list[tuple[float, float]]:
    """Give left edge and width of the bars of one colour."""
    root = ET.fromstring(picture)  # noqa: S314  # the text is our own
    found = [r for r in root.iter(f"{SVG}rect") if r.get("fill") == colour and r.get("height") == "18"]
    return [(float(r.attrib["x"]), float(r.attrib["width"])) for r in found]


def test_a_bar_is_as_long_as_its_time() -> None:
    """The second bar begins where the first ends, and is three times as long."""
    picture = timeline(
        [TimelineBar("r1", "work", 0.0, 1.0), TimelineBar("r1", "rest", 1.0, 4.0)],
        title="a & b",
        colours={"work": "#111111", "rest": "#222222"},
    )
    ((first, short),) = bars_of(picture, "#111111")
    ((second, long),) = bars_of(picture, "#222222")
    assert second == pytest.approx(first + short, abs=0.02)
    assert long == pytest.approx(3 * short, abs=0.02)


def test_names_are_shown_as_they_are() -> None:
    """Signs that mean something in SVG are written so that they are read as text."""
    picture = timeline([TimelineBar("<r&1>", "work", 0.0, 1.0)], title="<t>", colours={"work": "red"})
    texts = [t.text for t in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314  # the text is our own
    assert "<r&1>" in texts
    assert "<t>" in texts


def test_a_kind_without_a_colour_is_refused() -> None:
    """The message names the kind."""
    with pytest.raises(ValueError, match="no colour is given for: sleep"):
        timeline([TimelineBar("r", "sleep", 0.0, 1.0)], title="", colours={"work": "red"})


def test_an_empty_timeline_is_refused() -> None:
    """There is nothing to show."""
    with pytest.raises(ValueError, match="at least one bar"):
        timeline([], title="", colours={})


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(first: float, span: float) -> None:
    """Between three and eleven of them, in order, none outside."""
    found = ticks(first, first + span)
    assert 3 <= len(found) <= 12
    assert found == sorted(set(found))
    assert first - 1e-6 * span <= found[0]
    assert found[-1] <= first + span * (1 + 1e-6)


def test_an_hour_axis_has_whole_hours() -> None:
    """Eight hours give nine ticks."""
    assert ticks(0.0, 8.0) == pytest.approx([0, 1, 2, 3, 4, 5, 6, 7, 8])
