"""What is an obstacle to each kind of sensing?

An obstacle is of a material, and the material says all of it: whether bodies stop at it, what light and sound do
there, and what a metre of it takes of a radio's power. Light that a material stops comes back to who sent it, or
is swallowed; light that it does not stop goes on, and so does sound that it does not echo.

| material | bodies | light | echo of light | echo of sound | radio, dB a metre |
|---|---|---|---|---|---|
| solid | stop | stops | yes | yes | 65 |
| glass | stop | passes | no | yes | 8 |
| mesh | stop | passes | no | no | 20 |
| curtain | pass | stops | yes | no | 1 |
| dark | stop | stops | no | yes | 65 |
| concrete | stop | stops | yes | yes | 65 |
| brick | stop | stops | yes | yes | 23 |
| plasterboard | stop | stops | yes | yes | 19 |
| wood | stop | stops | yes | yes | 14 |
| metal | stop | stops | yes | yes | 1,000,000 |

A pane of glass sends some 8 % of light back to who looks at it straight on and the rest elsewhere, and echoes sound
well: its acoustic impedance is 30,000 times that of air. The openings of a wire mesh are wider than beams of light,
its wires thinner than the 8.6 mm of a sound wave at 40 kHz. Openings of 50 mm take 20 lg(125 / (2 · 50)) = 2 dB of a
radio wave of 125 mm, here over a fence of 0.1 m. Cloth scatters light, and to sound and radio it is mostly air. A black
surface, such as velvet or rubber, returns too little near infrared to be told from noise. The other losses are those at
2.4 GHz, rounded, from the conductivities and permittivities in ITU-R P.2040; something solid of which no more is known
is as concrete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from types import MappingProxyType
from typing import Any

from kumi.geometry.points import as_number

COLOUR = re.compile(r"#[0-9a-f]{6}")


class Modality(Enum):
    """By what a sensor perceives: the sensing modality."""

    LIGHT = "light"
    SOUND = "sound"
    TOUCH = "touch"


@dataclass(frozen=True, slots=True)
class Material:
    """What something is to bodies, light, sound and radio.

    `echoes_light` says whether light that it stops comes back; light that passes does not. `radio_loss_db_per_m` is
    in decibels a metre of thickness. `colour`, such as "#8a5a2b", is what a camera sees and how it is drawn; without
    one it looks as the kind of obstacle does.
    """

    name: str
    stops_bodies: bool = True
    stops_light: bool = True
    echoes_light: bool = True
    echoes_sound: bool = True
    radio_loss_db_per_m: float = 65.0
    colour: str = ""

    def __post_init__(self) -> None:
        for text in (self.name, self.colour):
            if not isinstance(text, str):
                raise TypeError(f"the name and the colour of a material are texts, not {text!r}")
        if not self.name:
            raise ValueError("the name of a material is not empty")
        for field in FLAGS:
            if not isinstance(value := getattr(self, field), bool):
                raise TypeError(f"{field} of {self.name} is true or false, not {value!r}")
        if self.echoes_light and not self.stops_light:
            raise ValueError(
                f"{self.name} cannot echo light that it lets pass: echoes_light takes stops_light"
            )
        loss = as_number(self.radio_loss_db_per_m, f"radio_loss_db_per_m of {self.name}")
        if loss < 0.0:
            raise ValueError(
                f"radio_loss_db_per_m of {self.name} is a number of dB a metre >= 0, not {loss!r}"
            )
        if self.colour and not COLOUR.fullmatch(self.colour):
            raise ValueError(f'the colour of {self.name} is a text such as "#8a5a2b", not {self.colour!r}')

    @property
    def rgb(self) -> tuple[int, int, int] | None:
        """Red, green and blue of its colour, if it has one."""
        if not self.colour:
            return None
        red, green, blue = bytes.fromhex(self.colour[1:])
        return red, green, blue

    def meets(self, modality: Modality) -> bool:
        """Tell whether light or sound ends here, or a feeler touches it."""
        match modality:
            case Modality.LIGHT:
                return self.stops_light
            case Modality.SOUND:
                return self.echoes_sound
            case Modality.TOUCH:
                return self.stops_bodies

    def echoes(self, modality: Modality) -> bool:
        """Tell whether what ends here is perceived by who sent it."""
        return self.echoes_light if modality is Modality.LIGHT else self.meets(modality)


FLAGS = ("stops_bodies", "stops_light", "echoes_light", "echoes_sound")

SOLID = Material("solid")
GLASS = Material("glass", stops_light=False, echoes_light=False, radio_loss_db_per_m=8.0)
MESH = Material("mesh", stops_light=False, echoes_light=False, echoes_sound=False, radio_loss_db_per_m=20.0)
CURTAIN = Material(
    "curtain", stops_bodies=False, echoes_sound=False, radio_loss_db_per_m=1.0, colour="#8f5a86"
)
DARK = Material("dark", echoes_light=False, colour="#000000")
CONCRETE = Material("concrete", radio_loss_db_per_m=65.0, colour="#9a9c9e")
BRICK = Material("brick", radio_loss_db_per_m=23.0, colour="#a8553a")
PLASTERBOARD = Material("plasterboard", radio_loss_db_per_m=19.0, colour="#d9d3c4")
WOOD = Material("wood", radio_loss_db_per_m=14.0, colour="#a87b45")
METAL = Material("metal", radio_loss_db_per_m=1e6, colour="#7d8b9a")

MATERIALS: Mapping[str, Material] = MappingProxyType(
    {
        material.name: material
        for material in (
            SOLID,
            GLASS,
            MESH,
            CURTAIN,
            DARK,
            CONCRETE,
            BRICK,
            PLASTERBOARD,
            WOOD,
            METAL,
        )
    }
)
"""The materials that have a name everywhere: in code, in map files and in pictures."""


def as_material(given: Material | str) -> Material:
    """Return a material, or the one of a name; a name that is known means one thing."""
    if isinstance(given, Material):
        if MATERIALS.get(given.name, given) != given:
            raise ValueError(f"{given.name} is a known material; one of your own has a name of its own")
        return given
    if not isinstance(given, str):
        raise TypeError(f"a material is a Material or the name of one, not {given!r}")
    if given not in MATERIALS:
        raise ValueError(f"nobody knows the material {given!r}; known are {', '.join(MATERIALS)}")
    return MATERIALS[given]


def material_of_value(given: Any) -> Material:
    """Return the material that a file describes: the name of a known one, or a table with the fields of its own."""
    if not isinstance(given, Mapping):
        return as_material(given)
    known = [field.name for field in fields(Material)]
    for key in given:
        if key not in known:
            raise ValueError(f"{key} is unknown; a material takes {', '.join(known)}")
    if "name" not in given:
        raise ValueError("name is missing; a material takes one")
    return as_material(Material(**given))


def material_to_value(material: Material) -> str | dict[str, Any]:
    """Return how a file describes a material."""
    if material.name in MATERIALS:
        return material.name
    given = ((field, getattr(material, field.name)) for field in fields(Material))
    return {field.name: value for field, value in given if value != field.default}
