"""What a simulated body perceives, and how it errs."""

from kumi.sensing.sensor import Sensor

KINDS: dict[str, type[Sensor]] = {}
"""The sensors that ship, by the name a scenario gives them."""

__all__ = ["KINDS", "Sensor"]
