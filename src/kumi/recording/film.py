"""How do the pictures that a camera took become a film, without a file?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kumi.recording.video import VideoError, VideoStream, encoding


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
