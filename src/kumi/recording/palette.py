"""Which colours have pictures and films, the page, and a robot by what its program shows?

The same, from one file, `palette.json`: the page takes it in when it is built, pictures read it here. Two rules come
with it. The rim of a robot is its own colour, darker. What is written on a colour is dark on a light one, and white on
a dark one.

A type of message has a colour of its own, found from its name, so that it is the same in a picture, in a film and in
the page. Where another type has that colour already, the next one that is free is taken.

Robots that show a text or a claim under a name have the colour of that word, found from it in the same way. Words have
first the colours that nobody takes for one another, the colour-blind included, and types of messages the others: only
where there are many of them does a word have the colour of a type. Numbers have colours from a ramp between the
least and the greatest. Robots that show nothing there, and all of them where there are more words than colours, are
coloured by whether they move.
"""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kumi.recording.published import in_words, number_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kumi.recording.records import Published


class Coat(msgspec.Struct, frozen=True):
    """How obstacles of a material are drawn: fill and edge, by day and by night; the lengths of dashes and gaps.

    What is clear lets light pass, so that the page draws the beams of sensors through it.
    """

    light: tuple[str, str]
    dark: tuple[str, str]
    dash: tuple[float, ...] = ()
    is_clear: bool = False


class Palette(msgspec.Struct, frozen=True):
    """Colours by what they are for, by day and by night, of materials, words, types of messages and teams; how dark a rim is.

    A number has a colour on the `ramp`, from the least to the greatest.
    """

    rim: float
    light: dict[str, str]
    dark: dict[str, str]
    materials: dict[str, Coat]
    words: tuple[str, ...]
    types: tuple[str, ...]
    ramp: tuple[str, ...]
    teams: tuple[str, ...]


PALETTE = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=Palette)
LIGHT = PALETTE.light
INNER = re.compile(r"(?:^|, )([A-Z]\w*)\((.*)\)$", re.DOTALL)


def rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of a colour such as #0072b2."""
    value = int(colour[1:], 16)
    return value >> 16, value >> 8 & 255, value & 255


def rim_of(colour: str) -> str:
    """Return the colour of the rim of a robot."""
    return "#" + "".join(f"{round(part * PALETTE.rim):02x}" for part in rgb(colour))


def paler(colour: str) -> str:
    """Return a colour that is half way to white and beyond, for what lies behind."""
    return "#" + "".join(f"{round(255 - 0.35 * (255 - part)):02x}" for part in rgb(colour))


def ink_on(colour: str) -> str:
    """Return the colour of what is written on another one."""
    red, green, blue = rgb(colour)
    return LIGHT["text"] if 0.299 * red + 0.587 * green + 0.114 * blue > 127.5 else "#ffffff"


def inner_type(kind: str, content: str) -> str:
    """Return the type of what layers have wrapped: `InChannel 1, Question(3, 5)` is a Question."""
    while match := INNER.search(content):
        kind, content = match[1], match[2]
    return kind


class TypeColours:
    """The colour of each type of message."""

    turns = (PALETTE.types, PALETTE.words)
    """Colours that are taken first, and those for the rest."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, kind: str) -> str:
        """Return the colour of a type."""
        if kind not in self._known:
            self._known[kind] = self._choose(kind)
        return self._known[kind]

    def _choose(self, kind: str) -> str:
        taken = set(self._known.values())
        number = 0
        for byte in kind.encode():
            number = (31 * number + byte) % 2**32
        turn = [colour for colours in self.turns for colour in turned(colours, number)]
        return next((colour for colour in turn if colour not in taken), turn[0])


class WordColours(TypeColours):
    """The colour of each word that robots show."""

    turns = (PALETTE.words, PALETTE.types)


def turned(colours: Sequence[str], number: int) -> Sequence[str]:
    """Return colours in their order, from the one of a number on."""
    at = number % len(colours)
    return [*colours[at:], *colours[:at]]


STATE = "state"
"""The name by which robots are coloured where nothing else is asked for."""

Key: TypeAlias = tuple[str, str]
"""A colour, and what it stands for."""


class Colouring(msgspec.Struct, frozen=True):
    """The colours of robots that show something, by number, and what they mean."""

    fills: Mapping[int, str] = {}
    legend: Sequence[Key] = ()


def colouring(
    published: Iterable[Published], name: str = STATE, words: WordColours | None = None
) -> Colouring:
    """Return the colours of all robots that show something under a name; `words` has those of words seen before."""
    shown = {one.body: one.value for one in published if one.name == name and one.body is not None}
    said = {body: in_words(value) for body, value in shown.items() if isinstance(value, str | bool)}
    if said:
        return _by_word(said, words or WordColours())
    return _by_number(
        {body: value for body, value in shown.items() if isinstance(value, float) and isfinite(value)}
    )


def _by_word(said: Mapping[int, str], words: WordColours) -> Colouring:
    kinds = sorted(set(said.values()))
    if len(kinds) > len((*PALETTE.words, *PALETTE.types)):
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
