"""Does a run come out the same on another machine?"""

from kumi.testing.portability.comparing import (
    AGAIN,
    PLAIN,
    Compared,
    Difference,
    NotPortable,
    Switch,
    Target,
    compare,
    switches,
)

__all__ = [
    "AGAIN",
    "PLAIN",
    "Compared",
    "Difference",
    "NotPortable",
    "Switch",
    "Target",
    "compare",
    "switches",
]
