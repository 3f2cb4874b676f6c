"""Pictures, films and the page have the same colours."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from kumi.geometry import Point
from kumi.installation import PAGE
from kumi.network.wire import content
from kumi.protocols.perfect_links import Numbered
from kumi.protocols.reservation import ReleaseZone
from kumi.protocols.stack import InChannel
from kumi.recording.palette import PALETTE, TypeColours, WordColours, ink_on, inner_type, rgb, rim_of
from kumi.reserving import Zone
from kumi.world import MATERIALS


def test_the_page_has_the_colours_of_the_file() -> None:
    style = (PAGE / "page.css").read_text()
    blocks = [
        dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in style.split("{ color-scheme: ")[1:]
    ]

    assert blocks == [PALETTE.light, PALETTE.dark, PALETTE.dark]


def test_both_themes_name_the_same_things() -> None:
    assert PALETTE.light.keys() == PALETTE.dark.keys()
    for colour in (
        *PALETTE.light.values(),
        *PALETTE.dark.values(),
        *PALETTE.words,
        *PALETTE.types,
        *PALETTE.teams,
    ):
        assert re.fullmatch("#[0-9a-f]{6}", colour)


def test_every_known_material_has_a_coat_and_is_clear_where_light_passes() -> None:
    """What is solid has the colour of an obstacle."""
    assert PALETTE.materials.keys() == MATERIALS.keys() - {"solid"}
    for name, coat in PALETTE.materials.items():
        assert coat.is_clear != MATERIALS[name].stops_light, name
        for colour in (*coat.light, *coat.dark):
            assert re.fullmatch("#[0-9a-f]{6}", colour)


def test_a_rim_is_darker_and_ink_is_readable() -> None:
    """62 % of 200 is 124, of 100 is 62."""
    assert rim_of("#c86400") == "#7c3e00"
    assert ink_on(PALETTE.light["moving"]) == "#ffffff"
    assert ink_on(PALETTE.light["resting"]) == PALETTE.light["text"]


def test_types_have_colours_of_their_own_while_there_are_some() -> None:
    colours = TypeColours()
    kinds = [f"Kind{number}" for number in range(len((*PALETTE.types, *PALETTE.words)))]

    assert len({colours.of(kind) for kind in kinds}) == len(kinds)
    assert [colours.of(kind) for kind in kinds] == [colours.of(kind) for kind in kinds]
    assert colours.of("OneMore") in PALETTE.types
    assert TypeColours().of(kinds[0]) == colours.of(kinds[0])
    assert {colours.of(kind) for kind in kinds[:5]} == {*PALETTE.types}


def test_three_words_have_colours_that_no_types_of_messages_have() -> None:
    """Unless there are six types."""
    words = WordColours()

    assert {words.of(word) for word in ("leader", "follower", "lost")} == {*PALETTE.words}
    assert not {*PALETTE.words} & {*PALETTE.types}


LINEAR = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.0888])
EYES = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
"""What eyes make of linear RGB, after Machado, Oliveira and Fernandes (2009)."""


def seen(colour: str, eyes: str) -> np.ndarray:
    """Return a colour in CIE Lab, as some eyes see it: a step of 2.3 is just noticed."""
    parts = np.array(rgb(colour)) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    ratios = LINEAR @ np.clip(EYES[eyes] @ linear, 0.0, 1.0) / WHITE
    x, y, z = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
def test_no_eyes_take_one_of_three_words_for_another(eyes: str) -> None:
    """As a leader among followers, whatever the words: the first three have colours 50 or more apart."""
    for first in range(20):
        colours = WordColours()
        for one, other in combinations([colours.of(f"word {first + more}") for more in range(3)], 2):
            assert np.linalg.norm(seen(one, eyes) - seen(other, eyes)) >= 50.0


def test_the_type_is_that_inside_its_wrappers() -> None:
    assert inner_type("InChannel", "1, Question(3, 5)") == "Question"
    assert inner_type("InChannel", "1, Numbered(4, Answer('(a)'))") == "Answer"
    assert inner_type("Word", "no brackets") == "Word"


def test_a_part_of_a_message_is_not_taken_for_what_it_wraps() -> None:
    """A message that releases a zone is no zone, however many layers are around it."""
    zone = Zone((Point(1.0, 2.0),), 0.5)
    message = Numbered(7, 0, 0, InChannel(1, ReleaseZone(3, zone)))
    written = content(message)
    assert written == "7, 0, 0, InChannel(1, ReleaseZone(3, Zone[([1.000, 2.000]), 0.500]))"
    assert inner_type("Numbered", written) == "ReleaseZone"
