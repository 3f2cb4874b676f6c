"""Which convoys does the study compare?

One of them is the one of the paper's figure 9, and each case changes one thing of it: the noise, the number of robots,
the distance between them, what infrared sees, how long a step is, or how a robot learns where its front robot looks. So
the effect of each is seen by itself, and the same seeds make the comparison a paired one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

ONE_FIELD = 28.0
"""Metres: the side of the field on which 10 to 40 robots are compared, which all of them fit into."""


@dataclass(frozen=True)
class ConvoyCase:
    """What is changed: fields of the setup, and of its rules by names that begin with `rules.`."""

    part: str
    value: float
    changes: Mapping[str, Any]


def _cases() -> dict[str, ConvoyCase]:
    found: dict[str, ConvoyCase] = {}

    def add(part: str, label: str, value: float, **changes: Any) -> None:
        found[f"{part} {label}"] = ConvoyCase(
            part, value, {k.replace("__", "."): v for k, v in changes.items()}
        )

    for dnf, anf in ((0.04, 0.04), (0.1, 0.08), (0.2, 0.1), (0.3, 0.15), (0.4, 0.2), (0.5, 0.25)):
        add("noise", f"{dnf:g} {anf:g}", dnf, dnf=dnf, anf=anf)
    for robots in (10, 20, 30, 40):
        add("robots", str(robots), robots, robots=robots, field_side=ONE_FIELD)
    for robots, steps in ((100, 1000), (300, 1500), (1000, 3000)):
        add("robots", str(robots), robots, robots=robots, steps=steps)
    for robots, steps in ((100, 1000), (300, 1500), (1000, 3000)):
        add("quiet robots", str(robots), robots, robots=robots, steps=steps, dnf=0.02, anf=0.02)
    for desired in (0.35, 0.4, 0.5, 0.6, 0.7):
        add("desired", f"{desired:g}", desired, rules__desired=desired)
    for reach in (0.4, 0.6, 0.8, 1.2):
        add("infrared", f"{reach:g}", reach, infrared_reach=reach)
    for step in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        add("step", f"{step:g}", step, rules__step=step)
    for share in (0.0, 0.1, 0.3, 1.0):
        add("learning", f"{share:g}", share, rules__learning=share)
    rules = {"desired": 1.0, "diameter": 0.4, "step": 0.6, "tolerance": 0.6, "back_off": 0.1}
    lengths = {
        "infrared_reach": 1.2,
        "speed": 0.6,
        "whisker_length": 0.06,
        "break_up": 6.0,
        "field_side": 40.25,
    }
    add(
        "lengths",
        "doubled",
        2.0,
        anf=0.04,
        **lengths,
        **{f"rules__{name}": one for name, one in rules.items()},
    )
    return found


CASES = _cases()
"""By name, such as "robots 40": the part of the study, and what is changed in it."""


def case_named(name: str) -> ConvoyCase:
    """Return a case, or say which there are."""
    if name not in CASES:
        near = get_close_matches(name, CASES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(CASES)}"
        raise ValueError(f"{name!r} is no case of the convoy's study; {hint}")
    return CASES[name]
