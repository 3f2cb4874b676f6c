"""Which colours have pictures and films, and the page?

The same, from one file, `palette.json`: the page takes it in when it is built, pictures read it here. Two rules come
with it. The rim of a robot is its own colour, darker. What is written on a colour is dark on a light one, and white on
a dark one.

A type of message has a colour of its own, found from its name, so that it is the same in a picture, in a film and in
the page. Where another type has that colour already, the next one that is free is taken.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec


class Coat(msgspec.Struct, frozen=True):
    """How obstacles of a material are drawn: fill and edge, by day and by night; the lengths of dashes and gaps.

    What is clear lets light pass, so that the page draws the beams of sensors through it.
    """

    light: tuple[str, str]
    dark: tuple[str, str]
    dash: tuple[float, ...] = ()
    is_clear: bool = False


class Palette(msgspec.Struct, frozen=True):
    """Colours by what they are for, by day and by night, of materials, types of messages and teams; how dark a rim is.

    A number has a colour on the `ramp`, from the least to the greatest.
    """

    rim: float
    light: dict[str, str]
    dark: dict[str, str]
    materials: dict[str, Coat]
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

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, kind: str) -> str:
        """Return the colour of a type."""
        if kind not in self._known:
            self._known[kind] = self._choose(kind)
        return self._known[kind]

    def _choose(self, kind: str) -> str:
        colours, taken = PALETTE.types, set(self._known.values())
        number = 0
        for byte in kind.encode():
            number = (31 * number + byte) % 2**32
        turn = [colours[(number + step) % len(colours)] for step in range(len(colours))]
        return next((colour for colour in turn if colour not in taken), turn[0])
