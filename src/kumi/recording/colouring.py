"""Which colour has a robot, by what its program shows?

Robots that show a text or a claim under a name have the colour of that word, found from it as the colour of a type of
message is, so that it is the same in a picture, in a film and in the page. Numbers have colours from a ramp between the
least and the greatest. Robots that show nothing there, and all of them where there are more words than colours, are
coloured by whether they move.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kumi.recording.palette import PALETTE, TypeColours, rgb
from kumi.recording.published import in_words, number_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kumi.recording.records import Published

STATE = "state"
"""The name by which robots are coloured where nothing else is asked for."""

Key: TypeAlias = tuple[str, str]
"""A colour, and what it stands for."""


class Colouring(msgspec.Struct, frozen=True):
    """The colours of robots that show something, by number, and what they mean."""

    fills: Mapping[int, str] = {}
    legend: Sequence[Key] = ()


def colouring(
    published: Iterable[Published], name: str = STATE, words: TypeColours | None = None
) -> Colouring:
    """Return the colours of all robots that show something under a name; `words` has those of words seen before."""
    shown = {one.body: one.value for one in published if one.name == name and one.body is not None}
    said = {body: in_words(value) for body, value in shown.items() if isinstance(value, str | bool)}
    if said:
        return _by_word(said, words or TypeColours())
    return _by_number(
        {body: value for body, value in shown.items() if isinstance(value, float) and isfinite(value)}
    )


def _by_word(said: Mapping[int, str], words: TypeColours) -> Colouring:
    kinds = sorted(set(said.values()))
    if len(kinds) > len(PALETTE.types):
        return Colouring()
    found = {kind: words.of(kind) for kind in kinds}
    counts = list(said.values())
    return Colouring(
        {body: found[word] for body, word in said.items()},
        [(found[kind], f"{kind}: {counts.count(kind):,}") for kind in kinds],
    )


def _by_number(numbers: Mapping[int, float]) -> Colouring:
    if not numbers:
        return Colouring()
    least, most = min(numbers.values()), max(numbers.values())
    span = (most - least) or 1.0
    ends = [least] if least == most else [least, most]
    return Colouring(
        {body: on_ramp((value - least) / span) for body, value in numbers.items()},
        [(on_ramp((value - least) / span), number_in_words(value)) for value in ends],
    )


def on_ramp(share: float) -> str:
    """Return the colour at a share of the way from the first colour of the ramp to the last."""
    colours = PALETTE.ramp
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    one, other = rgb(colours[first]), rgb(colours[first + 1])
    mixed = (round(a + (b - a) * (place - first)) for a, b in zip(one, other, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
