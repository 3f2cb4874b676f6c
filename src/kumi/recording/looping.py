"""How does a run become a small picture that moves?

A loop of a few seconds around the instant that tells most: as much of the run as the robots need to come a good part of
the plane. It is a WebP file, which every browser shows and which needs nothing but Pillow. Its quality is lowered, and
pictures are left out, until it is small enough.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from kumi.recording.scene import Scene, view_of_run
from kumi.recording.telling import telling_instant
from kumi.recording.trails import SHARE, back_from, trail_length

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from PIL import Image

    from kumi.recording.runfile import RunFile

SIZE = (400, 300)
FRAMES, RATE = 48, 12.0
"""Pictures of a loop, and how many a second."""
PART = 0.9
"""How far the quickest robot comes in a loop, as a share of the shorter side of the plane."""
MOST = 300_000
"""Bytes of a loop."""
TRIES = ((70, 1), (45, 1), (20, 1), (20, 2), (20, 3), (10, 4))
"""From best to smallest: the quality, and which of the pictures are kept, such as every second one."""


def write_loop(
    run: RunFile, path: Path, size: tuple[int, int] = SIZE, instant: float | None = None
) -> Generator[float, None, None]:
    """Make a picture that moves of a run; goes through the share of the work that is done, up to 1.

    It shows the run around an instant, or around the one that tells most.
    """
    start, end = span_of(run, telling_instant(run) if instant is None else instant)
    step = (end - start) / (FRAMES - 1)
    scene = Scene(run, view_of_run(run, start, end, size), start, step * RATE)
    frames = []
    for number in range(FRAMES):
        frames.append(scene.frame(min(start + number * step, end)))
        yield 0.9 * (number + 1) / FRAMES
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(encoded(frames, MOST))
    unfinished.replace(path)
    yield 1.0


def span_of(run: RunFile, instant: float) -> tuple[float, float]:
    """Return from when to when a loop goes: a quarter of it comes after an instant."""
    view = view_of_run(run, instant, instant, SIZE)
    span = back_from(run, instant, trail_length(view.window) * PART / SHARE)
    end = min(instant + span / 4, run.end)
    return max(end - span, run.start), end


def encoded(frames: Sequence[Image.Image], most: int) -> bytes:
    """Return a WebP file of pictures that is not larger than it may be, as good as that allows."""
    smallest = b""
    for quality, every in TRIES:
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
