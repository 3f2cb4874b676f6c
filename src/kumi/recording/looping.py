"""How does a run become a small picture that moves, and at which instant does it show what it is about?

A loop of a few seconds around the instant that tells most: as much of the run as the robots need to come a good part of
the plane. It is a WebP file, which every browser shows and which needs nothing but Pillow. Its quality is lowered, and
pictures are left out, until it is small enough.

While its robots are at it: most of them get on, talk, or wait for floor. Instants at equal distances are looked at, and
those at which messages are sent; of the best of them the one is taken before which most of it has happened, so that
there are trails behind the robots and some of their work is done. A robot that moves without getting on counts as resting, and
so much talk that its lines would cover the robots counts as none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from io import BytesIO
from typing import TYPE_CHECKING

from kumi.recording.scene import Scene, view_of_run
from kumi.recording.sendings import MOMENT, sendings
from kumi.recording.trails import TRAIL_SHARE, back_from, trail_length

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL import Image

    from kumi.geometry import Bounds
    from kumi.recording.latest import BodyState
    from kumi.recording.records import Sent
    from kumi.recording.runfile import RunFile


SIZE = (400, 300)
FRAMES, RATE = 48, 12.0
"""Pictures of a loop, and how many a second."""
PART = 0.9
"""How far the quickest robot comes in a loop, as a share of the shorter side of the plane."""
MOST_BYTES = 300_000
"""Bytes of a loop."""
TRIED_QUALITIES = ((70, 1), (45, 1), (20, 1), (20, 2), (20, 3), (10, 4))
"""From best to smallest: the quality, and which of the pictures are kept, such as every second one."""


def write_loop(run: RunFile, path: Path, size: tuple[int, int] = SIZE, instant: float | None = None) -> None:
    """Make a picture that moves of a run: around an instant, or around the one that tells most."""
    start, end = span_of(run, telling_instant(run) if instant is None else instant)
    step = (end - start) / (FRAMES - 1)
    scene = Scene(run, view_of_run(run, start, end, size), start, step * RATE)
    frames = [scene.frame(min(start + number * step, end)) for number in range(FRAMES)]
    path.write_bytes(encoded(frames, MOST_BYTES))


def span_of(run: RunFile, instant: float) -> tuple[float, float]:
    """Return from when to when a loop goes: a quarter of it comes after an instant."""
    view = view_of_run(run, instant, instant, SIZE)
    span = back_from(run, instant, trail_length(view.window) * PART / TRAIL_SHARE)
    end = min(instant + span / 4, run.end)
    return max(end - span, run.start), end


def encoded(frames: Sequence[Image.Image], most: int) -> bytes:
    """Return a WebP file of pictures that is not larger than it may be, as good as that allows."""
    smallest = b""
    for quality, every in TRIED_QUALITIES:
        out = BytesIO()
        first, *others = frames[::every]
        delay = round(1000 * every / RATE)
        first.save(
            out,
            "WEBP",
            save_all=True,
            append_images=others,
            duration=delay,
            loop=0,
            quality=quality,
            method=2,
        )
        smallest = out.getvalue()
        if len(smallest) <= most:
            break
    return smallest


SQUARE = (400, 400)
LOOKS = 60
"""Instants that are looked at, and as many of those at which something is sent."""
GOOD = 0.85
"""How good an instant is, as a share of the best one, to be taken."""
LATE_SHARE = 0.6
"""Which of the good instants is taken: the one nearest to this share of the time from the first to the last."""
LEAST_PICTURES, MOST_PICTURES = 4, 80
"""Messages beyond which more of them tell no more, and lines beyond which they hide the rest."""
MOTION = 2.0
"""How much more the motion of all robots tells than their talk, or the floor that they reserve."""
ON = 0.002
"""How far a robot gets on from one look to the next, as a share of the plane, to be seen moving."""


def telling_instant(run: RunFile) -> float:
    """Return the instant of a run that tells most."""
    sent = [one for one in sendings(run.journal()) if run.start <= one.time <= run.end]
    step = (run.end - run.start) / LOOKS
    even = [min(run.start + step * look, run.end) for look in range(LOOKS + 1)]
    instants = sorted({*even, *spread([one.time for one in sent], LOOKS)})
    before = run.state_at(run.start)
    least = ON * side_of(view_of_run(run, run.start, run.end, SQUARE).window)
    worths = []
    for instant in instants:
        now = run.state_at(instant)
        worths.append(
            MOTION * gone_on(before, now, least) + talk_worth(sent, instant) + floor_worth(run, instant)
        )
        if instant in even:
            before = now
    best = max(worths)
    good = [instant for instant, one in zip(instants, worths, strict=True) if one >= GOOD * best]
    late = good[0] + LATE_SHARE * (good[-1] - good[0])
    return min(good, key=lambda instant: abs(instant - late))


def spread(times: Sequence[float], most: int) -> list[float]:
    """Return at most so many of some times, evenly from all of them."""
    return [times[k * len(times) // most] for k in range(most)] if len(times) > most else list(times)


def gone_on(before: Sequence[BodyState], now: Sequence[BodyState], least: float) -> float:
    """Return the share of the bodies that move, and have come some way since a look before."""
    places = {state.number: state.pose.position for state in before}
    on = [
        state
        for state in now
        if state.is_moving
        and state.pose.position.distance_to(places.get(state.number, state.pose.position)) >= least
    ]
    return len(on) / max(len(now), 1)


def talk_worth(sent: Sequence[Sent], instant: float) -> float:
    """Return how much the messages of the last moment tell, from 0 to 1."""
    first = bisect_left(sent, instant - MOMENT, key=lambda one: one.time)
    lately = sent[first : bisect_right(sent, instant, key=lambda one: one.time)]
    lines = len({(one.sender, receiver) for one in lately for receiver in one.receivers})
    return 0.0 if lines > MOST_PICTURES else min(len(lately) / LEAST_PICTURES, 1.0)


def floor_worth(run: RunFile, instant: float) -> float:
    """Return the share of the robots that have reserved floor."""
    return min(len(run.reserved_at(instant)) / max(len(run.state_at(instant)), 1), 1.0)


def side_of(window: Bounds) -> float:
    """Return the shorter side of what is shown."""
    return min(window.right - window.left, window.top - window.bottom)
