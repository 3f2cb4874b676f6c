"""The numbers by which robots of a convoy decide; metres and radians."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, pi, radians


@dataclass(frozen=True)
class ConvoyRules:
    """What all robots of a convoy agree on.

    `desired` is the distance between the centres of neighbours, D in the paper. `diameter` is what is added to the
    reading of a range finder to get the distance between centres. The leader goes `step` at a time, and turns by
    `leader_turn` until it is free. A robot that does not see the one in front turns by `scan_step` to either side, farther
    and farther, up to `scan_reach`; what is seen more than `tolerance` nearer or farther than desired is taken for
    something else. `learning` is the share of an observed error of the front robot's heading that is corrected: 0 is
    the paper's rule, which only adds up what was commanded. `back_off` is how far a robot goes back from what its
    whiskers touch.
    """

    desired: float = 0.5
    diameter: float = 0.2
    step: float = 0.3
    leader_turn: float = radians(30.0)
    scan_step: float = radians(5.0)
    scan_reach: float = pi
    tolerance: float = 0.3
    learning: float = 0.3
    back_off: float = 0.05

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            may_be_0, may_be_inf = name == "learning", name == "tolerance"
            if not ((value > 0.0 or (value == 0.0 and may_be_0)) and (isfinite(value) or may_be_inf)):
                raise ValueError(f"{name} of a convoy's rules is a finite number above 0, not {value!r}")
        if self.learning > 1.0:
            raise ValueError(f"learning is a share from 0 to 1, not {self.learning!r}")
        if self.desired <= self.diameter:
            raise ValueError(
                f"robots of diameter {self.diameter:g} m cannot keep {self.desired:g} m between their centres"
            )
        if self.scan_step > self.scan_reach:
            raise ValueError(
                f"a scan_step of {self.scan_step:g} rad goes beyond the scan_reach, {self.scan_reach:g}"
            )
