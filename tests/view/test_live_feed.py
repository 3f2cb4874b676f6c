"""Viewers of a live run get its journal; who is late or slow gets the state as it is."""

from __future__ import annotations

import struct

import pytest

from kumi.recording import RunMeta
from kumi.recording.description import radio_reach
from kumi.stage import Progress
from kumi.view import LiveFeed
from kumi.view import live as live_module
from kumi.view.live import FRESH, JOURNAL, KEYFRAME
from tests.recording.journals import Journal

STATE = Journal().time(0.0).add(0, 1.0, 2.0).data


def a_feed(state: bytes = STATE) -> LiveFeed:
    return LiveFeed(RunMeta(until=9.0), "a run", lambda: state)


def pieces(taken: list[bytes | str]) -> list[tuple[int, float, bytes]]:
    binary = [one for one in taken if isinstance(one, bytes)]
    assert len(binary) == len(taken)
    return [(*struct.unpack_from("<Bd", one), one[9:]) for one in binary]


def at(time: float) -> Progress:
    return Progress(time, time, 1, 0)


def a_note(time: float, text: str = "here") -> bytes:
    return Journal().time(time).note(None, text).data


def test_a_viewer_gets_the_state_and_then_what_happens() -> None:
    feed = a_feed()
    viewer = feed.join()
    feed.write(a_note(0.5))  # before the viewer has a state: it is in it
    feed.tell(at(1.0))
    feed.write(a_note(1.5))
    feed.tell(at(2.0))

    assert pieces(viewer.take()) == [(FRESH, 1.0, STATE), (JOURNAL, 1.5, a_note(1.5))]
    assert viewer.take() == []
    assert feed.clock()["time"] == 2.0


def test_a_viewer_that_falls_behind_gets_a_fresh_state_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "BACKLOG", 500)
    feed = a_feed()
    slow, quick = feed.join(), feed.join()
    feed.tell(at(1.0))
    seen = []
    for second in range(2, 22):
        feed.write(a_note(float(second), "x" * 30))
        feed.tell(at(float(second)))
        seen += pieces(quick.take())

    assert [time for _, time, _ in seen] == [1.0, *map(float, range(2, 22))]
    waiting = pieces(slow.take())
    assert waiting[0][0] == FRESH
    assert waiting[0][1] > 10.0
    assert [kind for kind, _, _ in waiting[1:]] == [JOURNAL] * (len(waiting) - 1)


def test_keyframes_come_between_so_that_a_page_can_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "BETWEEN_KEYFRAMES", 100)
    monkeypatch.setattr(live_module, "KEYFRAME_SHARE", 1)
    feed = a_feed()
    viewer = feed.join()
    for second in range(10):
        feed.tell(at(float(second)))
        feed.write(a_note(second + 0.5, "x" * 40))

    kinds = [kind for kind, _, _ in pieces(viewer.take())]
    assert kinds[0] == FRESH
    assert kinds.count(KEYFRAME) >= 3


def test_nobody_is_kept_who_left() -> None:
    feed = a_feed()
    viewer = feed.join()
    feed.tell(at(1.0))
    viewer.take()
    viewer.close()
    feed.write(a_note(2.0))

    assert viewer.take() == []


def test_the_reach_of_radios_is_known_from_the_scenario() -> None:
    """20 dBm less 40 dB at one metre, 25 dB for each factor of ten: -70 dBm after a hundred metres."""
    scenario = '[network]\neffects = [{ kind = "radio", power = 20.0, sensitivity = -70.0 }]'

    assert radio_reach(scenario) == pytest.approx(100.0)
    assert radio_reach("") is None
    assert radio_reach("no toml") is None
    assert radio_reach("network = 3") is None
