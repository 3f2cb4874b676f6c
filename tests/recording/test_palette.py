"""Pictures, films and the page have the same colours."""

from __future__ import annotations

import re

from kumi.installation import PAGE
from kumi.recording.palette import PALETTE, TypeColours, ink_on, inner_type, rim_of
from kumi.world import MATERIALS


def test_the_page_has_the_colours_of_the_file() -> None:
    style = (PAGE / "page.css").read_text()
    blocks = [
        dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in style.split("{ color-scheme: ")[1:]
    ]

    assert blocks == [PALETTE.light, PALETTE.dark, PALETTE.dark]


def test_both_themes_name_the_same_things() -> None:
    assert PALETTE.light.keys() == PALETTE.dark.keys()
    for colour in (*PALETTE.light.values(), *PALETTE.dark.values(), *PALETTE.types, *PALETTE.teams):
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
    kinds = [f"Kind{number}" for number in range(len(PALETTE.types))]

    assert len({colours.of(kind) for kind in kinds}) == len(kinds)
    assert [colours.of(kind) for kind in kinds] == [colours.of(kind) for kind in kinds]
    assert colours.of("OneMore") in PALETTE.types
    assert TypeColours().of(kinds[0]) == colours.of(kinds[0])


def test_the_type_is_that_inside_its_wrappers() -> None:
    assert inner_type("InChannel", "1, Question(3, 5)") == "Question"
    assert inner_type("InChannel", "1, Numbered(4, Answer('(a)'))") == "Answer"
    assert inner_type("Word", "no brackets") == "Word"
