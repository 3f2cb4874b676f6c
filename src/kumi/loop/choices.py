"""Which devices of a robot are virtual, which are real, and which are both?

A robot has a motor, something that feels touches, and sensors, and each is chosen by itself:

- `virtual` works in the environment model: it moves the counterpart, or senses what is around it;
- `real` works on the real robot, and the environment model is told nothing;
- `hil` works on the real robot, and tells the environment model: a motor moves the counterpart, a sensor is compared
  with its virtual twin.

What is not named is virtual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["virtual", "real", "hil"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOTOR = "motor"


@dataclass(frozen=True, init=False)
class Choices:
    """The kind of each device of a robot, by the device's name: `Choices("hil", front="real")`."""

    motor: Kind
    others: frozenset[tuple[str, Kind]]
    """Those devices beside the motor that are not virtual."""

    def __init__(self, motor: Kind = "virtual", **others: Kind) -> None:
        for device, kind in {MOTOR: motor, **others}.items():
            if kind not in KINDS:
                raise ValueError(f'{device} is "virtual", "real" or "hil", not {kind!r}')
        object.__setattr__(self, "motor", motor)
        chosen = frozenset((device, kind) for device, kind in others.items() if kind != "virtual")
        object.__setattr__(self, "others", chosen)

    def __getitem__(self, device: str) -> Kind:
        """Return the kind of a device."""
        return self.motor if device == MOTOR else dict(self.others).get(device, "virtual")

    @property
    def is_virtual(self) -> bool:
        """Whether no real robot is needed."""
        return self.motor == "virtual" and not self.others

    def __repr__(self) -> str:
        rest = "".join(f", {device}={kind!r}" for device, kind in sorted(self.others))
        return f"Choices({self.motor!r}{rest})"
