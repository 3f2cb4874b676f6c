"""Does a page look as it did? Pictures of it are made small and compared with small ones that are kept.

What another font or another drawing of edges changes is lost in that; what is gone or elsewhere is not. A dot counts as changed
when one of its colours differs by more than `least`, and a few dots may. A picture with letters in it is made very small; one
without can be compared more closely.

`KUMI_RENEW_PICTURES=1` writes the pictures that are kept anew instead; look at them before they are committed. What differs is
put beside the picture of the page, in `build/view-screens`, to be looked at.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

from tests.view.browser import SCREENS

KEPT = Path(__file__).with_name("pictures")


@dataclass(frozen=True)
class Look:
    """How closely pictures are compared: their size in dots, what counts as a change, and which share of dots may change."""

    size: tuple[int, int]
    least: int
    share: float


WITH_LETTERS = Look((50, 35), 24, 0.012)
WITHOUT_LETTERS = Look((192, 128), 12, 0.0012)


def small(picture: Path, look: Look) -> Image.Image:
    """Return a picture made small."""
    with Image.open(picture) as image:
        return image.convert("RGB").resize(look.size, Image.Resampling.BOX)


def changed(one: Image.Image, other: Image.Image, look: Look) -> Image.Image:
    """Return white dots where two small pictures differ, black ones where they do not."""
    red, green, blue = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return most.point(lambda value: 255 if value > look.least else 0)


def share_changed(one: Path, other: Path, look: Look) -> float:
    """Return the share of dots in which two pictures differ, made small."""
    dots = changed(small(one, look), small(other, look), look)
    return dots.histogram()[255] / (dots.width * dots.height)


def check_looks(picture: Path, look: Look) -> None:
    """Fail unless a picture of the page looks as the one that is kept under its name."""
    seen, kept = small(picture, look), KEPT / picture.name
    if os.environ.get("KUMI_RENEW_PICTURES"):
        kept.parent.mkdir(exist_ok=True)
        seen.save(kept, optimize=True)
    assert kept.exists(), f"there is no picture {kept.name} yet; KUMI_RENEW_PICTURES=1 makes it"
    share = share_changed(picture, kept, look)
    if share <= look.share:
        return
    with Image.open(kept) as image:
        wanted = image.convert("RGB")
    for part, shown in (("seen", seen), ("kept", wanted), ("changed", changed(seen, wanted, look))):
        larger = shown.resize((960, 640), Image.Resampling.NEAREST)
        larger.save(SCREENS / f"{picture.stem}-{part}.png")
    raise AssertionError(
        f"{100 * share:.1f} % of {picture.name} is not as in {kept.name}, of which {100 * look.share:g} % may be: "
        f"see {SCREENS / picture.stem}-changed.png"
    )
