"""Does a run come out the same on another machine?"""

from kumi.testing.portability.comparing import Compared, Difference, NotPortable, Target, compare
from kumi.testing.portability.switches import AGAIN, PLAIN, Switch, switches

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
