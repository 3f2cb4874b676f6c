"""Does a run come out the same on another machine?"""

from kumi.testing.portability.comparing import (
    AGAIN,
    PLAIN,
    ProcessHashes,
    TraceDifference,
    NotPortable,
    ProcessSwitch,
    Target,
    compare,
    switches,
)

__all__ = [
    "AGAIN",
    "PLAIN",
    "ProcessHashes",
    "TraceDifference",
    "NotPortable",
    "ProcessSwitch",
    "Target",
    "compare",
    "switches",
]
