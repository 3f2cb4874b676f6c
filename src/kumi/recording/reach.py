"""How far do the radios of a scenario reach, over open ground?

A scenario says the power of its radios, what is lost on the first metre, and how the loss grows. The reach is where
the power that arrives is just enough to be heard.
"""

from __future__ import annotations

import tomllib
from typing import Any

from kumi.maths import pow


def radio_reach(scenario: str) -> float | None:
    """Return the reach in metres; None where the scenario has no radio, or says something else about it."""
    try:
        effects: list[Any] = tomllib.loads(scenario).get("network", {}).get("effects", [])
        radio = next((one for one in effects if one["kind"] == "radio"), None)
        if radio is None:
            return None
        budget = (
            radio.get("power", 20.0) - radio.get("sensitivity", -90.0) - radio.get("loss_at_one_metre", 40.0)
        )
        return float(pow(10.0, budget / (10.0 * radio.get("exponent", 2.5))))
    except (tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ArithmeticError):
        return None
