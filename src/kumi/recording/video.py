"""How does a run become a film, or the pictures that a camera took?

Frames are drawn one after the other and handed to the encoder, so that a long film needs no more memory
than a short one. The film appears under its name when it is complete: whatever ends the work before leaves
nothing behind. Pictures that a camera took become a film in the same way, without a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from io import BytesIO
from math import floor, inf
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kumi.devs import KumiError
from kumi.devs.extras import needing
from kumi.recording.painted_bodies import MOVING, RESTING
from kumi.recording.painted_published import BELIEVED_FREE, BELIEVED_TAKEN
from kumi.recording.painted_scenery import ASKED, GRANTED, GRANTED_EDGE
from kumi.recording.palette import PALETTE
from kumi.recording.scene import Scene, view_of_run

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from kumi.recording.runfile import RunFile


ENDINGS = (".mp4", ".gif")
# What players know best comes first.
ENCODERS = ("libx264", "libopenh264", "h264", "mpeg4")
COLOURS = 255
# Hundredths of a second that every viewer keeps to.
SHORTEST_DELAY = 2


class VideoError(KumiError):
    """A film that cannot be made."""


def encoding() -> Any:
    """Return the package that encodes films; its own types leave out some of what it takes."""
    with needing("film"):
        return import_module("av")


class Film(msgspec.Struct, frozen=True, kw_only=True):
    """What a film shows of a run: from when to when, how fast, and how large."""

    start: float
    end: float
    fps: float = 30.0
    speed: float = 1.0
    size: tuple[int, int] = (1280, 720)

    def __post_init__(self) -> None:
        if not self.start <= self.end:
            raise VideoError(
                f"a film goes from an earlier time to a later one, not from {self.start:g} to {self.end:g}"
            )
        for name, value in (("frames a second", self.fps), ("speed", self.speed)):
            if not 0.0 < value < inf:
                raise VideoError(f"{name} of a film must be a number above 0, not {value:g}")

    def count(self, fps: float) -> int:
        """Return how many frames the film has at so many frames a second."""
        return floor((self.end - self.start) * fps / self.speed + 1e-9) + 1

    def instant(self, frame: int, fps: float) -> float:
        """Return the instant that a frame shows."""
        return min(self.start + frame * self.speed / fps, self.end)


def check_ending(path: Path) -> None:
    """Refuse a name that does not end as that of a film."""
    if path.suffix.lower() not in ENDINGS:
        raise VideoError(f"the name of a film ends in {' or '.join(ENDINGS)}, unlike {str(path)!r}")


def write_video(run: RunFile, path: Path, film: Film) -> Generator[float, None, None]:
    """Make a film of a run; goes through the share of the work that is done, up to 1."""
    check_ending(path)
    av = encoding()
    run.check_time(film.start)
    run.check_time(film.end)
    ending = path.suffix.lower()
    make = GifStream if ending == ".gif" else VideoStream
    size, rate = make.fitting(film)
    scene = Scene(run, view_of_run(run, film.start, film.end, size), film.start, film.speed)
    count = film.count(float(rate))
    with written_whole(path) as unfinished, av.open(str(unfinished), "w", format=ending[1:]) as file:
        stream = make(file, size, rate)
        for number in range(count):
            stream.add(scene.frame(film.instant(number, float(rate))), number)
            yield (number + 1) / count
        stream.finish()


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a name to write under; the file gets its own name when all went well, and is removed if not."""
    if not path.parent.is_dir():
        raise VideoError(f"there is no folder {str(path.parent)!r} for {path.name}")
    unfinished = path.with_name(f".{path.name}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


class VideoStream:
    """Frames for the encoder that players know best, of those there are."""

    def __init__(self, file: Any, size: tuple[int, int], rate: Fraction) -> None:
        self._file = file
        name = next((name for name in ENCODERS if name in encoding().codecs_available), None)
        if name is None:
            raise VideoError("this installation of av has no encoder for .mp4; make a .gif instead")
        options = {"crf": "20", "preset": "veryfast"} if name == "libx264" else {"b": "6M"}
        self._stream = file.add_stream(name, rate=rate, options=options)
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"

    @staticmethod
    def fitting(film: Film) -> tuple[tuple[int, int], Fraction]:
        """Return the size, which must be even, and the frames a second that come nearest to what is asked for."""
        return (film.size[0] & ~1, film.size[1] & ~1), Fraction(film.fps).limit_denominator(1000)

    def add(self, picture: Image.Image, number: int) -> None:
        """Encode the next frame."""
        frame = encoding().VideoFrame.from_image(picture)
        frame.pts = number
        self._file.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """Encode what is still under way."""
        self._file.mux(self._stream.encode())


def with_all_colours(picture: Image.Image) -> Image.Image:
    """Return a picture that has the colours of what the first frame may not show."""
    width, height = picture.size
    larger = Image.new("RGB", (width, height + height // 4))
    larger.paste(picture, (0, 0))
    colours = (
        MOVING,
        RESTING,
        GRANTED,
        GRANTED_EDGE,
        ASKED,
        BELIEVED_FREE,
        BELIEVED_TAKEN,
        *PALETTE.words,
        *PALETTE.types,
    )
    for number, colour in enumerate(colours):
        left, right = (width * edge // len(colours) for edge in (number, number + 1))
        larger.paste(colour, (left, height, right, height + height // 4))
    return larger


class GifStream:
    """Frames with few colours, those of the first one."""

    def __init__(self, file: Any, size: tuple[int, int], rate: Fraction) -> None:
        self._file = file
        self._stream = file.add_stream("gif", rate=rate)
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "pal8"
        self._colours: Image.Image | None = None

    @staticmethod
    def fitting(film: Film) -> tuple[tuple[int, int], Fraction]:
        """Return the size, and frames a second that last whole hundredths, as in every such file."""
        return film.size, Fraction(100, max(SHORTEST_DELAY, round(100 / film.fps)))

    def add(self, picture: Image.Image, number: int) -> None:
        """Encode the next frame."""
        self._colours = self._colours or with_all_colours(picture).quantize(COLOURS)
        few = picture.quantize(palette=self._colours, dither=Image.Dither.NONE)
        known = np.array(few.getpalette(), np.uint8).reshape(-1, 3)
        palette = np.full((256, 4), 255, np.uint8)
        palette[: len(known), 1:] = known
        frame = encoding().VideoFrame.from_ndarray((np.asarray(few), palette), format="pal8")
        frame.pts = number
        self._file.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """Encode what is still under way."""
        self._file.mux(self._stream.encode())


def film_of(pictures: Sequence[NDArray[np.uint8]], fps: int = 15) -> bytes:
    """Return the bytes of an MP4 film of pictures of one size, with even sides."""
    if not pictures:
        raise VideoError("a film needs a picture at least")
    height, width, _ = pictures[0].shape
    out = BytesIO()
    with encoding().open(out, "w", format="mp4") as file:
        stream = VideoStream(file, (width, height), Fraction(fps))
        for number, picture in enumerate(pictures):
            stream.add(Image.fromarray(picture), number)
        stream.finish()
    return out.getvalue()
